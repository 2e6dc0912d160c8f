"""Neuromodulators: four levels that drift back to rest and say how sharply, how widely and how variedly to look
(memory-model: Modulators)."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from memotheca.memory.session.learning import SMOOTHING
from memotheca.model.clock import HOUR


@dataclass(frozen=True, slots=True)
class Modulator:
    """A level between bounds, the rest it returns to, how fast by the minute and after how many questions half of the
    way, what it drives, and whether whoever asks may set it."""

    name: str
    low: float
    high: float
    rest: float
    decay: float
    questions: float
    parameter: str
    is_adjustable: bool = True

    @property
    def minutes(self) -> float:
        """After how many minutes half of the way back to rest is done."""
        return math.log(2) / self.decay

    @property
    def span(self) -> float:
        return self.high - self.low


# Bounds, rests and rates: specification; half-lives in questions: chosen (memory-model: Modulators).
MODULATORS = (
    Modulator("dopamine", 1.0, 5.0, 3.0, 0.05, 10, "beta"),
    Modulator("serotonin", 0.0, 1.0, 0.5, 0.02, 20, "spaces"),
    Modulator("noradrenaline", 0.5, 2.0, 1.0, 0.1, 5, "temperature"),
    Modulator("acetylcholine", 0.001, 0.002, 0.001, 0.1, math.inf, "learning_rate", is_adjustable=False),
)
# How far from rest rewards move dopamine, and what they set off serotonin; beyond that the two begin to act, so that
# nobody's contexts lose anything because of what was stored (memory-model: Modulators).
STIRRED, STEADY = 1.0, 0.1  # chosen: as above
CUT = 0.3  # chosen: of the best score, by which a step of dopamine moves the cut-off (memory-model: Modulators)
VARIED = 0.3  # chosen: of the best score, at most what repetition costs (memory-model: Modulators)
ALERT = 1.2  # specification (memory-model: Modulators)
ENOUGH = 10  # chosen: of fewer memories everything is new (memory-model: Novelty)
MINUTE = HOUR // 60  # chosen: by the second, as specified, all would be at rest before the next call
REST: Mapping[str, float] = {each.name: each.rest for each in MODULATORS}


@dataclass(frozen=True, slots=True)
class Levels:
    """The four levels at a moment, after so many questions of the session, and when each was moved last."""

    at: int
    values: Mapping[str, float]
    questions: int = 0
    changed: Mapping[str, int] = field(default_factory=dict[str, int])

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


AT_REST = Levels(0, REST)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchEffects:
    """What the levels did to a question: how many candidates were looked at and usually are, how many results passed
    and usually do, and how many stand elsewhere than by their score."""

    candidates: int = 0
    usual_candidates: int = 0
    results: int = 0
    usual_results: int = 0
    moved: int = 0


NO_EFFECTS = SearchEffects()


def levels_at(now: int, held: Mapping[str, Any] | None, questions: int = 0) -> Levels:
    """The levels as they have drifted back since they were written down, by time and by questions (memory-model:
    Modulators)."""
    if held is None:
        return Levels(now, dict(REST), questions)
    minutes = max(0.0, (now - int(held["at"])) / MINUTE)
    asked = max(0, questions - int(held.get("questions", 0)))
    values = {
        each.name: each.rest
        + (float(held["values"][each.name]) - each.rest)
        * math.exp(-each.decay * minutes)
        * 0.5 ** (asked / each.questions)
        for each in MODULATORS
    }
    return Levels(now, values, questions, dict(held.get("changed", {})))


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
    moved = {each: levels.at for each, value in values.items() if value != levels.values[each]}
    return replace(levels, values=values, changed={**levels.changed, **moved})


def modulator_of(name: str) -> Modulator:
    return next(each for each in MODULATORS if each.name == name)


def reward(levels: Levels, value: float) -> Levels:
    """Dopamine follows a steering reward: up by a fifth of it, down by a tenth, not as far as hands may turn it
    (memory-model: Modulators)."""
    by = 0.2 * value if value > 0 else -0.1 * abs(value)
    left = max(0.0, STIRRED - math.copysign(1, by) * (levels.values["dopamine"] - REST["dopamine"]))
    return shift(levels, "dopamine", math.copysign(min(abs(by), left), by)) if left else levels


def startle(levels: Levels, by: float) -> Levels:
    """Noradrenaline rises with what was not expected: nothing found, an attack (memory-model: Modulators)."""
    return shift(levels, "noradrenaline", by)


def sharpen(levels: Levels) -> Levels:
    """Acetylcholine rises by half where things go wrong again and again (memory-model: Poor recall)."""
    return shift(levels, "acetylcholine", 0.5 * levels.values["acetylcholine"])


def widened(pool: int, levels: Levels) -> int:
    """How many candidates are looked at: noradrenaline widens the view (memory-model: Modulators)."""
    return round(pool * levels.values["noradrenaline"])


def cut_off(levels: Levels, usual: float = 0.0) -> float:
    """The share of the best score below which nothing is shown: higher with dopamine, and as usual at rest
    (memory-model: Modulators)."""
    return usual + CUT * _beyond(levels.values["dopamine"] - REST["dopamine"], STIRRED)


def variety(levels: Levels) -> float:
    """Of the best score, what it costs a result to repeat those before it: more with serotonin, nothing about rest;
    below rest, what it gains (memory-model: Modulators)."""
    off = _beyond(levels.values["serotonin"] - REST["serotonin"], STEADY)
    return VARIED * off / (REST["serotonin"] - STEADY)


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


def _beyond(off: float, border: float) -> float:
    return math.copysign(max(0.0, abs(off) - border), off)


def _bounded(name: str, value: float) -> float:
    bounds = modulator_of(name)
    return min(bounds.high, max(bounds.low, value))


def share_compared(levels: Levels) -> float:
    """Which share of the greatest weight a space must have for results to be compared in it: what serotonin leaves
    over (memory-model: Modulators)."""
    return 1 - levels.values["serotonin"]
