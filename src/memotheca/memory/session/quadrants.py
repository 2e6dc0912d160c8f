"""Johari quadrants: what is known and integrated, and what is not, space by space (memory-model: Quadrants)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from memotheca.memory.tuning.thresholds import PRIORS
from memotheca.memory.verbs import Verb

Quadrant = Literal["Open", "Blind", "Hidden", "Unknown"]
QUADRANTS: tuple[Quadrant, ...] = ("Open", "Blind", "Hidden", "Unknown")
INTEGRATED = 10 / 13  # specification: ten of thirteen spaces (memory-model: Quadrants)
MANY = 6  # chosen: of fewer spaces nothing can be said on the whole

ACTIONS: dict[Quadrant, Verb] = {
    "Open": Verb.SEARCH,
    "Blind": Verb.CRITICISE,
    "Hidden": Verb.SURROUND,
    "Unknown": Verb.ASK,
}


def quadrant(delta_s: float, delta_c: float, threshold: float = PRIORS["johari"]) -> Quadrant:
    """Open: not new and fitting; Blind: new and not fitting; Hidden: neither; Unknown: both (memory-model:
    Quadrants)."""
    if delta_s <= threshold:
        return "Open" if delta_c > threshold else "Hidden"
    return "Unknown" if delta_c > threshold else "Blind"


def confidence(delta_s: float, delta_c: float, threshold: float = PRIORS["johari"]) -> float:
    """|ΔS - θ| + |ΔC - θ|, at most 1 (memory-model: Quadrants)."""
    return min(1.0, abs(delta_s - threshold) + abs(delta_c - threshold))


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """What was looked up of a memory, since nearness does not tell it: whether its text or a link gives a cause,
    whether any memory is linked to it, whether there is code in it."""

    has_cause: bool
    is_linked: bool
    has_code: bool


# By the ids of the spaces, without those that abstain.
Seen = Mapping[str, Quadrant]


def insights(seen: Seen, grounds: Grounds) -> list[str]:
    """What the quadrants of the spaces that do not abstain say together, as far as it is so (memory-model:
    Quadrants)."""
    told = [sentence for holds, sentence in _RULES if holds(seen, grounds)]
    is_open = sum(found == "Open" for found in seen.values())
    if len(seen) >= MANY and is_open >= INTEGRATED * len(seen):
        told.append(f"Open in {is_open} of the {len(seen)} spaces that tell something of it: well integrated")
    return told


def _both(first: str, one: Quadrant, second: str, other: Quadrant) -> Callable[[Seen, Grounds], bool]:
    return lambda seen, grounds: seen.get(first) == one and seen.get(second) == other


def _lacks_cause(seen: Seen, grounds: Grounds) -> bool:
    return seen.get("E1") == "Open" and not grounds.has_cause


def _lacks_links(seen: Seen, grounds: Grounds) -> bool:
    return seen.get("E11") == "Open" and not grounds.is_linked


def _lacks_context(seen: Seen, grounds: Grounds) -> bool:
    return seen.get("E1") == "Blind" and seen.get("E7") == "Open" and grounds.has_code


def _all(wanted: Quadrant) -> Callable[[Seen, Grounds], bool]:
    return lambda seen, grounds: all(found == wanted for found in seen.values())


def _unusual_time(seen: Seen, grounds: Grounds) -> bool:
    timely = ("E2", "E3", "E4")
    blind = [id for id, found in seen.items() if found == "Blind"]
    return bool(blind) and set(blind) <= set(timely)


_RULES: tuple[tuple[Callable[[Seen, Grounds], bool], str], ...] = (
    (_lacks_cause, "Open(E1) but nothing for E5: knows WHAT but not WHY, no cause is stated or linked"),
    (_lacks_context, "Blind(E1) but Open(E7): known code without its context"),
    (_lacks_links, "Open(E11) but nothing for E8: known names, and no memory is linked to it"),
    (_both("E13", "Open", "E1", "Blind"), "Open(E13) but Blind(E1): familiar words with a new meaning"),
    (_both("E1", "Open", "E11", "Blind"), "Open(E1) but Blind(E11): a known theme with new names"),
    (_unusual_time, "Blind only in E2 to E4: an ordinary topic at an unusual time"),
    (_all("Unknown"), "Unknown wherever it can be told: the frontier of what is known"),
    (_all("Hidden"), "Hidden wherever it can be told: dormant knowledge"),
)
