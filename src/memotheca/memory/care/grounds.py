"""Grounds for letting a memory go: superseded, repeated, expired, or long unread and slight (memory-model: Pruning).

That it serves no topic is no ground: it only narrows what is unread."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from memotheca.kernel.kernel import Kernel
from memotheca.memory.claims.protected import protection_of
from memotheca.memory.graph.relations import SAME_AS, SUPERSEDES
from memotheca.memory.session.state import activity_of
from memotheca.memory.topics.entry_topics import see_entries
from memotheca.memory.topics.north_star import read_goal
from memotheca.memory.topics.topics import read_topics
from memotheca.memory.traits import chief_of, importance_of, quarantine_of
from memotheca.model.clock import DAY
from memotheca.model.kinds import MEMORY
from memotheca.model.knowledge import Entry
from memotheca.storage.care_tasks import TaskRow, read_tasks, tasks_about
from memotheca.storage.instruments.neglected import NeglectedRow, as_neglected, count_links, longest_unread
from memotheca.storage.snapshot import Snapshot

Ground = Literal["superseded", "duplicate", "expired", "unread"]
GROUNDS: tuple[Ground, ...] = ("superseded", "duplicate", "expired", "unread")

UNREAD = 90 * DAY  # specification (memory-model: Pruning)
SLIGHT = 0.3  # specification (memory-model: Pruning)
JOINED = 3  # specification (memory-model: Pruning): what has so many links is held by them
LOOKED_AT = 200  # measured: 14 ms of a processor (p95) at 20,000 memories; of either order
ALIGNED = 200  # chosen: of the candidates, so many are held against topics; milliseconds
LEAST_BORDER = 0.05  # chosen: as topics have it, below which two texts share hardly a word
YEAR = 365.0  # specification (memory-model: Pruning)

SAYINGS = (SUPERSEDES, SAME_AS)


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneCandidate:
    """A memory that may be let go: on which ground, what stands in its place, how old and how long unread it is in
    days, how important it is, by how many edges it is joined, and how well it serves what the memory is about, where
    that is known."""

    entry: Entry
    ground: Ground
    instead: str | None
    age: float
    idle: float
    importance: float
    connections: int
    alignment: float | None = None

    @property
    def priority(self) -> float:
        """The higher, the sooner it may go (memory-model: Pruning)."""
        known = 0.3 * min(1.0, self.age / YEAR) + 0.2 / (self.connections + 1)
        return known / 0.5 if self.alignment is None else known + 0.5 * (1 - self.alignment)


@dataclass(frozen=True, slots=True)
class PruneFindings:
    """The candidates, the first to go first; how many memories were looked at, and whether there are more."""

    candidates: tuple[PruneCandidate, ...]
    looked_at: int
    is_partial: bool


def find_candidates(kernel: Kernel, snapshot: Snapshot, *, idle_days: float, least: float) -> PruneFindings:
    """What may be let go among the memories that were unread longest, the oldest ones and those with a task; unread for
    so many days at least. What is merely unread must besides be aligned less than `least`, where topics are known."""
    rows = {row.id: row for row in longest_unread(snapshot, MEMORY, SAYINGS, limit=LOOKED_AT)}
    is_partial = len(rows) >= LOOKED_AT
    tasks = read_tasks(snapshot.session, snapshot.collection, ("open",))
    named = {id for task in tasks if task.kind in ("duplicate", "expired") for id in (task.one, task.other) if id}
    rows |= {row.id: row for row in as_neglected(snapshot, named - rows.keys(), SAYINGS)}
    found = _judge(kernel, snapshot, rows.values(), tasks)
    fresh = sorted((each for each in found if each.idle >= idle_days), key=_rank)
    aligned = alignments_of(kernel, snapshot, [each.entry for each in fresh[:ALIGNED]])
    told = [replace(each, alignment=aligned.get(each.entry.id)) for each in fresh]
    kept = [each for each in told if each.ground != "unread" or each.alignment is None or each.alignment < least]
    ranked = sorted(kept, key=_rank)
    return PruneFindings(tuple(ranked), len(rows), is_partial)


def _rank(candidate: PruneCandidate) -> tuple[float, str]:
    return -candidate.priority, candidate.entry.id


def alignments_of(kernel: Kernel, snapshot: Snapshot, entries: Sequence[Entry]) -> dict[str, float]:
    """How near some memories are to the nearest topic that serves the goal, or to any where there is none: .5 where
    they just belong to it. Nothing where no topics are known."""
    known = read_topics(kernel, snapshot)
    if known is None or not known.topics or not entries:
        return {}
    goal = read_goal(snapshot, known)
    middles = np.array([topic.middle for topic in (known.topics if goal is None else goal.topics)], np.float32)
    near = (see_entries(snapshot, known.lens, entries) @ middles.T).max(1).tolist()
    border = 2 * max(known.cut, LEAST_BORDER)
    return {entry.id: round(min(1.0, max(0.0, value / border)), 4) for entry, value in zip(entries, near, strict=True)}


def grounds_of(kernel: Kernel, snapshot: Snapshot, ids: Sequence[str]) -> dict[str, PruneCandidate]:
    """The grounds on which some memories may be let go, of those that may."""
    rows = as_neglected(snapshot, ids, SAYINGS)
    tasks = [row for row in tasks_about(snapshot.session, snapshot.collection, ids) if row.state == "open"]
    return {each.entry.id: each for each in _judge(kernel, snapshot, rows, tasks)}


def _judge(
    kernel: Kernel, snapshot: Snapshot, rows: Iterable[NeglectedRow], tasks: Sequence[TaskRow]
) -> list[PruneCandidate]:
    now = kernel.now()
    twins = {id: task for task in tasks if task.kind == "duplicate" for id in (task.one, task.other)}
    likely = [row for row in rows if row.id in twins or _may_go(row, now)]
    living = snapshot.living([row.id for row in likely])
    looks = activity_of(kernel).looks(snapshot.session, kernel.collection, list(living))
    links = count_links(snapshot, living)
    found: list[PruneCandidate] = []
    for row in likely:
        entry = living.get(row.id)
        if entry is None or entry.kind != MEMORY:
            continue
        seen = max(entry.created_at, looks.get(entry.id, (0, 0))[1])
        ground, instead = _ground(snapshot, entry, row, twins.get(entry.id), now=now)
        if ground is None and _is_unread(entry, now - seen, links.get(entry.id, 0)):
            ground = "unread"
        if ground is not None:
            found.append(
                PruneCandidate(
                    entry=entry,
                    ground=ground,
                    instead=instead,
                    age=(now - entry.created_at) / DAY,
                    idle=(now - seen) / DAY,
                    importance=importance_of(entry),
                    connections=links.get(entry.id, 0),
                )
            )
    return found


def _may_go(row: NeglectedRow, now: int) -> bool:
    """By what is seen without reading it."""
    if row.is_superseded or row.is_repeated or (row.end is not None and row.end < now):
        return True
    return row.importance < SLIGHT and now - max(row.created, row.last or 0) >= UNREAD


def _ground(
    snapshot: Snapshot, entry: Entry, row: NeglectedRow, twin: TaskRow | None, *, now: int
) -> tuple[Ground | None, str | None]:
    """Why it may go for what is said of it, and what stands in its place."""
    if row.is_superseded:
        newer = [edge.source for edge in snapshot.edges_of(entry.id, SUPERSEDES) if edge.target == entry.id]
        if (instead := _standing(snapshot, newer, now)) is not None:
            return "superseded", instead.id
    others = [] if twin is None else [twin.other if twin.one == entry.id else twin.one]
    if row.is_repeated:
        edges = snapshot.edges_of(entry.id, SAME_AS)
        others += [edge.target if edge.source == entry.id else edge.source for edge in edges]
    same = _standing(snapshot, others, now)
    if same is not None and chief_of((entry, same)) is same:
        return "duplicate", same.id
    if row.end is not None and row.end < now:
        return "expired", None
    return None, None


def _standing(snapshot: Snapshot, ids: Sequence[str], now: int) -> Entry | None:
    """The first of some entries that lives and is not held back."""
    living = snapshot.living(ids)
    return next((living[id] for id in ids if id in living and quarantine_of(living[id], now) is None), None)


def _is_unread(entry: Entry, idle: int, links: int) -> bool:
    """Unread for long, slight, joined to little, and about nobody's person or safety."""
    if idle < UNREAD or importance_of(entry) >= SLIGHT or links >= JOINED:
        return False
    return protection_of(" ".join((entry.title, entry.body, *entry.tags))) is None
