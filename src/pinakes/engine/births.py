"""Births and deaths: each change of an entry kills its chunks and bears new ones, in the same transaction."""

import hashlib
import struct
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from pinakes.engine.passages import cut
from pinakes.model.knowledge import Entry, Thing
from pinakes.spaces.terms import analyse, filter_number, pack
from pinakes.spaces.words import words
from pinakes.storage import chunks
from pinakes.storage.database import Session

FOREVER = (1 << 63) - 1
NEVER = -(1 << 63)

# created, updated, valid from, valid to, expires: µs; importance.
COLUMNS = struct.Struct("<5qd")
DEFAULT_IMPORTANCE = 0.5
FILTERED_ATTRIBUTES = ("knowledge_type", "memory_type", "status")


class Ready:
    """Vectors made before the lock was taken, kept for a moment under what they are vectors of."""

    def __init__(self, size: int = 4096) -> None:
        self._size = size
        self._held: OrderedDict[tuple[str, bytes], list[bytes]] = OrderedDict()
        self._guard = Lock()

    def put(self, model: str, digest: bytes, vectors: list[bytes]) -> None:
        with self._guard:
            self._held[model, digest] = vectors
            while len(self._held) > self._size:
                self._held.popitem(last=False)

    def get(self, model: str, digest: bytes) -> list[bytes]:
        with self._guard:
            return self._held.get((model, digest), [])


class Births:
    """What the store tells of every change; `model_of` names the embedder of a collection, or none."""

    def __init__(self, ready: Ready, model_of: Callable[[Session, str], str]) -> None:
        self._ready = ready
        self._model_of = model_of

    def changed(self, session: Session, collection: str, tx: int, thing: Thing) -> None:
        if isinstance(thing, Entry):
            chunks.kill(session, collection, tx, thing.id)
            self.bear(session, collection, tx, thing)

    def removed(self, session: Session, collection: str, tx: int, id: str) -> None:
        chunks.kill(session, collection, tx, id)

    def erased(self, session: Session, collection: str, id: str) -> None:
        chunks.forget(session, collection, id)

    def bear(self, session: Session, collection: str, tx: int, entry: Entry) -> None:
        rows = chunk_rows(entry)
        numbers = chunks.bear(session, collection, tx, rows)
        model = self._model_of(session, collection)
        if not model:
            return
        found: list[tuple[int, bytes]] = []
        waiting: list[int] = []
        for number, row in zip(numbers, rows, strict=True):
            vectors = self._ready.get(model, row.digest) or chunks.known_vectors(session, collection, model, row.digest)
            found += [(number, value) for value in vectors]
            waiting += [] if vectors else [number]
        chunks.put_vectors(session, collection, model, found)
        chunks.mark_unembedded(session, collection, waiting)


def chunk_rows(entry: Entry) -> list[chunks.ChunkRow]:
    columns = COLUMNS.pack(
        entry.created_at,
        entry.updated_at,
        NEVER if entry.validity.start is None else entry.validity.start,
        FOREVER if entry.validity.end is None else entry.validity.end,
        FOREVER if entry.expires_at is None else entry.expires_at,
        float(entry.attributes.get("importance", DEFAULT_IMPORTANCE)),
    )
    filters = [filter_number("kind", entry.kind), *(filter_number("tag", tag) for tag in entry.tags)]
    filters += [
        filter_number(name, str(entry.attributes[name])) for name in FILTERED_ATTRIBUTES if name in entry.attributes
    ]
    filters += [filter_number("title", word) for word in set(words(entry.title, keep_stop_words=True))]
    tagged = "\n".join(entry.tags)
    rows: list[chunks.ChunkRow] = []
    for start, stop in cut(entry.body):
        text = entry.body[start:stop]
        searched = f"{text}\n{tagged}" if tagged else text
        rows.append(
            chunks.ChunkRow(
                entry_id=entry.id,
                start=start,
                stop=stop,
                place=None,
                digest=digest_of(entry.title, text),
                columns=columns,
                terms=pack(analyse(entry.title, searched, filters)),
            )
        )
    return rows


def digest_of(title: str, text: str) -> bytes:
    return hashlib.blake2b(f"{title}\0{text}".encode(), digest_size=16).digest()
