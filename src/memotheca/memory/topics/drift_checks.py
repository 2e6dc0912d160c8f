"""The checks of drift that were kept, what they are called, and where they lead (memory-model: Drift)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.state import activity_of
from memotheca.model.clock import DAY, HOUR
from memotheca.storage.snapshot import Snapshot

TIMEFRAMES: Mapping[str, int] = {"1h": HOUR, "24h": DAY, "7d": 7 * DAY, "30d": 30 * DAY}


# How much of the goal is left: specification (memory-model: Drift).
BANDS = (("None", 0.85), ("Low", 0.7), ("Medium", 0.55), ("High", 0.4), ("Critical", 0.0))
CRITICAL = 0.4  # specification (memory-model: Drift)
TREND, STABLE = 3, 0.01  # specification (memory-model: Drift)
CHECKS = "drift:"
KEPT, KEPT_FOR = 1000, 90 * DAY  # chosen; specification: then one a day
DAILY = DAY  # specification: drift is looked at daily


@dataclass(frozen=True, slots=True)
class DriftTrend:
    """Where several checks lead: by how much a day, and in how many days it is critical, where it goes down."""

    direction: str
    velocity: float
    samples: int
    critical_in: float | None


def level_of_drift(similarity: float, *, is_sure: bool) -> str:
    """What may be chance is no drift, however little is left."""
    return next(level for level, least in BANDS if similarity >= least or not is_sure)


def level_of_check(held: Mapping[str, Any]) -> str:
    """The level of a check that was kept."""
    return level_of_drift(held["similarity"], is_sure=held.get("sure", True))


def past_checks(
    kernel: Kernel, snapshot: Snapshot, *, since: int = 0, goal: str | None = None
) -> list[Mapping[str, Any]]:
    """The checks that were kept, oldest first."""
    held = activity_of(kernel).states(snapshot.session, snapshot.collection, CHECKS).values()
    return [each for each in held if each["time"] >= since and goal in (None, each["goal"])]


def trend_of(checks: Sequence[Mapping[str, Any]]) -> DriftTrend | None:
    """Where checks lead, by the line that fits them best; None of too few."""
    if len(checks) < TREND or checks[-1]["time"] == checks[0]["time"]:
        return None
    days = np.array([(each["time"] - checks[0]["time"]) / DAY for each in checks])
    values = np.array([each["similarity"] for each in checks])
    slope = float(np.polyfit(days, values, 1)[0])
    direction = "stable" if abs(slope) < STABLE else "improving" if slope > 0 else "worsening"
    left = (float(values[-1]) - CRITICAL) / -slope if direction == "worsening" else None
    return DriftTrend(direction, round(slope, 4), len(checks), None if left is None or left < 0 else round(left, 1))


def superfluous(times: Sequence[int], now: int) -> list[int]:
    """All but the last of a day that is long past, and the oldest of too many."""
    days = {time // DAY: time for time in times if now - time > KEPT_FOR}
    kept = [time for time in times if now - time <= KEPT_FOR or days[time // DAY] == time]
    return sorted(set(times) - set(kept[-KEPT:]))
