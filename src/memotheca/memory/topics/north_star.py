"""The goal: the field of topics that most of the memory is about, found and never typed in; its share of what is
stored is what drift is measured against (memory-model: Goals)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.memory.topics.topics import PREFIX, Field, Topic, TopicMap
from memotheca.memory.tuning.tunings import change_tunings, read_tuning
from memotheca.memory.verbs import Verb
from memotheca.model.commits import Commit
from memotheca.storage.snapshot import Snapshot

GOAL = f"{PREFIX}goal"


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


def set_goal(kernel: Kernel, goal: Goal, rationale: str, *, actor: str) -> Commit | None:
    """Which topics serve the goal, and their share of all; of what is stored, ids alone are written down. A topic of
    the goal is known again by its members, also where the data has moved to another place."""
    value = {"id": goal.id, "topics": [topic.id for topic in goal.topics], "share": round(goal.share, 4)}
    changes: dict[str, Mapping[str, Any]] = {GOAL: value}
    for topic in goal.topics:
        changes[PREFIX + topic.id] = {"name": topic.given_name, "rejected": False, "members": list(topic.members)}
    return change_tunings(kernel, changes, verb=Verb.TUNE, actor=actor, rationale=rationale)
