"""Topics: groups of memories about one subject as they were found last, with what people said of them (memory-model:
Topics)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.kernel.kernel import Kernel
from memotheca.memory.topics.lens import Lens, from_text, lens_from, to_text
from memotheca.memory.tuning.tunings import change_tunings, read_tunings
from memotheca.memory.verbs import Verb
from memotheca.model.clock import DAY
from memotheca.model.commits import Commit
from memotheca.model.errors import Failure, Refusal
from memotheca.storage.activity import FINDINGS, read_stamp, read_state
from memotheca.storage.snapshot import Snapshot
from memotheca.text.caches import LruCache

Array = NDArray[Any]

STATE, STATE_AT = FINDINGS
PREFIX = "topic:"
WORK = "topics"
FEWEST = 12  # chosen: what fewer memories have in common may be chance
AGAIN = DAY  # specification: drift is looked at daily
GROWN = 2  # chosen: a young memory is another one within hours; each time costs as much as all before together
WEEKS = 8  # chosen: two months, half of which are compared with the other half
PLACED = 4096  # chosen: memory of a process; more than is looked at lately
NAMED = 3  # chosen: terms of a name
# How much of everything a topic is, by the word for it: specification, of the share instead of the size (memory-model:
# Topics).
LEVELS = (("NorthStar", 0.25), ("Strategic", 0.1), ("Tactical", 0.05), ("Operational", 0.0))
# What its confidence is made of: how alike its members are, how many, on how many occasions they were stored.
ALIKE, MANY, SPREAD = 0.4, 0.3, 0.3  # specification (memory-model: Topics)
OCCASIONS = 5  # chosen: sessions or days; what was told once may be one text in pieces
ENOUGH, QUARTER = 5, 0.25  # specification (memory-model: Topics)


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A subject: its words, its members nearest to its middle first (a few of them), how many it has and had in each
    of the last weeks, the newest first, how alike they are by the share of pairs of
    different topics that are less alike, on how many
    occasions they were stored, which spaces see it, and to which field it belongs."""

    id: str
    found_name: str
    terms: tuple[str, ...]
    members: tuple[str, ...]
    count: int
    weeks: tuple[int, ...]
    coherence: float
    occasions: int
    spaces: tuple[str, ...]
    field: str
    middle: Array
    given_name: str = ""
    is_rejected: bool = False

    @property
    def name(self) -> str:
        return self.given_name or self.found_name

    @property
    def trend(self) -> str:
        """Whether the last four weeks brought clearly more or less than the four before."""
        half = WEEKS // 2
        late, early = sum(self.weeks[:half]), sum(self.weeks[half:])
        if abs(late - early) <= 2 * (late + early) ** 0.5:
            return "steady"
        return "growing" if late > early else "fading"

    def confidence(self, memories: int) -> float:
        return confidence_of(self.coherence, self.count, self.occasions, memories=memories)

    def to_json(self) -> dict[str, Any]:
        plain = ("id", "found_name", "terms", "members", "count", "weeks", "coherence", "occasions", "spaces", "field")
        return {**{name: getattr(self, name) for name in plain}, "middle": to_text(self.middle)}


def confidence_of(coherence: float, count: int, occasions: int, *, memories: int) -> float:
    size = min(1.0, count / max(ENOUGH, QUARTER * memories))
    return ALIKE * coherence + MANY * size + SPREAD * min(1.0, occasions / OCCASIONS)


def level_of(count: int, memories: int) -> str:
    share = count / max(memories, 1)
    return next(level for level, least in LEVELS if share >= least)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """Topics that are near each other: the largest first."""

    id: str
    topics: tuple[Topic, ...]

    @property
    def count(self) -> int:
        return sum(topic.count for topic in self.topics)

    @property
    def coherence(self) -> float:
        """That of its topics, each by its size."""
        return sum(topic.coherence * topic.count for topic in self.topics) / max(self.count, 1)

    @property
    def occasions(self) -> int:
        return max(topic.occasions for topic in self.topics)

    @property
    def name(self) -> str:
        """What its largest topics are called, without words said twice."""
        said = [term for topic in self.topics[:NAMED] for term in topic.name.split(", ")[:2]]
        return ", ".join(dict.fromkeys(said))


