"""Tell how the memory does, for a page."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.topics.topics import Topic, TopicMap
from memotheca.model.clock import to_iso
from memotheca.storage.instruments.work_events import WorkEvent
from memotheca.toolkit.fields import flag, integer, integers, many, number, one, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.console.wording import count
from memotheca.views.memory_view import look_at_memory, tell_dream

LONGEST = 200  # chosen: a question in a line or two
SHOWN_TERMS = 6  # chosen: what a topic is about, at a glance
SHOWN_TRANSACTIONS = 50  # chosen: more than a dream makes


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    limit: int = integer("How many topics, and how many questions, at most", 12, minimum=1, maximum=50)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicShape:
    id: str = text()
    name: str = text()
    terms: tuple[str, ...] = texts()
    count: int = integer()
    share: float = number()
    trend: str = text()
    weeks: tuple[int, ...] = integers("How many memories came each week, the newest last")
    coherence: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedShape:
    query: str = text()
    at: str = text()
    times: int = integer()
    why: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class DreamShape:
    id: str = text()
    at: str = text()
    phase: str = text()
    completed: bool = flag()
    reason: str = text()
    dry_run: bool = flag()
    duration_ms: int = integer()
    did: tuple[str, ...] = texts("In words")
    recall_before: float | None = number(nullable=True)
    recall_after: float | None = number(nullable=True)
    path_length_before: float | None = number(nullable=True)
    path_length_after: float | None = number(nullable=True)
    tasks_opened: int = integer()
    transactions: tuple[int, ...] = integers("To be undone one by one")


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    memories: int = integer()
    topics: tuple[TopicShape, ...] = many(TopicShape)
    topics_total: int = integer()
    topics_at: str | None = text(nullable=True)
    unsorted: int = integer("Memories that belong to no topic")
    asked: int = integer("How many of the newest questions were looked at")
    missed: tuple[MissedShape, ...] = many(MissedShape)
    missed_total: int = integer()
    dreams: int = integer("How many went through")
    is_dreaming: bool = flag()
    dream: DreamShape | None = one(DreamShape, "The last one that ended", nullable=True)


EXAMPLE = Example(
    arguments={},
    after=(
        ("store_memory", {"content": "The nightly job takes the lock.", "rationale": "Seen in the log."}),
        ("trigger_dream", {"blocking": True}),
    ),
)


@tool(contract="console", effect="read", models=(Input, Output), example=EXAMPLE)
def console_memory(call: Call[Kernel], input: Input) -> Answer:
    """Tell of the memory: its topics and how they grow or fade, what was asked and not found, and what the last dream
    did."""
    state = look_at_memory(call.kernel)
    known, ended = state.topics, state.dreams.ended
    topics = () if known is None else known.topics
    output = Output(
        memories=state.memories,
        topics=tuple(_topic(topic, known) for topic in topics[: input.limit]) if known is not None else (),
        topics_total=len(topics),
        topics_at=None if known is None else to_iso(known.time),
        unsorted=state.memories if known is None else known.unsorted,
        asked=state.asked,
        missed=tuple(
            MissedShape(query=each.query[:LONGEST], at=to_iso(each.at), times=each.times, why=each.why)
            for each in state.missed[: input.limit]
        ),
        missed_total=len(state.missed),
        dreams=state.dreams.completed,
        is_dreaming=state.is_dreaming,
        dream=None if ended is None else _dream(ended),
    )
    return Answer(f"{count(len(topics), 'topic')}, {count(len(state.missed), 'question')} missed.", content=output)


def _topic(topic: Topic, known: TopicMap) -> TopicShape:
    return TopicShape(
        id=topic.id,
        name=topic.name,
        terms=topic.terms[:SHOWN_TERMS],
        count=topic.count,
        share=round(topic.count / max(known.memories, 1), 4),
        trend=topic.trend,
        weeks=topic.weeks[::-1],
        coherence=round(topic.coherence, 4),
    )


def _dream(ended: WorkEvent) -> DreamShape:
    told = ended.facts
    return DreamShape(
        id=ended.run,
        at=to_iso(ended.time),
        phase=told["phase"],
        completed=told["completed"],
        reason=told["wake_reason"],
        dry_run=told["dry_run"],
        duration_ms=told["duration_ms"],
        did=tuple(tell_dream(told)),
        recall_before=told["recall_before"],
        recall_after=told["recall_after"],
        path_length_before=told["path_length_before"],
        path_length_after=told["path_length_after"],
        tasks_opened=told["tasks_opened"],
        transactions=tuple(told["transactions"][:SHOWN_TRANSACTIONS]),
    )
