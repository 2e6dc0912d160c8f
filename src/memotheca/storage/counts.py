"""Counting heads, and what was born or died since they were counted."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from memotheca.model.knowledge import Subject
from memotheca.storage.snapshot import Snapshot


class Turn(NamedTuple):
    """A thing that changed: its kind before and after, None while it does not live."""

    subject: Subject
    before: str | None
    after: str | None
    is_erased: bool


def count_heads(snapshot: Snapshot) -> dict[str, Counter[str]]:
    """Living entries by kind and edges by type; goes through all of them."""
    counts: dict[str, Counter[str]] = {}
    for subject, column in (("entry", "kind"), ("edge", "type")):
        sql = f"SELECT {column}, count(*) FROM {subject}_head WHERE collection = ? GROUP BY {column}"
        counts[subject] = Counter(dict(snapshot.session.rows(sql, snapshot.collection)))
    return counts


def count_changes(snapshot: Snapshot, numbers: Sequence[int]) -> dict[int, int]:
    """How many things each of some transactions changed."""
    rows = snapshot.session.rows(
        "SELECT v.tx, count(*) FROM json_each(?) wanted CROSS JOIN version v ON v.collection = ? "
        "AND v.tx = CAST(wanted.value AS BIGINT) GROUP BY v.tx",
        json.dumps(list(numbers)),
        snapshot.collection,
    )
    return {int(tx): int(count) for tx, count in rows}


def busiest_actors(snapshot: Snapshot, limit: int) -> list[str]:
    """Who made the most transactions."""
    sql = "SELECT actor FROM tx WHERE collection = ? GROUP BY actor ORDER BY count(*) DESC, actor LIMIT ?"
    return [actor for (actor,) in snapshot.session.rows(sql, snapshot.collection, limit)]


def read_turns(snapshot: Snapshot, after: int) -> list[Turn]:
    """What everything that changed after a transaction was then and is now."""
    rows = snapshot.session.rows(
        "SELECT n.subject, n.kind, n.image IS NOT NULL, n.erased, "
        "(SELECT b.kind FROM version b WHERE b.collection = n.collection AND b.id = n.id AND b.tx <= ? "
        "ORDER BY b.tx DESC LIMIT 1), "
        "(SELECT b.image IS NOT NULL FROM version b WHERE b.collection = n.collection AND b.id = n.id AND b.tx <= ? "
        "ORDER BY b.tx DESC LIMIT 1) FROM version n WHERE n.collection = ? AND n.tx > ? AND NOT EXISTS "
        "(SELECT 1 FROM version l WHERE l.collection = n.collection AND l.id = n.id AND l.tx > n.tx)",
        after,
        after,
        snapshot.collection,
        after,
    )
    return [
        Turn(subject, was if lived else None, kind if lives else None, bool(erased))
        for subject, kind, lives, erased, was, lived in rows
    ]
