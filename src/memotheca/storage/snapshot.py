"""One snapshot of one collection: heads, versions and transactions as they were when it was opened."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from memotheca.model.cancellation import heed
from memotheca.model.commits import Change, Commit, Version
from memotheca.model.knowledge import Edge, Entry, Subject, fold
from memotheca.storage.database import Row, Session, first, scalar
from memotheca.storage.heads import is_live
from memotheca.storage.serialization import from_image

_VERSION = (
    "v.id, v.tx, v.subject, v.kind, v.image, v.erased, "
    "(SELECT time FROM tx WHERE tx.collection = v.collection AND tx.tx = v.tx)"
)
_HEAD = "JOIN version v ON v.collection = h.collection AND v.id = h.id AND v.tx = h.tx"
_ENDS = (
    "JOIN entry_head s ON s.collection = h.collection AND s.id = h.source "
    "JOIN entry_head t ON t.collection = h.collection AND t.id = h.target"
)
_EVERYTHING = 1 << 62  # chosen: no limit, within 64 bits


def _to_version(row: Row) -> Version:
    id, tx, subject, kind, image, erased, time = row
    thing = None if image is None else from_image(subject, id, image)
    return Version(id=id, tx=tx, time=time, subject=subject, kind=kind, thing=thing, erased=bool(erased))


def to_transaction(row: Row) -> Commit:
    tx, time, actor, operation, subject_id, undoes, note = row
    return Commit(
        tx=tx,
        time=time,
        actor=actor,
        operation=operation,
        subject_id=subject_id,
        undoes=undoes,
        note={} if note is None else json.loads(note),
    )


def _marks(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgePattern:
    """Which edges are wanted: folded text contained in the label of an end, or the id of an end; and a predicate that
    is not."""

    source_text: str | None = None
    source_id: str | None = None
    target_text: str | None = None
    target_id: str | None = None
    predicate_text: str | None = None
    without: str | None = None


def newest_tx(session: Session, collection: str) -> tuple[int, int]:
    """The number and the time of a collection's newest transaction."""
    row = first(session, "SELECT tx, time FROM collection WHERE name = ?", collection)
    return (0, 0) if row is None else (int(row[0]), int(row[1]))


