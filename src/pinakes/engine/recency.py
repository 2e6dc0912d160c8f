"""Recency: what was looked at or made last, of every kind a memory tool works on."""

from dataclasses import dataclass

from pinakes.engine.kernel import Kernel
from pinakes.engine.memories import quarantine_of
from pinakes.engine.vicinity import KNOWN, vicinity_of
from pinakes.model.knowledge import Entry
from pinakes.storage.lookups import ids_made_last
from pinakes.storage.reading import Reading

SLACK = 20


@dataclass(frozen=True, slots=True)
class Recent:
    """An entry and when it was last looked at, which at the latest was when it was made."""

    entry: Entry
    last: int


def recent_entries(kernel: Kernel, reading: Reading, limit: int) -> list[Entry]:
    """The newest first, by when something was last looked at or else made; without what is quarantined."""
    return [found.entry for found in list_recent(kernel, reading, limit)]


def list_recent(
    kernel: Kernel, reading: Reading, limit: int, *, since: int = 0, session: str | None = None
) -> list[Recent]:
    """The same with the times; only those since a moment, or only those that a session has stored."""
    wanted = limit + SLACK
    if session is None:
        looked = dict(kernel.activity.recent_looks(reading.session, reading.collection, wanted, since))
        ids = looked.keys() | _made_last(reading, wanted)
    else:
        ids = set(kernel.activity.mood(reading.session, reading.collection, session).stored)
        seen = kernel.activity.looks(reading.session, reading.collection, list(ids))
        looked = {id: last for id, (_, last) in seen.items()}
    now = kernel.now()
    known = vicinity_of(kernel, reading).read(reading, ids)
    found = [entry for entry in known.values() if entry.kind in KNOWN]
    recent = [
        Recent(entry, max(looked.get(entry.id, 0), entry.created_at))
        for entry in found
        if quarantine_of(entry, now) is None
    ]
    return sorted([each for each in recent if each.last >= since], key=lambda each: (-each.last, each.entry.id))[:limit]


def _made_last(reading: Reading, limit: int) -> set[str]:
    return {id for kind in KNOWN for id in ids_made_last(reading, kind, limit=limit)}
