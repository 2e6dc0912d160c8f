"""Entries by what heads and journal say of them: their label, their beginning, their end, how important they are."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from memotheca.model.commits import Commit
from memotheca.model.knowledge import Entry, fold
from memotheca.storage.database import Row, first
from memotheca.storage.serialization import from_image
from memotheca.storage.snapshot import Snapshot, to_transaction


def ids_labelled(snapshot: Snapshot, title: str, *, kind: str = "", without: str = "", limit: int = 1) -> list[str]:
    """The live entries with this title, of one kind or of any but one."""
    conditions, values = "", list[str]()
    if kind:
        conditions, values = " AND kind = ?", [kind]
    if without:
        conditions, values = f"{conditions} AND kind <> ?", [*values, without]
    # An expression: to get the order for nothing, SQLite would go through all ids instead of to the label.
    sql = f"SELECT id FROM entry_head WHERE collection = ? AND label = ?{conditions} ORDER BY id || '' LIMIT ?"
    return _ids(snapshot, sql, fold(title), *values, limit)


def ids_beginning(snapshot: Snapshot, prefix: str, *, kind: str, limit: int) -> list[str]:
    """The live entries of a kind whose title begins so, in the order of their titles."""
    within = "WHERE collection = ? AND kind = ? AND label >= ? AND label < ?"
    sql = f"SELECT id FROM entry_head {within} ORDER BY label LIMIT ?"
    return _ids(snapshot, sql, kind, fold(prefix), fold(prefix) + "\U0010ffff", limit)


def images_beginning(snapshot: Snapshot, prefix: str, *, kind: str, limit: int) -> tuple[tuple[str, str], ...]:
    """The same with what they are, as the journal has it, by their ids."""
    within = "WHERE h.collection = ? AND h.kind = ? AND h.label >= ? AND h.label < ?"
    rows = snapshot.session.rows(
        "SELECT h.id, v.image FROM entry_head h CROSS JOIN version v ON v.collection = h.collection AND v.id = h.id "
        f"AND v.tx = h.tx {within} ORDER BY h.label LIMIT ?",
        snapshot.collection,
        kind,
        fold(prefix),
        fold(prefix) + "\U0010ffff",
        limit,
    )
    return tuple((id, image) for id, image in rows)


def removals_of(snapshot: Snapshot, ids: Iterable[str]) -> dict[str, set[int]]:
    """In which transactions some entries went away, also those that are there again."""
    rows = snapshot.session.rows(
        "SELECT v.id, v.tx FROM json_each(?) wanted CROSS JOIN version v ON v.collection = ? AND v.id = wanted.value "
        "AND v.image IS NULL",
        json.dumps(list(dict.fromkeys(ids))),
        snapshot.collection,
    )
    found: dict[str, set[int]] = {}
    for id, tx in rows:
        found.setdefault(id, set()).add(int(tx))
    return found


def heads_of(snapshot: Snapshot, ids: Iterable[str]) -> dict[str, int]:
    """Those of some entries that live, each with the transaction that left it as it is."""
    rows = snapshot.session.rows(
        "SELECT h.id, h.tx FROM json_each(?) wanted CROSS JOIN entry_head h "
        "ON h.collection = ? AND h.id = wanted.value",
        json.dumps(list(dict.fromkeys(ids))),
        snapshot.collection,
    )
    return {id: int(tx) for id, tx in rows}


def edges_between(snapshot: Snapshot, source: str, target: str) -> list[str]:
    """The live edges that lead from one entry to another."""
    sql = "SELECT id FROM edge_head WHERE collection = ? AND source = ? AND target = ?"
    return sorted(_ids(snapshot, sql, source, target))


def ids_between(snapshot: Snapshot, low: str, high: str, *, limit: int) -> list[str]:
    """Entries and edges whose ids lie between two."""
    within = "WHERE collection = ? AND id >= ? AND id <= ?"
    sql = f"SELECT id FROM entry_head {within} UNION ALL SELECT id FROM edge_head {within} ORDER BY id LIMIT ?"
    return _ids(snapshot, sql, low, high, snapshot.collection, low, high, limit)


def ids_made_last(snapshot: Snapshot, kind: str, *, limit: int) -> list[str]:
    sql = "SELECT id FROM entry_head WHERE collection = ? AND kind = ? ORDER BY id DESC LIMIT ?"
    return _ids(snapshot, sql, kind, limit)


def ids_changed_in(snapshot: Snapshot, tx: int, *, limit: int) -> list[str]:
    sql = "SELECT id FROM version WHERE collection = ? AND tx = ? AND subject = 'entry' ORDER BY id LIMIT ?"
    return _ids(snapshot, sql, tx, limit)


def ids_changed_after(snapshot: Snapshot, tx: int, *, limit: int) -> list[str]:
    """What any transaction after this one has made, changed or removed, entries and edges alike."""
    return _ids(snapshot, "SELECT id FROM version WHERE collection = ? AND tx > ? ORDER BY tx LIMIT ?", tx, limit)


@dataclass(frozen=True, slots=True)
class Buried:
    """An entry that was deleted, merged or undone: its id, its image as it was last, and by which transaction; read
    when they are asked for."""

    id: str
    image: str
    row: Row

    @property
    def entry(self) -> Entry:
        return cast(Entry, from_image("entry", self.id, self.image))

    @property
    def commit(self) -> Commit:
        return to_transaction(self.row)


def read_buried(snapshot: Snapshot, since: int, *, limit: int) -> list[Buried]:
    """What was buried since then, newest first, each entry by its last burial."""
    rows = snapshot.session.rows(
        # From the few transactions that bury, not from all versions.
        "SELECT t.tx, t.time, t.actor, t.operation, t.subject_id, t.undoes, t.note, v.id, (SELECT b.image "
        "FROM version b WHERE b.collection = v.collection AND b.id = v.id AND b.tx < v.tx ORDER BY b.tx DESC LIMIT 1) "
        "FROM tx t CROSS JOIN version v ON v.collection = t.collection AND v.tx = t.tx "
        "WHERE t.collection = ? AND t.operation IN ('DELETE', 'MERGE', 'REVERT') AND t.time >= ? "
        "AND v.subject = 'entry' AND v.image IS NULL AND v.erased = 0 AND NOT EXISTS "
        "(SELECT 1 FROM entry_head h WHERE h.collection = v.collection AND h.id = v.id) AND NOT EXISTS "
        "(SELECT 1 FROM version n WHERE n.collection = v.collection AND n.id = v.id AND n.tx > v.tx) "
        "ORDER BY v.tx DESC LIMIT ?",
        snapshot.collection,
        since,
        limit,
    )
    return [Buried(row[7], row[8], row[:7]) for row in rows if row[8] is not None]


def read_notes(snapshot: Snapshot, after: int, *, naming: str) -> list[dict[str, Any]]:
    """What the undoings after a transaction say of themselves, where they say something under this name."""
    rows = snapshot.session.rows(
        "SELECT note FROM tx WHERE collection = ? AND tx > ? AND operation = 'REVERT' AND note LIKE ?",
        snapshot.collection,
        after,
        f'%"{naming}"%',
    )
    return [json.loads(note) for (note,) in rows]


def read_standing(snapshot: Snapshot, kinds: Sequence[str], ids: Iterable[str] | None = None) -> list[Row]:
    """Id, kind, importance and quarantine (as JSON) of the live entries of some kinds; of these alone, where ids are
    given."""
    among = "" if ids is None else " AND h.id IN (SELECT value FROM json_each(?))"
    return snapshot.session.rows(
        "SELECT h.id, h.kind, json_extract(v.image, '$.attributes.importance'), "
        "json_extract(v.image, '$.attributes.quarantine') FROM entry_head h JOIN version v "
        "ON v.collection = h.collection AND v.id = h.id AND v.tx = h.tx "
        f"WHERE h.collection = ? AND h.kind IN ({', '.join('?' for _ in kinds)}){among}",
        snapshot.collection,
        *kinds,
        *(() if ids is None else (json.dumps(list(ids)),)),
    )


def _ids(snapshot: Snapshot, sql: str, *values: str | int) -> list[str]:
    return [row[0] for row in cast(list[tuple[str]], snapshot.session.rows(sql, snapshot.collection, *values))]


def sample_ids(snapshot: Snapshot, kind: str, many: int) -> list[str]:
    """Live entries of a kind, spread over the time of their making; all of them where there are no more."""
    sql = "SELECT id FROM entry_head WHERE collection = ? AND kind = ? ORDER BY id LIMIT ?"
    first = _ids(snapshot, sql, kind, many + 1)
    if len(first) <= many:
        return first
    newest = _ids(snapshot, sql.replace("ORDER BY id", "ORDER BY id DESC"), kind, 1)[0]
    # An id begins with the time of its making, in twelve letters and a dash.
    low, high = (int(id.replace("-", "")[:12], 16) for id in (first[0], newest))
    found: dict[str, None] = {}
    beyond = "SELECT id FROM entry_head WHERE collection = ? AND kind = ? AND id >= ? ORDER BY id LIMIT 1"
    for place in range(many):
        at = f"{low + (high - low) * place // many:012x}"
        found |= dict.fromkeys(_ids(snapshot, beyond, kind, f"{at[:8]}-{at[8:]}"))
    return list(found)


def newest_before(snapshot: Snapshot, moment: int) -> tuple[int, int]:
    """The number and the time of the last transaction until a moment; zeros where there was none."""
    sql = "SELECT tx, time FROM tx WHERE collection = ? AND time <= ? ORDER BY tx DESC LIMIT 1"
    row = first(snapshot.session, sql, snapshot.collection, moment)
    return (0, 0) if row is None else (int(row[0]), int(row[1]))


def oldest_tx(snapshot: Snapshot) -> tuple[int, int]:
    """The number and the time of the first transaction; zeros where there is none."""
    row = first(
        snapshot.session, "SELECT tx, time FROM tx WHERE collection = ? ORDER BY tx LIMIT 1", snapshot.collection
    )
    return (0, 0) if row is None else (int(row[0]), int(row[1]))
