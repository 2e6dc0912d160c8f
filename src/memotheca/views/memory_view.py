"""How the memory does: its topics over time, what it was asked and did not know, and what its last dream did."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memotheca.jobs.workbench import Workbench
from memotheca.kernel.kernel import Kernel
from memotheca.memory.dream.dream_log import LastDreams, read_dreams
from memotheca.memory.dream.sleeper import is_somebody_dreaming
from memotheca.memory.session.state import activity_of
from memotheca.memory.topics.topics import TopicMap, read_topics
from memotheca.model.kinds import MEMORY
from memotheca.storage.instruments.retrievals import RetrievalRow

LOOKED_AT = 500  # chosen: some weeks of questions, read in a moment
UNHELPFUL = 0.5  # chosen: less than half of what was hoped for
NOTHING, NO_HELP = "nothing was found", "it did not help"


@dataclass(frozen=True, slots=True)
class MissedQuestion:
    """A question that found nothing, or nothing that helped: how often it was put, and when last."""

    query: str
    at: int
    times: int
    why: str


@dataclass(frozen=True, slots=True)
class MemoryState:
    """What the memory knows of itself."""

    memories: int
    topics: TopicMap | None
    asked: int
    missed: list[MissedQuestion]
    dreams: LastDreams
    is_dreaming: bool


def look_at_memory(kernel: Kernel) -> MemoryState:
    with kernel.read() as snapshot:
        asked = activity_of(kernel).retrievals.last(snapshot.session, snapshot.collection, limit=LOOKED_AT)
        dreams = read_dreams(snapshot.session, snapshot.collection)
        topics = read_topics(kernel, snapshot)
        memories = snapshot.count("entry", (MEMORY,))
    is_under_way = dreams.newest is not None and dreams.newest.phase != "ended"
    can_tell = kernel.parts.find(Workbench) is not None
    return MemoryState(
        memories=memories,
        topics=topics,
        asked=len(asked),
        missed=_missed(asked),
        dreams=dreams,
        is_dreaming=is_under_way and can_tell and is_somebody_dreaming(kernel),
    )


def _missed(asked: Sequence[RetrievalRow]) -> list[MissedQuestion]:
    """Each question once, by how it ended last; what was answered since is missed no more."""
    last: dict[str, RetrievalRow] = {}
    times: dict[str, int] = {}
    for row in asked:
        if not (query := row.query.strip()):
            continue
        last.setdefault(query, row)
        times[query] = times.get(query, 0) + bool(_why(row))
    return [MissedQuestion(query, row.time, times[query], why) for query, row in last.items() if (why := _why(row))]


def _why(row: RetrievalRow) -> str:
    if not row.shown:
        return NOTHING
    return NO_HELP if row.outcome is not None and row.outcome < UNHELPFUL else ""


# What a dream counts, in the words of whoever reads of it.
COUNTED = (
    ("nrem", "memories_replayed", "went through", "thing", "things"),
    ("nrem", "links_found", "found", "missing link", "missing links"),
    ("nrem", "edges_strengthened", "strengthened", "edge", "edges"),
    ("nrem", "edges_weakened", "weakened", "edge", "edges"),
    ("nrem", "edges_pruned", "let go of", "edge", "edges"),
    ("nrem", "duplicates_found", "found", "duplicate", "duplicates"),
    ("nrem", "updates_found", "found", "newer value", "newer values"),
    ("nrem", "disputes_found", "found", "dispute", "disputes"),
    ("rem", "queries_generated", "asked itself", "question", "questions"),
    ("rem", "blind_spots_found", "found", "blind spot", "blind spots"),
)


def tell_dream(report: Mapping[str, Any]) -> Iterator[str]:
    """What a dream did, thing by thing; what it did not do is not told."""
    for phase, name, verb, one, several in COUNTED:
        counts: Mapping[str, int] = report.get(phase) or {}
        if number := counts.get(name):
            yield f"{verb} {number:,} {one if number == 1 else several}"
    if number := report.get("shortcuts_created"):
        yield f"made {number:,} {'shortcut' if number == 1 else 'shortcuts'}"
