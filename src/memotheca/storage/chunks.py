"""Chunks and their vectors: derived rows, each born, killed and found again by a number that only grows."""

import json
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memotheca.model.knowledge import Entry
from memotheca.storage.database import Row, Session, scalar
from memotheca.storage.serialization import from_image

Spot = tuple[int, int, str | None]

FOREVER = (1 << 63) - 1  # specification: the largest moment a column of 64 bits holds
NEVER = -(1 << 63)  # specification: and the least
# No stream of segments: how often something was erased, and how many of those times it has left the segments too.
ERASED = "erased"

# created, updated, valid from, valid to, expires: µs; importance.
COLUMNS = struct.Struct("<5qd")
DEFAULT_IMPORTANCE = 0.5  # specification: of what nothing is said about

TABLES = (
    """CREATE TABLE chunk (
        collection TEXT NOT NULL,
        seq BIGINT NOT NULL,
        entry_id TEXT NOT NULL,
        born_tx BIGINT NOT NULL,
        died_tx BIGINT,
        died_seq BIGINT,
        start BIGINT NOT NULL,
        stop BIGINT NOT NULL,
        place TEXT,
        digest BLOB NOT NULL,
        columns BLOB,
        terms BLOB,
        PRIMARY KEY (collection, seq)
    )""",
    "CREATE INDEX chunk_by_entry ON chunk (collection, entry_id, seq)",
    "CREATE INDEX chunk_by_death ON chunk (collection, died_seq)",
    "CREATE INDEX chunk_by_digest ON chunk (collection, digest)",
    """CREATE TABLE vector (
        collection TEXT NOT NULL,
        seq BIGINT NOT NULL,
        chunk_seq BIGINT NOT NULL,
        model TEXT NOT NULL,
        value BLOB NOT NULL,
        PRIMARY KEY (collection, seq)
    )""",
    "CREATE INDEX vector_by_chunk ON vector (collection, chunk_seq, model)",
    """CREATE TABLE unembedded (
        collection TEXT NOT NULL,
        seq BIGINT NOT NULL,
        PRIMARY KEY (collection, seq)
    )""",
    """CREATE TABLE manifest (
        collection TEXT NOT NULL,
        stream TEXT NOT NULL,
        generation BIGINT NOT NULL,
        sealed BIGINT NOT NULL,
        segments TEXT NOT NULL,
        PRIMARY KEY (collection, stream)
    )""",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkRow:
    """A chunk about to be born."""

    entry_id: str
    start: int
    stop: int
    place: str | None
    digest: bytes
    columns: bytes
    terms: bytes


def columns_of(entry: Entry) -> bytes:
    """What of an entry its chunks are filtered and ranked by, besides terms."""
    return COLUMNS.pack(
        entry.created_at,
        entry.updated_at,
        NEVER if entry.validity.start is None else entry.validity.start,
        FOREVER if entry.validity.end is None else entry.validity.end,
        FOREVER if entry.expires_at is None else entry.expires_at,
        float(entry.attributes.get("importance", DEFAULT_IMPORTANCE)),
    )


def take_seq(session: Session, collection: str, count: int) -> int:
    """The first of so many fresh numbers."""
    last = scalar(session, "UPDATE collection SET seq = seq + ? WHERE name = ? RETURNING seq", count, collection)
    return int(last) - count + 1


def bear(session: Session, collection: str, tx: int, rows: Sequence[ChunkRow]) -> list[int]:
    first = take_seq(session, collection, len(rows)) if rows else 0
    numbers = list(range(first, first + len(rows)))
    session.run_many(
        "INSERT INTO chunk (collection, seq, entry_id, born_tx, start, stop, place, digest, columns, terms) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (collection, seq, row.entry_id, tx, row.start, row.stop, row.place, row.digest, row.columns, row.terms)
            for seq, row in zip(numbers, rows, strict=True)
        ],
    )
    return numbers


