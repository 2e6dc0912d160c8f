"""Traversals: paths between entries that were walked, and how often. Operational, bounded."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memotheca.storage.database import Session, scalar

KEPT = 5_000  # chosen: more paths than anybody walks again

TABLES = (
    """CREATE TABLE traversal (
        collection TEXT NOT NULL,
        path TEXT NOT NULL,
        hops BIGINT NOT NULL,
        times BIGINT NOT NULL,
        last BIGINT NOT NULL,
        facts TEXT NOT NULL,
        PRIMARY KEY (collection, path)
    )""",
    "CREATE INDEX traversal_by_times ON traversal (collection, times)",
    "CREATE INDEX traversal_by_last ON traversal (collection, last)",
)


@dataclass(frozen=True, slots=True)
class WalkedPath:
    """The entries of a path in their order, how often it was walked, and when last."""

    ids: tuple[str, ...]
    times: int
    last: int


def add_traversals(session: Session, collection: str, walked: Iterable[WalkedPath]) -> None:
    """Count walks; of very many paths, those that were walked last are kept."""
    session.run_many(
        "INSERT INTO traversal (collection, path, hops, times, last, facts) VALUES (?, ?, ?, ?, ?, '{}') "
        "ON CONFLICT (collection, path) DO UPDATE SET times = traversal.times + excluded.times, last = excluded.last",
        [(collection, json.dumps(each.ids), len(each.ids) - 1, each.times, each.last) for each in walked],
    )
    session.run(
        "DELETE FROM traversal WHERE collection = ? AND last < coalesce((SELECT last FROM traversal "
        "WHERE collection = ? ORDER BY last DESC LIMIT 1 OFFSET ?), 0)",
        collection,
        collection,
        KEPT - 1,
    )


def walked_paths(session: Session, collection: str, *, least: int, hops: int, limit: int) -> list[WalkedPath]:
    """The paths of at least so many steps that were walked at least so often, the most frequent first."""
    rows = session.rows(
        "SELECT path, times, last FROM traversal WHERE collection = ? AND times >= ? AND hops >= ? "
        "ORDER BY times DESC, path LIMIT ?",
        collection,
        least,
        hops,
        limit,
    )
    return [WalkedPath(tuple(json.loads(path)), int(times), int(last)) for path, times, last in rows]


def paths_walked(session: Session, collection: str, paths: Iterable[Sequence[str]]) -> list[WalkedPath]:
    """Some paths as far as they were walked."""
    rows = session.rows(
        "SELECT t.path, t.times, t.last FROM json_each(?) wanted CROSS JOIN traversal t ON t.collection = ? "
        "AND t.path = wanted.value",
        json.dumps([json.dumps(path) for path in paths]),
        collection,
    )
    return [WalkedPath(tuple(json.loads(path)), int(times), int(last)) for path, times, last in rows]


def read_path_facts(session: Session, collection: str, path: Sequence[str]) -> dict[str, Any]:
    """What was noted of a path that was walked."""
    sql = "SELECT facts FROM traversal WHERE collection = ? AND path = ?"
    return json.loads(scalar(session, sql, collection, json.dumps(path)) or "{}")


def note_path(session: Session, collection: str, path: Sequence[str], facts: Mapping[str, Any]) -> None:
    session.run(
        "UPDATE traversal SET facts = ? WHERE collection = ? AND path = ?",
        json.dumps(dict(facts)),
        collection,
        json.dumps(path),
    )


def drop_traversals(session: Session, collection: str, entry_id: str) -> None:
    """Forget every path that leads over an entry."""
    session.run("DELETE FROM traversal WHERE collection = ? AND path LIKE ?", collection, f'%"{entry_id}"%')
