"""Curation tasks: what is to be decided about an entry or two, and what became of it. Operational, bounded."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from memotheca.storage.database import Session
from memotheca.storage.snapshot import Snapshot

TaskState = Literal["open", "kept", "settled"]

PROPOSED = "proposed"
DOUBTFUL = "doubtful"
MOST_OPEN, MOST_CLOSED = 500, 500  # chosen: more than anybody works off, and little to read
MOST_DOUBTFUL = 50  # chosen: what is not even asserted shall never be most of a list

TABLES = (
    """CREATE TABLE care_task (
        collection TEXT NOT NULL,
        id TEXT NOT NULL,
        kind TEXT NOT NULL,
        rank BIGINT NOT NULL,
        state TEXT NOT NULL,
        one TEXT NOT NULL,
        other TEXT NOT NULL,
        score REAL NOT NULL,
        reason TEXT NOT NULL,
        one_said TEXT NOT NULL,
        other_said TEXT NOT NULL,
        stamp TEXT NOT NULL,
        found BIGINT NOT NULL,
        closed BIGINT,
        how TEXT NOT NULL,
        PRIMARY KEY (collection, id)
    )""",
    "CREATE INDEX care_task_by_state ON care_task (collection, state, rank)",
    "CREATE INDEX care_task_by_one ON care_task (collection, one)",
    "CREATE INDEX care_task_by_other ON care_task (collection, other)",
)
_COLUMNS = "kind, rank, state, one, other, score, reason, one_said, other_said, stamp, found, closed, how"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRow:
    """Something to decide about an entry, or about two of which the older one comes first: what kind of task it is and
    where that kind stands in the order of work, what each of them says, how they were when it was found, in which state
    it is, and since when and by what it is not open any more."""

    kind: str
    rank: int
    one: str
    other: str = ""
    score: float
    reason: str
    one_said: str = ""
    other_said: str = ""
    stamp: str
    found: int
    state: TaskState = "open"
    closed: int | None = None
    how: str = ""

    @property
    def id(self) -> str:
        """Of two entries there is one task at a time, of one entry one of each kind; of what was said in one, one for
        each of the words that are proposed to be remembered."""
        told = sorted((self.one, self.other)) if self.other else [self.kind, self.one]
        if self.kind == PROPOSED:
            told = [*told, self.stamp, self.one_said]
        return "task_" + hashlib.blake2b(" ".join(told).encode(), digest_size=8).hexdigest()


def add_tasks(session: Session, collection: str, rows: Sequence[TaskRow]) -> None:
    """Open tasks, or open again what was settled; not what somebody keeps, unless it has changed since, nor what is
    about something that is gone by now and may be erased. Where there are too many, those of the last rank go."""
    living = _living(session, collection, {id for row in rows for id in (row.one, row.other) if id})
    session.run_many(
        "INSERT INTO care_task (collection, id, kind, rank, state, one, other, score, reason, one_said, other_said, "
        "stamp, found, closed, how) VALUES (?, ?, ?, ?, 'open', ?, ?, ?, ?, ?, ?, ?, ?, NULL, '') "
        "ON CONFLICT (collection, id) DO UPDATE SET kind = excluded.kind, rank = excluded.rank, state = 'open', "
        "one = excluded.one, other = excluded.other, score = excluded.score, reason = excluded.reason, "
        "one_said = excluded.one_said, other_said = excluded.other_said, stamp = excluded.stamp, closed = NULL, "
        "how = '' WHERE care_task.state <> 'kept' OR care_task.stamp <> excluded.stamp",
        [
            (
                collection,
                row.id,
                row.kind,
                row.rank,
                row.one,
                row.other,
                row.score,
                row.reason,
                row.one_said,
                row.other_said,
                row.stamp,
                row.found,
            )
            for row in rows
            if {row.one, row.other or row.one} <= living
        ],
    )
    doubtful = f"state = 'open' AND kind = '{DOUBTFUL}'"
    _drop_beyond(session, collection, doubtful, order="score DESC, found DESC, id", most=MOST_DOUBTFUL)
    _drop_beyond(session, collection, "state = 'open'", order="rank, score DESC, found, id", most=MOST_OPEN)


def _living(session: Session, collection: str, ids: set[str]) -> set[str]:
    sql = "SELECT h.id FROM json_each(?) wanted CROSS JOIN entry_head h ON h.collection = ? AND h.id = wanted.value"
    return {id for (id,) in session.rows(sql, json.dumps(sorted(ids)), collection)}


def close_tasks(session: Session, collection: str, rows: Iterable[TaskRow]) -> None:
    """Write down in which state tasks are by now."""
    session.run_many(
        "UPDATE care_task SET state = ?, closed = ?, how = ?, stamp = ? WHERE collection = ? AND id = ?",
        [(row.state, row.closed, row.how, row.stamp, collection, row.id) for row in rows],
    )
    _drop_beyond(session, collection, "state <> 'open'", order="closed DESC, id", most=MOST_CLOSED)


def _drop_beyond(session: Session, collection: str, which: str, *, order: str, most: int) -> None:
    session.run(
        f"DELETE FROM care_task WHERE collection = ? AND id IN (SELECT id FROM care_task WHERE collection = ? "
        f"AND {which} ORDER BY {order} LIMIT ? OFFSET ?)",
        collection,
        collection,
        MOST_OPEN + MOST_CLOSED,
        most,
    )


def read_tasks(session: Session, collection: str, states: Sequence[TaskState]) -> list[TaskRow]:
    """The tasks in some states, in the order of work."""
    sql = (
        f"SELECT {_COLUMNS} FROM care_task WHERE collection = ? AND state IN (SELECT value FROM json_each(?)) "
        "ORDER BY rank, score DESC, found, id"
    )
    return [_row(*found) for found in session.rows(sql, collection, json.dumps(states))]


def tasks_about(session: Session, collection: str, ids: Iterable[str]) -> list[TaskRow]:
    """The tasks that some entries have a part in, in whatever state."""
    spelled = json.dumps(list(ids))
    sides = " UNION ".join(
        f"SELECT t.* FROM json_each(?) wanted CROSS JOIN care_task t ON t.collection = ? AND t.{end} = wanted.value"
        for end in ("one", "other")
    )
    rows = session.rows(f"SELECT {_COLUMNS} FROM ({sides}) about", spelled, collection, spelled, collection)
    return [_row(*found) for found in rows]


def drop_tasks(session: Session, collection: str, entry_id: str) -> None:
    """Forget all that quotes an entry."""
    session.run("DELETE FROM care_task WHERE collection = ? AND (one = ? OR other = ?)", collection, entry_id, entry_id)


def _row(*found: object) -> TaskRow:
    return TaskRow(**dict(zip(_COLUMNS.split(", "), found, strict=True)))  # pyright: ignore[reportArgumentType]


def touched_after(snapshot: Snapshot, tx: int, *, limit: int) -> set[str] | None:
    """The entries that transactions after this one have changed, or joined, or parted; nothing where that is too much
    to look at."""
    rows = snapshot.session.rows(
        "SELECT v.id, CASE WHEN v.subject = 'edge' THEN coalesce(v.image, (SELECT b.image FROM version b "
        "WHERE b.collection = v.collection AND b.id = v.id AND b.tx < v.tx AND b.image IS NOT NULL "
        "ORDER BY b.tx DESC LIMIT 1)) END FROM version v WHERE v.collection = ? AND v.tx > ? ORDER BY v.tx LIMIT ?",
        snapshot.collection,
        tx,
        limit + 1,
    )
    if len(rows) > limit:
        return None
    found = {id for id, _ in rows}
    for _, image in rows:
        if image is not None:
            edge = json.loads(image)
            found |= {edge["source"], edge["target"]}
    return found


def ids_beyond(snapshot: Snapshot, kinds: Sequence[str], after: str, *, limit: int) -> list[str]:
    """The next living entries of some kinds in the order of their making."""
    rows = snapshot.session.rows(
        "SELECT id FROM entry_head WHERE collection = ? AND id > ? AND kind IN (SELECT value FROM json_each(?)) "
        "ORDER BY id LIMIT ?",
        snapshot.collection,
        after,
        json.dumps(kinds),
        limit,
    )
    return [id for (id,) in rows]


def newest_ids(snapshot: Snapshot, kinds: Sequence[str], *, limit: int) -> list[str]:
    """The latest living entries of some kinds, the last made first."""
    rows = snapshot.session.rows(
        "SELECT id FROM entry_head WHERE collection = ? AND kind IN (SELECT value FROM json_each(?)) "
        "ORDER BY id DESC LIMIT ?",
        snapshot.collection,
        json.dumps(kinds),
        limit,
    )
    return [id for (id,) in rows]
