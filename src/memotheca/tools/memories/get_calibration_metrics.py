"""How well calibrated the memory is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.gate_log import gates_of
from memotheca.memory.session.state import activity_of
from memotheca.memory.thresholds.bar_levels import METHODS, PROBABILITIES, as_said
from memotheca.memory.thresholds.bar_report import NEWEST, RETRIEVALS, drift_of
from memotheca.memory.thresholds.decision_labels import DecisionSample, labelled_decisions
from memotheca.memory.thresholds.reliability import ENOUGH, Reliability, Scored, measure_reliability
from memotheca.model.clock import DAY, HOUR
from memotheca.model.knowledge import counted
from memotheca.toolkit.fields import choice, free, integer, many, number, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

TIMEFRAMES = {"1h": HOUR, "24h": DAY, "7d": 7 * DAY, "30d": 30 * DAY}
TOO_FEW = "insufficient_samples"
# What is predicted of retrievals, beside what thresholds are held against.
PREDICTIONS = "predicted_help"
UNSURE, WORST, WRONG, MOVED = 0.10, 0.20, 0.15, 3.0  # specification (memory-model: Thresholds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    timeframe: str = choice(tuple(TIMEFRAMES), "Which decisions and predictions count.", "24h")


@dataclass(frozen=True, slots=True, kw_only=True)
class BinShape:
    bin: str = text()
    confidence: float = number("How sure on average.")
    accuracy: float = number("How often right.")
    n: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceShape:
    source: str = text("A threshold over probabilities, or predicted_help of retrievals.")
    sample_count: int = integer()
    ece: float | None = number(nullable=True)
    brier: float | None = number(nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertShape:
    metric: str = choice(("ece", "mce", "brier", "drift"))
    value: float = number()
    limit: float = number()
    level: int | None = integer("The level of trigger_recalibration that is for it.", nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    timeframe: str = choice(tuple(TIMEFRAMES))
    ece: float | None = number("How far being sure lies from being right, on average.", nullable=True)
    mce: float | None = number("The same where it is farthest.", nullable=True)
    brier: float | None = number("Mean squared distance.", nullable=True)
    status: str = text(
        "excellent below .05, good, acceptable, poor, critical from .25; insufficient_samples below ten."
    )
    sample_count: int = integer()
    reliability: tuple[BinShape, ...] = many(BinShape)
    by_source: tuple[SourceShape, ...] = many(SourceShape)
    drift_scores: dict[str, float] = free("How far scores lie from those before the timeframe, in their spreads.")
    alerts: tuple[AlertShape, ...] = many(AlertShape)
    recommendations: tuple[str, ...] = texts()


EXAMPLE = Example(arguments={"timeframe": "7d"})


@tool(contract="memories", effect="read", models=(Input, Output), example=EXAMPLE)
def get_calibration_metrics(call: Call[Kernel], input: Input) -> Answer:
    """Whether the memory is as often right as it is sure: what it said of memories and predicted of retrievals, held
    against what became of them."""
    kernel = call.kernel
    since = kernel.now() - TIMEFRAMES[input.timeframe]
    with kernel.read() as snapshot:
        judged = labelled_decisions(kernel, snapshot, PROBABILITIES, DecisionSample(since=since, newest=NEWEST))
        found: dict[str, list[Scored]] = dict(as_said(snapshot, judged).items())
        rows = activity_of(kernel).retrievals.last(snapshot.session, snapshot.collection, limit=RETRIEVALS, since=since)
        tallies = gates_of(kernel).tally(snapshot.session, snapshot.collection, since)
    found[PREDICTIONS] = [
        Scored(row.predicted, row.outcome >= 0.5)
        for row in rows
        if row.predicted is not None and row.outcome is not None
    ]
    scored = [each for held in found.values() for each in held]
    whole, drift = measure_reliability(scored), drift_of(tallies)
    alerts = _alerts(whole, drift)
    output = Output(
        timeframe=input.timeframe,
        ece=None if whole is None else round(whole.ece, 4),
        mce=None if whole is None else round(whole.mce, 4),
        brier=None if whole is None else round(whole.brier, 4),
        status=TOO_FEW if whole is None else whole.status,
        sample_count=len(scored),
        reliability=_bins(whole),
        by_source=tuple(_source(name, held) for name, held in found.items() if held),
        drift_scores=drift,
        alerts=alerts,
        recommendations=_advice(alerts, len(scored)),
    )
    return Answer(_tell(output), NODES, output)


def _tell(output: Output) -> str:
    told = counted(output.sample_count, "sample")
    if output.ece is None:
        return f"{told}, {output.status}: {ENOUGH} are needed; observe_outcome and settled tasks give them."
    return " ".join((f"{told}, {output.status}; ECE {output.ece:g}.", *output.recommendations))


def _bins(whole: Reliability | None) -> tuple[BinShape, ...]:
    return tuple(
        BinShape(
            bin=f"{each.place / 10:.1f}-{each.place / 10 + 0.1:.1f}",
            confidence=round(each.sure, 4),
            accuracy=round(each.right, 4),
            n=each.count,
        )
        for each in (whole.bins if whole is not None else ())
    )


def _source(name: str, held: Sequence[Scored]) -> SourceShape:
    found = measure_reliability(held)
    return SourceShape(
        source=name,
        sample_count=len(held),
        ece=None if found is None else round(found.ece, 4),
        brier=None if found is None else round(found.brier, 4),
    )


def _alerts(whole: Reliability | None, drift: Mapping[str, float]) -> tuple[AlertShape, ...]:
    """What lies beyond its limit, and which level is for it."""
    measured = [] if whole is None else [("ece", whole.ece, UNSURE, 2), ("mce", whole.mce, WORST, None)]
    measured += [] if whole is None else [("brier", whole.brier, WRONG, 3)]
    measured += [("drift", value, MOVED, 4) for value in sorted(drift.values(), reverse=True)[:1]]
    return tuple(
        AlertShape(metric=metric, value=round(value, 4), limit=limit, level=level)
        for metric, value, limit, level in measured
        if value > limit
    )


def _advice(alerts: Sequence[AlertShape], samples: int) -> tuple[str, ...]:
    """What to do about alerts, as far as there are labels for it."""
    told: list[str] = []
    for each in alerts:
        if each.level is None:
            told.append("Look at the bin of reliability that lies farthest from its accuracy.")
        elif samples >= METHODS[each.level].needed:
            told.append(f"Run trigger_recalibration with level {each.level}, first with dry_run.")
        else:
            told.append(f"Level {each.level} takes {METHODS[each.level].needed} labels; there are {samples}.")
    return tuple(dict.fromkeys(told))
