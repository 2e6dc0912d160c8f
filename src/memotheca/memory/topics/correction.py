"""Correction of drift: a proposal with its effect, measured on the same memories before and after, and carried out on
request in one transaction (memory-model: Drift)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation.reversal import hash_of, machine_note
from memotheca.memory.graph.balance import examine
from memotheca.memory.topics.drift import DriftQuestion, GoalDrift, check_drift, recent_memories
from memotheca.memory.topics.entry_topics import place_entries
from memotheca.memory.topics.north_star import Goal, set_goal
from memotheca.memory.topics.topics import Topic, TopicMap, read_topics
from memotheca.memory.traits import importance_of
from memotheca.memory.verbs import Verb
from memotheca.model.clock import DAY
from memotheca.model.commits import Commit
from memotheca.model.knowledge import Entry
from memotheca.search.prepared import LATER
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction

SINCE = 7 * DAY  # specification (memory-model: Drift)
FACTORS = (1.1, 1.2, 1.5)  # specification (memory-model: Drift)
CAP = 0.95  # specification (memory-model: Drift)
HELPS = 0.01  # specification (memory-model: Drift)
GROWN = 0.2  # chosen: a fifth of all that is new is no aside
SEVERE = ("High", "Critical")
FACTOR_OF: Mapping[str | None, float] = {"Low": FACTORS[0], "Medium": FACTORS[1], "High": FACTORS[2]}
REINFORCE, EXTEND = "goal_reinforcement", "goal_extension"


@dataclass(frozen=True, slots=True)
class ImportanceChange:
    """A memory that matters more from now on."""

    id: str
    before: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What is done against drift: how much of the last week's importance serves the goal before and after, what is
    changed, and whether it was; nothing but the reason where nothing can be done."""

    drift: GoalDrift
    drift_after: GoalDrift | None = None
    strategy: str = ""
    before: float | None = None
    after: float | None = None
    raised: tuple[ImportanceChange, ...] = ()
    adopted: tuple[Topic, ...] = ()
    is_applied: bool = False
    reversal_hash: str | None = None
    reason: str = ""

    @property
    def improvement(self) -> float | None:
        return None if self.before is None or self.after is None else round(self.after - self.before, 4)


@dataclass(frozen=True, slots=True)
class _Week:
    """The memories of the last week, and which topic each is about."""

    known: TopicMap
    entries: Sequence[Entry]
    placed: Mapping[str, str]

    def alignment(self, topics: frozenset[str], raised: Sequence[ImportanceChange] = ()) -> float:
        """The share of their importance that serves some topics."""
        after = {each.id: each.after for each in raised}
        weights = {entry.id: after.get(entry.id, importance_of(entry)) for entry in self.entries}
        serving = sum(weight for id, weight in weights.items() if self.placed[id] in topics)
        return round(serving / max(sum(weights.values()), 1e-9), 4)


def correct_drift(kernel: Kernel, *, force: bool, target: float | None, actor: str) -> Correction:
    """Propose what would bring the last week nearer to the goal; carried out where that is asked for, by force or by a
    target, and where it helps."""
    with kernel.read() as snapshot:
        drift = check_drift(kernel, snapshot, DriftQuestion(timeframe="7d"))
        known = read_topics(kernel, snapshot)
        if drift.goal is None or known is None:
            return Correction(drift=drift, reason="There is no goal to be corrected towards.")
        if drift.similarity is None:
            return Correction(drift=drift, reason=drift.reason)
        if not drift.has_drifted and not force and target is None:
            return Correction(drift=drift, reason="The last week keeps to the goal.")
        entries = recent_memories(snapshot, kernel.now() - SINCE)
        week = _Week(known, entries, place_entries(kernel, snapshot, known, entries))
        proposed = _propose(snapshot, week, drift, drift.goal, target=target)
    if not (force or target is not None) or (proposed.improvement or 0.0) < HELPS:
        return proposed
    return _apply(kernel, proposed, drift.goal, week=week, actor=actor)


def _propose(snapshot: Snapshot, week: _Week, drift: GoalDrift, goal: Goal, *, target: float | None) -> Correction:
    """Where the work has moved, that the goal goes with it; else that what serves the goal matters more."""
    before = week.alignment(goal.ids)
    grown = [share.id for share in drift.shares if share.id and not share.serves_goal and share.recent >= GROWN]
    if drift.level in SEVERE and grown and target is None:
        adopted = tuple(week.known.by_id[id] for id in grown)
        after = week.alignment(goal.ids | frozenset(grown))
        return Correction(drift=drift, strategy=EXTEND, before=before, after=after, adopted=adopted)
    factors = FACTORS if target is not None else (FACTOR_OF.get(drift.level, FACTORS[0]),)
    raised: tuple[ImportanceChange, ...] = ()
    for factor in factors:
        raised = _raise(snapshot, week, goal, factor)
        if target is not None and week.alignment(goal.ids, raised) >= target:
            break
    after = week.alignment(goal.ids, raised)
    reason = "" if raised else "No memory of the last week serves the goal."
    return Correction(drift=drift, strategy=REINFORCE, before=before, after=after, raised=raised, reason=reason)


def _raise(snapshot: Snapshot, week: _Week, goal: Goal, factor: float) -> tuple[ImportanceChange, ...]:
    """What serves the goal, by so much; without what would come to outweigh things that have nothing to do with it."""
    found: list[ImportanceChange] = []
    for entry in week.entries:
        before = importance_of(entry)
        after = round(min(CAP, before * factor), 4)
        if week.placed[entry.id] in goal.ids and after > before and not examine(snapshot, entry.id, after).is_cancer:
            found.append(ImportanceChange(entry.id, before, after))
    return tuple(found)


def _apply(kernel: Kernel, proposed: Correction, goal: Goal, *, week: _Week, actor: str) -> Correction:
    if proposed.adopted:
        topics = (*goal.topics, *proposed.adopted)
        share = sum(topic.count for topic in topics) / max(week.known.memories, 1)
        names = ", ".join(topic.name for topic in proposed.adopted)
        rationale = f"The work of the last week has moved: {names} is part of the goal from now on."
        commit = set_goal(kernel, Goal(id=goal.id, topics=topics, share=share, since=0), rationale, actor=actor)
    else:
        commit = _write_importance(kernel, proposed.raised, actor=actor)
    if commit is None:
        return proposed
    with kernel.read() as snapshot:
        since = check_drift(kernel, snapshot, DriftQuestion(timeframe="7d"))
    return replace(proposed, is_applied=True, reversal_hash=hash_of(commit), drift_after=since)


def _write_importance(kernel: Kernel, raised: Sequence[ImportanceChange], *, actor: str) -> Commit | None:
    """In one transaction; what has changed or gone since it was proposed stays as it is."""

    def act(transaction: Transaction) -> int:
        told = f"Against drift: {len(raised)} memories of the last week that serve the goal matter more."
        transaction.describe("UPDATE", note=machine_note(Verb.TUNE, told))
        living = transaction.living([each.id for each in raised])
        for each in raised:
            entry = living.get(each.id)
            if entry is not None and importance_of(entry) == each.before:
                attributes = {**entry.attributes, "importance": each.after}
                transaction.put(replace(entry, attributes=attributes, updated_at=transaction.time), LATER)
        return transaction.tx

    tx = kernel.write(act, actor=actor)
    with kernel.read() as snapshot:
        return snapshot.commit(tx)
