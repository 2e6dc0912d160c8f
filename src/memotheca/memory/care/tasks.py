"""Tending: what a librarian should look at, and how well the memory is kept (memory-model: Curation tasks)."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.critique import Finding, criticise, related_pairs
from memotheca.memory.care.recency import recent_entries
from memotheca.memory.curation.remember import importance_of, quarantine_of
from memotheca.memory.curation.tombstones import count_tombstones
from memotheca.memory.graph.balance import examine
from memotheca.memory.graph.cancer import IMPORTANT
from memotheca.memory.session.state import activity_of
from memotheca.memory.standing.nearest import KNOWN
from memotheca.memory.verbs import Verb
from memotheca.model.clock import DAY
from memotheca.model.kinds import MEMORY
from memotheca.model.knowledge import Entry
from memotheca.search.census import take_census
from memotheca.storage import fingerprints
from memotheca.storage.adjacency import count_unlinked
from memotheca.storage.chunks import count_waiting
from memotheca.storage.snapshot import Snapshot

TaskType = Literal["potential_merge", "ambiguity_detected", "obsolete_info", "semantic_cancer"]
Priority = Literal["high", "medium", "low"]

LOOKED_AT = 50  # chosen (memory-model: Curation tasks)
ALONE = 30 * DAY  # specification (memory-model: Curation tasks)
KEPT = "kept_tasks"
MOST_KEPT = 1000  # chosen: bounds what is written down
RANK: dict[Priority, int] = {"high": 0, "medium": 1, "low": 2}  # chosen: the order of the words


@dataclass(frozen=True, slots=True, kw_only=True)
class CareTask:
    """Something to decide about some entries, why, how, and how soon."""

    type: TaskType
    entries: tuple[Entry, ...]
    reason: str
    remedy: Verb
    priority: Priority
    score: float

    @property
    def mark(self) -> str:
        """By which a decision to leave things as they are is known; a change of the entries makes it another task."""
        told = [self.type, *sorted(f"{entry.id}@{entry.updated_at}" for entry in self.entries)]
        return hashlib.blake2b(" ".join(told).encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class Tended:
    """The tasks that were found, and how many entries are still to be compared with what is near them."""

    tasks: list[CareTask]
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How much is stored, how it hangs together, and what waits."""

    memories: int
    entries: int
    edges: int
    unlinked: int
    mean_importance: float | None
    quarantined: int
    without_vectors: int
    tombstones: int


def tend(
    kernel: Kernel,
    snapshot: Snapshot,
    *,
    looked_at: int = LOOKED_AT,
    most: int | None = None,
    among: tuple[str, ...] = KNOWN,
) -> Tended:
    """What is to be decided about what was looked at or stored lately, the most pressing first; what a person has
    decided to keep as it is does not come up again until it changes. Of entries whose nearest nobody has looked for
    yet, at most so many are compared with them."""
    entries = recent_entries(kernel, snapshot, looked_at, among=among)
    related = related_pairs(kernel, snapshot, entries, most=most)
    found = [*_critical(criticise(kernel, snapshot, related, entries, checks=("conflicts", "duplicates", "outdated")))]
    found += [*_cancers(snapshot, entries), *_orphans(snapshot, entries, kernel.now())]
    kept = set(_kept(kernel, snapshot))
    standing = [task for task in found if task.mark not in kept and all(entry.kind in among for entry in task.entries)]
    ranked = sorted(standing, key=lambda task: (RANK[task.priority], -task.score, [each.id for each in task.entries]))
    return Tended(ranked, related.left_out)


def curation_tasks(kernel: Kernel, snapshot: Snapshot, *, among: tuple[str, ...] = KNOWN) -> list[CareTask]:
    """All of them that are about these kinds alone, however long it takes."""
    return tend(kernel, snapshot, among=among).tasks


