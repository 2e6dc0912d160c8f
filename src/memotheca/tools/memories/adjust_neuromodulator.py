"""Adjust a neuromodulator."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.arousal import adjust_level
from memotheca.memory.session.modulators import MODULATORS, modulator_of
from memotheca.memory.tuning.gates import gates_at
from memotheca.model.errors import Failure, Refusal
from memotheca.toolkit.fields import UNSET, choice, flag, free, number, one, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.get_neuromodulation_state import EFFECTS, HalfLifeShape, RangeShape

ADJUSTABLE = tuple(each.name for each in MODULATORS if each.is_adjustable)
READ_ONLY = tuple(each.name for each in MODULATORS if not each.is_adjustable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    modulator: str = choice(ADJUSTABLE, "Dopamine cuts off, noradrenaline widens, serotonin varies.")
    delta: float = number("Added to the level, which stays within its bounds.")
    session_id: str = text("", UNSET, maxLength=256)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    modulator: str = text()
    old_level: float = number()
    new_level: float = number()
    delta_requested: float = number()
    delta_applied: float = number()
    clamped: bool = flag()
    range: RangeShape = one(RangeShape)
    half_life: HalfLifeShape = one(HalfLifeShape)
    also_moved: dict[str, Any] = free("Levels that this has set off, and by how much.")
    meaning: str = text()


EXAMPLE = Example(arguments={"modulator": "dopamine", "delta": 1.5})


def explain(call: Call[Any], refusal: Refusal, arguments: Mapping[str, Any]) -> Refusal:
    """One that cannot be adjusted is known all the same."""
    asked = arguments.get("modulator")
    if asked not in READ_ONLY:
        return refusal
    message = f"{asked} is read-only: it follows how well the memory recalls. Adjust {', '.join(ADJUSTABLE)}."
    return Refusal(Failure.INVALID, message, field="modulator", details={"allowed": list(ADJUSTABLE)})


@tool(contract="memories", effect="change", models=(Input, Output), example=EXAMPLE, complain=explain)
def adjust_neuromodulator(call: Call[Kernel], input: Input) -> Answer:
    """Turn one knob of this session's retrieval within its bounds: dopamine (cut-off), noradrenaline (breadth) or
    serotonin (variety). It acts on the next questions and fades with time and with each of them."""
    session = said(input).get("session_id") or call.session
    each = modulator_of(input.modulator)
    before, after = adjust_level(call.kernel, session, each.name, input.delta)
    old, new = before.values[each.name], after.values[each.name]
    moved = {name: round(value - before.values[name], 6) for name, value in after.values.items() if name != each.name}
    others = {name: by for name, by in moved.items() if by}
    with call.kernel.read() as snapshot:
        gates = gates_at(snapshot)
    output = Output(
        modulator=each.name,
        old_level=round(old, 6),
        new_level=round(new, 6),
        delta_requested=input.delta,
        delta_applied=round(new - old, 6),
        clamped=abs(new - old - input.delta) > 1e-9,
        range=RangeShape(min=each.low, baseline=each.rest, max=each.high),
        half_life=HalfLifeShape(minutes=round(each.minutes, 1), questions=each.questions),
        also_moved=others,
        meaning=f"From the next question on {EFFECTS[each.name](after, gates)}; half of that is gone after "
        f"{each.minutes:.0f} minutes or {each.questions:.0f} questions.",
    )
    return Answer(f"{each.name} is {new:.2f}. {output.meaning}", NODES, output)
