"""Heads: the newest version of each thing, kept beside the journal so that reading it is one look-up."""

import json
from collections.abc import Collection, Sequence

from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Alias, Edge, Entry, Thing, fold
from memotheca.storage.database import Session, scalar


def set_head(session: Session, collection: str, tx: int, thing: Thing) -> None:
    if isinstance(thing, Entry):
        session.run(
            "INSERT INTO entry_head (collection, id, tx, kind, label) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (collection, id) DO UPDATE SET tx = excluded.tx, kind = excluded.kind, label = excluded.label",
            collection,
            thing.id,
            tx,
            thing.kind,
            fold(thing.title),
        )
    else:
        set_edge_heads(session, collection, tx, [thing])
    _claim_aliases(session, collection, thing)


def set_edge_heads(session: Session, collection: str, tx: int, edges: Sequence[Edge]) -> None:
    """The heads of edges, without what they are called."""
    session.run_many(
        "INSERT INTO edge_head (collection, id, tx, source, target, type, predicate) VALUES (?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (collection, id) DO UPDATE SET tx = excluded.tx, source = excluded.source, "
        "target = excluded.target, type = excluded.type, predicate = excluded.predicate",
        [(collection, each.id, tx, each.source, each.target, each.type, fold(each.predicate)) for each in edges],
    )


def drop_head(session: Session, collection: str, id: str) -> None:
    """A dead thing keeps its aliases until somebody else claims them, so that it can be named in an answer."""
    session.run("DELETE FROM entry_head WHERE collection = ? AND id = ?", collection, id)
    session.run("DELETE FROM edge_head WHERE collection = ? AND id = ?", collection, id)


def is_live(session: Session, collection: str, id: str) -> bool:
    return bool(
        session.rows(
            "SELECT 1 FROM entry_head WHERE collection = ? AND id = ? "
            "UNION ALL SELECT 1 FROM edge_head WHERE collection = ? AND id = ?",
            collection,
            id,
            collection,
            id,
        )
    )


def loose_edges(session: Session, collection: str, edges: Collection[str], gone: Collection[str]) -> list[str]:
    """Of these edges, and of those that end at entries which are gone, the ones that live without an end."""
    dead = "NOT EXISTS (SELECT 1 FROM entry_head e WHERE e.collection = h.collection AND e.id = h.{end})"
    own = (
        "SELECT h.id FROM json_each(?) wanted CROSS JOIN edge_head h ON h.collection = ? AND h.id = wanted.value "
        f"WHERE {dead.format(end='source')} OR {dead.format(end='target')}"
    )
    sides = [
        "SELECT h.id FROM json_each(?) gone CROSS JOIN edge_head h ON h.collection = ? "
        f"AND h.{end} = gone.value WHERE {dead.format(end=end)}"
        for end in ("source", "target")
    ]
    asked = [(own, edges), *((side, gone) for side in sides)]
    found = [session.rows(sql, json.dumps(list(ids)), collection) for sql, ids in asked if ids]
    return sorted({id for rows in found for (id,) in rows})


def all_loose_edges(session: Session, collection: str) -> list[str]:
    """Every edge of a collection that lives without an end."""
    rows = session.rows(
        "SELECT h.id FROM edge_head h WHERE h.collection = ? AND ("
        "NOT EXISTS (SELECT 1 FROM entry_head e WHERE e.collection = h.collection AND e.id = h.source) OR "
        "NOT EXISTS (SELECT 1 FROM entry_head e WHERE e.collection = h.collection AND e.id = h.target)) ORDER BY h.id",
        collection,
    )
    return [id for (id,) in rows]


def is_newest(session: Session, collection: str, id: str, tx: int) -> bool:
    """Whether an entry is still as a transaction left it."""
    sql = "SELECT 1 FROM entry_head WHERE collection = ? AND id = ? AND tx = ?"
    return bool(session.rows(sql, collection, id, tx))


def _claim_aliases(session: Session, collection: str, thing: Thing) -> None:
    held = {
        (namespace, name)
        for namespace, name in session.rows(
            "SELECT namespace, name FROM alias WHERE collection = ? AND id = ?", collection, thing.id
        )
    }
    wanted = {(alias.namespace, fold(alias.name)) for alias in thing.aliases}
    for namespace, name in held - wanted:
        session.run(
            "DELETE FROM alias WHERE collection = ? AND namespace = ? AND name = ? AND id = ?",
            collection,
            namespace,
            name,
            thing.id,
        )
    for namespace, name in sorted(wanted - held):
        _claim(session, collection, thing.id, Alias(namespace, name))


def _claim(session: Session, collection: str, id: str, alias: Alias) -> None:
    owner = scalar(
        session,
        "SELECT id FROM alias WHERE collection = ? AND namespace = ? AND name = ?",
        collection,
        alias.namespace,
        alias.name,
    )
    if owner is not None and owner != id and is_live(session, collection, owner):
        raise Refusal(Failure.ALREADY_EXISTS, f"The name {alias.name!r} already belongs to something else.")
    session.run(
        "INSERT INTO alias (collection, namespace, name, id) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (collection, namespace, name) DO UPDATE SET id = excluded.id",
        collection,
        alias.namespace,
        alias.name,
        id,
    )
