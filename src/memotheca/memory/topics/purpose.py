"""Purpose: which topics a text serves, and how near it is to the goal in each space that can tell (memory-model:
Purpose)."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.nodes import find_node
from memotheca.memory.session.state import activity_of
from memotheca.memory.spaces.all_spaces import Gallery
from memotheca.memory.spaces.fusion_weights import PAIRS, fuse_weights, group_values
from memotheca.memory.spaces.space import Hung
from memotheca.memory.spaces.space_table import COUNT, IDS, SPACES
from memotheca.memory.standing.probe import hang_question
from memotheca.memory.standing.sample import hang
from memotheca.memory.topics.entry_topics import see_entries
from memotheca.memory.topics.lens_terms import terms_of
from memotheca.memory.topics.missing_goal import NoGoal
from memotheca.memory.topics.north_star import Goal, read_goal
from memotheca.memory.topics.topics import TopicMap, read_topics
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import MEMORY
from memotheca.model.knowledge import Entry
from memotheca.storage.activity import KEPT_VECTORS, OF_ENTRY, drop_states
from memotheca.storage.snapshot import Snapshot

Array = NDArray[Any]
Values = tuple[float | None, ...]

MOST_KEPT = 500  # chosen: those that somebody may still speak of
TYPICAL = 6  # chosen: the goal's memories that a text is compared with
SPEAKS = 0.1  # specification (memory-model: Purpose)
_ONES, _OTHERS = np.array(PAIRS).T


@dataclass(frozen=True, slots=True, kw_only=True)
class PurposeVector:
    """How near a text is to the goal in each space, of how near its own memories are to each other, None where a space
    cannot tell; and how much of each topic it has, by id."""

    values: Values
    topics: Mapping[str, float]

    @property
    def groups(self) -> dict[str, float | None]:
        return group_values(self.values)

    @property
    def plain(self) -> Array:
        return np.array([value or 0.0 for value in self.values])

    @property
    def coverage(self) -> float:
        """The share of spaces that tell something."""
        return sum((value or 0.0) > SPEAKS for value in self.values) / COUNT

    @property
    def confidence(self) -> float:
        known = [value for value in self.values if value is not None]
        groups = [value for value in self.groups.values() if value is not None]
        if not known:
            return 0.0
        return (sum(known) / len(known) + sum(groups) / len(groups)) / 2 * self.coverage

    @property
    def coherence(self) -> float | None:
        """How far the spaces agree: 1 where all say the same."""
        known = [value for value in self.values if value is not None]
        return 1 / (1 + float(np.std(known))) if known else None

    def pairs(self, together: Array) -> Array:
        """For each pair of spaces, how clearly both speak, times how far they belong together."""
        matrix = np.outer(self.plain, self.plain) * together
        return matrix[_ONES, _OTHERS]

    def weighed(self, weights: Sequence[float]) -> "PurposeVector":
        values = tuple(
            None if value is None else value * weight * COUNT
            for value, weight in zip(self.values, weights, strict=True)
        )
        return PurposeVector(values=values, topics=self.topics)


@dataclass(frozen=True, slots=True)
class PurposeGround:
    """What purposes are measured against."""

    known: TopicMap
    goal: Goal
    gallery: Gallery


def purpose_ground(kernel: Kernel, snapshot: Snapshot) -> PurposeGround:
    known = read_topics(kernel, snapshot)
    goal = read_goal(snapshot, known)
    if known is None or goal is None:
        raise NoGoal
    typical = [id for topic in goal.topics for id in topic.members[: max(2, TYPICAL // len(goal.topics))]][:TYPICAL]
    members = list(snapshot.living(typical).values())
    return PurposeGround(known, goal, Gallery(hang(snapshot, members, with_walks=False)))


def purposes_of(ground: PurposeGround, probes: Sequence[Hung], entries: Sequence[Entry]) -> list[PurposeVector]:
    """The purposes of some texts, each as all spaces see it."""
    gallery, found = ground.gallery, np.full((len(probes), COUNT), np.nan)
    for space in range(COUNT):
        if not SPACES[space].sees_content or len(gallery) < 2 or SPACES[space].id == "E8":
            continue
        matrix = gallery.matrix(space)
        own = float((matrix.sum() - np.trace(matrix)) / (len(gallery) * (len(gallery) - 1)))
        if own > 0:
            speaks = gallery.speaking(space, probes)
            near = gallery.nearness_of(space, probes).mean(1) / own
            found[:, space] = np.where(speaks, np.clip(near, 0.0, 1.0), np.nan)
    rows = ground.known.lens.see([terms_of(entry) for entry in entries], [probe.vector for probe in probes])
    served = _served(ground.known, rows)
    return [
        PurposeVector(
            values=tuple(None if np.isnan(value) else round(float(value), 4) for value in row), topics=served[place]
        )
        for place, row in enumerate(found)
    ]


def _served(known: TopicMap, rows: Array) -> list[dict[str, float]]:
    """The topics that a text is as near to as their members are, with how near, of their own; the nearest first."""
    result: list[dict[str, float]] = []
    own = np.array([max(float(topic.middle @ topic.middle), 1e-9) for topic in known.topics])
    middles = np.array([topic.middle for topic in known.topics], np.float32)
    for row in rows:
        near = middles @ row
        values: list[float] = near.tolist()
        order = sorted((at for at in range(len(values)) if values[at] >= known.cut), key=lambda at: -values[at])
        result.append({known.topics[at].id: round(min(1.0, values[at] / float(own[at])), 4) for at in order})
    return result


def purpose_of_text(kernel: Kernel, snapshot: Snapshot, ground: PurposeGround, content: str) -> PurposeVector:
    now = kernel.now()
    draft = Entry(id="", kind=MEMORY, title="", body=content, created_at=now, updated_at=now)
    return purposes_of(ground, [hang_question(kernel, snapshot, content)], [draft])[0]


def purpose_of_memory(kernel: Kernel, snapshot: Snapshot, entry: Entry) -> PurposeVector:
    ground = purpose_ground(kernel, snapshot)
    return purposes_of(ground, hang(snapshot, [entry], with_walks=False), [entry])[0]


@dataclass(frozen=True, slots=True)
class GoalNearness:
    """How near an entry is to the goal: the cosine with the nearest of its topics, as topics see texts; and that, of
    how near this topic's members are to it, at most 1."""

    cosine: float
    alignment: float