def kill(session: Session, collection: str, tx: int, entry_id: str, *, after: int = 0) -> None:
    """End the life of an entry's chunks with numbers after this one; what was born in the same transaction never
    lived."""
    mine = (collection, entry_id, after)
    if not session.rows("SELECT 1 FROM chunk WHERE collection = ? AND entry_id = ? AND seq > ? LIMIT 1", *mine):
        return  # As of everything that is new.
    # Whatever is dead waits for nothing.
    session.run(
        "DELETE FROM unembedded WHERE collection = ? AND seq IN "
        "(SELECT seq FROM chunk WHERE collection = ? AND entry_id = ? AND seq > ?)",
        collection,
        *mine,
    )
    session.run(
        "DELETE FROM vector WHERE collection = ? AND chunk_seq IN "
        "(SELECT seq FROM chunk WHERE collection = ? AND entry_id = ? AND seq > ? AND born_tx = ?)",
        collection,
        *mine,
        tx,
    )
    session.run("DELETE FROM chunk WHERE collection = ? AND entry_id = ? AND seq > ? AND born_tx = ?", *mine, tx)
    alive = session.rows(
        "SELECT 1 FROM chunk WHERE collection = ? AND entry_id = ? AND seq > ? AND died_tx IS NULL LIMIT 1", *mine
    )
    if alive:
        seq = take_seq(session, collection, 1)
        session.run(
            "UPDATE chunk SET died_tx = ?, died_seq = ? "
            "WHERE collection = ? AND entry_id = ? AND seq > ? AND died_tx IS NULL",
            tx,
            seq,
            *mine,
        )


def forget(session: Session, collection: str, entry_id: str) -> None:
    """Remove every trace of an entry's chunks, and let every process drop what it holds of them, from this transaction
    on; segments that hold them are rewritten by whoever erases."""
    # Nobody who is embedding them now may bring their vectors back.
    session.run(
        "DELETE FROM unembedded WHERE collection = ? AND seq IN "
        "(SELECT seq FROM chunk WHERE collection = ? AND entry_id = ?)",
        collection,
        collection,
        entry_id,
    )
    session.run(
        "DELETE FROM vector WHERE collection = ? AND chunk_seq IN "
        "(SELECT seq FROM chunk WHERE collection = ? AND entry_id = ?)",
        collection,
        collection,
        entry_id,
    )
    session.run("DELETE FROM chunk WHERE collection = ? AND entry_id = ?", collection, entry_id)
    take_seq(session, collection, 1)
    session.run_many(
        "INSERT INTO manifest (collection, stream, generation, sealed, segments) VALUES (?, ?, 0, 0, '[]') "
        "ON CONFLICT (collection, stream) DO NOTHING",
        [(collection, stream) for stream in ("text", ERASED)],
    )
    session.run("UPDATE manifest SET generation = generation + 1 WHERE collection = ?", collection)


def count_erasures(session: Session, collection: str) -> tuple[int, int]:
    """How often something was erased, and how many of those times its segments were rewritten since."""
    rows = session.rows(
        "SELECT generation, sealed FROM manifest WHERE collection = ? AND stream = ?", collection, ERASED
    )
    return (int(rows[0][0]), int(rows[0][1])) if rows else (0, 0)


def note_rewritten(session: Session, collection: str, erasures: int) -> None:
    """The segments are without what had been erased so many times."""
    session.run(
        "UPDATE manifest SET sealed = ? WHERE collection = ? AND stream = ? AND sealed < ?",
        erasures,
        collection,
        ERASED,
        erasures,
    )


def put_vectors(session: Session, collection: str, model: str, pairs: Iterable[tuple[int, bytes]]) -> None:
    """Store vectors of chunks, as (chunk number, value)."""
    given = list(pairs)
    if not given:
        return
    first = take_seq(session, collection, len(given))
    session.run_many(
        "INSERT INTO vector (collection, seq, chunk_seq, model, value) VALUES (?, ?, ?, ?, ?)",
        [(collection, first + place, chunk, model, value) for place, (chunk, value) in enumerate(given)],
    )


def known_vectors(session: Session, collection: str, model: str, digest: bytes) -> list[bytes]:
    """The vectors of a chunk with the same text that was embedded before."""
    rows = session.rows(
        "SELECT v.value, v.chunk_seq FROM chunk c CROSS JOIN vector v ON v.collection = c.collection "
        "AND v.chunk_seq = c.seq AND v.model = ? WHERE c.collection = ? AND c.digest = ? ORDER BY v.chunk_seq, v.seq",
        model,
        collection,
        digest,
    )
    return [value for value, chunk in rows if chunk == rows[0][1]]


