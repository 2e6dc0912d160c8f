"""Checks of drift and where they lead, as clients see them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memotheca.memory.topics.drift_checks import BANDS, DriftTrend, level_of_check
from memotheca.model.clock import to_iso
from memotheca.toolkit.fields import UNSET, Unset, choice, free, integer, number, text

DIRECTIONS = ("improving", "stable", "worsening")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckShape:
    time: str = text()
    overall: float = number("How much of the goal's share was left.")
    level: str = choice(tuple(level for level, _ in BANDS))
    goal_id: str | None = text(nullable=True)
    timeframe: str = text()
    analyzed_count: int = integer()
    delta: float | Unset = number("Against the check before.", default=UNSET)
    per_embedder: dict[str, Any] | Unset = free(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendShape:
    direction: str = choice(DIRECTIONS)
    velocity: float = number("By how much a day.")
    samples: int = integer()
    projected_critical_in: float | None = number("Days.", nullable=True)


def tell_check(
    held: Mapping[str, Any], *, before: Mapping[str, Any] | None = None, with_spaces: bool = False
) -> CheckShape:
    return CheckShape(
        time=to_iso(held["time"]),
        overall=held["similarity"],
        level=level_of_check(held),
        goal_id=held["goal"] or None,
        timeframe=held["timeframe"],
        analyzed_count=held["analyzed"],
        delta=UNSET if before is None else round(held["similarity"] - before["similarity"], 4),
        per_embedder=dict(held["spaces"]) if with_spaces else UNSET,
    )


def tell_trend(trend: DriftTrend | None) -> TrendShape | None:
    if trend is None:
        return None
    return TrendShape(
        direction=trend.direction,
        velocity=trend.velocity,
        samples=trend.samples,
        projected_critical_in=trend.critical_in,
    )
