"""Replay: what a threshold would have decided elsewhere, and whether that would have been right more often
(memory-model: Thresholds). Pure."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memotheca.memory.tuning.thresholds import REGISTRY, Name

SHARE = 0.1  # specification (memory-model: Thresholds): how far one mistake moves a bar
BESIDE = 0.01  # chosen: a bar comes to lie just beyond what it was wrong about
NEIGHBOURS = (-1.0, -0.5, 0.5, 1.0)  # specification: nudges to either side that are tried
FINE = 60  # chosen: places of the whole range that are tried
SURE = 0.9  # chosen: so surely has the other place to be better: of what flips, three of three right
UNSEEN = 3  # chosen: every third is held out


@dataclass(frozen=True, slots=True)
class Labelled:
    """A score that a bar was held against, and whether it should have been reached."""

    score: float
    should: bool


@dataclass(frozen=True, slots=True)
class ReplayedBar:
    """Where a bar would lie, how many places were tried, and of what is decided otherwise there, how much is right."""

    value: float
    tried: int
    right: int
    wrong: int


def share_right(name: Name, labelled: Sequence[Labelled], value: float) -> float | None:
    """How often a bar at some place is right."""
    if not labelled:
        return None
    return sum(REGISTRY[name].is_reached(each.score, value) == each.should for each in labelled) / len(labelled)


def follow_mistakes(name: Name, labelled: Sequence[Labelled], value: float) -> ReplayedBar:
    """Level 1: each mistake draws the bar a tenth of the way towards its other side, the oldest first."""
    threshold, right = REGISTRY[name], 0
    beside = BESIDE * threshold.nudge / 0.05
    for each in labelled:
        if threshold.is_reached(each.score, value) == each.should:
            right += 1
            continue
        away = beside if threshold.is_ceiling == each.should else -beside
        value = _within(name, value + SHARE * (each.score + away - value))
    return ReplayedBar(round(value, 4), 1, right, len(labelled) - right)


def try_neighbours(name: Name, labelled: Sequence[Labelled], value: float) -> ReplayedBar | None:
    """Level 3: the best of a few places beside it, where that surely decides better."""
    nudge = REGISTRY[name].nudge
    places = sorted({_within(name, value + by * nudge) for by in NEIGHBOURS} - {value})
    return _best(name, labelled, value, places)


def try_everywhere(name: Name, labelled: Sequence[Labelled], value: float) -> ReplayedBar | None:
    """Level 4: the best of the whole range by two thirds of what is known, where it surely decides better, and does
    not decide worse what was held out."""
    low, high = REGISTRY[name].range
    places = [round(low + (high - low) * place / FINE, 4) for place in range(FINE + 1)]
    seen = [each for place, each in enumerate(labelled) if place % UNSEEN]
    held_out = labelled[::UNSEEN]
    found = _best(name, seen, value, [place for place in places if place != value])
    if found is None:
        return None
    right, wrong = _flips(name, held_out, value, found.value)
    return found if right >= wrong else None


def _best(name: Name, labelled: Sequence[Labelled], value: float, places: Sequence[float]) -> ReplayedBar | None:
    def worth(place: float) -> tuple[float, float]:
        right, wrong = _flips(name, labelled, value, place)
        return right - wrong, -abs(place - value)

    best = max(places, key=worth, default=value)
    right, wrong = _flips(name, labelled, value, best)
    return ReplayedBar(best, len(places), right, wrong) if surely_better(right, wrong) >= SURE else None


def _flips(name: Name, labelled: Sequence[Labelled], value: float, place: float) -> tuple[int, int]:
    """Of what is decided otherwise at another place: how much is right there, how much wrong."""
    decides: Callable[[float, float], bool] = REGISTRY[name].is_reached
    flipped = [each for each in labelled if decides(each.score, value) != decides(each.score, place)]
    right = sum(decides(each.score, place) == each.should for each in flipped)
    return right, len(flipped) - right


def surely_better(right: int, wrong: int) -> float:
    """How likely it is that more than half of all such flips are right, given these: by Beta(right + 1, wrong + 1)."""
    count = right + wrong + 1
    return sum(math.comb(count, place) for place in range(right + 1)) / 2**count


def _within(name: Name, value: float) -> float:
    low, high = REGISTRY[name].range
    return round(min(high, max(low, value)), 4)
