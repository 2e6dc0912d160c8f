"""The graph as it was after an earlier transaction: what has not changed since as its heads tell it, the rest by the
versions of then."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from memotheca.model.commits import Version
from memotheca.model.knowledge import Edge, Entry
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.vault_index import NoteRow, row_of

AT_ONCE = 1000  # chosen: versions that are read before others have their turn


@dataclass(slots=True)
class PastGraph:
    """What changed after a transaction, and those things of it that were there then."""

    tx: int
    changed: set[str]
    kinds: dict[str, str] = field(default_factory=dict[str, str])
    notes: list[NoteRow] = field(default_factory=list[NoteRow])
    edges: list[Edge] = field(default_factory=list[Edge])


def read_past(snapshot: Snapshot, tx: int, pause: Callable[[], None]) -> PastGraph:
    changed = [id for id, _, _ in snapshot.changed_after(tx)]
    past = PastGraph(tx, set(changed))
    for version in _versions(snapshot, changed, tx, pause):
        thing = version.thing
        if isinstance(thing, Edge):
            past.edges.append(thing)
        elif isinstance(thing, Entry):
            past.kinds[thing.id] = thing.kind
            row = row_of(thing)
            past.notes += [] if row is None else [row]
    return past


def _versions(snapshot: Snapshot, ids: list[str], tx: int, pause: Callable[[], None]) -> Iterator[Version]:
    for at in range(0, len(ids), AT_ONCE):
        pause()
        yield from snapshot.versions_at(ids[at : at + AT_ONCE], tx).values()
