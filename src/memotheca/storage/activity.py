"""Operational rows of the memories family: when something was looked at, how a session stands, what happened.

Durable but no part of history: no transaction writes them and no undo takes them back."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memotheca.storage.database import Session, scalar

TABLES = (
    """CREATE TABLE access (
        collection TEXT NOT NULL,
        entry_id TEXT NOT NULL,
        times BIGINT NOT NULL,
        last BIGINT NOT NULL,
        PRIMARY KEY (collection, entry_id)
    )""",
    "CREATE INDEX access_by_last ON access (collection, last)",
    """CREATE TABLE operational (
        collection TEXT NOT NULL,
        name TEXT NOT NULL,
        value TEXT NOT NULL,
        updated BIGINT NOT NULL,
        PRIMARY KEY (collection, name)
    )""",
    """CREATE TABLE happening (
        collection TEXT NOT NULL,
        number BIGINT NOT NULL,
        time BIGINT NOT NULL,
        level TEXT NOT NULL,
        component TEXT NOT NULL,
        action TEXT NOT NULL,
        node_ids TEXT NOT NULL,
        reason TEXT NOT NULL,
        PRIMARY KEY (collection, number)
    )""",
)

INDEXES = (
    "CREATE INDEX tx_by_operation ON tx (collection, operation, time)",
    "CREATE INDEX entry_head_by_label ON entry_head (collection, kind, label)",
)

KEPT = 10_000  # chosen: weeks of use, some MB
KEPT_SESSIONS = 1_000  # chosen: those that somebody may go on with
SESSIONS = "session:"
QUARANTINED = "quarantined"
# Topics, and when they were found: their names are words of what is stored.
FINDINGS = ("topics", "topics_at")
# What texts and memories serve, kept for whoever speaks of it later, with the memory it is of.
KEPT_VECTORS, OF_ENTRY = "purpose:", "memory"
# Of how a session stands, what it asked last and what that showed.
QUESTION, SHOWED = "question", "showed"
# The names that begin so, as a range that the key can answer.
_SESSION_NAMES = (SESSIONS, SESSIONS[:-1] + chr(ord(SESSIONS[-1]) + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivityRecord:
    """One line of the log: what was done to what and why, never what it says."""

    time: int
    level: str
    component: str
    action: str
    node_ids: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFilter:
    """Which lines: of these levels and components, without what is told elsewhere; what was quarantined is told
    whatever its level, where that is wanted; about one entry, since a moment."""

    levels: tuple[str, ...]
    components: tuple[str, ...]
    told_elsewhere: tuple[str, ...] = ()
    with_quarantined: bool = True
    node_id: str | None = None
    since: int = 0
    limit: int

    def wants(self, line: ActivityRecord) -> bool:
        is_quarantine = line.reason == QUARANTINED
        plain = not is_quarantine and line.level in self.levels and line.action not in self.told_elsewhere
        fits = line.component in self.components and line.time >= self.since
        named = self.node_id is None or self.node_id in line.node_ids
        return fits and named and (plain or (is_quarantine and self.with_quarantined))


def add_accesses(session: Session, collection: str, seen: Mapping[str, tuple[int, int]]) -> None:
    """Count looks at entries, as (times, last)."""
    session.run_many(
        "INSERT INTO access (collection, entry_id, times, last) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (collection, entry_id) DO UPDATE SET times = access.times + excluded.times, "
        "last = CASE WHEN excluded.last > access.last THEN excluded.last ELSE access.last END",
        [(collection, id, times, last) for id, (times, last) in seen.items()],
    )


def accesses(session: Session, collection: str, ids: Iterable[str]) -> dict[str, tuple[int, int]]:
    rows = session.rows(
        "SELECT a.entry_id, a.times, a.last FROM json_each(?) wanted CROSS JOIN access a "
        "ON a.collection = ? AND a.entry_id = wanted.value",
        json.dumps(list(ids)),
        collection,
    )
    return {id: (int(times), int(last)) for id, times, last in rows}


def recent_accesses(session: Session, collection: str, limit: int, since: int = 0) -> list[tuple[str, int]]:
    """The entries looked at last: (id, when)."""
    rows = session.rows(
        "SELECT entry_id, last FROM access WHERE collection = ? AND last >= ? ORDER BY last DESC, entry_id LIMIT ?",
        collection,
        since,
        limit,
    )
    return [(id, int(last)) for id, last in rows]


def forget_accesses(session: Session, collection: str, entry_id: str) -> None:
    session.run("DELETE FROM access WHERE collection = ? AND entry_id = ?", collection, entry_id)


def read_state(session: Session, collection: str, name: str) -> Any:
    value = scalar(session, "SELECT value FROM operational WHERE collection = ? AND name = ?", collection, name)
    return None if value is None else json.loads(value)


def read_states(session: Session, collection: str, prefix: str) -> dict[str, Any]:
    """The values whose names begin so, in the order of their names."""
    rows = session.rows(
        "SELECT name, value FROM operational WHERE collection = ? AND name >= ? AND name < ? ORDER BY name",
        collection,
        prefix,
        prefix[:-1] + chr(ord(prefix[-1]) + 1),
    )
    return {name: json.loads(value) for name, value in rows}


def drop_states(session: Session, collection: str, names: Iterable[str]) -> None:
    session.run_many(
        "DELETE FROM operational WHERE collection = ? AND name = ?", [(collection, name) for name in names]
    )


def drop_findings(session: Session, collection: str, entry_id: str) -> None:
    """Forget what was found in all that is stored, since it may quote what is erased; it is found anew."""
    kept = read_states(session, collection, KEPT_VECTORS)
    drop_states(session, collection, [*FINDINGS, *(name for name in kept if kept[name].get(OF_ENTRY) == entry_id)])


def kept_ids(session: Session, collection: str, ids: set[str]) -> set[str]:
    """Those of some entries and edges that were not erased: they live, or can come back."""
    rows = session.rows(
        "SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM version WHERE collection = ? AND id = value) "
        "AND NOT EXISTS (SELECT 1 FROM version WHERE collection = ? AND id = value AND erased <> 0)",
        json.dumps(sorted(ids)),
        collection,
        collection,
    )
    return {id for (id,) in rows}


def read_stamp(session: Session, collection: str, name: str) -> int | None:
    """When a value was written last, to know it without reading it."""
    return scalar(session, "SELECT updated FROM operational WHERE collection = ? AND name = ?", collection, name)


def write_state(session: Session, collection: str, name: str, value: Any, *, now: int) -> None:
    session.run(
        "INSERT INTO operational (collection, name, value, updated) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (collection, name) DO UPDATE SET value = excluded.value, updated = excluded.updated",
        collection,
        name,
        json.dumps(value),
        now,
    )


def read_mood(session: Session, collection: str, name: str) -> Any:
    """How a session was left, if it is remembered."""
    return read_state(session, collection, SESSIONS + name)


def write_moods(session: Session, collection: str, moods: Mapping[str, Any], *, now: int) -> None:
    """Remember how sessions stand; of very many, those that were heard last. A question that showed what is
    erased by now is not written."""
    kept = kept_ids(session, collection, {id for value in moods.values() for id in value.get(SHOWED, ())})
    for name, value in _without_questions(moods, kept).items():
        write_state(session, collection, SESSIONS + name, value, now=now)
    session.run(
        "DELETE FROM operational WHERE collection = ? AND name >= ? AND name < ? AND updated < coalesce("
        "(SELECT updated FROM operational WHERE collection = ? AND name >= ? AND name < ? "
        "ORDER BY updated DESC LIMIT 1 OFFSET ?), 0)",
        collection,
        *_SESSION_NAMES,
        collection,
        *_SESSION_NAMES,
        KEPT_SESSIONS - 1,
    )


def drop_questions(session: Session, collection: str, entry_id: str) -> None:
    """Forget the last question of every session that an entry was shown for."""
    rows = session.rows(
        "SELECT name, value, updated FROM operational WHERE collection = ? AND name >= ? AND name < ? AND value LIKE ?",
        collection,
        *_SESSION_NAMES,
        f"%{entry_id}%",
    )
    for name, value, updated in rows:
        held = json.loads(value)
        kept = set(held.get(SHOWED, ())) - {entry_id}
        write_state(session, collection, name, _without_questions({name: held}, kept)[name], now=updated)


def _without_questions(moods: Mapping[str, Any], kept: set[str]) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for name, held in moods.items():
        is_gone = not kept.issuperset(held.get(SHOWED, ()))
        told[name] = {**held, QUESTION: "", SHOWED: []} if is_gone else held
    return told


def add_to_count(session: Session, collection: str, name: str, more: int, *, now: int) -> None:
    write_state(session, collection, name, int(read_state(session, collection, name) or 0) + more, now=now)


def log_happenings(session: Session, collection: str, lines: Sequence[ActivityRecord]) -> None:
    """Add to the log; the oldest go when it is full."""
    sql = "SELECT coalesce(max(number), 0) FROM happening WHERE collection = ?"
    last = int(scalar(session, sql, collection))
    session.run_many(
        "INSERT INTO happening (collection, number, time, level, component, action, node_ids, reason) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                collection,
                last + place,
                line.time,
                line.level,
                line.component,
                line.action,
                json.dumps(line.node_ids),
                line.reason,
            )
            for place, line in enumerate(lines, 1)
        ],
    )
    session.run("DELETE FROM happening WHERE collection = ? AND number <= ?", collection, last + len(lines) - KEPT)


def read_happenings(session: Session, collection: str, asked: LogFilter) -> list[ActivityRecord]:
    """The newest lines that are asked for."""
    levels, components, told = (
        ", ".join("?" for _ in group) for group in (asked.levels, asked.components, asked.told_elsewhere)
    )
    plain = f"(reason <> ? AND level IN ({levels}) AND action NOT IN ({told}))"
    held = " OR reason = ?" if asked.with_quarantined else ""
    named = " AND node_ids LIKE ?" if asked.node_id is not None else ""
    rows = session.rows(
        "SELECT time, level, component, action, node_ids, reason FROM happening WHERE collection = ? AND time >= ? "
        f"AND component IN ({components}) AND ({plain}{held}){named} ORDER BY number DESC LIMIT ?",
        collection,
        asked.since,
        *asked.components,
        QUARANTINED,
        *asked.levels,
        *asked.told_elsewhere,
        *((QUARANTINED,) if asked.with_quarantined else ()),
        *(() if asked.node_id is None else (f'%"{asked.node_id}"%',)),
        asked.limit,
    )
    return [
        ActivityRecord(
            time=time, level=level, component=component, action=action, node_ids=tuple(json.loads(ids)), reason=reason
        )
        for time, level, component, action, ids, reason in rows
    ]
