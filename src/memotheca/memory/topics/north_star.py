"""The goal: the field of topics that most of the memory is about, found and never typed in; its share of what is
stored is what drift is measured against (memory-model: Goals)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from memotheca.kernel.kernel import Kernel
from memotheca.memory.claims.summary import sentences
from memotheca.memory.topics.survey import FEWEST, up_to_date
from memotheca.memory.topics.topics import PREFIX, Field, Topic, TopicMap, confidence_of
from memotheca.memory.tuning.tunings import change_tunings, read_tuning
from memotheca.memory.verbs import Verb
from memotheca.model.commits import Commit
from memotheca.storage.snapshot import Snapshot

GOAL = f"{PREFIX}goal"
SENTENCE = 200  # chosen: a line

BootstrapStatus = Literal["bootstrapped", "already_bootstrapped", "insufficient_data"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """The topics that serve it, the largest first, the share of all memories that they had when it was found, and
    when that was."""

    id: str
    topics: tuple[Topic, ...]
    share: float
    since: int

    @property
    def name(self) -> str:
        return Field(id=self.id, topics=self.topics).name

    @property
    def count(self) -> int:
        return sum(topic.count for topic in self.topics)

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(topic.id for topic in self.topics)


@dataclass(frozen=True, slots=True)
class GoalCandidate:
    """A field that may be the goal, and how sure that is."""

    field: Field
    confidence: float


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """What looking for a goal came to: the goal where there is one, what else it could be, and why there is none."""

    status: BootstrapStatus
    known: TopicMap
    goal: Goal | None
    candidates: tuple[GoalCandidate, ...]
    reason: str = ""
    commit: Commit | None = None


def read_goal(snapshot: Snapshot, known: TopicMap | None) -> Goal | None:
    """The goal; none where nobody found one, or where none of its topics is left."""
    held = read_tuning(snapshot, GOAL)
    if held is None or known is None:
        return None
    there = {topic.id: topic for topic in known.topics}
    topics = tuple(there[id] for id in held.value["topics"] if id in there)
    if not topics:
        return None
    ranked = tuple(sorted(topics, key=lambda topic: (-topic.count, topic.members[0])))
    return Goal(id=str(held.value["id"]), topics=ranked, share=float(held.value["share"]), since=held.time)


def bootstrap_goal(kernel: Kernel, *, least: float, actor: str) -> Bootstrap:
    """Find the goal in what is stored, where none was found yet; one transaction, which can be taken back."""
    known = up_to_date(kernel)
    with kernel.read() as snapshot:
        goal = read_goal(snapshot, known)
    candidates = weigh_fields(known)
    if goal is not None:
        return Bootstrap("already_bootstrapped", known, goal, candidates)
    best = next((each for each in candidates if each.confidence >= least), None)
    if best is None:
        return Bootstrap("insufficient_data", known, None, candidates, _why_none(known, candidates, least))
    share = best.field.count / max(known.memories, 1)
    found = Goal(id=best.field.id, topics=best.field.topics, share=share, since=0)
    rationale = f"{best.field.count} of {known.memories} memories are about {best.field.name}."
    commit = set_goal(kernel, found, rationale, actor=actor)
    with kernel.read() as snapshot:
        return Bootstrap("bootstrapped", known, read_goal(snapshot, known), candidates, commit=commit)


def set_goal(kernel: Kernel, goal: Goal, rationale: str, *, actor: str) -> Commit | None:
    """Which topics serve the goal, and their share of all; of what is stored, ids alone are written down. A topic of
    the goal is known again by its members, also where the data has moved to another place."""
    value = {"id": goal.id, "topics": [topic.id for topic in goal.topics], "share": round(goal.share, 4)}
    changes: dict[str, Mapping[str, Any]] = {GOAL: value}
    for topic in goal.topics:
        changes[PREFIX + topic.id] = {"name": topic.given_name, "rejected": False, "members": list(topic.members)}
    return change_tunings(kernel, changes, verb=Verb.TUNE, actor=actor, rationale=rationale)


def weigh_fields(known: TopicMap) -> tuple[GoalCandidate, ...]:
    """The fields, the largest first, and how sure each is."""
    weighed = [
        GoalCandidate(field, confidence_of(field.coherence, field.count, field.occasions, memories=known.memories))
        for field in known.fields
    ]
    return tuple(
        sorted(weighed, key=lambda each: (-each.field.count, -each.confidence, each.field.topics[0].members[0]))
    )


def _why_none(known: TopicMap, candidates: Sequence[GoalCandidate], least: float) -> str:
    if known.memories < FEWEST:
        return f"{known.memories} memories are stored; topics are looked for among {FEWEST} or more."
    if not candidates:
        return f"No four of {known.memories} memories are about one subject."
    surest = max(candidates, key=lambda each: each.confidence)
    return f"The surest is {surest.field.name} with {surest.confidence:.2f}; {least:.2f} was asked for."


def describe_goal(snapshot: Snapshot, name: str, topics: Sequence[Topic]) -> str:
    """Its words, and the first sentence of what is most like the rest of it."""
    entry = next((each for id in topics[0].members if (each := snapshot.entry(id)) is not None), None)
    said = next(iter(sentences(entry.body)), "") if entry is not None else ""
    return f"{name}: {said[:SENTENCE]}" if said else name
