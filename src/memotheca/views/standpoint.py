"""From when the graph is looked at: now, or as it was after an earlier transaction."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.names import find_thing
from memotheca.model.cancellation import heed
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Edge
from memotheca.notes.mounts import opened
from memotheca.notes.notebook import Notebook
from memotheca.storage.adjacency import count_joints
from memotheca.storage.lookups import ids_changed_after
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.vault_index import NoteRow
from memotheca.views.past_graph import PastGraph, read_past
from memotheca.views.thing_links import ShownEnd, Tie, past_ties_of, show_ends, ties_of

# Chosen: as many changes are read in about a second; after more, only the links of the thing itself are looked for.
READ_THROUGH = 20_000


@dataclass(slots=True)
class Standpoint:
    """A state of the graph in which things are looked up; of a past one, what was different then."""

    snapshot: Snapshot
    book: Notebook
    tx: int | None = None
    past: PastGraph | None = None
    _edges: dict[str, list[Edge]] = field(default_factory=dict[str, list[Edge]])

    def ties_of(self, id: str, *, is_center: bool) -> list[Tie]:
        if self.tx is None:
            return ties_of(self.snapshot, self.book, id)
        if self.past is None:
            return past_ties_of(self.snapshot, id, self.tx) if is_center else []
        return ties_of(self.snapshot, self.book, id, without=self.past.changed, beside=self._changed_at(id))

    def _changed_at(self, id: str) -> Sequence[Edge]:
        assert self.past is not None
        if not self._edges:
            for edge in self.past.edges:
                for end in {edge.source, edge.target}:
                    self._edges.setdefault(end, []).append(edge)
        return self._edges.get(id, ())

    def degree(self, id: str) -> int:
        if self.tx is not None:
            return len(self.ties_of(id, is_center=False))
        counted = sum(count_joints(self.snapshot, id)) if id not in self.book.ghosts else 0
        graph = self.book.graph
        return max(counted, len(graph.out.get(id, ())) + len(graph.into(id)) if id in graph else 0)

    def show(self, ids: Sequence[str]) -> dict[str, ShownEnd]:
        return show_ends(self.snapshot, self.book, ids, self.tx)


def find_center(snapshot: Snapshot, book: Notebook, handle: str, tx: int | None = None) -> str:
    """A note or a ghost by its path, anything else by any name; a relation stands for where it begins."""
    key = book.find(handle.strip())
    if key is not None:
        return key
    version = find_thing(snapshot, handle)
    if tx is not None:
        found = snapshot.version(version.id, tx)
        if found is None:
            message = f"{handle!r} was not there yet after transaction {tx}."
            raise Refusal(Failure.NOT_FOUND, message, field="handle")
        version = found
    if version.thing is None:
        message = f"{handle!r} was deleted in transaction {version.tx}; undo it to have it back."
        raise Refusal(Failure.TOMBSTONED, message, field="handle")
    return version.thing.source if isinstance(version.thing, Edge) else version.id


@contextmanager
def standing(kernel: Kernel, tx: int | None) -> Generator[Standpoint]:
    """A place to look from, for as long as the block lasts."""
    with opened(kernel) as (snapshot, book):
        if tx is None:
            yield Standpoint(snapshot, book)
            return
        rows = list(book.rows.values())
    with kernel.read() as snapshot:
        is_near = len(ids_changed_after(snapshot, tx, limit=READ_THROUGH + 1)) <= READ_THROUGH
        past = read_past(snapshot, tx, heed) if is_near else None
        book = Notebook() if past is None else past_notebook(snapshot, rows, past)
        yield Standpoint(snapshot, book, tx, past)


def past_notebook(snapshot: Snapshot, rows: Iterable[NoteRow], past: PastGraph) -> Notebook:
    """The notes as they were, with what their links meant among them."""
    unchanged = [row for row in rows if row.id not in past.changed]
    return Notebook.of(snapshot, [*unchanged, *past.notes])