def mark_unembedded(session: Session, collection: str, numbers: Iterable[int]) -> None:
    session.run_many(
        "INSERT INTO unembedded (collection, seq) VALUES (?, ?) ON CONFLICT (collection, seq) DO NOTHING",
        [(collection, number) for number in numbers],
    )


def mark_all_unembedded(session: Session, collection: str, model: str) -> None:
    """Every live chunk that has no vector of this model waits for one."""
    session.run(
        "INSERT INTO unembedded (collection, seq) SELECT c.collection, c.seq FROM chunk c "
        "WHERE c.collection = ? AND c.died_tx IS NULL AND NOT EXISTS (SELECT 1 FROM vector v "
        "WHERE v.collection = c.collection AND v.chunk_seq = c.seq AND v.model = ?) "
        "ON CONFLICT (collection, seq) DO NOTHING",
        collection,
        model,
    )


def unmark(session: Session, collection: str, numbers: Iterable[int]) -> None:
    session.run_many(
        "DELETE FROM unembedded WHERE collection = ? AND seq = ?", [(collection, number) for number in numbers]
    )


def unmark_all(session: Session, collection: str) -> None:
    session.run("DELETE FROM unembedded WHERE collection = ?", collection)


def next_unembedded(session: Session, collection: str, limit: int) -> list[Row]:
    """Chunks that wait for a vector, newest first: (seq, entry id, start, stop, digest); what died meanwhile too."""
    return session.rows(
        "SELECT u.seq, c.entry_id, c.start, c.stop, c.digest FROM unembedded u LEFT JOIN chunk c "
        "ON c.collection = u.collection AND c.seq = u.seq AND c.died_tx IS NULL "
        "WHERE u.collection = ? ORDER BY u.seq DESC LIMIT ?",
        collection,
        limit,
    )


def still_waiting(session: Session, collection: str, low: int, high: int) -> set[int]:
    rows = session.rows(
        "SELECT seq FROM unembedded WHERE collection = ? AND seq >= ? AND seq <= ?", collection, low, high
    )
    return {int(row[0]) for row in rows}


def count_waiting(session: Session, collection: str) -> int:
    return int(scalar(session, "SELECT count(*) FROM unembedded WHERE collection = ?", collection))


def count_live(session: Session, collection: str) -> int:
    return int(scalar(session, "SELECT count(*) FROM chunk WHERE collection = ? AND died_tx IS NULL", collection))


def count_entries(session: Session, collection: str) -> int:
    """How many entries have a living chunk."""
    sql = "SELECT count(DISTINCT entry_id) FROM chunk WHERE collection = ? AND died_tx IS NULL"
    return int(scalar(session, sql, collection))


def count_models(session: Session, collection: str) -> dict[str, int]:
    """How many live chunks have a vector, by embedder."""
    rows = session.rows(
        "SELECT v.model, count(DISTINCT v.chunk_seq) FROM vector v JOIN chunk c ON c.collection = v.collection "
        "AND c.seq = v.chunk_seq AND c.died_tx IS NULL WHERE v.collection = ? GROUP BY v.model",
        collection,
    )
    return {model: int(count) for model, count in rows}


def drop_until(session: Session, collection: str, newest: int) -> None:
    """Forget the derived rows up to a number."""
    session.run("DELETE FROM vector WHERE collection = ? AND chunk_seq <= ?", collection, newest)
    session.run("DELETE FROM chunk WHERE collection = ? AND seq <= ?", collection, newest)
    session.run("DELETE FROM unembedded WHERE collection = ? AND seq <= ?", collection, newest)


def release_terms(session: Session, collection: str, *, after: int, sealed: int) -> None:
    """What a segment holds need not stand in the database as well."""
    session.run(
        "UPDATE chunk SET terms = NULL, columns = NULL WHERE collection = ? AND seq > ? AND seq <= ?",
        collection,
        after,
        sealed,
    )


def newest_seq(session: Session, collection: str) -> int:
    return int(scalar(session, "SELECT seq FROM collection WHERE name = ?", collection) or 0)


def read_births(session: Session, collection: str, after: int) -> list[Row]:
    """Chunks whose terms are not in a segment yet, born after a number."""
    return session.rows(
        "SELECT seq, entry_id, born_tx, died_tx, columns, terms FROM chunk "
        "WHERE collection = ? AND seq > ? AND terms IS NOT NULL ORDER BY seq",
        collection,
        after,
    )


