"""Decisions of gates: which score was held against which threshold, and what was decided. Operational, bounded; of what
it was about only the ids."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memotheca.storage.database import Session, scalar

KEPT = 5_000  # chosen: weeks of use, a MB

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
    """Write down what gates decided; the oldest go when there are too many."""
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
    session.run("DELETE FROM gate_decision WHERE collection = ? AND number <= ?", collection, last + len(rows) - KEPT)


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
            node_ids=tuple(json.loads(ids)),
            label=label,
            facts=json.loads(facts),
        )
        for number, time, name, domain, score, value, passed, ids, label, facts in rows
    ]


def label_decisions(session: Session, collection: str, labels: Mapping[int, float]) -> None:
    """Write down of decisions, by their numbers, whether they should have passed."""
    session.run_many(
        "UPDATE gate_decision SET label = ? WHERE collection = ? AND number = ?",
        [(label, collection, number) for number, label in labels.items()],
    )


def drop_decisions(session: Session, collection: str, entry_id: str) -> None:
    """Forget every decision about an entry."""
    session.run("DELETE FROM gate_decision WHERE collection = ? AND node_ids LIKE ?", collection, f'%"{entry_id}"%')
