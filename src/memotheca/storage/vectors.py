"""Reading vectors back by their numbers."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.storage.database import Row, Session, scalar

Array = NDArray[Any]


def vectors_by_number(session: Session, collection: str, numbers: Array, *, width: int) -> Array:
    """Vectors in the order of the numbers asked for, as rows of float32; one that is not there, because it was erased
    or is younger than the snapshot, is near nothing."""
    rows = session.rows(
        "SELECT v.seq, v.value FROM json_each(?) wanted CROSS JOIN vector v "
        "ON v.collection = ? AND v.seq = CAST(wanted.value AS BIGINT)",
        json.dumps(np.sort(numbers).tolist()),
        collection,
    )
    values = np.frombuffer(b"".join(row[1] for row in rows), np.float16).astype(np.float32).reshape(len(rows), width)
    order = np.argsort(numbers, kind="stable")
    result = np.zeros((len(numbers), width), np.float32)
    there = np.isin(numbers[order], np.array([row[0] for row in rows], np.int64))
    result[order[there]] = values
    return result


def read_vectors(session: Session, collection: str, model: str, after: int) -> list[Row]:
    """An embedder's vectors after a number, each with its own and its chunk's."""
    return session.rows(
        "SELECT seq, chunk_seq, value FROM vector WHERE collection = ? AND seq > ? AND model = ? ORDER BY seq",
        collection,
        after,
        model,
    )


def width_of(session: Session, collection: str, model: str) -> int:
    """How many numbers a vector of an embedder has; none where there is no vector."""
    size = scalar(
        session,
        "SELECT length(value) FROM vector WHERE collection = ? AND model = ? ORDER BY seq DESC LIMIT 1",
        collection,
        model,
    )
    return int(size or 0) // 2


def newest_vector(session: Session, collection: str) -> int:
    """The number of the newest vector."""
    return int(scalar(session, "SELECT max(seq) FROM vector WHERE collection = ?", collection) or 0)


def fresh_vectors(
    session: Session, collection: str, model: str, after: tuple[int, int], *, kinds: Sequence[str]
) -> list[tuple[int, str, bytes]]:
    """Vectors of living chunks of entries of some kinds after a number, at most so many: their number, their entry, and
    what they are."""
    number, limit = after
    rows = session.rows(
        "SELECT v.seq, c.entry_id, v.value FROM vector v CROSS JOIN chunk c ON c.collection = v.collection "
        "AND c.seq = v.chunk_seq AND c.died_tx IS NULL CROSS JOIN entry_head h ON h.collection = v.collection "
        "AND h.id = c.entry_id AND h.kind IN (SELECT value FROM json_each(?)) "
        "WHERE v.collection = ? AND v.seq > ? AND v.model = ? ORDER BY v.seq LIMIT ?",
        json.dumps(kinds),
        collection,
        number,
        model,
        limit,
    )
    return [(int(seq), entry, value) for seq, entry, value in rows]
