"""Explain a threshold."""

from dataclasses import dataclass
from typing import cast

from memotheca.kernel.kernel import Kernel
from memotheca.memory.thresholds.bar_report import BarExplanation, Flip, explain_bar
from memotheca.memory.thresholds.placement import constraints_of
from memotheca.memory.tuning.gates import CAUSES
from memotheca.memory.tuning.thresholds import DOMAINS, GENERAL, NAMES, REGISTRY, Domain, Name
from memotheca.model.clock import to_iso
from memotheca.model.knowledge import counted
from memotheca.toolkit.fields import choice, flag, integer, many, number, numbers, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

SHOWN = 20  # chosen: what an answer has room for
UNLOGGED = "It decides hundreds of times in a call, which is not written down."
UNLABELLED = "Nothing tells afterwards whether it decided rightly."


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    threshold_type: str = choice(NAMES)
    domain: str = choice(DOMAINS, "", GENERAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepShape:
    source: str = choice((*CAUSES, "reset"))
    delta: float = number("By how much it moved.")
    evidence_count: int = integer("Labels it was learned from.")
    domain: str = choice(DOMAINS)
    time: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionShape:
    time: str = text()
    node_ids: tuple[str, ...] = texts()
    score: float = number()
    passed: bool = flag("What it decided then.")
    should_have_passed: bool | None = flag("By what became of it; null where nobody knows.", nullable=True)
    flips_if_higher: bool = flag()
    flips_if_lower: bool = flag()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    threshold_type: str = choice(NAMES)
    domain: str = choice(DOMAINS)
    value: float = number()
    prior: float = number()
    range: tuple[float, ...] = numbers()
    gates: str = text("What it decides.")
    source: str = text("Where the first value comes from.")
    steps: tuple[StepShape, ...] = many(StepShape, "How it moved, oldest first.")
    constraints: tuple[str, ...] = texts("Orders of bars that it has to keep.")
    decided: int = integer("Decisions that are written down.")
    passed: int = integer("Of these, how many pass where it lies now.")
    nudge: float = number("By how much more or less it is asked what flips.")
    flips_if_higher: int = integer()
    flips_if_lower: int = integer()
    labels: int = integer("Decisions of which it is known whether they were right.")
    accuracy: float | None = number("Share of these that are right where it lies now.", nullable=True)
    labels_from: str | None = text(nullable=True)
    decisions: tuple[DecisionShape, ...] = many(DecisionShape, "The nearest to it first.")
    text: str = text()


EXAMPLE = Example(
    arguments={"threshold_type": "about"},
    after=(
        ("store_memory", {"content": "Deploys wait for the lock.", "rationale": "Seen on Tuesday."}),
        ("store_memory", {"content": "The lock is held by the nightly job.", "rationale": "Seen on Wednesday."}),
    ),
)


@tool(contract="memories", effect="read", models=(Input, Output), example=EXAMPLE)
def explain_threshold(call: Call[Kernel], input: Input) -> Answer:
    """What a threshold decided lately, which of that would have been otherwise with a slightly higher or lower value,
    whether it was right, and how it came to lie where it does. Look here before set_threshold_prior."""
    name, domain = cast(Name, input.threshold_type), cast(Domain, input.domain)
    with call.kernel.read() as snapshot:
        found = explain_bar(call.kernel, snapshot, name, domain)
    held = REGISTRY[name]
    told = _tell(name, found)
    output = Output(
        threshold_type=name,
        domain=domain,
        value=round(found.setting.bar, 4),
        prior=held.prior,
        range=held.range,
        gates=held.gates,
        source=held.source,
        steps=_steps(name, found),
        constraints=tuple(constraints_of(name)),
        decided=found.decided,
        passed=found.reached,
        nudge=held.nudge,
        flips_if_higher=found.flip_if_higher,
        flips_if_lower=found.flip_if_lower,
        labels=found.labels,
        accuracy=None if found.right is None else round(found.right, 4),
        labels_from=held.labels or None,
        decisions=tuple(map(_decision, found.flips[:SHOWN])),
        text=told,
    )
    return Answer(told, NODES, output)


def _steps(name: Name, found: BarExplanation) -> tuple[StepShape, ...]:
    """By how much each change moved the bar of its domain, from the first value on."""
    held: dict[str, float] = {}
    steps: list[StepShape] = []
    for point in reversed(found.past):
        before = held.get(point.domain, held.get(GENERAL, REGISTRY[name].prior))
        held[point.domain] = point.value
        steps.append(
            StepShape(
                source=point.cause,
                delta=round(point.value - before, 4),
                evidence_count=point.labels,
                domain=point.domain,
                time=to_iso(point.time),
            )
        )
    return tuple(steps)


def _decision(flip: Flip) -> DecisionShape:
    row = flip.decision
    return DecisionShape(
        time=to_iso(row.time),
        node_ids=row.node_ids,
        score=round(row.score, 4),
        passed=row.passed,
        should_have_passed=None if row.label is None else row.label >= 0.5,
        flips_if_higher=flip.if_higher,
        flips_if_lower=flip.if_lower,
    )


def _tell(name: Name, found: BarExplanation) -> str:
    held, value = REGISTRY[name], found.setting.bar
    told = [f"{name} is {value:g} (at first {held.prior:g}): {held.gates}."]
    if not held.is_logged:
        told.append(UNLOGGED)
    else:
        decided = f"{counted(found.decided, 'decision')}, {found.reached} of them reached it"
        higher, lower = f"{value + held.nudge:g}", f"{value - held.nudge:g}"
        flips = f"{found.flip_if_higher} would be otherwise at {higher}, {found.flip_if_lower} at {lower}"
        told.append(f"{decided}; {flips}.")
        if found.decided and not (found.flip_if_higher or found.flip_if_lower):
            told.append("A small move would have changed nothing lately.")
    if not held.labels:
        told.append(UNLABELLED)
    elif found.right is not None:
        told.append(f"Of {found.labels} that are known to be right or wrong, {found.right:.0%} are right.")
    return " ".join(told)
