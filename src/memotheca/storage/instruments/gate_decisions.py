"""Decisions of gates: which score was held against which threshold, and what was decided. Operational, bounded; of what
it was about only the ids."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memotheca.storage.database import Session, scalar

KEPT = 300  # chosen: of each threshold, so that what decides with every call pushes out nothing else

TABLES = (
    """CREATE TABLE gate_decision (
        collection TEXT NOT NULL,
        number BIGINT NOT NULL,
        time BIGINT NOT NULL,
        threshold TEXT NOT NULL,
        domain TEXT NOT NULL,
        score REAL NOT NULL,
        value REAL NOT NULL,
        passed BIGINT NOT NULL,
        node_ids TEXT NOT NULL,
        label REAL,
        facts TEXT NOT NULL,
        PRIMARY KEY (collection, number)
    )""",
    "CREATE INDEX gate_decision_by_threshold ON gate_decision (collection, threshold, number)",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision:
    """A score that was held against a threshold, whether it passed, about which entries, and, where that is known by
    now, whether it should have: 1 or 0."""

    time: int
    threshold: str
    domain: str
    score: float
    value: float
    passed: bool
    node_ids: tuple[str, ...] = ()
    label: float | None = None
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    number: int = 0


def log_decisions(session: Session, collection: str, rows: Sequence[GateDecision]) -> None:
    """Write down what gates decided; the oldest of a threshold go when it has too many."""
    last = int(scalar(session, "SELECT coalesce(max(number), 0) FROM gate_decision WHERE collection = ?", collection))
    session.run_many(
        "INSERT INTO gate_decision (collection, number, time, threshold, domain, score, value, passed, node_ids, "
        "label, facts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                collection,
                last + place,
                row.time,
                row.threshold,
                row.domain,
                row.score,
                row.value,
                int(row.passed),
                json.dumps(row.node_ids),
                row.label,
                json.dumps(dict(row.facts)),
            )
            for place, row in enumerate(rows, 1)
        ],
    )
    of_one = "SELECT number FROM gate_decision WHERE collection = ? AND threshold = ?"
    session.run_many(
        "DELETE FROM gate_decision WHERE collection = ? AND threshold = ? AND number <= "
        f"coalesce(({of_one} ORDER BY number DESC LIMIT 1 OFFSET ?), 0)",
        [(collection, name, collection, name, KEPT) for name in sorted({row.threshold for row in rows})],
    )


def read_decisions(session: Session, collection: str, threshold: str, *, since: int, limit: int) -> list[GateDecision]:
    """What was decided by a threshold, newest first."""
    rows = session.rows(
        "SELECT number, time, threshold, domain, score, value, passed, node_ids, label, facts FROM gate_decision "
        "WHERE collection = ? AND threshold = ? AND time >= ? ORDER BY number DESC LIMIT ?",
        collection,
        threshold,
        since,
        limit,
    )
    return [
        GateDecision(
            number=int(number),
            time=int(time),
            threshold=name,
            domain=domain,
            score=score,
            value=value,
            passed=bool(passed),
            node_ids=_ids(ids),
            label=label,
            facts={} if facts == "{}" else json.loads(facts),
        )
        for number, time, name, domain, score, value, passed, ids, label, facts in rows
    ]


def _ids(written: str) -> tuple[str, ...]:
    """A list of ids, which have nothing to escape: read without a parser, since there are thousands."""
    return tuple(written[2:-2].split('", "')) if len(written) > len("[]") else ()


@dataclass(frozen=True, slots=True)
class ScoreTally:
    """Of the decisions of a threshold in a domain: how many there are, and the sums of their scores and squares."""

    threshold: str
    domain: str
    is_fresh: bool
    count: int
    total: float
    squares: float


def tally_decisions(session: Session, collection: str, since: int) -> list[ScoreTally]:
    """How many decisions of each threshold and domain are written down, those from a moment on apart."""
    rows = session.rows(
        "SELECT threshold, domain, time >= ?, count(*), sum(score), sum(score * score) FROM gate_decision "
        "WHERE collection = ? GROUP BY 1, 2, 3",
        since,
        collection,
    )
    return [ScoreTally(name, domain, bool(fresh), int(count), *sums) for name, domain, fresh, count, *sums in rows]


def drop_decisions(session: Session, collection: str, entry_id: str) -> None:
    """Forget every decision about an entry."""
    session.run("DELETE FROM gate_decision WHERE collection = ? AND node_ids LIKE ?", collection, f'%"{entry_id}"%')
