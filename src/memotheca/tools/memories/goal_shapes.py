"""Topics and goals as clients see them."""

from collections import Counter
from dataclasses import dataclass

from memotheca.kernel.citations import citation_of
from memotheca.memory.claims.when import source_of
from memotheca.memory.topics.goal_texts import describe_goal
from memotheca.memory.topics.topics import LEVELS, Field, Topic, TopicMap, confidence_of, level_of
from memotheca.model.clock import to_iso
from memotheca.storage.snapshot import Snapshot
from memotheca.toolkit.fields import choice, integer, number, text, texts

SHOWN_MEMBERS = 5  # chosen: enough to see what a topic is about
SHOWN_SPACES = 3  # chosen: as many as a topic tells
TRENDS = ("growing", "steady", "fading")


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicShape:
    goal_id: str = text()
    name: str = text()
    description: str = text("Its name and the first sentence of its most typical memory.")
    level: str = choice(tuple(level for level, _ in LEVELS), "By its share of all memories.")
    confidence: float = number("By how alike its members are, how many, and on how many occasions they were stored.")
    member_count: int = integer()
    coherence: float = number("The share of pairs of different topics that are less alike than its members.")
    dominant_embedders: tuple[str, ...] = texts("The spaces that see it best.")
    keywords: tuple[str, ...] = texts()
    members: tuple[str, ...] = texts("Citations of its most typical memories.")
    trend: str = choice(TRENDS, "The last four weeks against the four before.")
    stored_last_4_weeks: int = integer()
    stored_4_weeks_before: int = integer()
    parent_id: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalShape:
    goal_id: str = text()
    goal_text: str = text()
    confidence: float = number()
    coherence_score: float = number()
    source: str | None = text("Who said most of it.", nullable=True)
    dominant_embedders: tuple[str, ...] = texts()
    member_count: int = integer()
    share: float = number("Of all memories, when it was found.")
    topics: tuple[str, ...] = texts("The names of its topics, the largest first.")


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundShape:
    memories: int = integer()
    sampled: int = integer("Memories that were compared with each other.")
    counted: int = integer("Memories that were sorted; where that is not all, counts are estimated from them.")
    topics: int = integer()
    unsorted: int = integer("Memories of no topic.")
    found_at: str = text()


def tell_topic(snapshot: Snapshot, known: TopicMap, topic: Topic, parent: str) -> TopicShape:
    half = len(topic.weeks) // 2
    entries = snapshot.living(topic.members[:SHOWN_MEMBERS])
    return TopicShape(
        goal_id=topic.id,
        name=topic.name,
        description=describe_goal(snapshot, topic.name, [topic]),
        level=level_of(topic.count, known.memories),
        confidence=round(topic.confidence(known.memories), 4),
        member_count=topic.count,
        coherence=round(topic.coherence, 4),
        dominant_embedders=topic.spaces,
        keywords=topic.terms,
        members=tuple(citation_of(entries[id]) for id in topic.members if id in entries),
        trend=topic.trend,
        stored_last_4_weeks=sum(topic.weeks[:half]),
        stored_4_weeks_before=sum(topic.weeks[half:]),
        parent_id=parent,
    )


def tell_field(snapshot: Snapshot, known: TopicMap, field: Field, share: float) -> GoalShape:
    """Topics that are, or may be, the goal."""
    members = snapshot.living([id for topic in field.topics for id in topic.members]).values()
    said = Counter(source for entry in members if (source := source_of(entry)))
    spaces = Counter(space for topic in field.topics for space in topic.spaces)
    confidence = confidence_of(field.coherence, field.count, field.occasions, memories=known.memories)
    return GoalShape(
        goal_id=field.id,
        goal_text=describe_goal(snapshot, field.name, field.topics),
        confidence=round(confidence, 4),
        coherence_score=round(field.coherence, 4),
        source=min(said, key=lambda each: (-said[each], each)) if said else None,
        dominant_embedders=tuple(sorted(spaces, key=lambda space: (-spaces[space], space))[:SHOWN_SPACES]),
        member_count=field.count,
        share=round(share, 4),
        topics=tuple(topic.name for topic in field.topics),
    )


def tell_found(known: TopicMap) -> FoundShape:
    return FoundShape(
        memories=known.memories,
        sampled=known.sampled,
        counted=known.counted,
        topics=len(known.topics),
        unsorted=known.unsorted,
        found_at=to_iso(known.time),
    )
