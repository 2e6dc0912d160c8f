"""Births and deaths: each change of an entry kills its chunks and bears new ones, in the same transaction."""

import hashlib
import json
import logging
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memotheca.model import kinds
from memotheca.model.cancellation import heed
from memotheca.model.errors import Refusal
from memotheca.model.knowledge import Entry, Thing, handle_of
from memotheca.search.passages import CHUNK_SIZE, Passage, passages_of
from memotheca.storage import chunks, document_index, jobs, vault_index
from memotheca.storage.collections import read_settings
from memotheca.storage.database import Session
from memotheca.text.terms import analyse, filter_number, pack
from memotheca.text.words import words

log = logging.getLogger(__name__)

FOREVER = (1 << 63) - 1
NEVER = -(1 << 63)

# created, updated, valid from, valid to, expires: µs; importance.
COLUMNS = struct.Struct("<5qd")
DEFAULT_IMPORTANCE = 0.5
FILTERED_ATTRIBUTES = (
    "knowledge_type",
    "memory_type",
    "status",
    "format",
    "processing_method",
    "category",
    "difficulty",
    "form",
    "session_id",
    "domain",
    "agent_id",
    "modality",
)
QUARANTINED = filter_number("quarantine", "held")

Vectors = Mapping[bytes, list[bytes]]


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was made of a text before the writer's lock was taken: vectors by an embedder, each under the digest of what
    it is the vector of, and of a document its rows as well. A write that is tried again uses it again."""

    model: str = ""
    vectors: Vectors = field(default_factory=dict[bytes, list[bytes]])
    draft: Entry | None = None
    rows: Sequence[chunks.ChunkRow] = ()

    def made_by(self, model: str) -> Vectors:
        return self.vectors if self.model == model else {}

    def rows_for(self, entry: Entry) -> list[chunks.ChunkRow] | None:
        """The rows, where they are of this very text, whatever id and times it was given since."""
        draft = self.draft
        if draft is None:
            return None
        if replace(entry, id=draft.id, created_at=draft.created_at, updated_at=draft.updated_at) != draft:
            return None
        columns = _columns(entry)
        return [replace(row, entry_id=entry.id, columns=columns) for row in self.rows]


# For a text that has its vectors already, or gets them in the background.
LATER = Prepared()


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


def _rows_or_none(session: Session, collection: str, entry: Entry) -> list[chunks.ChunkRow]:
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


def chunk_size_of(session: Session, collection: str, kind: str = kinds.DOCUMENT) -> int:
    """The collection's setting; only documents are cut by it, so for others it is not looked up."""
    return (
        int(read_settings(session, collection).get("chunk_size", CHUNK_SIZE)) if kind == kinds.DOCUMENT else CHUNK_SIZE
    )


def chunk_rows(entry: Entry, chunk_size: int = CHUNK_SIZE) -> list[chunks.ChunkRow]:
    return rows_of(entry, passages_of(entry, chunk_size))


def rows_of(entry: Entry, passages: Sequence[Passage]) -> list[chunks.ChunkRow]:
    """The rows of some of an entry's passages, their words analysed."""
    columns = _columns(entry)
    filters = filters_of(entry)
    tagged = "\n".join(entry.tags)
    rows: list[chunks.ChunkRow] = []
    for passage in passages:
        heed()
        searched = f"{passage.said}\n{tagged}" if tagged else passage.said
        rows.append(
            chunks.ChunkRow(
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


def _columns(entry: Entry) -> bytes:
    return COLUMNS.pack(
        entry.created_at,
        entry.updated_at,
        NEVER if entry.validity.start is None else entry.validity.start,
        FOREVER if entry.validity.end is None else entry.validity.end,
        FOREVER if entry.expires_at is None else entry.expires_at,
        float(entry.attributes.get("importance", DEFAULT_IMPORTANCE)),
    )


def filters_of(entry: Entry) -> list[int]:
    filters = [filter_number("kind", entry.kind), *(filter_number("tag", tag) for tag in entry.tags)]
    filters += [
        filter_number(name, str(entry.attributes[name])) for name in FILTERED_ATTRIBUTES if name in entry.attributes
    ]
    filters += [filter_number("title", word) for word in set(words(entry.title, keep_stop_words=True))]
    if entry.attributes.get("quarantine") is not None:
        filters.append(QUARANTINED)
    if entry.kind == kinds.DOCUMENT:
        filters.append(filter_number("document", handle_of(entry)))
        filters += [metadata_number(name, value) for name, value in entry.attributes.get("metadata", {}).items()]
    return filters


def metadata_number(name: str, value: Any) -> int:
    """What a chunk is filtered by where its document has this said of it."""
    return filter_number(f"metadata {name}", json.dumps(value, ensure_ascii=False, sort_keys=True))


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


def digest_of(title: str, text: str) -> bytes:
    return hashlib.blake2b(f"{title}\0{text}".encode(), digest_size=16).digest()
