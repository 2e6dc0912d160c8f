"""Fingerprints of memories: derived rows, found again after a number that only grows; a dead one keeps no value."""

import json
from collections.abc import Iterable, Sequence
from typing import cast

from memotheca.model.kinds import MENTIONS
from memotheca.storage.chunks import take_seq
from memotheca.storage.database import Session

TABLES = (
    """CREATE TABLE fingerprint (
        collection TEXT NOT NULL,
        entry_id TEXT NOT NULL,
        seq BIGINT NOT NULL,
        value BLOB,
        PRIMARY KEY (collection, entry_id)
    )""",
    "CREATE INDEX fingerprint_by_seq ON fingerprint (collection, seq)",
)


def put(session: Session, collection: str, entry_id: str, value: bytes | None) -> None:
    """Keep a fingerprint, or that there is none any more; the same again changes nothing."""
    held = session.rows("SELECT value FROM fingerprint WHERE collection = ? AND entry_id = ?", collection, entry_id)
    if (held[0][0] if held else None) == value:
        return
    session.run(
        "INSERT INTO fingerprint (collection, entry_id, seq, value) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (collection, entry_id) DO UPDATE SET seq = excluded.seq, value = excluded.value",
        collection,
        entry_id,
        take_seq(session, collection, 1),
        value,
    )


def read_all(session: Session, collection: str, ids: Sequence[str]) -> dict[str, bytes]:
    """The fingerprints of those of some entries that have one."""
    rows = session.rows(
        "SELECT f.entry_id, f.value FROM json_each(?) wanted CROSS JOIN fingerprint f ON f.collection = ? "
        "AND f.entry_id = wanted.value WHERE f.value IS NOT NULL",
        json.dumps(list(ids)),
        collection,
    )
    return dict(cast(list[tuple[str, bytes]], rows))


def after(session: Session, collection: str, seq: int) -> list[tuple[str, int, bool]]:
    """What changed after a number: (entry id, number, whether it lives)."""
    rows = session.rows(
        "SELECT entry_id, seq, value IS NOT NULL FROM fingerprint WHERE collection = ? AND seq > ? ORDER BY seq",
        collection,
        seq,
    )
    return [(id, int(number), bool(lives)) for id, number, lives in rows]


def entry_vectors(session: Session, collection: str, model: str, ids: Sequence[str]) -> dict[str, list[bytes]]:
    """The vectors of the living chunks of some entries, in the order of their chunks."""
    rows = session.rows(
        "SELECT c.entry_id, v.value FROM json_each(?) wanted CROSS JOIN chunk c ON c.collection = ? "
        "AND c.entry_id = wanted.value AND c.died_tx IS NULL CROSS JOIN vector v ON v.collection = c.collection "
        "AND v.chunk_seq = c.seq AND v.model = ? ORDER BY c.seq, v.seq",
        json.dumps(list(ids)),
        collection,
        model,
    )
    found: dict[str, list[bytes]] = {}
    for id, value in rows:
        found.setdefault(id, []).append(value)
    return found


def neighbours(
    session: Session, collection: str, ids: Iterable[str], *, limit: int = 50, without: str = ""
) -> dict[str, list[str]]:
    """Whom each of these entries is joined to, by an edge of either direction, of any type but one."""
    asked = list(ids)
    found: dict[str, list[str]] = {}
    if not asked:
        return found
    wanted = json.dumps(asked)
    for near, far in (("source", "target"), ("target", "source")):
        rows = session.rows(
            f"SELECT e.{near}, e.{far} FROM json_each(?) wanted CROSS JOIN edge_head e ON e.collection = ? "
            f"AND e.{near} = wanted.value WHERE e.type <> ? AND e.predicate <> '{MENTIONS}' ORDER BY e.id",
            wanted,
            collection,
            without,
        )
        for one, other in rows:
            joined = found.setdefault(one, [])
            if len(joined) < limit and other not in joined:
                joined.append(other)
    return found
