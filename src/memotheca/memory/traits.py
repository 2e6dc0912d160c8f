"""What a memory's own fields say of it: how much it matters, and whether it is held."""

from collections.abc import Mapping, Sequence
from typing import Any

from memotheca.model import kinds
from memotheca.model.knowledge import Entry, is_holding

# What a memory tool works on.
KNOWN = (kinds.MEMORY, kinds.ENTRY, kinds.NOTE, kinds.DOCUMENT, kinds.SECTION)


def importance_of(entry: Entry) -> float:
    return float(entry.attributes.get("importance", 0.5))


def quarantine_of(entry: Entry, now: int) -> Mapping[str, Any] | None:
    """Why an entry is kept out of retrieval, while it is."""
    held: Mapping[str, Any] | None = entry.attributes.get("quarantine")
    return held if held is not None and is_holding(held, now) else None


def text_of(entry: Entry) -> str:
    """What an entry says, with its title."""
    return f"{entry.title}\n{entry.body}" if entry.title else entry.body


def chief_of(sources: Sequence[Entry]) -> Entry:
    """The most important source, the oldest of several."""
    return min(sources, key=lambda entry: (-importance_of(entry), entry.id))
