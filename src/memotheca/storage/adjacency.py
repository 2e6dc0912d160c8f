"""Edges of many entries at once, and all there are, read from the heads."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, cast

from memotheca.model.cancellation import heed
from memotheca.model.kinds import MENTIONS
from memotheca.model.knowledge import Edge, fold
from memotheca.storage.database import scalar
from memotheca.storage.snapshot import Snapshot, escaped

End = Literal["source", "target"]
ENDS: tuple[End, End] = ("source", "target")

PAGE = 20_000  # chosen: some 20 ms of reading, after which others have their turn

# Who names the same is not joined by that.
_BUT_MENTIONS = f"e.predicate <> '{MENTIONS}'"


class Joint(NamedTuple):
    """An edge as its head tells it."""

    id: str
    source: str
    target: str
    predicate: str


def joints_at(snapshot: Snapshot, ids: Sequence[str], end: End, *, type: str, limit: int) -> list[Joint]:
    """The edges of a type that have one of these entries at that end, in the order of their making."""
    rows = snapshot.session.rows(
        "SELECT e.id, e.source, e.target, e.predicate FROM json_each(?) wanted CROSS JOIN edge_head e "
        f"ON e.collection = ? AND e.{end} = wanted.value AND e.type = ? ORDER BY e.id LIMIT ?",
        json.dumps(ids),
        snapshot.collection,
        type,
        limit,
    )
    return [Joint(*row) for row in rows]


def some_joints(snapshot: Snapshot, id: str, *, limit: int) -> list[Joint]:
    """Some edges that reach an entry or leave it, whichever come first: at most so many of each."""
    rows: list[Joint] = []
    for end in ENDS:
        sql = f"SELECT id, source, target, predicate FROM edge_head WHERE collection = ? AND {end} = ? LIMIT ?"
        rows += [Joint(*row) for row in snapshot.session.rows(sql, snapshot.collection, id, limit)]
    return rows


def count_joints(snapshot: Snapshot, id: str, *, without: str = "") -> tuple[int, int]:
    """How many edges leave an entry and how many reach it, but those with one predicate."""
    sql = "SELECT count(*) FROM edge_head WHERE collection = ? AND {} = ? AND predicate <> ?"
    leaving, reaching = (
        int(scalar(snapshot.session, sql.format(end), snapshot.collection, id, without)) for end in ENDS
    )
    return leaving, reaching


def edges_at(snapshot: Snapshot, id: str, end: End, *, limit: int) -> list[Edge]:
    """Some edges that have an entry at that end, whole, whichever come first."""
    sql = f"SELECT id FROM edge_head WHERE collection = ? AND {end} = ? LIMIT ?"
    ids = [row[0] for row in snapshot.session.rows(sql, snapshot.collection, id, limit)]
    found = snapshot.versions_at(ids, snapshot.tx) if ids else {}
    return [version.thing for version in found.values() if isinstance(version.thing, Edge)]


def joined_among(snapshot: Snapshot, ids: Sequence[str], *, without: str) -> list[tuple[str, str]]:
    """Which of some entries are joined to each other, by edges of any type but one."""
    spelled = json.dumps(ids)
    rows = snapshot.session.rows(
        "SELECT e.source, e.target FROM json_each(?) wanted CROSS JOIN edge_head e ON e.collection = ? "
        f"AND e.source = wanted.value AND e.type <> ? AND {_BUT_MENTIONS} "
        "AND e.target IN (SELECT value FROM json_each(?))",
        spelled,
        snapshot.collection,
        without,
        spelled,
    )
    return [(source, target) for source, target in rows]


def with_edges(snapshot: Snapshot, ids: Sequence[str], *, at_least: int, without: str) -> set[str]:
    """Those of some entries that have so many edges, of any type but one."""
    ends = [
        f"(SELECT count(*) FROM edge_head e WHERE e.collection = ? AND e.{end} = wanted.value AND e.type <> ? "
        f"AND {_BUT_MENTIONS})"
        for end in ENDS
    ]
    place = (snapshot.collection, without)
    sql = f"SELECT wanted.value FROM json_each(?) wanted WHERE {' + '.join(ends)} >= ?"
    return {row[0] for row in snapshot.session.rows(sql, json.dumps(ids), *place, *place, at_least)}


def count_unlinked(snapshot: Snapshot, kind: str) -> int:
    sql = (
        "SELECT count(*) FROM entry_head h WHERE h.collection = ? AND h.kind = ? "
        "AND NOT EXISTS (SELECT 1 FROM edge_head e WHERE e.collection = h.collection AND e.source = h.id "
        f"AND {_BUT_MENTIONS}) "
        "AND NOT EXISTS (SELECT 1 FROM edge_head e WHERE e.collection = h.collection AND e.target = h.id "
        f"AND {_BUT_MENTIONS})"
    )
    return int(scalar(snapshot.session, sql, snapshot.collection, kind))


def with_predicate(snapshot: Snapshot, ids: Iterable[str], predicate: str) -> list[str]:
    """Those of some entries that have an edge with this predicate."""
    ends = [
        f"SELECT wanted.value FROM json_each(?) wanted WHERE EXISTS (SELECT 1 FROM edge_head e WHERE e.collection = ? "
        f"AND e.{end} = wanted.value AND e.predicate = ?)"
        for end in ENDS
    ]
    place = (json.dumps(list(ids)), snapshot.collection, fold(predicate))
    return sorted({row[0] for row in snapshot.session.rows(" UNION ".join(ends), *place, *place)})


def pairs_saying(snapshot: Snapshot, ids: Sequence[str], predicate: str) -> list[tuple[str, str]]:
    """Which of some entries are joined to each other by this predicate, as source and target."""
    spelled = json.dumps(ids)
    rows = snapshot.session.rows(
        "SELECT e.source, e.target FROM json_each(?) wanted CROSS JOIN edge_head e ON e.collection = ? "
        "AND e.source = wanted.value AND e.predicate = ? AND e.target IN (SELECT value FROM json_each(?))",
        spelled,
        snapshot.collection,
        fold(predicate),
        spelled,
    )
    return [(source, target) for source, target in rows]


class Spoken(NamedTuple):
    """A triple of entities as its heads tell it, its words folded."""

    id: str
    subject: str
    predicate: str
    object: str


_SPOKEN = "SELECT e.id, s.label, e.predicate, t.label FROM "
# Both ends are entities. The edges come first: from those of a few ends, never from all that there are.
_ENDS_OF = (
    "JOIN entry_head s ON s.collection = e.collection AND s.id = e.source AND s.kind = 'entity' "
    "JOIN entry_head t ON t.collection = e.collection AND t.id = e.target AND t.kind = 'entity' "
)


def triples_at(snapshot: Snapshot, ids: Sequence[str], *, limit: int) -> list[Spoken]:
    """The triples that have one of these entities at either end, those of each end in the order of their making."""
    rows: dict[str, Spoken] = {}
    for end in ENDS:
        edges = f"json_each(?) wanted CROSS JOIN edge_head e ON e.collection = ? AND e.{end} = wanted.value "
        sql = f"{_SPOKEN}{edges}{_ENDS_OF}WHERE {_BUT_MENTIONS} ORDER BY e.id LIMIT ?"
        found = snapshot.session.rows(sql, json.dumps(list(ids)), snapshot.collection, limit)
        rows |= {row[0]: Spoken(*row) for row in found}
    return list(rows.values())


def triples_saying(snapshot: Snapshot, predicates: Sequence[str], *, limit: int) -> list[Spoken]:
    """The triples with one of these predicates, in the order of their making."""
    wanted = (
        "json_each(?) wanted CROSS JOIN entry_head s CROSS JOIN edge_head e ON e.collection = s.collection "
        "AND e.source = s.id AND e.predicate = wanted.value "
        "JOIN entry_head t ON t.collection = e.collection AND t.id = e.target AND t.kind = 'entity' "
        "WHERE s.collection = ? AND s.kind = 'entity' ORDER BY e.id LIMIT ?"
    )
    rows = snapshot.session.rows(_SPOKEN + wanted, json.dumps(list(predicates)), snapshot.collection, limit)
    return [Spoken(*row) for row in rows]


def predicates_of(snapshot: Snapshot, ids: Sequence[str] | None = None) -> set[str]:
    """What is said in triples of entities: in all of them, or in those of some edges that are such."""
    edges, values = ("edge_head e ", [snapshot.collection])
    if ids is not None:
        edges = "json_each(?) wanted CROSS JOIN edge_head e ON e.id = wanted.value "
        values = [json.dumps(ids), snapshot.collection]
    sql = f"SELECT DISTINCT e.predicate FROM {edges}{_ENDS_OF}WHERE e.collection = ?"
    return {predicate for (predicate,) in snapshot.session.rows(sql, *values)}


class TypedJoint(NamedTuple):
    """An edge as its head tells it, with its type."""

    id: str
    source: str
    target: str
    type: str
    predicate: str


def entry_kinds(snapshot: Snapshot) -> list[tuple[str, str]]:
    """Id and kind of every living entry, in the order of their making."""
    found: list[tuple[str, str]] = []
    while True:
        heed()
        sql = "SELECT id, kind FROM entry_head WHERE collection = ? AND id > ? ORDER BY id LIMIT ?"
        rows = snapshot.session.rows(sql, snapshot.collection, found[-1][0] if found else "", PAGE)
        found += cast(list[tuple[str, str]], rows)
        if len(rows) < PAGE:
            return found


def scan_joints(snapshot: Snapshot) -> Iterator[list[TypedJoint]]:
    """Every living edge, in the order of their making."""
    after = ""
    while True:
        heed()
        rows = snapshot.session.rows(
            "SELECT id, source, target, type, predicate FROM edge_head WHERE collection = ? AND id > ? "
            "ORDER BY id LIMIT ?",
            snapshot.collection,
            after,
            PAGE,
        )
        yield [TypedJoint._make(row) for row in rows]
        if len(rows) < PAGE:
            return
        after = rows[-1][0]


def find_labelled(snapshot: Snapshot, text: str, *, limit: int) -> list[str]:
    """Entries whose title contains a text, whatever its case."""
    sql = "SELECT id FROM entry_head WHERE collection = ? AND label LIKE ? ESCAPE '!' ORDER BY id LIMIT ?"
    rows = snapshot.session.rows(sql, snapshot.collection, f"%{escaped(fold(text))}%", limit)
    return [id for (id,) in rows]
