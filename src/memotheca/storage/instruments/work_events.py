"""Events of background work: what goes on and how far it is, so that any session can follow. Operational, bounded."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memotheca.storage.database import Session, scalar

KEPT = 1_000  # chosen: the events of many dreams

TABLES = (
    """CREATE TABLE work_event (
        collection TEXT NOT NULL,
        number BIGINT NOT NULL,
        time BIGINT NOT NULL,
        work TEXT NOT NULL,
        run TEXT NOT NULL,
        phase TEXT NOT NULL,
        facts TEXT NOT NULL,
        PRIMARY KEY (collection, number)
    )""",
    "CREATE INDEX work_event_by_work ON work_event (collection, work, number)",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkEvent:
    """A phase that some run of background work has reached, and what it tells of it; never what entries say."""

    time: int
    work: str
    run: str
    phase: str
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    number: int = 0


def add_work_events(session: Session, collection: str, events: Sequence[WorkEvent]) -> None:
    """Add to the events; the oldest go when there are too many."""
    last = int(scalar(session, "SELECT coalesce(max(number), 0) FROM work_event WHERE collection = ?", collection))
    session.run_many(
        "INSERT INTO work_event (collection, number, time, work, run, phase, facts) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (collection, last + place, each.time, each.work, each.run, each.phase, json.dumps(dict(each.facts)))
            for place, each in enumerate(events, 1)
        ],
    )
    session.run("DELETE FROM work_event WHERE collection = ? AND number <= ?", collection, last + len(events) - KEPT)


def read_work_events(session: Session, collection: str, work: str, *, after: int, limit: int) -> list[WorkEvent]:
    """The events of some work after a number, oldest first."""
    return _read(session, collection, work, "number > ? ORDER BY number", after, limit)


def newest_work_events(session: Session, collection: str, work: str, *, limit: int) -> list[WorkEvent]:
    """The last events of some work, newest first."""
    return _read(session, collection, work, "number > ? ORDER BY number DESC", 0, limit)


def _read(session: Session, collection: str, work: str, which: str, *values: int) -> list[WorkEvent]:
    rows = session.rows(
        "SELECT number, time, work, run, phase, facts FROM work_event WHERE collection = ? AND work = ? "
        f"AND {which} LIMIT ?",
        collection,
        work,
        *values,
    )
    return [
        WorkEvent(number=int(number), time=int(time), work=name, run=run, phase=phase, facts=json.loads(facts))
        for number, time, name, run, phase, facts in rows
    ]
