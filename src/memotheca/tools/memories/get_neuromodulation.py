"""The neuromodulators in short."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.arousal import modulator_levels
from memotheca.memory.session.modulators import learning_share, mode
from memotheca.memory.session.state import activity_of
from memotheca.model.kinds import MEMORY
from memotheca.search.census import take_census
from memotheca.toolkit.fields import UNSET, Unset, integer, number, one, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

SEARCHED = ("candidates", "usual_candidates", "let_go")


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    session_id: str = text("", UNSET, maxLength=256)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchShape:
    candidates: int = integer("Looked at, by noradrenaline.")
    usual_candidates: int = integer()
    let_go: int = integer("Results that dopamine cut off.")


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectsShape:
    beta: float = number()
    spaces: int | None = integer(default=None, nullable=True)
    spaces_reason: str = text(
        default="No search chooses among the spaces, so that serotonin decides nothing but the mode."
    )
    temperature: float = number()
    learning_rate: float = number()
    learning_share: float = number("Of the next memory in the session's means, by acetylcholine.")
    last_search: SearchShape | None = one(SearchShape, "What they did to the last search.", nullable=True)
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
    """Four levels of a session that rewards move and time brings to rest: how sharply and how widely it looks."""
    name = said(input).get("session_id") or call.session
    with call.kernel.read() as snapshot:
        levels = modulator_levels(call.kernel, snapshot.session, name)
        mood = activity_of(call.kernel).mood(snapshot.session, call.kernel.collection, name)
        known = take_census(call.kernel, snapshot).nodes((MEMORY,))
    values = {name: round(value, 6) for name, value in levels.values.items()}
    effects = EffectsShape(
        beta=values["dopamine"],
        temperature=values["noradrenaline"],
        learning_rate=values["acetylcholine"],
        learning_share=round(learning_share(levels, len(mood.stored), known), 4),
        last_search=None if mood.searched is None else SearchShape(**dict(zip(SEARCHED, mood.searched, strict=True))),
        last_search_reason=UNSET if mood.searched else "Nothing was searched in this session.",
    )
    output = Output(**values, current_mode=mode(levels), effects=effects)
    told = f"{values['noradrenaline']:.2f} times the usual candidates, sharpness {values['dopamine']:.2f}"
    return Answer(f"The memory is in {mode(levels)} mode: {told}.", NODES, output)
