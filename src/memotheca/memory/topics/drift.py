"""Drift: how the memories and questions of the last days spread over topics, against the share that the goal has; each
check is kept (memory-model: Drift)."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.state import activity_of
from memotheca.memory.spaces.all_spaces import Gallery
from memotheca.memory.spaces.space import Hung
from memotheca.memory.spaces.space_table import COUNT, IDS, SPACES
from memotheca.memory.standing.sample import hang, reference_of
from memotheca.memory.topics.drift_checks import (
    BANDS,
    CHECKS,
    DAILY,
    TIMEFRAMES,
    level_of_drift,
    past_checks,
    superfluous,
)
from memotheca.memory.topics.entry_topics import place_entries, see_entries
from memotheca.memory.topics.north_star import Goal, read_goal
from memotheca.memory.topics.topics import TopicMap, read_topics
from memotheca.model.ids import moment_of
from memotheca.model.kinds import MEMORY
from memotheca.model.knowledge import Entry
from memotheca.search.census import take_census
from memotheca.storage.activity import drop_states
from memotheca.storage.database import Session
from memotheca.storage.lookups import ids_made_last
from memotheca.storage.snapshot import Snapshot
from memotheca.vectors.profile import voice_of

Array = NDArray[Any]
Strategy = Literal["share", "cosine"]

STRATEGIES: tuple[Strategy, ...] = ("share", "cosine")
RECENT, QUESTIONS = 200, 100  # chosen: enough to tell shares apart by a tenth; bounds the reading
COMPARED, MIDDLE, USUAL = 24, 6, 48  # chosen: those that are compared in each space
FEWEST_RECENT = 8  # chosen: of fewer, shares are chance
ANSWERED_BY = 3  # chosen: what a question was about is among the first
SURE = 2.0  # chosen: standard errors
NO_TOPICS = "No topics are known; they need 12 memories, and are looked for between calls or on request."


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftQuestion:
    """Of which time, or of which memories, and how they are compared with the goal."""

    timeframe: str = "24h"
    ids: tuple[str, ...] = ()
    strategy: Strategy = "share"


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicShare:
    """How much of the last days, and of all, is about a topic; an empty id stands for no topic."""

    id: str
    name: str
    recent: float
    usual: float
    serves_goal: bool


@dataclass(frozen=True, slots=True)
class SpaceDrift:
    """How near the last memories are to the goal in a space, of how near memories are usually, and whether that is
    less by more than chance."""

    similarity: float
    is_sure: bool

    @property
    def level(self) -> str:
        return level_of_drift(self.similarity, is_sure=self.is_sure)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalDrift:
    """What a check found: how much of the goal is left, from 1 to 0, and whether that is more than chance; None with
    the reason where there is too little to tell."""

    time: int
    asked: DriftQuestion
    goal: Goal | None
    similarity: float | None
    is_sure: bool
    memories: int
    questions: int
    shares: tuple[TopicShare, ...]
    spaces: Mapping[str, SpaceDrift]
    reason: str = ""

    @property
    def level(self) -> str | None:
        return None if self.similarity is None else level_of_drift(self.similarity, is_sure=self.is_sure)

    @property
    def has_drifted(self) -> bool:
        return self.similarity is not None and self.is_sure and self.similarity < BANDS[0][1]

    def to_json(self) -> dict[str, Any]:
        return {
            "time": self.time,
            "goal": "" if self.goal is None else self.goal.id,
            "timeframe": self.asked.timeframe,
            "similarity": self.similarity,
            "sure": self.is_sure,
            "spaces": {id: each.similarity for id, each in self.spaces.items()},
            "analyzed": self.memories + self.questions,
        }


@dataclass(frozen=True, slots=True)
class _DriftEvidence:
    """What a check looks at: memories, how they and the questions spread over topics, how all memories do, and what
    they are compared with."""

    known: TopicMap
    goal: Goal | None
    entries: Sequence[Entry]
    spread: Mapping[str, float]
    usual: Mapping[str, float]

    @property
    def total(self) -> float:
        return sum(self.spread.values())


def check_drift(kernel: Kernel, snapshot: Snapshot, asked: DriftQuestion) -> GoalDrift:
    known = read_topics(kernel, snapshot)
    goal = read_goal(snapshot, known)
    entries = _recent(kernel, snapshot, asked)
    found = GoalDrift(
        time=kernel.now(),
        asked=asked,
        goal=goal,
        similarity=None,
        is_sure=False,
        memories=len(entries),
        questions=0,
        shares=(),
        spaces={},
        reason=NO_TOPICS,
    )
    if known is None or not known.topics:
        return found
    spread: dict[str, float] = dict(Counter(place_entries(kernel, snapshot, known, entries).values()))
    since = kernel.now() - TIMEFRAMES[asked.timeframe]
    questions = [] if asked.ids else _asked_since(kernel, snapshot, known, since)
    for about in questions:
        for topic in about:
            spread[topic] = spread.get(topic, 0.0) + 1 / len(about)
    found = replace(found, questions=len(questions))
    if len(entries) + len(questions) < FEWEST_RECENT:
        told = f"{len(entries)} memories and {len(questions)} questions; {FEWEST_RECENT} are needed to tell."
        return replace(found, reason=told)
    evidence = _DriftEvidence(known, goal, entries, spread, _usual(kernel, snapshot, known, goal))
    similarity, is_sure = _compare(snapshot, evidence, asked.strategy)
    return replace(
        found,
        similarity=round(similarity, 4),
        is_sure=is_sure,
        shares=_shares(evidence),
        spaces={} if goal is None else _by_space(kernel, snapshot, goal, entries),
        reason="",
    )


def _recent(kernel: Kernel, snapshot: Snapshot, asked: DriftQuestion) -> list[Entry]:
    if asked.ids:
        return [entry for entry in snapshot.living(asked.ids).values() if entry.kind == MEMORY]
    return recent_memories(snapshot, kernel.now() - TIMEFRAMES[asked.timeframe])


def recent_memories(snapshot: Snapshot, since: int) -> list[Entry]:
    """The memories stored since then, newest first; of very many, the newest."""
    ids = [id for id in ids_made_last(snapshot, MEMORY, limit=RECENT) if moment_of(id) >= since]
    return list(snapshot.living(ids).values())


def _asked_since(kernel: Kernel, snapshot: Snapshot, known: TopicMap, since: int) -> list[list[str]]:
    """The topics of each question: those of what it was shown first, none where nothing near was found."""
    log = activity_of(kernel).retrievals
    rows = log.leading(snapshot.session, snapshot.collection, limit=QUESTIONS, since=since, places=ANSWERED_BY)
    near = voice_of(snapshot.session, snapshot.collection).near
    shown = [[id for id, cosine in row.shown if (near if cosine is None else cosine) >= near] for row in rows]
    entries = snapshot.living({id for ids in shown for id in ids})
    memories = [entry for entry in entries.values() if entry.kind == MEMORY]
    placed = place_entries(kernel, snapshot, known, memories)
    return [[placed[id] for id in ids if id in placed] or [""] for ids in shown]


def _compare(snapshot: Snapshot, evidence: _DriftEvidence, strategy: Strategy) -> tuple[float, bool]:
    """How much of the goal is left, or, without one, of how the whole spreads; and whether that is surely less than
    all."""
    goal, total = evidence.goal, evidence.total
    if strategy == "cosine" and evidence.entries:
        return _compare_middle(snapshot, evidence)
    if goal is not None:
        share = sum(times for id, times in evidence.spread.items() if id in goal.ids) / total
        error = math.sqrt(goal.share * (1 - goal.share) / total)
        return min(1.0, share / max(goal.share, 1e-9)), goal.share - share > SURE * error
    usual, left = evidence.usual, 0.0
    for id, times in _among(usual, evidence.spread).items():
        left += min(usual[id], times / total)
    return left, 1 - left > SURE * math.sqrt(len(usual) / total) / 2


def _usual(kernel: Kernel, snapshot: Snapshot, known: TopicMap, goal: Goal | None) -> dict[str, float]:
    """How all memories spread over topics: as it was found, and without a goal with what was stored since: else the
    newest memories of a memory that grows fast would seem to have drifted from what there was before."""
    counts = {"": float(known.unsorted), **{topic.id: float(topic.count) for topic in known.topics}}
    grown = 0 if goal is not None else take_census(kernel, snapshot).nodes((MEMORY,)) - known.memories
    since = recent_memories(snapshot, known.time) if grown > 0 else []
    if since:
        placed = _among(counts, Counter(place_entries(kernel, snapshot, known, since).values()))
        counts = {id: counts[id] + grown * placed.get(id, 0.0) / len(since) for id in counts}
    total = max(sum(counts.values()), 1)
    return {id: times / total for id, times in counts.items()}


def _among(topics: Mapping[str, float], spread: Mapping[str, float]) -> dict[str, float]:
    """What is of none of these topics, or of one that was rejected, together under the empty id."""
    found: dict[str, float] = {}
    for id, times in spread.items():
        at = id if id in topics else ""
        found[at] = found.get(at, 0.0) + times
    return found


def _compare_middle(snapshot: Snapshot, evidence: _DriftEvidence) -> tuple[float, bool]:
    """How near memories are to the middle of the goal, or of all, compared with its own."""
    topics = evidence.goal.topics if evidence.goal is not None else evidence.known.topics
    middle = np.average([topic.middle for topic in topics], axis=0, weights=[topic.count for topic in topics])
    near = see_entries(snapshot, evidence.known.lens, evidence.entries) @ middle
    own = max(float(middle @ middle), 1e-9)
    value = min(1.0, max(0.0, float(near.mean()) / own))
    return value, 1 - value > SURE * float(near.std()) / own / math.sqrt(len(near))


def _shares(evidence: _DriftEvidence) -> tuple[TopicShare, ...]:
    """All topics of the last days, what has grown most first."""
    known, goal = evidence.known, evidence.goal
    names = {topic.id: topic.name for topic in known.topics} | {"": "no topic"}
    found = [
        TopicShare(
            id=id,
            name=names[id],
            recent=round(times / evidence.total, 4),
            usual=round(evidence.usual[id], 4),
            serves_goal=goal is not None and id in goal.ids,
        )
        for id, times in _among(evidence.usual, evidence.spread).items()
    ]
    return tuple(sorted(found, key=lambda each: (each.usual - each.recent, each.name)))


def _by_space(kernel: Kernel, snapshot: Snapshot, goal: Goal, entries: Sequence[Entry]) -> dict[str, SpaceDrift]:
    """How near the last memories are to the goal's most typical ones in each space that can tell, of how near the rest
    of the sample is to them: most memories of any time are about something else."""
    typical = [id for topic in goal.topics for id in topic.members[: max(1, MIDDLE // len(goal.topics))]][:MIDDLE]
    gallery = Gallery(hang(snapshot, list(snapshot.living(typical).values()), with_walks=False))
    left_out = {*typical, *(entry.id for entry in entries[:COMPARED])}
    reference = reference_of(kernel, snapshot)
    usual = [member for member in reference.gallery.members if member.id not in left_out][:USUAL]
    probes = hang(snapshot, list(entries)[:COMPARED], with_walks=False)
    found: dict[str, SpaceDrift] = {}
    for space in range(COUNT) if len(gallery) > 1 else ():
        if not SPACES[space].sees_content or not gallery.speaking(space, gallery.members).all():
            continue
        near, others = _near_in(gallery, space, probes), _near_in(gallery, space, usual)
        if 2 * len(near) < len(probes) or min(len(near), len(others)) < FEWEST_RECENT or not others.mean() > 0:
            continue
        error = math.sqrt(float(near.var()) / len(near) + float(others.var()) / len(others))
        now, before = float(near.mean()), float(others.mean())
        found[IDS[space]] = SpaceDrift(round(min(1.0, max(0.0, now / before)), 4), before - now > SURE * error)
    return found


def _near_in(gallery: Gallery, space: int, probes: Sequence[Hung]) -> Array:
    """How near each of those that the space tells anything of is to a gallery on average."""
    if not probes:
        return np.zeros(0)
    speaks = gallery.speaking(space, probes)
    heard = [each for each, said in zip(probes, speaks, strict=True) if said]
    return gallery.nearness_of(space, heard).mean(1) if heard else np.zeros(0)


def note_check(kernel: Kernel, drift: GoalDrift) -> None:
    """Keep a check; written with the next batch."""
    if drift.similarity is not None and not drift.asked.ids:
        name = f"{CHECKS}{drift.time:020d}"
        activity_of(kernel).set_state(kernel.collection, name, drift.to_json())


def check_daily(kernel: Kernel) -> bool:
    """A check of the last day, where the last one is a day old; whether there was one. What is too much is let go."""
    with kernel.read() as snapshot:
        held = past_checks(kernel, snapshot)
        if held and kernel.now() - held[-1]["time"] < DAILY:
            return False
        drift = check_drift(kernel, snapshot, DriftQuestion())
    note_check(kernel, drift)
    gone = superfluous([each["time"] for each in held], kernel.now())

    def act(session: Session) -> None:
        drop_states(session, kernel.collection, [f"{CHECKS}{time:020d}" for time in gone])

    if gone:
        kernel.store.operate(act)
    return drift.similarity is not None
