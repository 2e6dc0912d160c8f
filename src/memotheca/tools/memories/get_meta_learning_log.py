"""The log of learning."""

import time
from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.validity import moment
from memotheca.memory.outcomes.learning_log import EVENT_TYPES, LearningEvent, LearningLogFilter, read_learning
from memotheca.memory.tuning.thresholds import DOMAINS
from memotheca.model.clock import to_iso
from memotheca.toolkit.fields import UNSET, choice, flag, integer, many, number, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    start_time: str = text("ISO-8601.", UNSET, maxLength=64)
    end_time: str = text("ISO-8601.", UNSET, maxLength=64)
    event_type: str = choice(EVENT_TYPES, "", UNSET)
    domain: str = choice(DOMAINS, "", UNSET)
    limit: int = integer("", 100, minimum=1, maximum=1000)
    offset: int = integer("", 0, minimum=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventShape:
    id: int = integer()
    type: str = choice(EVENT_TYPES)
    time: str = text()
    domain: str = text()
    before: float | None = number("λ of novelty.", nullable=True)
    after: float | None = number(nullable=True)
    error: float | None = number(nullable=True)
    note: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    events: tuple[EventShape, ...] = many(EventShape, "Newest first.")
    total_count: int = integer()
    has_more: bool = flag()
    query_time_ms: float = number()


EXAMPLE = Example(
    arguments={"limit": 5},
    after=(
        ("store_memory", {"content": "The heron nests on the island.", "rationale": "Seen on Tuesday."}),
        ("inject_context", {"query": "Where does the heron nest?"}),
        ("observe_outcome", {"prediction_id": "$prediction_id", "actual_outcome": 0}),
    ),
)


@tool(contract="memories", component="gwt", effect="read", models=(Input, Output), example=EXAMPLE)
def get_meta_learning_log(call: Call[Kernel], input: Input) -> Answer:
    """What was learned from outcomes in the last seven days: adjustments of λ, accuracy that fell and rose again."""
    began = time.perf_counter()
    asked = LearningLogFilter(
        since=moment(input.start_time, "start_time") if input.start_time else None,
        until=moment(input.end_time, "end_time") if input.end_time else None,
        type=input.event_type or None,
        domain=input.domain or None,
    )
    kernel = call.kernel
    with kernel.store.database.read() as session:
        events = read_learning(session, kernel.collection, asked, now=kernel.now())
    page = events[input.offset : input.offset + input.limit]
    output = Output(
        events=tuple(map(_event, page)),
        total_count=len(events),
        has_more=len(events) > input.offset + len(page),
        query_time_ms=round((time.perf_counter() - began) * 1000, 3),
    )
    return Answer("\n".join(map(_line, page)) or "Nothing was learned in the last seven days.", NODES, output)


def _event(event: LearningEvent) -> EventShape:
    return EventShape(
        id=event.number,
        type=event.type,
        time=to_iso(event.time),
        domain=event.domain,
        before=event.before,
        after=event.after,
        error=event.error,
        note=event.note,
    )


def _line(event: LearningEvent) -> str:
    moved = "" if event.before is None or event.after is None else f", λS {event.before:.3f} to {event.after:.3f}"
    return f"{to_iso(event.time)} {event.type} ({event.domain}): {event.note}{moved}"
