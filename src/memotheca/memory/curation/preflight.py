"""Preflight: what can be said of a store before it is made, beyond what storing notices itself."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from memotheca.memory.claims.statement import terms_of_text
from memotheca.model.knowledge import Entry

TAGS = 3  # chosen: as many as people give
COMMON = 2  # chosen: one neighbour's tag is its own, two share a subject
ADDED = 2  # chosen: a reason that adds less than two words to what it explains says nothing of its own


@dataclass(frozen=True, slots=True)
class Reason:
    """Whether a reason will tell somebody later why this was kept, and why."""

    is_of_use: bool
    told: str


def weigh_reason(reason: str, content: str) -> Reason:
    """A reason is of use where it says what the content does not."""
    if not reason.strip():
        return Reason(False, "No reason is given: nothing is stored without one.")
    known = set(terms_of_text(content))
    added = [term for term in dict.fromkeys(terms_of_text(reason)) if term not in known]
    if len(added) < ADDED:
        return Reason(False, "The reason only repeats the content: say when or for what somebody will need it.")
    return Reason(True, f"The reason adds {len(added)} words of its own.")


def likely_tags(near: Sequence[tuple[Entry, float]], given: Sequence[str]) -> list[str]:
    """The tags that several of the nearest have, and that were not given: the nearer, the more they count."""
    counts = Counter(tag for entry, _ in near for tag in entry.tags)
    worth: Counter[str] = Counter()
    for entry, nearness in near:
        worth.update(dict.fromkeys(entry.tags, nearness))
    fitting = [tag for tag in worth if counts[tag] >= COMMON and tag not in given]
    return sorted(fitting, key=lambda tag: (-worth[tag], tag))[:TAGS]
