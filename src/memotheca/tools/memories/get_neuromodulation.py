"""The neuromodulators in short."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.arousal import modulator_levels
from memotheca.memory.session.modulators import mode
from memotheca.toolkit.fields import UNSET, integer, number, one, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    session_id: str = text("", UNSET, maxLength=256)


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectsShape:
    beta: float = number()
    spaces: int | None = integer(default=None, nullable=True)
    spaces_reason: str = text(
        default="No search chooses among the spaces, so that serotonin decides nothing but the mode."
    )
    temperature: float = number()
    learning_rate: float = number()


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
    with call.kernel.store.database.read() as session:
        levels = modulator_levels(call.kernel, session, name)
    values = {name: round(value, 6) for name, value in levels.values.items()}
    effects = EffectsShape(
        beta=values["dopamine"],
        temperature=values["noradrenaline"],
        learning_rate=values["acetylcholine"],
    )
    output = Output(**values, current_mode=mode(levels), effects=effects)
    told = f"{values['noradrenaline']:.2f} times the usual candidates, sharpness {values['dopamine']:.2f}"
    return Answer(f"The memory is in {mode(levels)} mode: {told}.", NODES, output)
