"""Look back at drift."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.topics.drift_checks import TIMEFRAMES, level_of_check, past_checks, trend_of
from memotheca.model.clock import HOUR
from memotheca.toolkit.fields import UNSET, choice, flag, integer, many, number, one, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.drift_shapes import CheckShape, TrendShape, tell_check, tell_trend

RANGES = {"1h": HOUR, "6h": 6 * HOUR, **{name: span for name, span in TIMEFRAMES.items() if name != "1h"}, "all": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    goal_id: str = text("Only the checks against this goal.", UNSET, maxLength=64)
    time_range: str = choice(tuple(RANGES), "", "24h")
    limit: int = integer("The newest so many.", 50, minimum=1, maximum=100)
    include_per_embedder: bool = flag("", False)
    compute_deltas: bool = flag("", True)


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryShape:
    count: int = integer("Checks of that time.")
    mean: float | None = number("How much of the goal's share was left.", nullable=True)
    lowest: float | None = number(nullable=True)
    highest: float | None = number(nullable=True)
    latest_level: str | None = text(nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    history: tuple[CheckShape, ...] = many(CheckShape, "Oldest first.")
    trend: TrendShape | None = one(TrendShape, default=None, nullable=True)
    summary: SummaryShape = one(SummaryShape)


EXAMPLE = Example(arguments={"time_range": "all"})


@tool(contract="memories", component="storage", effect="read", models=(Input, Output), example=EXAMPLE)
def get_drift_history(call: Call[Kernel], input: Input) -> Answer:
    """How drift went: the checks that get_alignment_drift and the daily job made, and where they lead."""
    kernel, span = call.kernel, RANGES[input.time_range]
    since = kernel.now() - span if span else 0
    with kernel.read() as snapshot:
        checks = past_checks(kernel, snapshot, since=since, goal=said(input).get("goal_id"))
    values = [each["similarity"] for each in checks]
    before = [None, *checks][: len(checks)] if input.compute_deltas else [None] * len(checks)
    told = [
        tell_check(each, before=previous, with_spaces=input.include_per_embedder)
        for each, previous in zip(checks, before, strict=True)
    ]
    output = Output(
        history=tuple(told[-input.limit :]),
        trend=tell_trend(trend_of(checks)),
        summary=SummaryShape(
            count=len(checks),
            mean=round(sum(values) / len(values), 4) if values else None,
            lowest=min(values, default=None),
            highest=max(values, default=None),
            latest_level=level_of_check(checks[-1]) if checks else None,
        ),
    )
    lines = [f"{each.time} {each.overall:.2f} {each.level}" for each in output.history]
    return Answer("\n".join(lines) or "No check was made in that time.", NODES, output)