@dataclass(frozen=True, kw_only=True)
class TopicMap:
    """The topics of a collection as they were found last: when and at which transaction, of how many memories, how many
    of them were compared with each other and how many sorted, how well the groups stand apart, and through which lens
    entries are seen."""

    time: int
    tx: int
    memories: int
    sampled: int
    counted: int
    silhouette: float
    cut: float
    lens: Lens
    found: tuple[Topic, ...]

    @cached_property
    def topics(self) -> tuple[Topic, ...]:
        """Those that nobody has rejected, the largest first."""
        return tuple(topic for topic in self.found if not topic.is_rejected)

    @cached_property
    def by_id(self) -> Mapping[str, Topic]:
        return {topic.id: topic for topic in self.found}

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        held: dict[str, list[Topic]] = {}
        for topic in self.topics:
            held.setdefault(topic.field, []).append(topic)
        made = [Field(id=field_id(topics[0]), topics=tuple(topics)) for topics in held.values()]
        return tuple(sorted(made, key=lambda field: (-field.count, field.topics[0].members[0])))

    @property
    def unsorted(self) -> int:
        """Memories that belong to no topic."""
        return max(0, self.memories - sum(topic.count for topic in self.topics))

    def place(self, rows: Array) -> list[str]:
        """The topic of each of some entries as the lens shows them, empty where they are about none."""
        if not self.found or not len(rows):
            return [""] * len(rows)
        near = rows @ np.array([topic.middle for topic in self.found], np.float32).T
        best: list[int] = near.argmax(1).tolist()
        return [self.found[at].id if near[place, at] >= self.cut else "" for place, at in enumerate(best)]

    def to_json(self) -> dict[str, Any]:
        plain = ("time", "tx", "memories", "sampled", "counted", "silhouette", "cut")
        return {
            **{name: getattr(self, name) for name in plain},
            "lens": self.lens.to_json(),
            "topics": [topic.to_json() for topic in self.found],
        }


def field_id(largest: Topic) -> str:
    return largest.id.replace("topic", "goal", 1)


def _topic_from(held: Mapping[str, Any]) -> Topic:
    lists = {name: tuple(held[name]) for name in ("terms", "members", "weeks", "spaces")}
    told: dict[str, Any] = {**held, **lists, "middle": from_text(held["middle"])}
    return Topic(**told)


def map_from(held: Mapping[str, Any]) -> TopicMap:
    found = tuple(map(_topic_from, held["topics"]))
    told = {name: value for name, value in held.items() if name not in ("lens", "topics")}
    return TopicMap(**told, lens=lens_from(held["lens"]), found=found)


class HeldTopics:
    """What this process has read of the topics, and where it has placed entries since."""

    def __init__(self) -> None:
        self.stamp: int | None = None
        self.map: TopicMap | None = None
        self.placed: LruCache[tuple[int, str, int], str] = LruCache(PLACED)


def read_topics(kernel: Kernel, snapshot: Snapshot) -> TopicMap | None:
    """The topics as they were found last, with what people said of them by this snapshot; None where nobody looked."""
    held = kernel.keep(HeldTopics, kernel.collection)
    stamp = read_stamp(snapshot.session, snapshot.collection, STATE)
    if stamp is None:
        return None
    if stamp != held.stamp or held.map is None:
        kept = read_state(snapshot.session, snapshot.collection, STATE)
        held.map, held.stamp = map_from(kept), stamp
    said = {name.removeprefix(PREFIX): each.value for name, each in read_tunings(snapshot, PREFIX).items()}
    return replace(held.map, found=tuple(_as_said(topic, said.get(topic.id, {})) for topic in held.map.found))


def _as_said(topic: Topic, said: Mapping[str, Any]) -> Topic:
    if not said:
        return topic
    return replace(topic, given_name=str(said.get("name", "")), is_rejected=bool(said.get("rejected")))


def find_topic(known: TopicMap | None, id: str, *, field: str) -> Topic:
    found = None if known is None else known.by_id.get(id)
    if found is None:
        raise Refusal(Failure.NOT_FOUND, f"There is no topic {id!r}.", field=field)
    return found


def say_of_topic(
    kernel: Kernel, topic: Topic, *, name: str | None = None, rejected: bool | None = None, actor: str
) -> Commit | None:
    """Rename a topic, reject it or take that back; what is said stays with it however often topics are found anew."""
    given = topic.given_name if name is None else name.strip()
    is_rejected = topic.is_rejected if rejected is None else rejected
    value = {"name": given, "rejected": is_rejected, "members": list(topic.members)}
    told = "rejected" if rejected else "accepted" if rejected is not None else "renamed"
    rationale = f"Somebody has {told} the topic {topic.name!r}."
    return change_tunings(kernel, {PREFIX + topic.id: value}, verb=Verb.TUNE, actor=actor, rationale=rationale)