class Snapshot:
    """What can be asked of a snapshot; `as_of` asks for the state after that transaction."""

    def __init__(self, session: Session, collection: str, at: tuple[int, int] | None = None) -> None:
        self.session = session
        self.collection = collection
        self.tx, self.time = newest_tx(session, collection) if at is None else at

    def head(self, id: str) -> Version | None:
        return self.version(id, self.tx) if is_live(self.session, self.collection, id) else None

    def version(self, id: str, as_of: int) -> Version | None:
        """The newest version at or before `as_of`, a tombstone included."""
        heed()
        row = first(
            self.session,
            f"SELECT {_VERSION} FROM version v WHERE v.collection = ? AND v.id = ? AND v.tx <= ? "
            "ORDER BY v.tx DESC LIMIT 1",
            self.collection,
            id,
            as_of,
        )
        return None if row is None else _to_version(row)

    def versions_at(self, ids: Iterable[str], as_of: int) -> dict[str, Version]:
        """As `version`, of many at once."""
        rows = self.session.rows(
            f"SELECT {_VERSION} FROM json_each(?) wanted CROSS JOIN version v ON v.collection = ? "
            "AND v.id = wanted.value AND v.tx = (SELECT max(n.tx) FROM version n WHERE n.collection = v.collection "
            "AND n.id = wanted.value AND n.tx <= ?)",
            json.dumps(list(ids)),
            self.collection,
            as_of,
        )
        return {row[0]: _to_version(row) for row in rows}

    def versions_in(self, numbers: Sequence[int]) -> dict[int, Version]:
        """What each of some transactions left of the thing it changed first, by its number."""
        rows = self.session.rows(
            f"SELECT {_VERSION} FROM json_each(?) wanted CROSS JOIN tx t ON t.collection = ? "
            "AND t.tx = CAST(wanted.value AS BIGINT) CROSS JOIN version v ON v.collection = t.collection "
            "AND v.id = t.subject_id AND v.tx = t.tx",
            json.dumps(list(numbers)),
            self.collection,
        )
        return {row[1]: _to_version(row) for row in rows}

    def versions(self, id: str) -> list[Version]:
        rows = self.session.rows(
            f"SELECT {_VERSION} FROM version v WHERE v.collection = ? AND v.id = ? ORDER BY v.tx", self.collection, id
        )
        return [_to_version(row) for row in rows]

    def last_versions(self, id: str, *, as_of: int, limit: int) -> list[Version]:
        """The newest versions at or before `as_of`, newest first."""
        rows = self.session.rows(
            f"SELECT {_VERSION} FROM version v WHERE v.collection = ? AND v.id = ? AND v.tx <= ? "
            "ORDER BY v.tx DESC LIMIT ?",
            self.collection,
            id,
            as_of,
            limit,
        )
        return [_to_version(row) for row in rows]

    def count_versions(self, id: str) -> int:
        sql = "SELECT count(*) FROM version WHERE collection = ? AND id = ?"
        return int(scalar(self.session, sql, self.collection, id))

    def entry(self, id: str, as_of: int | None = None) -> Entry | None:
        found = self.version(id, self.tx if as_of is None else as_of)
        return found.thing if found is not None and isinstance(found.thing, Entry) else None

    def living(self, ids: Iterable[str]) -> dict[str, Entry]:
        """Those of some entries that live, in the order they are named."""
        wanted = list(dict.fromkeys(ids))
        if not wanted:
            return {}
        rows = self.session.rows(
            "SELECT h.id, v.image FROM json_each(?) wanted CROSS JOIN entry_head h "
            "ON h.collection = ? AND h.id = wanted.value CROSS JOIN version v "
            "ON v.collection = h.collection AND v.id = h.id AND v.tx = h.tx",
            json.dumps(wanted),
            self.collection,
        )
        found = {id: cast(Entry, from_image("entry", id, image)) for id, image in rows}
        return {id: found[id] for id in wanted if id in found}

    def edge(self, id: str) -> Edge | None:
        found = self.version(id, self.tx)
        return found.thing if found is not None and isinstance(found.thing, Edge) else None

    def entries(
        self, kinds: tuple[str, ...], *, as_of: int | None = None, after: str = "", limit: int = _EVERYTHING
    ) -> list[Version]:
        """Live entries of these kinds in the order of their ids, which is the order of their making."""
        moment = self.tx if as_of is None else as_of
        rows = self.session.rows(
            f"SELECT {_VERSION} FROM entry_head h {_HEAD} WHERE h.collection = ? AND h.kind IN ({_marks(kinds)}) "
            "AND h.id > ? AND h.tx <= ? ORDER BY h.id LIMIT ?",
            self.collection,
            *kinds,
            after,
            moment,
            limit,
        )
        found = [_to_version(row) for row in rows]
        revived = [v for v in self._changed_since(moment, "entry") if v.kind in kinds and v.id > after]
        return sorted([*found, *revived], key=lambda v: v.id)[:limit] if revived else found

    def newest(self, kind: str) -> dict[str, int]:
        """Ids of the live entries of a kind, each with the transaction that left it as it is."""
        sql = "SELECT id, tx FROM entry_head WHERE collection = ? AND kind = ? ORDER BY id"
        return dict(cast(list[tuple[str, int]], self.session.rows(sql, self.collection, kind)))

    def count(self, subject: Subject, kinds: tuple[str, ...] = ()) -> int:
        table = f"{subject}_head"
        kept = f" AND kind IN ({_marks(kinds)})" if kinds else ""
        sql = f"SELECT count(*) FROM {table} WHERE collection = ?{kept}"
        return int(scalar(self.session, sql, self.collection, *kinds))

    def edges(
        self, pattern: EdgePattern, *, as_of: int | None = None, after: str = "", limit: int = _EVERYTHING
    ) -> list[Version]:
        moment = self.tx if as_of is None else as_of
        where, values = _edge_conditions(pattern)
        rows = self.session.rows(
            f"SELECT {_VERSION} FROM edge_head h {_HEAD} {_ENDS} "
            "WHERE h.collection = ? AND h.id > ? AND h.tx <= ? AND s.tx <= ? AND t.tx <= ?"
            f"{where} ORDER BY h.id LIMIT ?",
            self.collection,
            after,
            moment,
            moment,
            moment,
            *values,
            limit,
        )
        found = [_to_version(row) for row in rows]
        changed = [*self._changed_since(moment, "edge"), *self._between_changed(moment)]
        revived = [v for v in changed if v.id > after and self.fits(v.thing, pattern, moment)]
        return sorted([*found, *revived], key=lambda v: v.id)[:limit] if revived else found

    def edges_of(self, id: str, predicate: str | None = None) -> list[Edge]:
        """Live edges that leave or reach an entry."""
        return self._edges_at("source", id, predicate) + self._edges_at("target", id, predicate)

    def edges_from(self, id: str, predicate: str | None = None) -> list[Edge]:
        return self._edges_at("source", id, predicate)

    def find_alias(self, namespace: str, name: str) -> str | None:
        sql = "SELECT id FROM alias WHERE collection = ? AND namespace = ? AND name = ?"
        return scalar(self.session, sql, self.collection, namespace, fold(name))

    def find_aliases(self, name: str) -> list[tuple[str, str]]:
        """Everything that bears a name, as (namespace, id)."""
        # Asked for their order, SQLite would go through all aliases by namespace instead of to this name.
        sql = "SELECT namespace, id FROM alias WHERE collection = ? AND name = ?"
        return sorted(cast(list[tuple[str, str]], self.session.rows(sql, self.collection, fold(name))))

    def commit(self, tx: int) -> Commit | None:
        rows = self.commits(before=tx + 1, limit=1)
        return rows[0] if rows and rows[0].tx == tx else None

    def commits(
        self, *, before: int = _EVERYTHING, after: int = 0, limit: int = _EVERYTHING, newest_first: bool = True
    ) -> list[Commit]:
        rows = self.session.rows(
            "SELECT tx, time, actor, operation, subject_id, undoes, note FROM tx "
            f"WHERE collection = ? AND tx < ? AND tx > ? ORDER BY tx {'DESC' if newest_first else 'ASC'} LIMIT ?",
            self.collection,
            before,
            after,
            limit,
        )
        return [to_transaction(row) for row in rows]

    def undone_by(self, tx: int) -> int | None:
        """The transaction that reverts this one, unless that one was itself reverted."""
        # Asked for their order, SQLite would go through all transactions instead of to these.
        rows = self.session.rows("SELECT tx FROM tx WHERE collection = ? AND undoes = ?", self.collection, tx)
        return next((number for (number,) in sorted(rows, reverse=True) if self.undone_by(number) is None), None)

    def undone_among(self, numbers: Sequence[int]) -> dict[int, int]:
        """As `undone_by`, of many at once: those that are reverted, each with what reverts it."""
        rows = self.session.rows(
            "SELECT t.undoes, t.tx FROM json_each(?) wanted CROSS JOIN tx t ON t.collection = ? "
            "AND t.undoes = CAST(wanted.value AS BIGINT)",
            json.dumps(list(numbers)),
            self.collection,
        )
        standing = [(undoes, tx) for undoes, tx in sorted(rows) if self.undone_by(tx) is None]
        return dict(standing)

    def touches_erased(self, tx: int) -> bool:
        """Whether a transaction changed what was erased since."""
        sql = "SELECT 1 FROM version WHERE collection = ? AND tx = ? AND erased = 1 LIMIT 1"
        return bool(self.session.rows(sql, self.collection, tx))

    def changes(self, tx: int) -> list[Change]:
        rows = self.session.rows(
            f"SELECT {_VERSION} FROM version v WHERE v.collection = ? AND v.tx = ? ORDER BY v.id", self.collection, tx
        )
        return [Change(self.version(after.id, tx - 1), after) for after in map(_to_version, rows)]

    def changed_after(self, tx: int) -> list[tuple[str, Subject, str]]:
        """Id, subject and kind of everything that changed after a transaction, in the order of changing."""
        rows = self.session.rows(
            "SELECT id, subject, kind, max(tx) FROM version WHERE collection = ? AND tx > ? "
            "GROUP BY id, subject, kind ORDER BY max(tx), id",
            self.collection,
            tx,
        )
        return [(id, subject, kind) for id, subject, kind, _ in rows]

    def edge_ends(self, kind: str) -> list[tuple[str, str]]:
        """Source and target of the edges that leave entries of a kind."""
        rows = self.session.rows(
            "SELECT h.source, h.target FROM edge_head h JOIN entry_head s ON s.collection = h.collection "
            "AND s.id = h.source WHERE h.collection = ? AND s.kind = ? ORDER BY h.id",
            self.collection,
            kind,
        )
        return cast(list[tuple[str, str]], rows)

    def last_touched(self, subject: Subject, kinds: tuple[str, ...] = ()) -> int:
        """The newest transaction that changed a thing of these kinds."""
        kept = f" AND kind IN ({_marks(kinds)})" if kinds else ""
        sql = f"SELECT max(tx) FROM version WHERE collection = ? AND subject = ?{kept}"
        return int(scalar(self.session, sql, self.collection, subject, *kinds) or 0)

    def all_versions(self, subject: Subject) -> Iterator[Version]:
        """Every version of every thing, in the order of transactions."""
        after = 0
        while True:
            rows = self.session.rows(
                f"SELECT {_VERSION} FROM version v WHERE v.collection = ? AND v.subject = ? AND v.tx > ? "
                "AND v.tx <= ? ORDER BY v.tx, v.id",
                self.collection,
                subject,
                after,
                after + 500,
            )
            yield from map(_to_version, rows)
            after += 500
            if after >= self.tx:
                return

    def span(self, chunk: int) -> tuple[int, int]:
        """Where a chunk begins and ends in its entry's text."""
        row = first(
            self.session, "SELECT start, stop FROM chunk WHERE collection = ? AND seq = ?", self.collection, chunk
        )
        return (0, 0) if row is None else (int(row[0]), int(row[1]))

    def waiting_chunks(self, entry_id: str) -> int:
        """How many chunks of an entry have no vectors yet."""
        return int(
            scalar(
                self.session,
                "SELECT count(*) FROM chunk c JOIN unembedded u ON u.collection = c.collection AND u.seq = c.seq "
                "WHERE c.collection = ? AND c.entry_id = ? AND c.died_tx IS NULL",
                self.collection,
                entry_id,
            )
        )

    def tombstones(self, *, before: int) -> list[str]:
        """Ids of what was deleted before a moment and still keeps its old versions."""
        rows = self.session.rows(
            "SELECT v.id FROM version v JOIN tx t ON t.collection = v.collection AND t.tx = v.tx "
            "WHERE v.collection = ? AND v.image IS NULL AND v.erased = 0 AND t.time < ? AND v.tx = "
            "(SELECT max(n.tx) FROM version n WHERE n.collection = v.collection AND n.id = v.id) ORDER BY v.id",
            self.collection,
            before,
        )
        return [row[0] for row in rows]

    def edges_ever_at(self, id: str) -> list[str]:
        """Ids of edges that end at a thing, or did in any version; looks at every version of every edge."""
        rows = self.session.rows(
            "SELECT DISTINCT v.id FROM version v WHERE v.collection = ? AND v.subject = 'edge' AND v.image LIKE ?",
            self.collection,
            f"%{id}%",
        )
        return [row[0] for row in rows]

    def distinct_labels(self, kind: str, prefix: str, limit: int) -> list[str]:
        rows = self.session.rows(
            "SELECT min(id) FROM entry_head WHERE collection = ? AND kind = ? AND label LIKE ? ESCAPE '!' "
            "GROUP BY label ORDER BY label LIMIT ?",
            self.collection,
            kind,
            escaped(prefix) + "%",
            limit,
        )
        return [found.title for row in rows if (found := self.entry(row[0])) is not None]

    def _edges_at(self, end: str, id: str, predicate: str | None) -> list[Edge]:
        kept, values = ("", ()) if predicate is None else (" AND h.predicate = ?", (fold(predicate),))
        # Asked for their order, SQLite would go through all edges by their ids instead of to those of this entry.
        rows = self.session.rows(
            f"SELECT {_VERSION} FROM edge_head h {_HEAD} WHERE h.collection = ? AND h.{end} = ?{kept}",
            self.collection,
            id,
            *values,
        )
        return sorted((cast(Edge, _to_version(row).thing) for row in rows), key=lambda edge: edge.id)

    def _changed_since(self, moment: int, subject: Subject) -> Iterator[Version]:
        """What changed later, as it was at `moment`, where it was alive."""
        if moment >= self.tx:
            return
        rows = self.session.rows(
            "SELECT DISTINCT id FROM version WHERE collection = ? AND tx > ? AND subject = ?",
            self.collection,
            moment,
            subject,
        )
        for (id,) in rows:
            found = self.version(id, moment)
            if found is not None and found.thing is not None:
                yield found

    def _between_changed(self, moment: int) -> list[Version]:
        """Edges as they were at `moment` and still are, one of whose ends changed later."""
        if moment >= self.tx:
            return []
        rows = self.session.rows(
            f"SELECT {_VERSION} FROM edge_head h {_HEAD} {_ENDS} "
            "WHERE h.collection = ? AND h.tx <= ? AND (s.tx > ? OR t.tx > ?)",
            self.collection,
            moment,
            moment,
            moment,
        )
        return [_to_version(row) for row in rows]

    def fits(self, thing: Any, pattern: EdgePattern, moment: int) -> bool:
        """Whether an edge is one that is wanted, its ends being as they were at a moment."""
        edge = cast(Edge, thing)
        source, target = self.entry(edge.source, moment), self.entry(edge.target, moment)
        if source is None or target is None:
            return False
        wanted = (
            (pattern.source_text, pattern.source_id, source),
            (pattern.target_text, pattern.target_id, target),
        )
        return all(text is None or text in fold(end.title) or id == end.id for text, id, end in wanted) and (
            (pattern.predicate_text is None or pattern.predicate_text in fold(edge.predicate))
            and fold(edge.predicate) != pattern.without
        )


def escaped(text: str) -> str:
    """Text to be taken literally in `LIKE … ESCAPE '!'`."""
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")


def _edge_conditions(pattern: EdgePattern) -> tuple[str, list[str]]:
    where, values = "", list[str]()
    for text, id, label, end in (
        (pattern.source_text, pattern.source_id, "s.label", "h.source"),
        (pattern.target_text, pattern.target_id, "t.label", "h.target"),
    ):
        if text is not None:
            where += f" AND ({label} LIKE ? ESCAPE '!' OR {end} = ?)"
            values += [f"%{escaped(text)}%", id or ""]
    if pattern.predicate_text is not None:
        where += " AND h.predicate LIKE ? ESCAPE '!'"
        values.append(f"%{escaped(pattern.predicate_text)}%")
    if pattern.without is not None:
        where += " AND h.predicate <> ?"
        values.append(pattern.without)
    return where, values
