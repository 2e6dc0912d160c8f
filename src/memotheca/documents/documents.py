"""Documents: listing them, taking them out, and saying how the collection of them is."""

import errno
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from memotheca.documents import sections
from memotheca.jobs.queue import bench_of
from memotheca.kernel.handles import resolve
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.names import SHORT, document_ids
from memotheca.kernel.paging import Place, start, to_cursor
from memotheca.model import kinds
from memotheca.model.commits import Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.parsing.ocr import find_tesseract
from memotheca.parsing.open_safely import MAX_SIZE
from memotheca.search.derive import chunk_size_of
from memotheca.search.embed import setting_of
from memotheca.storage import document_index, jobs
from memotheca.storage.document_index import DocumentRow
from memotheca.storage.snapshot import Reading
from memotheca.storage.store import ACCEPTED, Writing
from memotheca.vectors.embedders import DEFAULT, understand

EVERYTHING = 1 << 62
MAX_FILE_MEGABYTES = MAX_SIZE // (1024 * 1024)
SHIPPED_NAME = "sentence-transformers/all-MiniLM-L6-v2"
MEGABYTE = 1 << 20
# Below this no file of some size can be taken any more, nor its index be made.
LEAST_FREE = 64 * MEGABYTE


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """How the documents are: how many, how large, and what is wrong."""

    documents: int
    chunks: int
    size: int
    chunk_size: int
    embedder: str
    is_index_open: bool
    is_storage_open: bool
    is_embedder_loaded: bool
    issues: tuple[str, ...]
    changed_at: int | None


def list_documents(
    kernel: Kernel, *, limit: int, offset: int = 0, order: str = "date_added", descending: bool = True
) -> tuple[list[Listed], int]:
    """A page of documents, and how many there are in all."""
    with kernel.read() as reading:
        listed = list_rows(reading, order=order, descending=descending, window=(limit, min(offset, EVERYTHING)))
        return listed, document_index.count(reading.session, kernel.collection)[0]


def list_rows(reading: Reading, *, order: str, descending: bool, window: tuple[int, int]) -> list[Listed]:
    """So many documents after so many, each with how it is."""
    session, collection = reading.session, reading.collection
    rows = document_index.page(session, collection, order=order, descending=descending, window=window)
    under_way = {job.arguments.get("path") for job in jobs.unsettled(session, collection)}
    return [Listed(row, _status(reading, row, under_way)) for row in rows]


def _status(reading: Reading, row: DocumentRow, under_way: set[str | None]) -> str:
    """`processing` while it is read again or lacks vectors, `partial` where pages could not be read."""
    if (row.path and row.path in under_way) or reading.waiting_chunks(row.id):
        return "processing"
    return "partial" if row.partial else "completed"


@dataclass(frozen=True, slots=True)
class Opened:
    """A document as it was at a transaction, with its chunks counted and its sections in order."""

    version: Version
    chunks: int
    status: str
    sections: tuple[Entry, ...] = ()


def open_document(kernel: Kernel, handle: str) -> Opened:
    with kernel.read() as reading:
        entry = _resolved(reading, handle)
        return _opened(reading, cast(Version, reading.head(entry.id)), parts=sections.sections_of(reading, entry))


def page_documents(
    kernel: Kernel, *, limit: int, cursor: str | None, as_of_tx_id: int | None = None
) -> tuple[list[Opened], int, str | None]:
    """A page of documents in the order of their making, from one snapshot."""
    asked = {"as_of_tx_id": as_of_tx_id}
    with kernel.read() as reading:
        place = start(asked, cursor, newest=reading.tx, now=kernel.now())
        found = reading.entries((kinds.DOCUMENT,), as_of=place.tx, after=place.last, limit=limit + 1)
        opened = [_opened(reading, version) for version in found[:limit]]
    more = len(found) > limit
    following = to_cursor(Place(place.tx, place.now, found[limit - 1].id), asked) if more else None
    return opened, place.tx, following


def _opened(reading: Reading, version: Version, parts: Sequence[Entry] = ()) -> Opened:
    row = document_index.find(reading.session, reading.collection, version.id)
    if row is None:
        return Opened(version, 0, "removed", tuple(parts))
    under_way = {job.arguments.get("path") for job in jobs.unsettled(reading.session, reading.collection)}
    return Opened(version, row.chunks, _status(reading, row, under_way), tuple(parts))


def get_document(kernel: Kernel, handle: str) -> DocumentRow:
    with kernel.read() as reading:
        return _row_of(reading, _resolved(reading, handle))


