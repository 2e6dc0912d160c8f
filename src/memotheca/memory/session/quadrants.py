"""Johari quadrants: what is known and integrated, and what is not, space by space (memory-model: Quadrants)."""

from collections.abc import Callable, Mapping
from typing import Literal

from memotheca.memory.verbs import Verb

Quadrant = Literal["Open", "Blind", "Hidden", "Unknown"]
QUADRANTS: tuple[Quadrant, ...] = ("Open", "Blind", "Hidden", "Unknown")
THRESHOLD = 0.5  # specification (memory-model: Quadrants)

ACTIONS: dict[Quadrant, Verb] = {
    "Open": Verb.SEARCH,
    "Blind": Verb.CRITICISE,
    "Hidden": Verb.SURROUND,
    "Unknown": Verb.ASK,
}


def quadrant(delta_s: float, delta_c: float, threshold: float = THRESHOLD) -> Quadrant:
    """Open: not new and fitting; Blind: new and not fitting; Hidden: neither; Unknown: both (memory-model:
    Quadrants)."""
    if delta_s <= threshold:
        return "Open" if delta_c > threshold else "Hidden"
    return "Unknown" if delta_c > threshold else "Blind"


def confidence(delta_s: float, delta_c: float, threshold: float = THRESHOLD) -> float:
    """|ΔS - θ| + |ΔC - θ|, at most 1 (memory-model: Quadrants)."""
    return min(1.0, abs(delta_s - threshold) + abs(delta_c - threshold))


def insights(seen: Mapping[str, Quadrant]) -> list[str]:
    """What the quadrants of all spaces, by their ids, say together (memory-model: Quadrants)."""
    return [sentence for holds, sentence in _RULES if holds(seen)]


def _both(first: str, one: Quadrant, second: str, other: Quadrant) -> Callable[[Mapping[str, Quadrant]], bool]:
    return lambda seen: seen[first] == one and seen[second] == other


def _all(wanted: Quadrant) -> Callable[[Mapping[str, Quadrant]], bool]:
    return lambda seen: all(found == wanted for found in seen.values())


def _unusual_time(seen: Mapping[str, Quadrant]) -> bool:
    timely = ("E2", "E3", "E4")
    blind = [id for id, found in seen.items() if found == "Blind"]
    return bool(blind) and set(blind) <= set(timely)


def _integrated(seen: Mapping[str, Quadrant]) -> bool:
    return sum(found == "Open" for found in seen.values()) >= len(seen) - 3


_RULES: tuple[tuple[Callable[[Mapping[str, Quadrant]], bool], str], ...] = (
    (_both("E1", "Open", "E5", "Blind"), "Open(E1) but Blind(E5): knows WHAT but not WHY"),
    (_both("E1", "Blind", "E7", "Open"), "Blind(E1) but Open(E7): known code without its context"),
    (_both("E11", "Open", "E8", "Hidden"), "Open(E11) but Hidden(E8): known facts that nothing is linked to"),
    (_both("E13", "Open", "E1", "Blind"), "Open(E13) but Blind(E1): familiar words with a new meaning"),
    (_both("E1", "Open", "E11", "Blind"), "Open(E1) but Blind(E11): a known theme with new names"),
    (_unusual_time, "Blind only in E2 to E4: an ordinary topic at an unusual time"),
    (_all("Unknown"), "Unknown everywhere: the frontier of what is known"),
    (_all("Hidden"), "Hidden everywhere: dormant knowledge"),
    (_integrated, "Open in ten or more spaces: well integrated"),
)