def read_deaths(session: Session, collection: str, after: int) -> list[Row]:
    """Who died after a number, in their order: (seq, transaction, number of the death)."""
    return session.rows(
        "SELECT seq, died_tx, died_seq FROM chunk WHERE collection = ? AND died_seq > ? ORDER BY died_seq, seq",
        collection,
        after,
    )


def read_texts(session: Session, collection: str, numbers: Sequence[int]) -> dict[int, str]:
    """The title of its entry and the text of each of these chunks; a chunk was born with the version it is of."""
    wanted = json.dumps(list(numbers))
    spans = session.rows(
        "SELECT c.seq, c.start, c.stop, c.entry_id, c.born_tx FROM json_each(?) wanted CROSS JOIN chunk c "
        "ON c.collection = ? AND c.seq = CAST(wanted.value AS BIGINT)",
        wanted,
        collection,
    )
    images = session.rows(
        "SELECT v.id, v.tx, v.image FROM (SELECT DISTINCT c.entry_id, c.born_tx FROM json_each(?) wanted "
        "CROSS JOIN chunk c ON c.collection = ? AND c.seq = CAST(wanted.value AS BIGINT)) born CROSS JOIN version v "
        "ON v.collection = ? AND v.id = born.entry_id AND v.tx = born.born_tx WHERE v.image IS NOT NULL",
        wanted,
        collection,
        collection,
    )
    things = {(id, tx): from_image("entry", id, image) for id, tx, image in images}
    texts: dict[int, str] = {}
    for seq, start, stop, *born in spans:
        entry = things.get((born[0], born[1]))
        texts[seq] = f"{entry.title}\n{entry.body[start:stop]}" if isinstance(entry, Entry) else ""
    return texts


def read_spots(session: Session, collection: str, numbers: Sequence[int]) -> dict[int, Spot]:
    """Where chunks begin and end in their entries' texts, and their places in the source as JSON, where they have
    one; nowhere where they are gone."""
    rows = session.rows(
        "SELECT c.seq, c.start, c.stop, c.place FROM json_each(?) wanted CROSS JOIN chunk c "
        "ON c.collection = ? AND c.seq = CAST(wanted.value AS BIGINT)",
        json.dumps(list(numbers)),
        collection,
    )
    return dict.fromkeys(numbers, (0, 0, None)) | {int(row[0]): (int(row[1]), int(row[2]), row[3]) for row in rows}


def has_deaths(session: Session, collection: str, after: int, at_least: int) -> bool:
    """Whether so many have died after a number."""
    rows = session.rows(
        "SELECT 1 FROM chunk WHERE collection = ? AND died_seq > ? LIMIT 1 OFFSET ?", collection, after, at_least - 1
    )
    return bool(rows)


def living_chunks(session: Session, collection: str) -> list[int]:
    """Numbers of all chunks that still exist."""
    return [int(row[0]) for row in session.rows("SELECT seq FROM chunk WHERE collection = ?", collection)]


def living_numbers(session: Session, collection: str) -> tuple[list[int], list[int]]:
    """Numbers of all chunks and of all vectors that still exist."""
    vector_rows = session.rows("SELECT seq FROM vector WHERE collection = ?", collection)
    return living_chunks(session, collection), [int(row[0]) for row in vector_rows]


def count_unsealed(session: Session, collection: str, most: int) -> int:
    """How many births stand in no segment yet; at most so many are counted."""
    return int(
        scalar(
            session,
            "SELECT count(*) FROM (SELECT 1 FROM chunk WHERE collection = ? AND seq > coalesce((SELECT sealed "
            "FROM manifest WHERE collection = ? AND stream = 'text'), 0) LIMIT ?)",
            collection,
            collection,
            most,
        )
    )


def has_unsealed(session: Session, collection: str, at_least: int) -> bool:
    """Whether so many births, or so many deaths, stand in no segment yet."""
    streams = session.rows("SELECT stream, sealed FROM manifest WHERE collection = ?", collection)
    sealed = {stream: int(number) for stream, number in streams}
    born = session.rows(
        "SELECT 1 FROM chunk WHERE collection = ? AND seq > ? LIMIT 1 OFFSET ?",
        collection,
        sealed.get("text", 0),
        at_least - 1,
    )
    return bool(born) or has_deaths(session, collection, sealed.get("deaths", 0), at_least)
