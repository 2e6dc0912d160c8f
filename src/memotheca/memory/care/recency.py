"""Recency: what was looked at or made last, of every kind a memory tool works on."""

from collections.abc import Mapping
from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.state import activity_of
from memotheca.memory.standing.nearest import vicinity_of
from memotheca.memory.traits import KNOWN, quarantine_of
from memotheca.model.ids import moment_of
from memotheca.model.knowledge import Entry
from memotheca.storage.lookups import ids_made_last
from memotheca.storage.snapshot import Snapshot

SLACK = 20  # chosen: some of the recent are gone or of other kinds


@dataclass(frozen=True, slots=True)
class Recent:
    """An entry and when it was last looked at, which at the latest was when it was made."""

    entry: Entry
    last: int


def recent_entries(kernel: Kernel, snapshot: Snapshot, limit: int, *, among: tuple[str, ...] = KNOWN) -> list[Entry]:
    """The newest of some kinds first, by when something was last looked at or else made; without what is
    quarantined."""
    return [found.entry for found in _list_last(kernel, snapshot, limit, since=0, among=among)]


def list_recent(
    kernel: Kernel, snapshot: Snapshot, limit: int, *, since: int = 0, session: str | None = None
) -> list[Recent]:
    """The same with the times; only those since a moment, or only those that a session has stored."""
    if session is not None:
        ids = set(activity_of(kernel).mood(snapshot.session, snapshot.collection, session).stored)
        seen = activity_of(kernel).looks(snapshot.session, snapshot.collection, list(ids))
        return _newest(kernel, snapshot, {id: seen.get(id, (0, 0))[1] for id in ids}, since=since)[:limit]
    return _list_last(kernel, snapshot, limit, since=since, among=KNOWN)


def _list_last(kernel: Kernel, snapshot: Snapshot, limit: int, *, since: int, among: tuple[str, ...]) -> list[Recent]:
    wanted = limit + SLACK
    while True:
        looked = dict(activity_of(kernel).recent_looks(snapshot.session, snapshot.collection, wanted, since))
        made = [ids_made_last(snapshot, kind, limit=wanted) for kind in among]
        newest = _newest(kernel, snapshot, {id: 0 for ids in made for id in ids} | looked, since=since)
        recent = [found for found in newest if found.entry.kind in among]
        edges = [min(looked.values())] if len(looked) == wanted else []
        edges += [moment_of(ids[-1]) for ids in made if len(ids) == wanted]
        # Much of what was last may be gone, held or of another kind: then what came before it is wanted.
        if not edges or (len(recent) >= limit and recent[limit - 1].last >= max(edges)):
            return recent[:limit]
        wanted *= 4


def _newest(kernel: Kernel, snapshot: Snapshot, looked: Mapping[str, int], *, since: int) -> list[Recent]:
    now = kernel.now()
    known = vicinity_of(kernel, snapshot).read(snapshot, looked.keys())
    recent = [
        Recent(entry, max(looked[entry.id], entry.created_at))
        for entry in known.values()
        if entry.kind in KNOWN and quarantine_of(entry, now) is None
    ]
    return sorted([each for each in recent if each.last >= since], key=lambda each: (-each.last, each.entry.id))