def _critical(findings: Iterable[Finding]) -> Iterable[CareTask]:
    """A pair that clashes is one task, however many checks say so."""
    clashing: set[frozenset[str]] = set()
    for finding in findings:
        ids = frozenset(entry.id for entry in finding.entries)
        if finding.check == "duplicates":
            yield _task("potential_merge", finding, Verb.MERGE, "medium")
        elif ids not in clashing:
            if finding.clash is None:
                yield _task("obsolete_info", finding, Verb.FORGET, "medium")
            elif finding.clash.type == "temporal":
                yield _task("obsolete_info", finding, Verb.ANNOTATE, "high")
            else:
                yield _task("ambiguity_detected", finding, Verb.ASK, "high")
        if finding.clash is not None:
            clashing.add(ids)


def _task(type: TaskType, finding: Finding, remedy: Verb, priority: Priority) -> CareTask:
    return CareTask(
        type=type,
        entries=finding.entries,
        reason=finding.explanation,
        remedy=remedy,
        priority=priority,
        score=finding.score,
    )


def _cancers(snapshot: Snapshot, entries: Sequence[Entry]) -> Iterable[CareTask]:
    for entry in entries:
        importance = importance_of(entry)
        if importance > IMPORTANT:
            found = examine(snapshot, entry.id, importance)
            if found.is_cancer:
                yield CareTask(
                    type="semantic_cancer",
                    entries=(entry,),
                    reason=f"it outweighs {found.neighbours} neighbours that have little to do with each other",
                    remedy=Verb.BOOST,
                    priority="high",
                    score=importance,
                )


def _orphans(snapshot: Snapshot, entries: Sequence[Entry], now: int) -> Iterable[CareTask]:
    old = [entry for entry in entries if entry.kind == MEMORY and now - entry.created_at > ALONE]
    linked = fingerprints.neighbours(snapshot.session, snapshot.collection, [entry.id for entry in old], limit=1)
    for entry in old:
        if entry.id not in linked:
            yield CareTask(
                type="obsolete_info",
                entries=(entry,),
                reason=f"nothing is linked to it, and it is {(now - entry.created_at) // DAY} days old",
                remedy=Verb.FORGET,
                priority="low",
                score=round(1 - importance_of(entry), 4),
            )


def keep_as_it_is(kernel: Kernel, task: CareTask) -> None:
    """Decide that nothing is to be done about a task."""
    with kernel.read() as snapshot:
        kept = [mark for mark in _kept(kernel, snapshot) if mark != task.mark]
    _set_kept(kernel, [*kept, task.mark])


def reconsider(kernel: Kernel, task: CareTask) -> None:
    """Take back the decision to keep."""
    with kernel.read() as snapshot:
        kept = _kept(kernel, snapshot)
    _set_kept(kernel, [mark for mark in kept if mark != task.mark])


def _kept(kernel: Kernel, snapshot: Snapshot) -> list[str]:
    return list(activity_of(kernel).state(snapshot.session, kernel.collection, KEPT) or ())


def _set_kept(kernel: Kernel, marks: list[str]) -> None:
    activity_of(kernel).set_state(kernel.collection, KEPT, marks[-MOST_KEPT:])
    activity_of(kernel).flush(kernel.store)


def examine_health(kernel: Kernel, snapshot: Snapshot) -> Health:
    now, census = kernel.now(), take_census(kernel, snapshot)
    memories = [version.thing for version in snapshot.entries((MEMORY,)) if isinstance(version.thing, Entry)]
    mean = sum(importance_of(entry) for entry in memories) / len(memories) if memories else None
    return Health(
        memories=len(memories),
        entries=census.nodes(KNOWN),
        edges=census.edges.total(),
        unlinked=count_unlinked(snapshot, MEMORY),
        mean_importance=None if mean is None else round(mean, 4),
        quarantined=sum(1 for entry in memories if quarantine_of(entry, now) is not None),
        without_vectors=count_waiting(snapshot.session, snapshot.collection),
        tombstones=count_tombstones(snapshot, now),
    )
