"""Jobs: work that outlives the call that asked for it, as durable rows that one worker at a time holds."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from memotheca.storage.database import SKIP_LOCKED, Row, Session, first, scalar
from memotheca.storage.serialization import to_text

TABLES = (
    """CREATE TABLE job (
        collection TEXT NOT NULL,
        id TEXT NOT NULL,
        kind TEXT NOT NULL,
        state TEXT NOT NULL,
        lane TEXT NOT NULL,
        actor TEXT NOT NULL,
        arguments TEXT NOT NULL,
        step TEXT NOT NULL,
        done BIGINT NOT NULL,
        total BIGINT NOT NULL,
        attempts BIGINT NOT NULL,
        subject_id TEXT,
        outcome TEXT,
        created BIGINT NOT NULL,
        due BIGINT NOT NULL,
        started BIGINT,
        settled BIGINT,
        PRIMARY KEY (collection, id)
    )""",
    "CREATE INDEX job_by_state ON job (collection, state, actor, created)",
    "CREATE INDEX job_by_subject ON job (collection, subject_id)",
)

State = Literal["queued", "running", "completed", "failed", "cancelled"]
SETTLED: tuple[State, ...] = ("completed", "failed", "cancelled")

# What is told of a job that waits, and of one that has only just been taken.
WAITING, BEGINNING = "Waiting in the queue", "Opening the file"

_COLUMNS = (
    "collection, id, kind, state, lane, actor, arguments, step, done, total, attempts, subject_id, outcome, "
    "created, due, started, settled"
)
_FIND = f"SELECT {_COLUMNS} FROM job WHERE collection = ? AND id = ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A piece of work: what it is, how far it has got, and what came of it."""

    collection: str
    id: str
    kind: str
    state: State = "queued"
    lane: str
    actor: str
    arguments: Mapping[str, Any]
    step: str = ""
    done: int = 0
    total: int = 1
    attempts: int = 0
    subject_id: str | None = None
    outcome: Mapping[str, Any] | None = None
    created: int
    due: int = 0
    started: int | None = None
    settled: int | None = None

    @property
    def is_settled(self) -> bool:
        return self.state in SETTLED


def to_job(given: Mapping[str, Any]) -> Job:
    """A job as its row has it, column by column."""
    told: dict[str, Any] = dict(given)
    told["arguments"] = json.loads(given["arguments"])
    told["outcome"] = None if given["outcome"] is None else json.loads(given["outcome"])
    return Job(**told)


def _to_job(row: Row) -> Job:
    return to_job(dict(zip(_COLUMNS.split(", "), row, strict=True)))


def add(session: Session, job: Job) -> None:
    session.run(
        "INSERT INTO collection (name, tx, seq, time, settings) VALUES (?, 0, 0, 0, '{}') "
        "ON CONFLICT (name) DO NOTHING",
        job.collection,
    )
    session.run(
        f"INSERT INTO job ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, ?, ?, NULL, NULL)",
        job.collection,
        job.id,
        job.kind,
        job.state,
        job.lane,
        job.actor,
        to_text(dict(job.arguments)),
        job.step,
        job.done,
        job.total,
        job.attempts,
        job.created,
        job.due,
    )


# A job is somebody's as it was claimed: who was suspended meanwhile, and had it taken over, can settle it no more.
_MINE = "collection = ? AND id = ? AND state = 'running' AND attempts = ? AND started = ?"


def _mine(job: Job) -> tuple[str, str, int, int | None]:
    return job.collection, job.id, job.attempts, job.started


def find(session: Session, collection: str, id: str) -> Job | None:
    row = first(session, _FIND, collection, id)
    return None if row is None else _to_job(row)


def newest(session: Session, collection: str, limit: int) -> list[Job]:
    rows = session.rows(
        f"SELECT {_COLUMNS} FROM job WHERE collection = ? ORDER BY created DESC, id LIMIT ?", collection, limit
    )
    return [_to_job(row) for row in rows]


def waiting_collections(session: Session, lanes: Sequence[str], now: int) -> list[str]:
    """Those in which something is due, the one that was served longest ago first."""
    marks = ", ".join("?" for _ in lanes)
    waiting = session.rows(
        f"SELECT DISTINCT c.name FROM collection c JOIN job j ON j.collection = c.name AND j.state = 'queued' "
        f"WHERE j.lane IN ({marks}) AND j.due <= ? ORDER BY c.name",
        *lanes,
        now,
    )
    names = [str(name) for (name,) in waiting]
    return names if len(names) < 2 else sorted(names, key=lambda name: (_last_served(session, name), name))


def next_due(session: Session, collection: str, lanes: Sequence[str], now: int) -> str | None:
    """The next in turn: of those who wait, whoever was served longest ago, and of theirs the oldest."""
    marks = ", ".join("?" for _ in lanes)
    waiting = session.rows(
        f"SELECT actor, min(created) FROM job WHERE collection = ? AND state = 'queued' AND lane IN ({marks}) "
        "AND due <= ? GROUP BY actor",
        collection,
        *lanes,
        now,
    )
    if not waiting:
        return None
    turns = [(_last_served(session, collection, actor), created, actor) for actor, created in waiting]
    return scalar(
        session,
        f"SELECT id FROM job WHERE collection = ? AND state = 'queued' AND actor = ? AND lane IN ({marks}) "
        f"AND due <= ? ORDER BY created, id LIMIT 1 {SKIP_LOCKED}",
        collection,
        min(turns)[2],
        *lanes,
        now,
    )


