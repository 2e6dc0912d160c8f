"""Tending: the one list of what is to be decided about memories, and how well the memory is kept (memory-model:
Curation tasks)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from memotheca.conversations.keep import said_in
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.critique import ContradictoryPair, Repetition, is_over, judge_pairs
from memotheca.memory.care.noted import noted_tasks
from memotheca.memory.curation.tombstones import count_tombstones
from memotheca.memory.curation.undecided import PROPOSED, TaskKind, pair_task, stamp_of
from memotheca.memory.curation.unexplained import is_unexplained
from memotheca.memory.graph.balance import examine
from memotheca.memory.graph.relations import CONSISTENT, CONTRADICTS, SAME_AS, SUPERSEDES
from memotheca.memory.graph.said import said_between
from memotheca.memory.standing.nearest import vicinity_of
from memotheca.memory.traits import KNOWN, importance_of, quarantine_of
from memotheca.memory.verbs import Verb
from memotheca.model.kinds import MEMORY, TEMPORAL
from memotheca.model.knowledge import Entry
from memotheca.search.census import take_census
from memotheca.storage import fingerprints
from memotheca.storage.activity import read_state, write_state
from memotheca.storage.adjacency import count_unlinked, joined_among, with_predicate
from memotheca.storage.care_tasks import (
    TaskRow,
    TaskState,
    add_tasks,
    close_tasks,
    read_tasks,
    tasks_about,
    touched_after,
)
from memotheca.storage.chunks import count_waiting
from memotheca.storage.database import Session
from memotheca.storage.snapshot import Snapshot

TaskType = Literal["potential_merge", "ambiguity_detected", "obsolete_info", "semantic_cancer"]
Priority = Literal["high", "medium", "low"]

FOLLOWED = 2000  # chosen: changes that are followed one by one; after more, every task is looked at
SEEN = "tasks_seen"
STATES: tuple[TaskState, ...] = ("open", "kept", "settled")

# What a task of each kind is called on the wire, what is to be done about it, and how soon: specification
# (memory-model: Curation tasks).
OF_KIND: Mapping[TaskKind, tuple[TaskType, Verb, Priority]] = {
    "dispute": ("ambiguity_detected", Verb.ASK, "high"),
    "update": ("obsolete_info", Verb.ANNOTATE, "high"),
    "hub": ("semantic_cancer", Verb.BOOST, "high"),
    "held": ("ambiguity_detected", Verb.ANNOTATE, "medium"),
    "duplicate": ("potential_merge", Verb.MERGE, "medium"),
    "expired": ("obsolete_info", Verb.ASK, "medium"),
    "doubtful": ("ambiguity_detected", Verb.ASK, "low"),
    "unexplained": ("ambiguity_detected", Verb.ASK, "low"),
    "alone": ("obsolete_info", Verb.FORGET, "low"),
    "blind_spot": ("ambiguity_detected", Verb.ANNOTATE, "low"),
    "proposed": ("ambiguity_detected", Verb.STORE, "low"),
}
GONE, REWORDED = "one of them was forgotten or merged", "what they say has changed, and does not clash any more"
_SAID: Mapping[str, tuple[TaskState, str]] = {
    SUPERSEDES: ("settled", "one supersedes the other"),
    SAME_AS: ("settled", "they are said to be the same"),
    CONSISTENT: ("kept", "both are said to be fine"),
}


@dataclass(frozen=True, slots=True)
class CareTask:
    """Something to decide about some entries, the older one first: why, how, and how soon."""

    row: TaskRow
    entries: tuple[Entry, ...]

    @property
    def kind(self) -> TaskKind:
        return cast(TaskKind, self.row.kind)

    @property
    def type(self) -> TaskType:
        return OF_KIND[self.kind][0]

    @property
    def remedy(self) -> Verb:
        return OF_KIND[self.kind][1]

    @property
    def priority(self) -> Priority:
        return priority_of(self.row)

    @property
    def reason(self) -> str:
        return self.row.reason


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


def priority_of(row: TaskRow) -> Priority:
    return OF_KIND[cast(TaskKind, row.kind)][2]


def standing_tasks(kernel: Kernel, snapshot: Snapshot, states: Sequence[TaskState] = ("open",)) -> list[TaskRow]:
    """The list as it is by now, in the order of work: what has been changed, joined or parted since it was last brought
    up to date is looked at again, so that an undone decision is open again."""
    return _by_now(kernel, snapshot, read_tasks(snapshot.session, snapshot.collection, states), states)


def _by_now(
    kernel: Kernel, snapshot: Snapshot, listed: Iterable[TaskRow], states: Sequence[TaskState]
) -> list[TaskRow]:
    """Some of the list with what was noted or has moved since, in the order of work."""
    rows = {row.id: row for row in listed}
    rows |= {row.id: row for row in _noted_now(kernel, snapshot)}
    rows |= {row.id: row for row in _looked_at_again(kernel, snapshot)}
    found = [row for row in rows.values() if row.state in states]
    return sorted(found, key=lambda row: (row.rank, -row.score, row.found, row.id))


def with_entries(kernel: Kernel, snapshot: Snapshot, rows: Iterable[TaskRow]) -> list[CareTask]:
    """Tasks with what they are about; without those whose entries are gone."""
    rows = list(rows)
    known = vicinity_of(kernel, snapshot).read(snapshot, {id for row in rows for id in _ids(row)})
    return [CareTask(row, tuple(known[id] for id in _ids(row))) for row in rows if all(id in known for id in _ids(row))]


def tasks_of(kernel: Kernel, snapshot: Snapshot, ids: Iterable[str]) -> list[CareTask]:
    """The open tasks that some entries have a part in."""
    wanted = set(ids)
    listed = tasks_about(snapshot.session, snapshot.collection, wanted)
    rows = [row for row in _by_now(kernel, snapshot, listed, ("open",)) if not wanted.isdisjoint(_ids(row))]
    return with_entries(kernel, snapshot, rows)


def curation_tasks(kernel: Kernel, snapshot: Snapshot, *, among: tuple[str, ...] = ()) -> list[CareTask]:
    """The open tasks; only those about entries of some kinds, where these are named."""
    tasks = with_entries(kernel, snapshot, standing_tasks(kernel, snapshot))
    return [task for task in tasks if not among or all(entry.kind in among for entry in task.entries)]


def bring_up_to_date(kernel: Kernel) -> None:
    """Write down what was found on the way, and in which state the tasks are by now; cheap where nothing was."""
    noted = noted_tasks(kernel).rows()
    with kernel.read() as snapshot:
        if _seen(snapshot) == snapshot.tx and not noted:
            return
        before = {row.id: row for row in read_tasks(snapshot.session, snapshot.collection, STATES)}
        changed = [row for row in _looked_at_again(kernel, snapshot) if before.get(row.id) != row]
        seen, fresh = snapshot.tx, _noted_now(kernel, snapshot)

    def act(session: Session) -> None:
        add_tasks(session, kernel.collection, fresh)
        close_tasks(session, kernel.collection, changed)
        write_state(session, kernel.collection, SEEN, seen, now=kernel.now())

    kernel.store.operate(act)
    noted_tasks(kernel).drop(noted)


def keep_as_it_is(kernel: Kernel, task: CareTask) -> None:
    """Decide that nothing is to be done about one entry; it comes up again when that changes. That two entries are
    fine beside each other is said by a link."""
    _set_state(kernel, replace(task.row, state="kept", closed=kernel.now(), how="somebody keeps it as it is"))


def reconsider(kernel: Kernel, task: CareTask) -> None:
    """Take back the decision to keep."""
    _set_state(kernel, replace(task.row, state="open", closed=None, how=""))


def _set_state(kernel: Kernel, row: TaskRow) -> None:
    kernel.store.operate(lambda session: close_tasks(session, kernel.collection, [row]))


def _ids(row: TaskRow) -> tuple[str, ...]:
    return (row.one, row.other) if row.other else (row.one,)


def _seen(snapshot: Snapshot) -> int:
    return int(read_state(snapshot.session, snapshot.collection, SEEN) or 0)


def _looked_at_again(kernel: Kernel, snapshot: Snapshot) -> list[TaskRow]:
    """The tasks about whatever was touched since they were last looked at, in the state they are in now."""
    session, collection, seen = snapshot.session, snapshot.collection, _seen(snapshot)
    if seen == snapshot.tx:
        return []
    touched = touched_after(snapshot, seen, limit=FOLLOWED)
    rows = read_tasks(session, collection, STATES) if touched is None else tasks_about(session, collection, touched)
    return _as_they_are(kernel, snapshot, rows)


def _noted_now(kernel: Kernel, snapshot: Snapshot) -> list[TaskRow]:
    """What was noted and is still to be decided, and stands on no list yet, or is settled there: nobody has looked at
    it again since, whatever became of its entries."""
    noted = noted_tasks(kernel).rows()
    if not noted:
        return []
    listed = tasks_about(snapshot.session, snapshot.collection, {id for row in noted for id in _ids(row)})
    standing = {row.id for row in listed if row.state == "open"}
    kept = {(row.id, row.stamp) for row in listed if row.state == "kept"}
    fresh = [row for row in noted if row.id not in standing and (row.id, row.stamp) not in kept]
    return [row for row in _as_they_are(kernel, snapshot, fresh) if row.state == "open"]


def _as_they_are(kernel: Kernel, snapshot: Snapshot, rows: Sequence[TaskRow]) -> list[TaskRow]:
    """Tasks in the state they are in now."""
    known = vicinity_of(kernel, snapshot).read(snapshot, {id for row in rows for id in _ids(row)})
    said = said_between(snapshot, [id for row in rows if row.other for id in _ids(row)])
    now = kernel.now()
    found: list[TaskRow] = []
    for row in rows:
        entries = [known[id] for id in _ids(row) if id in known]
        if len(entries) < len(_ids(row)):
            found.append(_in_state(row, "settled", GONE, now))
        elif row.kind == PROPOSED:
            found.append(_proposal_now(snapshot, row, now))
        elif row.other:
            found.append(_pair_now(kernel, snapshot, row, entries, said=said.get(frozenset(_ids(row)), {})))
        else:
            found.append(_single_now(snapshot, row, entries[0], now))
    return found


def _in_state(row: TaskRow, state: TaskState, how: str, now: int) -> TaskRow:
    """The same task in a state; since when it is closed does not move while it stays so."""
    if (row.state, row.how) == (state, how):
        return row
    return replace(row, state=state, how=how, closed=None if state == "open" else now)


def _pair_now(
    kernel: Kernel, snapshot: Snapshot, row: TaskRow, entries: Sequence[Entry], *, said: Mapping[str, float]
) -> TaskRow:
    """A task about two entries: closed by what somebody said of them or by the end of one; where they say something
    else by now, judged anew."""
    now, stamp = kernel.now(), stamp_of(*entries)
    for predicate, (state, how) in _SAID.items():
        if predicate in said:
            return _in_state(row, state, how, now)
    older, newer = entries
    if row.kind == "blind_spot":
        return _in_state(row, *(("settled", "they are linked") if _are_linked(snapshot, row) else ("open", "")), now)
    if is_over(older, newer, now) or is_over(newer, older, now):
        return _in_state(row, "settled", "one ended before the other began, or both have ended", now)
    if stamp != row.stamp and CONTRADICTS not in said:
        judged = judge_pairs(snapshot, [(older, newer)], kernel)
        row = replace(row, stamp=stamp)
        return task_of(judged[0], row.found) if judged else _in_state(row, "settled", REWORDED, now)
    return row if row.how == REWORDED else _in_state(row, "open", "", now)


def _are_linked(snapshot: Snapshot, row: TaskRow) -> bool:
    return bool(joined_among(snapshot, [row.one, row.other], without=TEMPORAL))


def task_of(found: ContradictoryPair | Repetition, now: int) -> TaskRow:
    """What is asserted of two entries, as a task."""
    if isinstance(found, Repetition):
        told = ((found.older, found.verdict.older), (found.newer, found.verdict.newer))
        reason = f"they say the same, to {found.nearness:.2f}"
        return pair_task("duplicate", told, score=found.nearness, reason=reason, now=now)
    clash = found.contradiction
    told = ((found.older, clash.one), (found.newer, clash.other))
    kind: TaskKind = "update" if clash.type == "temporal" else "dispute"
    return pair_task(kind, told, score=clash.score, reason=clash.explanation, now=now)


def _proposal_now(snapshot: Snapshot, row: TaskRow, now: int) -> TaskRow:
    """What was stored of it settles it; it is open again when that was undone, and not when somebody dismissed it."""
    is_stored = any(edge.attributes.get("task") == row.id for edge in said_in(snapshot, row.one))
    if is_stored:
        return _in_state(row, "settled", "it is remembered", now)
    return row if row.state == "kept" else _in_state(row, "open", "", now)


def _single_now(snapshot: Snapshot, row: TaskRow, entry: Entry, now: int) -> TaskRow:
    if row.state == "kept" and row.stamp == str(entry.updated_at):
        return row
    how = _resolved(snapshot, row, entry, now)
    return _in_state(replace(row, stamp=str(entry.updated_at)), "settled" if how else "open", how, now)


def _resolved(snapshot: Snapshot, row: TaskRow, entry: Entry, now: int) -> str:
    """How it came that there is nothing to decide about an entry any more, if there is not."""
    if row.kind == "held":
        return "" if quarantine_of(entry, now) is not None else "it was released"
    if row.kind == "expired":
        return "" if has_expired(snapshot, entry, now) else "it holds again, or something supersedes it"
    if row.kind == "unexplained":
        return "" if is_unexplained(snapshot, entry) else "it was explained"
    if row.kind == "hub":
        return "" if examine(snapshot, entry.id, importance_of(entry)).is_cancer else "it is in balance"
    return "" if is_alone(snapshot, entry) else "something is linked to it"


def has_expired(snapshot: Snapshot, entry: Entry, now: int) -> bool:
    """Whether it has ended, and nothing is said to have taken its place."""
    end = entry.validity.end
    return end is not None and end < now and not with_predicate(snapshot, [entry.id], SUPERSEDES)


def is_alone(snapshot: Snapshot, entry: Entry) -> bool:
    found = fingerprints.neighbours(snapshot.session, snapshot.collection, [entry.id], limit=1)
    return entry.id not in found


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
