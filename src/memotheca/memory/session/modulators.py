"""Neuromodulators: four levels that drift back to rest and say how sharply and how widely to look (memory-model:
Modulators)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memotheca.memory.session.learning import SMOOTHING
from memotheca.model.clock import HOUR


@dataclass(frozen=True, slots=True)
class Modulator:
    """A level between bounds, the rest it returns to, how fast by the minute, and what it drives."""

    name: str
    low: float
    high: float
    rest: float
    decay: float
    parameter: str


MODULATORS = (
    Modulator("dopamine", 1.0, 5.0, 3.0, 0.05, "beta"),
    Modulator("serotonin", 0.0, 1.0, 0.5, 0.02, "spaces"),
    Modulator("noradrenaline", 0.5, 2.0, 1.0, 0.1, "temperature"),
    Modulator("acetylcholine", 0.001, 0.002, 0.001, 0.1, "learning_rate"),
)
# e^-4: at rest, where sharpness is 3 and scores lie between 0 and 1, nothing vanishes.
VANISHING = 4.0  # chosen (memory-model: Modulators)
ENOUGH = 10  # chosen: of fewer memories everything is new (memory-model: Novelty)
MINUTE = HOUR // 60  # chosen: by the second, as specified, all would be at rest before the next call
REST: Mapping[str, float] = {each.name: each.rest for each in MODULATORS}


@dataclass(frozen=True, slots=True)
class Levels:
    """The four levels at a moment."""

    at: int
    values: Mapping[str, float]

    def to_json(self) -> dict[str, Any]:
        return {"at": self.at, "values": dict(self.values)}


def levels_at(now: int, held: Mapping[str, Any] | None) -> Levels:
    """The levels as they have drifted back since they were written down (memory-model: Modulators)."""
    if held is None:
        return Levels(now, dict(REST))
    minutes = max(0.0, (now - int(held["at"])) / MINUTE)
    values = {
        each.name: each.rest + (float(held["values"][each.name]) - each.rest) * math.exp(-each.decay * minutes)
        for each in MODULATORS
    }
    return Levels(now, values)


def shift(levels: Levels, name: str, by: float) -> Levels:
    """One level moved within its bounds, and what that sets off in the others (memory-model: Modulators)."""
    values = dict(levels.values)
    before = values[name]
    values[name] = _bounded(name, before + by)
    if name == "dopamine":
        nudge = 0.05 if values[name] > 4 else -0.05 if values[name] < 2 else 0.0
        values["serotonin"] = _bounded("serotonin", values["serotonin"] + nudge)
        if abs(values[name] - before) > 0.3:
            values["noradrenaline"] = _bounded("noradrenaline", values["noradrenaline"] + 0.1)
    return Levels(levels.at, values)


def reward(levels: Levels, value: float) -> Levels:
    """Dopamine follows a steering reward: up by a fifth of it, down by a tenth (memory-model: Modulators)."""
    return shift(levels, "dopamine", 0.2 * value if value > 0 else -0.1 * abs(value))


def startle(levels: Levels, by: float) -> Levels:
    """Noradrenaline rises with what was not expected: nothing found, an attack (memory-model: Modulators)."""
    return shift(levels, "noradrenaline", by)


def sharpen(levels: Levels) -> Levels:
    """Acetylcholine rises by half where things go wrong again and again (memory-model: Poor recall)."""
    return shift(levels, "acetylcholine", 0.5 * levels.values["acetylcholine"])


def widened(pool: int, levels: Levels) -> int:
    """How many candidates are looked at: noradrenaline widens the view (memory-model: Modulators)."""
    return round(pool * levels.values["noradrenaline"])


def attended(scores: Sequence[float], levels: Levels) -> int:
    """How many of the best pass: those whose share in a softmax is not vanishing beside that of the first
    (memory-model: Modulators). At rest all do; the higher dopamine, the more of a long tail is let go, never the
    first."""
    if not scores:
        return 0
    sharpness = levels.values["dopamine"] / levels.values["noradrenaline"]
    return sum(sharpness * (scores[0] - score) <= VANISHING for score in scores)


def learning_share(levels: Levels, stored: int, known: int) -> float:
    """How much of a new memory's novelty and fit goes into the running means: of the first few of a session as much as
    in a plain mean with where it began, once so much is known that novelty means something; acetylcholine raises it
    (memory-model: Running means)."""
    usual = max(SMOOTHING, 1 / (stored + 2)) if known >= ENOUGH else SMOOTHING
    return min(1.0, usual * levels.values["acetylcholine"] / REST["acetylcholine"])


def mode(levels: Levels) -> str:
    """Exploit where dopamine is high and all is calm, explore where serotonin or noradrenaline is up (memory-model:
    Modulators)."""
    values = levels.values
    if values["dopamine"] > 3.5 and values["noradrenaline"] < 1.1:
        return "exploit"
    return "explore" if values["serotonin"] > 0.6 or values["noradrenaline"] > 1.3 else "balanced"


def _bounded(name: str, value: float) -> float:
    bounds = next(each for each in MODULATORS if each.name == name)
    return min(bounds.high, max(bounds.low, value))
