"""Births and deaths: each change of an entry kills its chunks and bears new ones, in the same transaction."""

import logging
from collections.abc import Callable, Sequence

from memotheca.model import kinds
from memotheca.model.cancellation import heed
from memotheca.model.errors import Refusal
from memotheca.model.knowledge import Entry, Thing, handle_of
from memotheca.search.filters import filters_of
from memotheca.search.passages import CHUNK_SIZE, Passage, chunk_size_of, passages_of
from memotheca.search.prepared import LATER, Prepared, digest_of
from memotheca.storage import chunks, document_index, jobs, vault_index
from memotheca.storage.chunks import ChunkRow, columns_of
from memotheca.storage.database import Session
from memotheca.text.terms import analyse, pack

log = logging.getLogger(__name__)


class Births:
    """What the store tells of every change; `model_of` names the embedder of a collection, or none."""

    def __init__(self, model_of: Callable[[Session, str], str]) -> None:
        self._model_of = model_of

    def changed(self, session: Session, collection: str, tx: int, thing: Thing, *, prepared: object) -> None:
        if isinstance(thing, Entry):
            held = prepared if isinstance(prepared, Prepared) else LATER
            chunks.kill(session, collection, tx, thing.id)
            self.bear(session, collection, tx, thing, prepared=held)
            vault_index.follow(session, collection, thing)

    def removed(self, session: Session, collection: str, tx: int, id: str) -> None:
        chunks.kill(session, collection, tx, id)
        vault_index.drop_row(session, collection, id)
        document_index.drop(session, collection, id)

    def erased(self, session: Session, collection: str, id: str) -> None:
        chunks.forget(session, collection, id)
        vault_index.drop_row(session, collection, id)
        document_index.drop(session, collection, id)
        jobs.forget(session, collection, id)

    def bear(self, session: Session, collection: str, tx: int, entry: Entry, *, prepared: Prepared = LATER) -> None:
        if entry.kind == kinds.TUNING:
            return
        model = self._model_of(session, collection)
        made = prepared.made_by(model)
        rows = prepared.rows_for(entry)
        if rows is None:
            rows = _rows_or_none(session, collection, entry)
        numbers = chunks.bear(session, collection, tx, rows)
        if entry.kind == kinds.DOCUMENT:
            document_index.keep(session, collection, _document_row(entry, len(rows)))
        if not model:
            return
        found: list[tuple[int, bytes]] = []
        waiting: list[int] = []
        for number, row in zip(numbers, rows, strict=True):
            vectors = made.get(row.digest) or chunks.known_vectors(session, collection, model, row.digest)
            found += [(number, value) for value in vectors]
            waiting += [] if vectors else [number]
        chunks.put_vectors(session, collection, model, found)
        chunks.mark_unembedded(session, collection, waiting)


def _rows_or_none(session: Session, collection: str, entry: Entry) -> list[ChunkRow]:
    """An entry of which nothing can be derived is kept all the same, and not found by search: its fault must stop
    neither its own write nor those of others, nor whoever makes everything anew. `memotheca doctor` counts such."""
    size = chunk_size_of(session, collection, entry.kind)
    try:
        return chunk_rows(entry, size)
    except (Refusal, MemoryError):
        raise
    except Exception as error:
        log.exception("entry %s cannot be searched", entry.id)
        if entry.kind == kinds.NOTE:
            told = f"{entry.attributes.get('path', handle_of(entry))} is kept, but cannot be searched: {_named(error)}"
            vault_index.add_warnings(session, collection, [("", told)])
        return []


def _named(error: Exception) -> str:
    return f"{type(error).__name__} while it was cut into passages."


def chunk_rows(entry: Entry, chunk_size: int = CHUNK_SIZE) -> list[ChunkRow]:
    return rows_of(entry, passages_of(entry, chunk_size))


def rows_of(entry: Entry, passages: Sequence[Passage]) -> list[ChunkRow]:
    """The rows of some of an entry's passages, their words analysed."""
    columns = columns_of(entry)
    filters = filters_of(entry)
    tagged = "\n".join((*entry.tags, *_reasons(entry)))
    rows: list[ChunkRow] = []
    for passage in passages:
        heed()
        searched = f"{passage.said}\n{tagged}" if tagged else passage.said
        rows.append(
            ChunkRow(
                entry_id=entry.id,
                start=passage.start,
                stop=passage.stop,
                place=passage.place,
                digest=digest_of(entry.title, passage.said),
                columns=columns,
                terms=pack(analyse(entry.title, searched, filters)),
            )
        )
    return rows


def _reasons(entry: Entry) -> tuple[str, ...]:
    """Why somebody had it remembered, in words that its text often lacks: matched with it, and no part of it."""
    said = entry.attributes.get("rationale") if entry.kind == kinds.MEMORY else None
    return (said,) if isinstance(said, str) else ()


def _document_row(entry: Entry, chunk_count: int) -> document_index.DocumentRow:
    said = entry.attributes
    return document_index.DocumentRow(
        id=entry.id,
        handle=handle_of(entry),
        filename=str(said["filename"]),
        path=str(said.get("path", "")),
        digest=str(said["sha256"]),
        format=str(said["format"]),
        method=str(said["processing_method"]),
        size=int(said["size"]),
        chunks=chunk_count,
        partial=bool(said.get("failed_pages")),
        added=entry.created_at,
    )
