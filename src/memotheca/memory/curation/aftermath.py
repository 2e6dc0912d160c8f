"""Aftermath: what became of the memories that were stored last (memory-model: Steering)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation.tombstones import list_tombstones, tombstone_of
from memotheca.memory.graph.relations import CONTRADICTS, SAME_AS
from memotheca.memory.session.state import activity_of
from memotheca.model.kinds import MEMORY, MENTIONS, TEMPORAL
from memotheca.model.knowledge import Entry
from memotheca.storage.lookups import ids_made_last
from memotheca.storage.snapshot import Snapshot

Fate = Literal["used", "unused", "superseded", "disputed", "repeated", "merged", "forgotten"]

# Chosen: what a store was worth by what became of it; to be used is what stores are for, and an update is no fault of
# what it replaced.
WORTH: Mapping[Fate, float] = {
    "used": 1.0,
    "unused": 0.0,
    "superseded": 0.0,
    "disputed": -0.25,
    "repeated": -0.5,
    "merged": -0.5,
    "forgotten": -1.0,
}


@dataclass(frozen=True, slots=True)
class StoreFate:
    """One store: the memory as it is or was last, what became of it, how often it was looked at since, and whether it
    is joined to anything by what was said or found, not only by what it names or came after."""

    entry: Entry
    fate: Fate
    looks: int
    is_joined: bool


def last_stores(kernel: Kernel, snapshot: Snapshot, count: int, *, session: str | None) -> list[StoreFate]:
    """The newest first, also those that are gone; of one session, or of all."""
    if session is not None:
        ids = activity_of(kernel).mood(snapshot.session, snapshot.collection, session).stored[-count:]
    else:
        gone = list_tombstones(snapshot, kernel.now(), limit=count)
        made = ids_made_last(snapshot, MEMORY, limit=count)
        ids = sorted({*made, *(each.entry.id for each in gone if each.entry.kind == MEMORY)})[-count:]
    looks = activity_of(kernel).looks(snapshot.session, snapshot.collection, ids)
    # Storing itself is a look.
    found = [_fate(kernel, snapshot, id, max(0, looks.get(id, (1, 0))[0] - 1)) for id in reversed(ids)]
    return [each for each in found if each is not None]


def _fate(kernel: Kernel, snapshot: Snapshot, id: str, looks: int) -> StoreFate | None:
    entry = snapshot.entry(id)
    if entry is None:
        buried = tombstone_of(snapshot, id, kernel.now())
        if buried is None:
            return None
        return StoreFate(buried.entry, "merged" if buried.commit.operation == "MERGE" else "forgotten", looks, False)
    edges = snapshot.edges_of(id)
    said = {edge.predicate for edge in edges}
    is_joined = any(edge.predicate != MENTIONS and edge.type != TEMPORAL for edge in edges)
    ended = entry.validity.end is not None and entry.validity.end <= kernel.now()
    fate: Fate = "used" if looks else "unused"
    if SAME_AS in said:
        fate = "repeated"
    if CONTRADICTS in said:
        fate = "disputed"
    if ended:
        fate = "superseded"
    return StoreFate(entry, fate, looks, is_joined)
