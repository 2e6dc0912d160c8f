"""The log of learning: what was adjusted, when accuracy fell and rose again; bounded, operational (memory-model:
Learning log)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from memotheca.model.clock import DAY
from memotheca.storage.database import Session
from memotheca.storage.instruments.work_events import KEPT, WorkEvent, add_work_events, newest_work_events

LearningEventType = Literal[
    "lambda_adjustment", "bayesian_escalation", "accuracy_alert", "accuracy_recovery", "weight_clamped"
]
EVENT_TYPES: tuple[LearningEventType, ...] = get_args(LearningEventType)
WORK = "learning"
LASTING = 7 * DAY  # specification (memory-model: Learning log)
RECENT = DAY  # chosen: what a status tells of


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningEvent:
    """Something that was learned or noticed: λ_S, the weight of novelty, before and after, and the error behind it."""

    type: LearningEventType
    time: int
    domain: str
    before: float | None = None
    after: float | None = None
    error: float | None = None
    note: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningLogFilter:
    since: int | None = None
    until: int | None = None
    type: str | None = None
    domain: str | None = None

    def wants(self, event: LearningEvent) -> bool:
        return (
            (self.since is None or event.time >= self.since)
            and (self.until is None or event.time <= self.until)
            and self.type in (None, event.type)
            and self.domain in (None, event.domain)
        )


def log_learning(session: Session, collection: str, events: Sequence[LearningEvent]) -> None:
    if events:
        add_work_events(session, collection, [_to_row(event) for event in events])


def read_learning(session: Session, collection: str, asked: LearningLogFilter, *, now: int) -> list[LearningEvent]:
    """The events of the last seven days that are asked for, newest first."""
    rows = newest_work_events(session, collection, WORK, limit=KEPT)
    events = [_from_row(row) for row in rows if row.time >= now - LASTING]
    return [event for event in events if asked.wants(event)]


def _to_row(event: LearningEvent) -> WorkEvent:
    facts: dict[str, Any] = {
        "domain": event.domain,
        "before": event.before,
        "after": event.after,
        "error": event.error,
        "note": event.note,
    }
    return WorkEvent(time=event.time, work=WORK, run=event.domain, phase=event.type, facts=facts)


def _from_row(row: WorkEvent) -> LearningEvent:
    type: Any = row.phase
    return LearningEvent(type=type, time=row.time, number=row.number, **row.facts)