def find_document(kernel: Kernel, named: str) -> DocumentRow:
    """The document a person means: by its handle, its path, or its filename where only one has it."""
    with kernel.read() as reading:
        try:
            return _row_of(reading, _resolved(reading, named))
        except Refusal as refusal:
            if refusal.failure.is_trouble:
                raise
            found = (
                document_index.find(reading.session, reading.collection, id) for id in document_ids(reading, named)
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

    def act(writing: Writing) -> DocumentRow:
        writing.describe("DELETE")
        entry = _resolved(writing, handle)
        row = _row_of(writing, entry)
        sections.remove_document(writing, entry)
        return row

    return kernel.write(act, actor=actor)


def clear_documents(kernel: Kernel, *, actor: str) -> Cleared:
    """Take all documents out, in one transaction that undo can revert."""

    def act(writing: Writing) -> Cleared:
        writing.describe("DELETE")
        rows = document_index.page(
            writing.session, writing.collection, order="date_added", descending=False, window=(EVERYTHING, 0)
        )
        entries = [cast(Entry, writing.entry(row.id)) for row in rows]
        doomed = [
            id
            for entry in entries
            for id in (entry.id, *(section.id for section in sections.sections_of(writing, entry)))
        ]
        size, vectors = document_index.live_bytes(writing.session, writing.collection, doomed)
        for entry in entries:
            sections.remove_document(writing, entry)
        return Cleared(len(entries), vectors, size)

    return kernel.write(act, actor=actor)


def _resolved(reading: Reading, handle: str) -> Entry:
    try:
        entry = cast(Entry, resolve(reading, handle, "entry", field="document_id").thing)
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


def _row_of(reading: Reading, entry: Entry) -> DocumentRow:
    return cast(DocumentRow, document_index.find(reading.session, reading.collection, entry.id))


def examine_documents(kernel: Kernel) -> Condition:
    with kernel.read() as reading:
        session, collection = reading.session, kernel.collection
        count, chunks, size = document_index.count(session, collection)
        setting = setting_of(session, collection)
        changed = reading.transaction(reading.last_touched("entry", (kinds.DOCUMENT,)))
        embedder = kernel.embedder(session)
        chunk_size = chunk_size_of(session, collection)
    issues: list[str] = []
    if embedder is None:
        issues.append(_why_no_embedder(setting))
    index_trouble, storage_trouble = _index_trouble(kernel), _storage_trouble(kernel)
    troubles = (index_trouble, storage_trouble, _reading_trouble(kernel), _loss(kernel))
    issues += [trouble for trouble in troubles if trouble]
    return Condition(
        documents=count,
        chunks=chunks,
        size=size,
        chunk_size=chunk_size,
        embedder=SHIPPED_NAME if setting == DEFAULT else understand(setting).name or setting,
        is_index_open=not index_trouble,
        is_storage_open=not storage_trouble,
        is_embedder_loaded=embedder is not None,
        issues=tuple(issues),
        changed_at=None if changed is None else changed.time,
    )


def _loss(kernel: Kernel) -> str:
    said = kernel.store.begun_anew()
    if said in ("", ACCEPTED):
        return ""
    return f"The data was lost and begun anew at {said}: `memotheca doctor` says which backup to restore, and how."


def _why_no_embedder(setting: str) -> str:
    if setting == "none":
        return "No embedding model is chosen, so search goes by words alone: memotheca reindex --embedder minilm"
    return f"The embedding model {setting} cannot be loaded, so search goes by words alone: memotheca doctor"


def _index_trouble(kernel: Kernel) -> str:
    """Whether the vectors can be reached: the index is brought up to date, as a search would."""
    try:
        with kernel.read() as reading:
            embedder = kernel.embedder(reading.session)
            index = kernel.finder().index_of(kernel.collection, embedder.identity if embedder else "")
            with index.guard:
                index.catch_up(reading.session)
    except (Refusal, OSError, ValueError) as error:
        if isinstance(error, Refusal) and error.failure is Failure.CANCELLED:
            raise
        reason = error.strerror if isinstance(error, OSError) else None
        return f"Search index not accessible: {reason or error}"
    return ""


def _storage_trouble(kernel: Kernel) -> str:
    """What keeps files from being stored; found out without writing, since whoever asks only reads."""
    folder = bench_of(kernel).data
    try:
        held = os.statvfs(folder)
        free = held.f_bavail * held.f_frsize
        problem = errno.EROFS if held.f_flag & os.ST_RDONLY else 0
        problem = problem or (0 if os.access(folder, os.R_OK | os.W_OK | os.X_OK) else errno.EACCES)
    except OSError as error:
        problem, free = error.errno or errno.EIO, 0
    if problem:
        return f"Storage directory not accessible: {os.strerror(problem)}"
    if free < LEAST_FREE:
        return f"Storage is full: {free // MEGABYTE} MB are free, {LEAST_FREE // MEGABYTE} MB are needed"
    return ""


def _reading_trouble(kernel: Kernel) -> str:
    """Whether scans and pictures can be read."""
    try:
        program, _ = find_tesseract(bench_of(kernel).sandbox.wishes)
    except Refusal as refusal:
        return refusal.message
    return "" if shutil.which(program) else f"OCR processing failed: cannot run {Path(program).name}"


def count_queued(kernel: Kernel) -> int:
    """How many files are still being read or wait for it."""
    with kernel.read() as reading:
        return jobs.count_unsettled(reading.session, kernel.collection)
