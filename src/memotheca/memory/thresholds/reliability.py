"""Reliability: whether what is said to be so surely is so that often, and how far scores have to be drawn to the middle
until it is (memory-model: Thresholds). Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

BINS = 10  # specification (memory-model: Thresholds)
ENOUGH = 10  # specification: fewer say nothing
# Specification (memory-model: Thresholds): from which error on calibration is no longer called so.
BANDS = ((0.05, "excellent"), (0.10, "good"), (0.15, "acceptable"), (0.25, "poor"))
WORST = "critical"
TRIED = 20  # specification: temperatures that are tried
COLDEST, HOTTEST = 0.5, 3.0  # specification, the upper bound chosen: a scorer may be that much too sure
SUREST = 1e-6  # chosen: what is said to be certain has finite odds


class Scored(NamedTuple):
    """How sure something was said to be, and whether it was so."""

    sure: float
    is_so: bool


@dataclass(frozen=True, slots=True)
class Bin:
    """Of a tenth of the scale: how sure on average, how often right, of how many."""

    place: int
    sure: float
    right: float
    count: int


@dataclass(frozen=True, slots=True)
class Reliability:
    """The expected and the greatest distance of being sure from being right, and the mean squared one."""

    count: int
    ece: float
    mce: float
    brier: float
    bins: tuple[Bin, ...]

    @property
    def status(self) -> str:
        return next((name for bound, name in BANDS if self.ece < bound), WORST)


def measure_reliability(scored: Sequence[Scored]) -> Reliability | None:
    """None where there are too few."""
    if len(scored) < ENOUGH:
        return None
    held: dict[int, list[Scored]] = {}
    for each in scored:
        held.setdefault(min(BINS - 1, int(each.sure * BINS)), []).append(each)
    bins = [
        Bin(
            place,
            sum(each.sure for each in members) / len(members),
            sum(each.is_so for each in members) / len(members),
            len(members),
        )
        for place, members in sorted(held.items())
    ]
    gaps = [(abs(each.sure - each.right), each.count) for each in bins]
    return Reliability(
        count=len(scored),
        ece=sum(gap * count for gap, count in gaps) / len(scored),
        mce=max(gap for gap, _ in gaps),
        brier=brier_of(scored),
        bins=tuple(bins),
    )


def brier_of(scored: Sequence[Scored]) -> float:
    return sum((each.sure - each.is_so) ** 2 for each in scored) / len(scored)


def soften(sure: float, temperature: float) -> float:
    """A probability drawn to the middle, or away from it below 1."""
    if temperature == 1.0:
        return sure
    held = min(1 - SUREST, max(SUREST, sure))
    return 1 / (1 + math.exp(-math.log(held / (1 - held)) / temperature))


def soften_all(scored: Sequence[Scored], temperature: float) -> list[Scored]:
    return [Scored(soften(each.sure, temperature), each.is_so) for each in scored]


def fit_temperature(scored: Sequence[Scored]) -> float:
    """The temperature of a grid at which the mean squared error is least; the mildest of several."""
    step = (HOTTEST / COLDEST) ** (1 / (TRIED - 1))
    sure, is_so = np.array([each.sure for each in scored]), np.array([each.is_so for each in scored], float)
    held = np.clip(sure, SUREST, 1 - SUREST)
    odds = np.log(held / (1 - held))
    errors = {1.0: round(float(((sure - is_so) ** 2).mean()), 9)}
    for place in range(TRIED):
        temperature = COLDEST * step**place
        errors[temperature] = round(float(((1 / (1 + np.exp(-odds / temperature)) - is_so) ** 2).mean()), 9)
    return min(errors, key=lambda each: (errors[each], abs(math.log(each))))


def helps_unseen(scored: Sequence[Scored]) -> bool:
    """Whether the temperature that one half teaches makes the other half more right, both ways together."""
    halves = scored[::2], scored[1::2]
    before = after = 0.0
    for taught, tried in (halves, halves[::-1]):
        before += brier_of(tried) * len(tried)
        after += brier_of(soften_all(tried, fit_temperature(taught))) * len(tried)
    return after < before
