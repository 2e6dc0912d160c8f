"""The journal as a whole: written out, read back, and replayed to see whether the heads agree with it."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import fold
from memotheca.storage.database import Session, first, take_time
from memotheca.storage.heads import drop_head, set_head
from memotheca.storage.serialization import from_image, to_text

_BATCH = 2000  # chosen: so many transactions are held in memory at once

Line = dict[str, Any]

_HEADS = {
    "entry_head": "SELECT id, tx, kind, label FROM entry_head WHERE collection = ? ORDER BY id",
    "edge_head": "SELECT id, tx, source, target, type, predicate FROM edge_head WHERE collection = ? ORDER BY id",
    "alias": "SELECT namespace, name, id FROM alias WHERE collection = ? ORDER BY namespace, name",
}


def describe(session: Session, collection: str) -> Line | None:
    """The counters and settings of a collection."""
    row = first(session, "SELECT tx, seq, time, settings FROM collection WHERE name = ?", collection)
    if row is None:
        return None
    serials = session.rows("SELECT namespace, last FROM serial WHERE collection = ? ORDER BY namespace", collection)
    return {"tx": row[0], "time": row[2], "settings": json.loads(row[3]), "serials": dict(serials)}


def holds_something(session: Session, collection: str) -> bool:
    """Whether anything ever happened in a collection."""
    return first(session, "SELECT 1 FROM version WHERE collection = ? LIMIT 1", collection) is not None


def count_versions(session: Session, collection: str) -> int:
    row = first(session, "SELECT count(*) FROM version WHERE collection = ?", collection)
    return 0 if row is None else int(row[0])


def count_transactions(session: Session, collection: str) -> int:
    row = first(session, "SELECT count(*) FROM tx WHERE collection = ?", collection)
    return 0 if row is None else int(row[0])


def count_about(session: Session, collection: str, entity_type: str | None) -> int:
    """How many transactions are about a kind of entries, or about triples; or how many there are."""
    if entity_type is None:
        return count_transactions(session, collection)
    about = "v.subject = 'edge' AND ? = 'triple'" if entity_type == "triple" else "v.subject = 'entry' AND v.kind = ?"
    row = first(
        session,
        "SELECT count(*) FROM tx t JOIN version v ON v.collection = t.collection AND v.id = t.subject_id "
        f"AND v.tx = t.tx WHERE t.collection = ? AND {about}",
        collection,
        entity_type,
    )
    return 0 if row is None else int(row[0])


def dump(session: Session, collection: str, newest: int) -> Iterator[Line]:
    """Every transaction with its versions, oldest first."""
    for start in range(0, newest, _BATCH):
        span = (collection, start, start + _BATCH)
        versions: dict[int, list[Line]] = {}
        for id, tx, subject, kind, image, erased in session.rows(
            "SELECT id, tx, subject, kind, image, erased FROM version "
            "WHERE collection = ? AND tx > ? AND tx <= ? ORDER BY tx, id",
            *span,
        ):
            content = None if image is None else json.loads(image)
            line = {"id": id, "subject": subject, "kind": kind, "image": content, "erased": bool(erased)}
            versions.setdefault(tx, []).append(line)
        for tx, time, actor, operation, subject_id, undoes, note in session.rows(
            "SELECT tx, time, actor, operation, subject_id, undoes, note FROM tx "
            "WHERE collection = ? AND tx > ? AND tx <= ? ORDER BY tx",
            *span,
        ):
            yield {
                "tx": tx,
                "time": time,
                "actor": actor,
                "operation": operation,
                "subject_id": subject_id,
                "undoes": undoes,
                **({} if note is None else {"note": json.loads(note)}),
                "versions": versions.get(tx, []),
            }


def load(session: Session, collection: str, described: Line, lines: Iterable[Line]) -> int:
    """Write a journal into a collection that is still empty, heads and all; returns how many transactions."""
    if holds_something(session, collection):
        raise Refusal(
            Failure.ALREADY_EXISTS,
            "Somebody stored something in the collection meanwhile; nothing was imported. Run it again: then the file "
            "is merged.",
        )
    session.run("DELETE FROM collection WHERE name = ?", collection)
    session.run(
        "INSERT INTO collection (name, tx, seq, time, settings) VALUES (?, ?, 0, ?, ?)",
        collection,
        described["tx"],
        described["time"],
        to_text(described["settings"]),
    )
    for namespace, last in described["serials"].items():
        session.run(
            "INSERT INTO serial (collection, namespace, last) VALUES (?, ?, ?) "
            "ON CONFLICT (collection, namespace) DO UPDATE SET last = excluded.last",
            collection,
            namespace,
            last,
        )
    loaded = 0
    for line in lines:
        _load_transaction(session, collection, line)
        loaded += 1
    return loaded


def _load_transaction(session: Session, collection: str, line: Line) -> None:
    session.run(
        "INSERT INTO tx (collection, tx, time, actor, operation, subject_id, undoes, note) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        collection,
        line["tx"],
        line["time"],
        line["actor"],
        line["operation"],
        line["subject_id"],
        line["undoes"],
        to_text(line["note"]) if line.get("note") else None,
    )
    session.run_many(
        "INSERT INTO version (collection, id, tx, subject, kind, image, erased) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (
                collection,
                version["id"],
                line["tx"],
                version["subject"],
                version["kind"],
                None if version["image"] is None else to_text(version["image"]),
                int(version["erased"]),
            )
            for version in line["versions"]
        ],
    )
    for version in line["versions"]:
        _apply(session, collection, line["tx"], version)


def _apply(session: Session, collection: str, tx: int, version: Line) -> None:
    image = None if version["image"] is None else to_text(version["image"])
    if image is None:
        drop_head(session, collection, version["id"])
    else:
        set_head(session, collection, tx, from_image(version["subject"], version["id"], image))


def rebuild_heads(session: Session, collection: str) -> None:
    """Make the heads anew from the journal."""
    take_time(session)
    for table in _HEADS:
        session.run(f"DELETE FROM {table} WHERE collection = ?", collection)
    described = describe(session, collection)
    for line in dump(session, collection, 0 if described is None else described["tx"]):
        for version in line["versions"]:
            _apply(session, collection, line["tx"], version)


def compare_heads(session: Session, collection: str) -> list[str]:
    """Where the heads differ from the newest versions of the journal."""
    entries: dict[str, tuple[Any, ...]] = {}
    edges: dict[str, tuple[Any, ...]] = {}
    aliases: set[tuple[str, str, str]] = set()
    for id, tx, subject, image in session.rows(
        "SELECT v.id, v.tx, v.subject, v.image FROM version v WHERE v.collection = ? AND v.image IS NOT NULL "
        "AND v.tx = (SELECT max(n.tx) FROM version n WHERE n.collection = v.collection AND n.id = v.id)",
        collection,
    ):
        thing = json.loads(image)
        aliases |= {(namespace, fold(name), id) for namespace, name in thing["aliases"]}
        if subject == "entry":
            entries[id] = (id, tx, thing["kind"], fold(thing["title"]))
        else:
            ends = (thing["source"], thing["target"])
            edges[id] = (id, tx, *ends, thing["type"], fold(thing["predicate"]))
    complaints = _differences("entry", entries, session.rows(_HEADS["entry_head"], collection))
    complaints += _differences("edge", edges, session.rows(_HEADS["edge_head"], collection))
    held = {tuple(row) for row in session.rows(_HEADS["alias"], collection)}
    complaints += [f"the alias {name} of {id} is missing" for _, name, id in sorted(aliases - held)]
    complaints += [
        f"edge {edge[0]} has lost an end" for edge in edges.values() if edge[2] not in entries or edge[3] not in entries
    ]
    return complaints


def _differences(what: str, expected: dict[str, tuple[Any, ...]], rows: Iterable[tuple[Any, ...]]) -> list[str]:
    found = {row[0]: tuple(row) for row in rows}
    missing = [f"{what} {id} has no head" for id in sorted(expected.keys() - found.keys())]
    surplus = [f"{what} {id} has a head but no version" for id in sorted(found.keys() - expected.keys())]
    other = [
        f"{what} {id} differs from its newest version" for id, row in found.items() if expected.get(id, row) != row
    ]
    return missing + surplus + other


_FORGOTTEN = "erased"


def erased_ids(session: Session) -> dict[str, list[str]]:
    """What was erased, by collection: also what was, in states that were replaced since."""
    found: dict[str, set[str]] = {}
    for collection, id in session.rows("SELECT DISTINCT collection, id FROM version WHERE erased = 1"):
        found.setdefault(collection, set()).add(id)
    row = first(session, "SELECT value FROM meta WHERE name = ?", _FORGOTTEN)
    for collection, ids in json.loads(row[0]).items() if row else ():
        found.setdefault(collection, set()).update(ids)
    return {collection: sorted(ids) for collection, ids in found.items()}


def remember_erased(session: Session, erased: dict[str, list[str]]) -> None:
    session.run("DELETE FROM meta WHERE name = ?", _FORGOTTEN)
    session.run("INSERT INTO meta (name, value) VALUES (?, ?)", _FORGOTTEN, json.dumps(erased))


def still_held(session: Session, collection: str, ids: Iterable[str]) -> list[str]:
    """Those of some ids of which any version has content."""
    rows = session.rows(
        "SELECT DISTINCT v.id FROM json_each(?) wanted JOIN version v "
        "ON v.collection = ? AND v.id = wanted.value AND v.image IS NOT NULL",
        json.dumps(list(ids)),
        collection,
    )
    return [row[0] for row in rows]
