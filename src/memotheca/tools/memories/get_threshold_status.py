"""The state of the thresholds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.gate_log import gates_of
from memotheca.memory.spaces.space_table import IDS
from memotheca.memory.thresholds.bar_levels import METHODS, as_said
from memotheca.memory.thresholds.bar_report import (
    BarStanding,
    SpaceTemperature,
    drift_of,
    newest_labelled,
    stand_of_bars,
    temperatures_of_spaces,
)
from memotheca.memory.thresholds.placement import past_of
from memotheca.memory.thresholds.reliability import measure_reliability
from memotheca.memory.tuning.thresholds import DOMAINS, GENERAL, REGISTRY, Domain
from memotheca.model.clock import DAY, to_iso
from memotheca.storage.snapshot import Snapshot
from memotheca.toolkit.fields import UNSET, choice, flag, free, integer, many, number, one, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

TOO_FEW = "insufficient_labels"


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    domain: str = choice(DOMAINS, "", GENERAL)
    embedder_id: int = integer("Only the temperature of this space.", UNSET, minimum=1, maximum=13)


@dataclass(frozen=True, slots=True, kw_only=True)
class TemperatureShape:
    embedder: str = text()
    temperature: float | None = number(
        "Above 1 its scores promise more than is of use; null where too few retrievals were judged.", nullable=True
    )
    labels: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationShape:
    ece: float | None = number(nullable=True)
    brier: float | None = number(nullable=True)
    status: str = text("insufficient_labels below ten.")
    labels: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptationShape:
    level_1_ewma_active: bool = flag("A threshold lies where mistakes have drawn it.")
    level_2_temp: int = integer("Thresholds whose scores are drawn to the middle.")
    level_3_exploration_rate: float | None = number(
        "Share of the thresholds with labels that have enough of them for level 3.", nullable=True
    )
    level_4_last_optimization: str | None = text(nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    domain: str = choice(DOMAINS)
    thresholds: dict[str, Any] = free(
        "By name: value, prior, range, confidence (share of labelled decisions that were right, drawn to one half "
        "where there are few), observations, labels, gates."
    )
    temperatures: tuple[TemperatureShape, ...] = many(TemperatureShape)
    calibration: CalibrationShape = one(CalibrationShape)
    adaptation: AdaptationShape = one(AdaptationShape)
    drift_scores: dict[str, float] = free(
        "How far the scores of the last day lie from those before, in their spreads; above 3 look at explain_threshold."
    )


EXAMPLE = Example(
    arguments={"domain": "Code", "embedder_id": 1},
    after=(
        (
            "set_threshold_prior",
            {
                "threshold_type": "duplicate",
                "value": 0.4,
                "domain": "Code",
                "rationale": "Functions that look alike do different things.",
            },
        ),
    ),
)


@tool(contract="memories", effect="read", models=(Input, Output), example=EXAMPLE)
def get_threshold_status(call: Call[Kernel], input: Input) -> Answer:
    """Every bar by which the memory decides: where it lies in a domain, how much it decided, how much of that is known
    to be right, and how well its scores are calibrated."""
    kernel, domain = call.kernel, cast(Domain, input.domain)
    wanted = said(input).get("embedder_id")
    with kernel.read() as snapshot:
        tallies = gates_of(kernel).tally(snapshot.session, snapshot.collection, kernel.now() - DAY)
        rows = newest_labelled(kernel, snapshot, domain)
        bars = stand_of_bars(snapshot, domain, rows, tallies)
        spaces = temperatures_of_spaces(kernel, snapshot)
        scored = [each for found in as_said(snapshot, rows, domain).values() for each in found]
        adapted = _adaptation(snapshot, domain, bars)
    reliability = measure_reliability(scored)
    output = Output(
        domain=domain,
        thresholds={each.name: _bar(each) for each in bars},
        temperatures=tuple(
            _temperature(spaces.get(space) or SpaceTemperature(space, None, 0))
            for place, space in enumerate(IDS, 1)
            if wanted in (None, place)
        ),
        calibration=CalibrationShape(
            ece=None if reliability is None else round(reliability.ece, 4),
            brier=None if reliability is None else round(reliability.brier, 4),
            status=TOO_FEW if reliability is None else reliability.status,
            labels=len(scored),
        ),
        adaptation=adapted,
        drift_scores=drift_of(tallies, domain),
    )
    moved = [f"{each.name} {each.setting.bar:g}" for each in bars if each.setting.bar != REGISTRY[each.name].prior]
    told = f"moved: {', '.join(moved)}" if moved else "all lie where they lay at first"
    return Answer(f"{len(bars)} thresholds for {domain}, {told}.", NODES, output)


def _bar(each: BarStanding) -> dict[str, Any]:
    held = REGISTRY[each.name]
    sure = None if each.right is None else (each.right * each.labels + 1) / (each.labels + 2)
    return {
        "value": round(each.setting.bar, 4),
        "prior": held.prior,
        "range": list(held.range),
        "confidence": None if sure is None else round(sure, 4),
        "observations": each.observations,
        "labels": each.labels,
        "gates": held.gates,
    }


def _temperature(each: SpaceTemperature) -> TemperatureShape:
    return TemperatureShape(embedder=each.space, temperature=each.temperature, labels=each.labels)


def _adaptation(snapshot: Snapshot, domain: Domain, bars: Sequence[BarStanding]) -> AdaptationShape:
    causes = {each.name: each.setting.cause for each in bars if each.setting.bar != REGISTRY[each.name].prior}
    labelled = [each.labels for each in bars if each.labels]
    optimised = [
        point.time
        for each in bars
        if each.setting.cause == "bayes"
        for point in past_of(snapshot, each.name, sorted({domain, GENERAL}))
        if point.cause == "bayes"
    ]
    return AdaptationShape(
        level_1_ewma_active="ewma" in causes.values(),
        level_2_temp=sum(each.setting.temperature != 1.0 for each in bars),
        level_3_exploration_rate=round(sum(count >= METHODS[3].needed for count in labelled) / len(labelled), 4)
        if labelled
        else None,
        level_4_last_optimization=to_iso(max(optimised)) if optimised else None,
    )
