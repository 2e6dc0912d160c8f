"""Neglected entries: what nobody has looked at for long, with what the heads and images tell of each, a bounded number
at a time."""

import json
from collections.abc import Iterable
from typing import NamedTuple

from memotheca.model.kinds import MENTIONS
from memotheca.model.knowledge import fold
from memotheca.storage.database import Row
from memotheca.storage.snapshot import Snapshot

_TOLD = (
    "h.id, json_extract(v.image, '$.created_at'), json_extract(v.image, '$.attributes.importance'), "
    "json_extract(v.image, '$.validity[1]'), a.last, "
    "EXISTS (SELECT 1 FROM edge_head e WHERE e.collection = h.collection AND e.target = h.id AND e.predicate = ?), "
    # Each by its own index: both in one condition would go through every edge.
    "EXISTS (SELECT 1 FROM edge_head e WHERE e.collection = h.collection AND e.target = h.id AND e.predicate = ?) "
    "OR EXISTS (SELECT 1 FROM edge_head e WHERE e.collection = h.collection AND e.source = h.id AND e.predicate = ?)"
)
_FROM = (
    "JOIN version v ON v.collection = h.collection AND v.id = h.id AND v.tx = h.tx "
    "LEFT JOIN access a ON a.collection = h.collection AND a.entry_id = h.id"
)


class NeglectedRow(NamedTuple):
    """An entry as it is seen without reading it: when it was made and looked at last, how important it is, when it
    ends, and whether edges say that something supersedes it or is the same."""

    id: str
    created: int
    importance: float
    end: int | None
    last: int | None
    is_superseded: bool
    is_repeated: bool


def longest_unread(snapshot: Snapshot, kind: str, sayings: tuple[str, str], *, limit: int) -> list[NeglectedRow]:
    """Of the entries of a kind those that were looked at longest ago, and the oldest of all, which may never have been
    looked at; at most so many of each. `sayings` are the predicates for superseding and for being the same."""
    by_look = (
        f"SELECT {_TOLD} FROM (SELECT entry_id FROM access WHERE collection = ? ORDER BY last LIMIT ?) w "
        f"CROSS JOIN entry_head h ON h.collection = ? AND h.id = w.entry_id AND h.kind = ? {_FROM}"
    )
    by_age = (
        f"SELECT {_TOLD} FROM (SELECT id FROM entry_head WHERE collection = ? AND kind = ? ORDER BY id LIMIT ?) w "
        f"CROSS JOIN entry_head h ON h.collection = ? AND h.id = w.id {_FROM}"
    )
    said, place = _predicates(sayings), snapshot.collection
    looked = snapshot.session.rows(by_look, *said, place, limit, place, kind)
    oldest = snapshot.session.rows(by_age, *said, place, kind, limit, place)
    return list({row[0]: _row(row) for row in (*looked, *oldest)}.values())


def as_neglected(snapshot: Snapshot, ids: Iterable[str], sayings: tuple[str, str]) -> list[NeglectedRow]:
    """The same of some entries that live."""
    sql = f"SELECT {_TOLD} FROM json_each(?) w CROSS JOIN entry_head h ON h.collection = ? AND h.id = w.value {_FROM}"
    said = _predicates(sayings)
    return [_row(row) for row in snapshot.session.rows(sql, *said, json.dumps(list(ids)), snapshot.collection)]


def _predicates(sayings: tuple[str, str]) -> list[str]:
    superseding, same = (fold(each) for each in sayings)
    return [superseding, same, same]


def _row(row: Row) -> NeglectedRow:
    id, created, importance, end, last, superseded, repeated = row
    return NeglectedRow(
        id, int(created), 0.5 if importance is None else float(importance), end, last, bool(superseded), bool(repeated)
    )


def count_links(snapshot: Snapshot, ids: Iterable[str]) -> dict[str, int]:
    """By how many edges some entries are joined to others; that they name the same joins nobody."""
    ends = " + ".join(
        f"(SELECT count(*) FROM edge_head e WHERE e.collection = ? AND e.{end} = w.value AND e.predicate <> ?)"
        for end in ("source", "target")
    )
    place = (snapshot.collection, MENTIONS)
    rows = snapshot.session.rows(f"SELECT w.value, {ends} FROM json_each(?) w", *place, *place, json.dumps(list(ids)))
    return {id: int(many) for id, many in rows}
