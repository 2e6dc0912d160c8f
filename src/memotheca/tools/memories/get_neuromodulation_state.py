"""The neuromodulators in full."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.arousal import modulator_levels
from memotheca.memory.session.modulators import (
    ALERT,
    MODULATORS,
    Levels,
    Modulator,
    cut_off,
    mode,
    share_compared,
    variety,
)
from memotheca.memory.session.state import activity_of
from memotheca.memory.spaces.space_weights import active_spaces
from memotheca.memory.tuning.gates import gates_at
from memotheca.memory.tuning.thresholds import Gates
from memotheca.model.clock import to_iso
from memotheca.toolkit.fields import UNSET, flag, integer, number, one, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.modulator_shapes import LastQueryShape, last_query, told_effects


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    session_id: str = text("", UNSET, maxLength=256)


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeShape:
    min: float = number()
    baseline: float = number()
    max: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfLifeShape:
    """Whichever comes first, both count."""

    minutes: float = number()
    questions: float | None = number("Null: it does not fade with questions.", nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModulatorShape:
    level: float = number()
    range: RangeShape = one(RangeShape)
    parameter: str = text()
    effect: str = text()
    half_life: HalfLifeShape = one(HalfLifeShape)
    adjustable: bool = flag()
    last_change: str | None = text(nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParametersShape:
    beta: float = number("Dopamine: how sharply results are cut.")
    active_spaces: int = integer("Serotonin: in how many spaces results are compared for variety.")
    temperature: float = number("Noradrenaline: times the usual candidates.")
    learning_rate: float = number("Acetylcholine.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    dopamine: ModulatorShape = one(ModulatorShape)
    serotonin: ModulatorShape = one(ModulatorShape)
    noradrenaline: ModulatorShape = one(ModulatorShape)
    acetylcholine: ModulatorShape = one(ModulatorShape)
    derived_parameters: ParametersShape = one(ParametersShape)
    is_alert: bool = flag()
    mode: str = text()
    last_query: LastQueryShape | None = one(LastQueryShape, "What they did to the last question.", nullable=True)
    meaning: str = text()


EXAMPLE = Example(
    arguments={},
    after=(
        ("store_memory", {"content": "Ada takes her tea black.", "rationale": "She told us at lunch."}),
        ("adjust_neuromodulator", {"modulator": "noradrenaline", "delta": 0.5}),
        ("search_graph", {"query": "How does Ada take her tea?"}),
    ),
)


@tool(contract="memories", effect="read", models=(Input, Output), example=EXAMPLE)
def get_neuromodulation_state(call: Call[Kernel], input: Input) -> Answer:
    """The knobs of a session's retrieval: dopamine cuts off, noradrenaline widens, serotonin varies; each with its
    bounds, its half-life, what it does now, and what they did to the last question."""
    name = said(input).get("session_id") or call.session
    with call.kernel.read() as snapshot:
        levels = modulator_levels(call.kernel, snapshot.session, name)
        mood = activity_of(call.kernel).mood(snapshot.session, call.kernel.collection, name)
        gates = gates_at(snapshot)
    values = {name: round(value, 6) for name, value in levels.values.items()}
    done = last_query(mood.effects)
    output = Output(
        **{each.name: _modulator(each, levels, gates) for each in MODULATORS},
        derived_parameters=ParametersShape(
            beta=values["dopamine"],
            active_spaces=len(active_spaces(share_compared(levels))),
            temperature=values["noradrenaline"],
            learning_rate=values["acetylcholine"],
        ),
        is_alert=values["noradrenaline"] > ALERT,
        mode=mode(levels),
        last_query=done,
        meaning=f"{_standing(levels)} {told_effects(done)}",
    )
    return Answer(output.meaning, NODES, output)


def _modulator(each: Modulator, levels: Levels, gates: Gates) -> ModulatorShape:
    moved = levels.changed.get(each.name)
    asked = None if each.questions == float("inf") else float(each.questions)
    return ModulatorShape(
        level=round(levels.values[each.name], 6),
        range=RangeShape(min=each.low, baseline=each.rest, max=each.high),
        parameter=each.parameter,
        effect=EFFECTS[each.name](levels, gates),
        half_life=HalfLifeShape(minutes=round(each.minutes, 1), questions=asked),
        adjustable=each.is_adjustable,
        last_change=None if moved is None else to_iso(moved),
    )


def _cut(levels: Levels, gates: Gates) -> str:
    context, search = max(0.0, cut_off(levels, gates["relevance"])), max(0.0, cut_off(levels))
    return f"contexts take what has {context:.2f} of the best score, searches what has {search:.2f}"


def _breadth(levels: Levels, _: Gates) -> str:
    return f"{levels.values['noradrenaline']:.2f} times the usual candidates are looked at"


def _diversity(levels: Levels, _: Gates) -> str:
    strength = variety(levels)
    if not strength:
        return "results stand by their score"
    compared = f"compared in {len(active_spaces(share_compared(levels)))} spaces"
    if strength > 0:
        return f"what repeats a result before it loses up to {strength:.2f} of the best score, {compared}"
    return f"what resembles the first result gains up to {-strength:.2f} of the best score, {compared}"


def _learning(levels: Levels, _: Gates) -> str:
    return f"new memories move the session's means {levels.values['acetylcholine'] * 1000:.2f} times as far as usual"


EFFECTS: Mapping[str, Callable[[Levels, Gates], str]] = {
    "dopamine": _cut,
    "serotonin": _diversity,
    "noradrenaline": _breadth,
    "acetylcholine": _learning,
}


def _standing(levels: Levels) -> str:
    off = [each.name for each in MODULATORS if abs(levels.values[each.name] - each.rest) > 0.01 * each.span]
    if not off:
        return "All knobs are at rest: this session retrieves as usual."
    return f"Away from rest: {', '.join(off)}; the others retrieve as usual."