def _last_served(session: Session, collection: str, *actor: str) -> int:
    """When a collection, or an actor in it, was last given a worker."""
    begun = "state IN ('running', 'completed', 'failed')"
    sql = f"SELECT max(started) FROM job WHERE collection = ? AND {begun}" + (" AND actor = ?" if actor else "")
    return int(scalar(session, sql, collection, *actor) or 0)


def claim(session: Session, collection: str, id: str, now: int) -> Job | None:
    """Take a queued job; None where somebody else was faster."""
    rows = session.rows(
        "UPDATE job SET state = 'running', attempts = attempts + 1, started = ?, done = 0, step = ? "
        f"WHERE collection = ? AND id = ? AND state = 'queued' RETURNING {_COLUMNS}",
        now,
        BEGINNING,
        collection,
        id,
    )
    return _to_job(rows[0]) if rows else None


def advance(session: Session, job: Job, *, done: int, total: int, step: str) -> bool:
    """Note how far a running job has got; says whether it is still wanted."""
    rows = session.rows(
        f"UPDATE job SET done = ?, total = ?, step = ? WHERE {_MINE} RETURNING 1",
        done,
        total,
        step,
        *_mine(job),
    )
    return bool(rows)


def is_running(session: Session, job: Job) -> bool:
    """To be asked inside the transaction that settles it: until its end nobody can take the job away."""
    return bool(session.rows(f"UPDATE job SET step = step WHERE {_MINE} RETURNING 1", *_mine(job)))


def settle(session: Session, job: Job, state: State, *, outcome: Mapping[str, Any], now: int) -> None:
    """Write down what came of a running job; a completed one has taken all its steps."""
    session.run(
        "UPDATE job SET state = ?, outcome = ?, subject_id = ?, settled = ?, "
        f"done = CASE WHEN ? = 'completed' THEN total ELSE done END WHERE {_MINE}",
        state,
        to_text(dict(outcome)),
        outcome.get("entry_id"),
        now,
        state,
        *_mine(job),
    )


def give_back(session: Session, job: Job, *, due: int, count_attempt: bool) -> None:
    """Queue a running job again, to be tried later or by somebody else."""
    session.run(
        f"UPDATE job SET state = 'queued', due = ?, step = ?, done = 0, attempts = attempts - ? WHERE {_MINE}",
        due,
        WAITING,
        0 if count_attempt else 1,
        *_mine(job),
    )


def running(session: Session, collection: str) -> list[Job]:
    rows = session.rows(
        f"SELECT {_COLUMNS} FROM job WHERE collection = ? AND state = 'running' ORDER BY created", collection
    )
    return [_to_job(row) for row in rows]


def unsettled(session: Session, collection: str) -> list[Job]:
    rows = session.rows(
        f"SELECT {_COLUMNS} FROM job WHERE collection = ? AND state IN ('queued', 'running') ORDER BY created",
        collection,
    )
    return [_to_job(row) for row in rows]


def outstanding(session: Session, collection: str, kind: str) -> list[Job]:
    """Those of a kind that wait, run, or failed and were not passed over since; the oldest first."""
    rows = session.rows(
        f"SELECT {_COLUMNS} FROM job WHERE collection = ? AND kind = ? AND (state IN ('queued', 'running') "
        "OR (state = 'failed' AND subject_id IS NULL)) ORDER BY created, id",
        collection,
        kind,
    )
    return [_to_job(row) for row in rows]


def take_stock(session: Session, collection: str) -> tuple[dict[str, int], int | None]:
    """How many jobs wait, run, or failed and were not passed over since; and since when the longest that is due
    waits."""
    rows = session.rows(
        "SELECT state, count(*), min(CASE WHEN due > created THEN due ELSE created END) FROM job WHERE collection = ? "
        "AND (state IN ('queued', 'running') OR (state = 'failed' AND subject_id IS NULL)) GROUP BY state",
        collection,
    )
    oldest = {state: int(since) for state, _, since in rows}
    return {state: int(count) for state, count, _ in rows}, oldest.get("queued")


def revive(session: Session, collection: str, job: Job, *, now: int) -> None:
    """Queue a job that has failed again, as if it had never been tried."""
    session.run(
        "UPDATE job SET state = 'queued', due = ?, step = ?, done = 0, attempts = 0, outcome = NULL, settled = NULL "
        "WHERE collection = ? AND id = ? AND state = 'failed'",
        now,
        WAITING,
        collection,
        job.id,
    )


def pass_over_failed(session: Session, collection: str) -> None:
    """Count what failed so far among nothing any more."""
    session.run("UPDATE job SET subject_id = '' WHERE collection = ? AND state = 'failed'", collection)


def count_unsettled(session: Session, collection: str) -> int:
    sql = "SELECT count(*) FROM job WHERE collection = ? AND state IN ('queued', 'running')"
    return int(scalar(session, sql, collection))


def want_no_more(session: Session, collection: str, id: str, now: int) -> Job | None:
    """Cancel a job that has not ended; whoever runs it sees so before anything of it is kept."""
    session.run(
        "UPDATE job SET state = 'cancelled', settled = ? WHERE collection = ? AND id = ? "
        "AND state IN ('queued', 'running')",
        now,
        collection,
        id,
    )
    return find(session, collection, id)


def forget(session: Session, collection: str, subject_id: str) -> None:
    """Remove the jobs that made something which is being erased."""
    session.run("DELETE FROM job WHERE collection = ? AND subject_id = ?", collection, subject_id)


def prune(session: Session, collection: str, before: int) -> None:
    """Drop what was settled long ago."""
    session.run(
        "DELETE FROM job WHERE collection = ? AND state IN ('completed', 'failed', 'cancelled') AND settled < ?",
        collection,
        before,
    )
