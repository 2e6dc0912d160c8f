"""Documents: listing them, taking them out, and saying how the collection of them is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from memotheca.documents import sections
from memotheca.jobs.ingest_job import path_of
from memotheca.kernel.handles import resolve
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.names import SHORT, document_ids
from memotheca.kernel.paging import PagePosition, start, to_cursor
from memotheca.model import kinds
from memotheca.model.commits import Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.storage import document_index, jobs
from memotheca.storage.document_index import DocumentRow
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction

EVERYTHING = 1 << 62  # chosen: no limit, within 64 bits


@dataclass(frozen=True, slots=True)
class Listed:
    """A document in a list, and whether all is done about it; what is none yet has a task, or why it failed."""

    row: DocumentRow
    status: str
    task: str = ""
    problem: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Cleared:
    """What was taken out."""

    documents: int
    vectors: int
    size: int


def list_documents(
    kernel: Kernel, *, limit: int, offset: int = 0, order: str = "date_added", descending: bool = True
) -> tuple[list[Listed], int]:
    """A page of documents, and how many there are in all."""
    with kernel.read() as snapshot:
        listed = list_rows(snapshot, order=order, descending=descending, window=(limit, min(offset, EVERYTHING)))
        return listed, document_index.count(snapshot.session, kernel.collection)[0]


def list_rows(snapshot: Snapshot, *, order: str, descending: bool, window: tuple[int, int]) -> list[Listed]:
    """So many documents after so many, each with how it is."""
    session, collection = snapshot.session, snapshot.collection
    rows = document_index.page(session, collection, order=order, descending=descending, window=window)
    under_way = {path_of(job) for job in jobs.unsettled(session, collection)}
    return [Listed(row, _status(snapshot, row, under_way)) for row in rows]


def _status(snapshot: Snapshot, row: DocumentRow, under_way: set[str]) -> str:
    """`processing` while it is read again or lacks vectors, `partial` where pages could not be read."""
    if (row.path and row.path in under_way) or snapshot.waiting_chunks(row.id):
        return "processing"
    return "partial" if row.partial else "completed"


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document as it was at a transaction, with its chunks counted and its sections in order."""

    version: Version
    chunks: int
    status: str
    sections: tuple[Entry, ...] = ()


def open_document(kernel: Kernel, handle: str) -> DocumentView:
    with kernel.read() as snapshot:
        entry = _resolved(snapshot, handle)
        return _opened(snapshot, cast(Version, snapshot.head(entry.id)), parts=sections.sections_of(snapshot, entry))


def page_documents(
    kernel: Kernel, *, limit: int, cursor: str | None, as_of_tx_id: int | None = None
) -> tuple[list[DocumentView], int, str | None]:
    """A page of documents in the order of their making, from one snapshot."""
    asked = {"as_of_tx_id": as_of_tx_id}
    with kernel.read() as snapshot:
        place = start(asked, cursor, newest=snapshot.tx, now=kernel.now())
        found = snapshot.entries((kinds.DOCUMENT,), as_of=place.tx, after=place.last, limit=limit + 1)
        opened = [_opened(snapshot, version) for version in found[:limit]]
    more = len(found) > limit
    following = to_cursor(PagePosition(place.tx, place.now, found[limit - 1].id), asked) if more else None
    return opened, place.tx, following


def _opened(snapshot: Snapshot, version: Version, parts: Sequence[Entry] = ()) -> DocumentView:
    row = document_index.find(snapshot.session, snapshot.collection, version.id)
    if row is None:
        return DocumentView(version, 0, "removed", tuple(parts))
    under_way = {path_of(job) for job in jobs.unsettled(snapshot.session, snapshot.collection)}
    return DocumentView(version, row.chunks, _status(snapshot, row, under_way), tuple(parts))


def get_document(kernel: Kernel, handle: str) -> DocumentRow:
    with kernel.read() as snapshot:
        return _row_of(snapshot, _resolved(snapshot, handle))


def find_document(kernel: Kernel, named: str) -> DocumentRow:
    """The document a person means: by its handle, its path, or its filename where only one has it."""
    with kernel.read() as snapshot:
        try:
            return _row_of(snapshot, _resolved(snapshot, named))
        except Refusal as refusal:
            if refusal.failure.is_trouble:
                raise
            found = (
                document_index.find(snapshot.session, snapshot.collection, id) for id in document_ids(snapshot, named)
            )
            rows = [row for row in found if row is not None]
    if len(rows) > 1:
        listed = "".join(f"\n  {row.handle[:SHORT]}  {row.path or row.filename}" for row in rows)
        raise Refusal(
            Failure.AMBIGUOUS,
            f"{named!r} names {len(rows)} documents; use one of the ids:{listed}",
            field="document_id",
            details={"candidates": [row.handle for row in rows]},
        )
    if not rows:
        raise _not_found(named)
    return rows[0]


def remove_document(kernel: Kernel, handle: str, *, actor: str) -> DocumentRow:
    """Take a document out with its sections; undo brings it back."""

    def act(transaction: Transaction) -> DocumentRow:
        transaction.describe("DELETE")
        entry = _resolved(transaction, handle)
        row = _row_of(transaction, entry)
        sections.remove_document(transaction, entry)
        return row

    return kernel.write(act, actor=actor)


def clear_documents(kernel: Kernel, *, actor: str) -> Cleared:
    """Take all documents out, in one transaction that undo can revert."""

    def act(transaction: Transaction) -> Cleared:
        transaction.describe("DELETE")
        rows = document_index.page(
            transaction.session, transaction.collection, order="date_added", descending=False, window=(EVERYTHING, 0)
        )
        entries = [cast(Entry, transaction.entry(row.id)) for row in rows]
        doomed = [
            id
            for entry in entries
            for id in (entry.id, *(section.id for section in sections.sections_of(transaction, entry)))
        ]
        size, vectors = document_index.live_bytes(transaction.session, transaction.collection, doomed)
        for entry in entries:
            sections.remove_document(transaction, entry)
        return Cleared(len(entries), vectors, size)

    return kernel.write(act, actor=actor)


def _resolved(snapshot: Snapshot, handle: str) -> Entry:
    try:
        entry = cast(Entry, resolve(snapshot, handle, "entry", field="document_id").thing)
    except Refusal as refusal:
        if refusal.failure not in (Failure.NOT_FOUND, Failure.TOMBSTONED, Failure.ERASED):
            raise
        raise _not_found(handle) from None
    if entry.kind != kinds.DOCUMENT:
        raise _not_found(handle)
    return entry


def _not_found(handle: str) -> Refusal:
    return Refusal(
        Failure.NOT_FOUND,
        f"Document with ID '{handle}' not found",
        field="document_id",
        details={"document_id": handle},
    )


def _row_of(snapshot: Snapshot, entry: Entry) -> DocumentRow:
    return cast(DocumentRow, document_index.find(snapshot.session, snapshot.collection, entry.id))


def count_queued(kernel: Kernel) -> int:
    """How many files are still being read or wait for it."""
    with kernel.read() as snapshot:
        return jobs.count_unsettled(snapshot.session, kernel.collection)