def nearness_to_goal(kernel: Kernel, snapshot: Snapshot, entries: Sequence[Entry]) -> dict[str, GoalNearness] | None:
    """How near entries are to the goal, by id; None where there is no goal."""
    known = read_topics(kernel, snapshot)
    goal = read_goal(snapshot, known)
    if known is None or goal is None or not entries:
        return None if goal is None else {}
    middles = np.array([topic.middle for topic in goal.topics], np.float32)
    lengths = np.maximum(np.linalg.norm(middles, axis=1), 1e-9)
    near = see_entries(snapshot, known.lens, entries) @ middles.T
    found: dict[str, GoalNearness] = {}
    for entry, row in zip(entries, near, strict=True):
        at = int(row.argmax())
        own = float(lengths[at])
        cosine = min(1.0, max(0.0, float(row[at]) / own))
        found[entry.id] = GoalNearness(round(cosine, 4), round(min(1.0, cosine / own), 4))
    return found


def keep_vector(kernel: Kernel, vector: PurposeVector, memory: str = "") -> str:
    """Keep a vector for whoever speaks of it later, under an id that follows from it; written with the next batch. One
    of a memory goes when that is erased."""
    told = {"values": list(vector.values), "topics": dict(vector.topics), OF_ENTRY: memory}
    id = "pv_" + hashlib.blake2b(json.dumps(told).encode(), digest_size=6).hexdigest()
    activity_of(kernel).set_state(kernel.collection, KEPT_VECTORS + id, {**told, "time": kernel.now()})
    return id


def find_vector(
    kernel: Kernel, snapshot: Snapshot, ground: PurposeGround, id: str, *, field: str
) -> tuple[PurposeVector, str]:
    """A vector that was kept, or that of a memory; and the id of the memory it is of, if it is of one. Topics that are
    no longer there are served by nothing."""
    held = activity_of(kernel).state(snapshot.session, snapshot.collection, KEPT_VECTORS + id)
    if held is not None and _is_there(snapshot, held):
        topics = {topic: share for topic, share in held["topics"].items() if topic in ground.known.by_id}
        return PurposeVector(values=tuple(held["values"]), topics=topics), str(held.get(OF_ENTRY, ""))
    entry = find_node(snapshot, id, field=field).thing
    if not isinstance(entry, Entry) or entry.kind != MEMORY:
        raise Refusal(Failure.INVALID, "Only memories have a purpose.", field=field)
    return purposes_of(ground, hang(snapshot, [entry], with_walks=False), [entry])[0], entry.id


def _is_there(snapshot: Snapshot, held: Mapping[str, Any]) -> bool:
    """Whether the memory that a kept vector is of, if it is of one, is still there."""
    return not held.get(OF_ENTRY) or snapshot.entry(held[OF_ENTRY]) is not None


def drop_old_vectors(kernel: Kernel) -> None:
    """Let go of the oldest vectors of too many, and of those of memories that are gone."""
    with kernel.read() as snapshot:
        held = activity_of(kernel).states(snapshot.session, snapshot.collection, KEPT_VECTORS)
        gone = {name for name in held if not _is_there(snapshot, held[name])}
    gone |= set(sorted(held, key=lambda name: held[name]["time"])[:-MOST_KEPT])
    if gone:
        kernel.store.operate(lambda session: drop_states(session, kernel.collection, gone))


def reduced(vector: PurposeVector, rank: int, together: Array) -> list[float]:
    """What is left of the pairs of spaces in so few directions: their weights, the largest first."""
    values = np.linalg.svd(together * np.outer(vector.plain, vector.plain), compute_uv=False)
    return [round(float(value), 4) for value in values[:rank]]


def fuse_vector(
    vector: PurposeVector, method: str, weights: Sequence[float]
) -> tuple[tuple[float, ...], PurposeVector]:
    """The weights of the spaces under a method, and the vector as they leave it."""
    fused = fuse_weights(method, weights, vector.values)
    return fused, vector.weighed(fused)


def dominant(vector: PurposeVector, weights: Sequence[float]) -> str | None:
    said = [
        (weight * value, -at) for at, (value, weight) in enumerate(zip(vector.values, weights, strict=True)) if value
    ]
    return IDS[-max(said)[1]] if said else None
