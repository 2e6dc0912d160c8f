"""The neuromodulators in short."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.arousal import modulator_levels
from memotheca.memory.session.modulators import learning_share, mode, share_compared
from memotheca.memory.session.state import activity_of
from memotheca.memory.spaces.space_weights import active_spaces
from memotheca.model.kinds import MEMORY
from memotheca.search.census import take_census
from memotheca.toolkit.fields import UNSET, Unset, integer, number, one, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.modulator_shapes import LastQueryShape, last_query


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    session_id: str = text("", UNSET, maxLength=256)


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectsShape:
    beta: float = number()
    spaces: int = integer("In which results are compared for variety, by serotonin.")
    temperature: float = number()
    learning_rate: float = number()
    learning_share: float = number("Of the next memory in the session's means, by acetylcholine.")
    last_search: LastQueryShape | None = one(LastQueryShape, "What they did to the last question.", nullable=True)
    last_search_reason: str | Unset = text(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    dopamine: float = number()
    serotonin: float = number()
    noradrenaline: float = number()
    acetylcholine: float = number()
    current_mode: str = text()
    effects: EffectsShape = one(EffectsShape)


EXAMPLE = Example(
    arguments={},
    after=(("store_memory", {"content": "Ada takes her tea black.", "rationale": "She told us at lunch."}),),
)


@tool(contract="memories", effect="read", models=(Input, Output), example=EXAMPLE)
def get_neuromodulation(call: Call[Kernel], input: Input) -> Answer:
    """Four levels of a session that rewards move and time brings to rest: how sharply, widely and variedly it
    looks."""
    name = said(input).get("session_id") or call.session
    with call.kernel.read() as snapshot:
        levels = modulator_levels(call.kernel, snapshot.session, name)
        mood = activity_of(call.kernel).mood(snapshot.session, call.kernel.collection, name)
        known = take_census(call.kernel, snapshot).nodes((MEMORY,))
    values = {name: round(value, 6) for name, value in levels.values.items()}
    effects = EffectsShape(
        beta=values["dopamine"],
        spaces=len(active_spaces(share_compared(levels))),
        temperature=values["noradrenaline"],
        learning_rate=values["acetylcholine"],
        learning_share=round(learning_share(levels, len(mood.stored), known), 4),
        last_search=last_query(mood.effects),
        last_search_reason=UNSET if mood.effects else "Nothing was searched in this session.",
    )
    output = Output(**values, current_mode=mode(levels), effects=effects)
    told = f"{values['noradrenaline']:.2f} times the usual candidates, sharpness {values['dopamine']:.2f}"
    return Answer(f"The memory is in {mode(levels)} mode: {told}.", NODES, output)
