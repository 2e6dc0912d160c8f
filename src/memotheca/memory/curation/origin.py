"""Origin: when what is remembered happened or holds, and who said it, as whoever stores it states it."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from memotheca.memory.claims.when import (
    FIELDS,
    SOURCE,
    SOURCE_KNOWN,
    Teller,
    TimeField,
    Times,
    source_of,
    stated_times,
    times_of,
    with_times,
)
from memotheca.model.knowledge import Entry

SAID = (*FIELDS, SOURCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What is stated of a memory's times, as ISO 8601, and of who said it."""

    occurred_at: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    source: Teller | None = None

    def __post_init__(self) -> None:
        stated_times(self.times, Times())

    @property
    def times(self) -> dict[TimeField, str | None]:
        return {"occurred_at": self.occurred_at, "valid_from": self.valid_from, "valid_to": self.valid_to}


def with_origin(entry: Entry, origin: Origin, *, read: Times, usual: str | None) -> Entry:
    """A memory with its times and its source: as stated, else the times as read from its text and the source as its
    session stated it last."""
    attributes = dict(entry.attributes)
    said = origin.source or attributes.get(SOURCE)
    if said or usual:
        attributes |= {SOURCE: said or usual, SOURCE_KNOWN: "stated" if said else "session"}
    return with_times(replace(entry, attributes=attributes), stated_times(origin.times, read))


def stated_source(entry: Entry) -> str | None:
    """Who was said to speak when it was stored; what its session had said before is not said again."""
    return source_of(entry) if entry.attributes.get(SOURCE_KNOWN) == "stated" else None


def amend_origin(entry: Entry, origin: Origin, fields: Collection[str]) -> Entry:
    """An entry after those fields of its origin were stated; None takes away what was known."""
    attributes = dict(entry.attributes)
    if SOURCE in fields:
        for name in (SOURCE, SOURCE_KNOWN):
            attributes.pop(name, None)
        if origin.source is not None:
            attributes |= {SOURCE: origin.source, SOURCE_KNOWN: "stated"}
    entry = replace(entry, attributes=attributes)
    if not any(field in fields for field in FIELDS):
        return entry
    held = times_of(entry)
    kept = {field: held.at(field) for field in FIELDS if field not in fields}
    left = Times(kept.get("occurred_at"), kept.get("valid_from"), kept.get("valid_to"))
    return with_times(entry, stated_times({field: origin.times[field] for field in FIELDS if field in fields}, left))
