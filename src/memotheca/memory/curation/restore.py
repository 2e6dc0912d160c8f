"""Restoring: what a forgetting or merging took away comes back as it was, as far as both ends of an edge are there."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import cast

from memotheca.admin.history import undo
from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation.reversal import TAKEN_BACK, WINDOW, find_transaction
from memotheca.memory.session.state import activity_of
from memotheca.memory.traits import text_of
from memotheca.memory.verbs import Verb
from memotheca.model.clock import to_iso
from memotheca.model.commits import MACHINE, VERB, Commit, Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import ENTITY, TUNING
from memotheca.model.knowledge import Edge, Entry
from memotheca.notes.note_bytes import is_filed
from memotheca.notes.outbox import FilePlan
from memotheca.notes.ownership import carry_out, empty_trash
from memotheca.search.prepared import LATER
from memotheca.storage.activity import ActivityRecord
from memotheca.storage.instruments.work_events import KEPT, newest_work_events
from memotheca.storage.lookups import read_notes
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction
from memotheca.text.words import words

# A dream is taken back as a whole by its own name.
WORK, DREAMT = "dream", "dream_"
WAITING = "waiting"


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoredNodes:
    """What came back, by taking back which transaction; edges wait for an end that is still forgotten, and those made
    since a merging go on at the source that is most like their other end."""

    nodes: tuple[str, ...]
    edges: tuple[str, ...]
    waiting: tuple[str, ...]
    rewired: tuple[str, ...]
    commit: Commit
    was_restored: bool


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be done, before anything is."""

    back: tuple[Entry, ...]
    made: tuple[str, ...]
    edges: tuple[Edge, ...]
    dropped: tuple[Edge, ...]
    rewired: tuple[Edge, ...]
    waiting: tuple[str, ...]


def restore(kernel: Kernel, reversal_hash: str, *, actor: str) -> RestoredNodes:
    """Bring back exactly what a forgetting or merging took away, or a machine or a whole dream changed, within thirty
    days."""
    take_back = _restore_dream if reversal_hash.strip().startswith(DREAMT) else _restore
    return take_back(kernel, reversal_hash.strip(), actor=actor)


def _restore(kernel: Kernel, reversal_hash: str, *, actor: str) -> RestoredNodes:
    with kernel.read() as snapshot:
        target = _restorable(snapshot, reversal_hash)
        if (already := _restored_before(snapshot, target)) is not None:
            return already
    if kernel.now() - target.time > WINDOW:
        raise expired(target)
    if target.operation not in TAKEN_BACK:
        return _undo(kernel, [target], actor=actor)

    def act(transaction: Transaction, files: FilePlan) -> tuple[RestoredNodes, tuple[Entry, ...]]:
        if (already := _restored_before(transaction, target)) is not None:
            return already, ()
        plan = _plan(transaction, target)
        note = {VERB: Verb.RESTORE, **({WAITING: list(plan.waiting)} if plan.waiting else {})}
        transaction.describe("REVERT", undoes=target.tx, note=note)
        made = [cast(Entry, cast(Version, transaction.head(id)).thing) for id in plan.made]
        for entry in made:
            files.add(entry, None)
            if is_filed(entry) or entry.kind == ENTITY:
                # A source may have had the path that the merged note has now, or the names of the merged entity.
                transaction.put(replace(entry, aliases=()), LATER)
        for thing in (*plan.back, *plan.edges, *plan.rewired):
            transaction.put(thing, LATER)
            files.add(None, thing)
        for thing in (*plan.dropped, *made):
            transaction.remove(thing)
        restored = RestoredNodes(
            nodes=tuple(entry.id for entry in plan.back),
            edges=tuple(edge.id for edge in plan.edges),
            waiting=plan.waiting,
            rewired=tuple(edge.id for edge in plan.rewired),
            commit=target,
            was_restored=not transaction.changed,
        )
        return restored, plan.back

    restored, back = carry_out(kernel, act, actor=actor)
    empty_trash(kernel, back)
    line = ActivityRecord(
        time=kernel.now(), level="info", component="curation", action="restore", node_ids=restored.nodes
    )
    activity_of(kernel).log(kernel.collection, line)
    return restored


def _restore_dream(kernel: Kernel, run: str, *, actor: str) -> RestoredNodes:
    """Take back all that a dream has changed, whatever part of it was taken back before."""
    with kernel.read() as snapshot:
        events = newest_work_events(snapshot.session, snapshot.collection, WORK, limit=KEPT)
        numbers = [int(event.facts["tx"]) for event in events if event.run == run and "tx" in event.facts]
        commits = [commit for tx in sorted(numbers) if (commit := snapshot.commit(tx)) is not None]
        undone = snapshot.undone_among([commit.tx for commit in commits])
    if not commits:
        raise Refusal(Failure.NOT_FOUND, "No dream of that name has changed anything.", field="reversal_hash")
    if kernel.now() - commits[0].time > WINDOW:
        raise expired(commits[0])
    standing = [commit for commit in commits if commit.tx not in undone]
    if standing:
        return _undo(kernel, standing, actor=actor)
    return RestoredNodes(nodes=(), edges=(), waiting=(), rewired=(), commit=commits[0], was_restored=True)


def _undo(kernel: Kernel, targets: Sequence[Commit], *, actor: str) -> RestoredNodes:
    """Take back what a machine changed: everything it touched is as it was before."""
    undo(kernel, together=[target.tx for target in targets], actor=actor)
    with kernel.read() as snapshot:
        touched = {
            change.after.id: change.after for target in targets for change in snapshot.changes(target.tx)
        }.values()
    target = targets[0]
    return RestoredNodes(
        nodes=tuple(version.id for version in touched if version.subject == "entry" and version.kind != TUNING),
        edges=tuple(version.id for version in touched if version.subject == "edge"),
        waiting=(),
        rewired=(),
        commit=target,
        was_restored=False,
    )


def _restorable(snapshot: Snapshot, reversal_hash: str) -> Commit:
    target = find_transaction(snapshot, reversal_hash)
    if target.operation not in TAKEN_BACK and not target.note.get(MACHINE):
        raise Refusal(
            Failure.NOT_FOUND, "Nothing that can be taken back has that reversal hash.", field="reversal_hash"
        )
    return target


def _restored_before(snapshot: Snapshot, target: Commit) -> RestoredNodes | None:
    """What there is where somebody, perhaps a moment ago, has taken it back already."""
    if snapshot.undone_by(target.tx) is None:
        return None
    back = [change.after.id for change in snapshot.changes(target.tx) if change.removes]
    nodes = tuple(id for id in back if snapshot.entry(id) is not None)
    return RestoredNodes(nodes=nodes, edges=(), waiting=(), rewired=(), commit=target, was_restored=True)


def expired(target: Commit, *, was_erased: bool = False) -> Refusal:
    """Too late for a hash: what was erased is gone, what was only deleted is still in the history."""
    when = to_iso(target.time)
    if was_erased:
        said = f"It was deleted at {when} and erased since: nothing can bring it back."
    else:
        said = (
            f"It was deleted at {when}, more than 30 days ago: the hash no longer brings it back. It is not erased: "
            f"undo of transaction {target.tx} does, until `memotheca erase` takes it out of the history."
        )
    return Refusal(
        Failure.EXPIRED,
        said,
        field="reversal_hash",
        details={"deleted_at": when, "tx_id": target.tx, "erased": was_erased},
    )


def _plan(transaction: Transaction, target: Commit) -> _Plan:
    changes = transaction.changes(target.tx)
    entries = [change for change in changes if change.after.subject == "entry"]
    # An edge goes with either end; that the other one was erased is no reason to keep this one away.
    if any(change.before is not None and change.before.erased for change in entries):
        raise expired(target, was_erased=True)
    gone = [change.before for change in entries if change.removes and change.before is not None]
    back = tuple(cast(Entry, version.thing) for version in gone if not _was_unmade(transaction, version.id))
    made = [change.after.id for change in entries if not change.removes]
    standing = _RestoredEnds(transaction, {entry.id for entry in back}, set(made))
    touched = [change.after.id for change in changes if change.after.subject == "edge" and change.before is not None]
    placed, waiting = standing.place([*touched, *_left_waiting(transaction, target)])
    moved = {edge.id for edge in placed}
    loose = {edge.id: edge for id in made for edge in transaction.edges_of(id) if edge.id not in moved}
    born_with = {change.after.id for change in changes if change.before is None}
    return _Plan(
        back=back,
        made=tuple(id for id in made if transaction.head(id) is not None),
        edges=tuple(placed),
        dropped=tuple(edge for edge in loose.values() if edge.id in born_with),
        rewired=tuple(standing.rewire(edge, back) for edge in loose.values() if edge.id not in born_with),
        waiting=tuple(waiting),
    )


def _was_unmade(transaction: Transaction, id: str) -> bool:
    """Made by a merging that has been taken back meanwhile."""
    first = transaction.versions(id)[0]
    maker = transaction.commit(first.tx)
    return maker is not None and maker.operation == "MERGE" and transaction.undone_by(maker.tx) is not None


class _RestoredEnds:
    """Which entries will live once everything is back."""

    def __init__(self, transaction: Transaction, back: set[str], made: set[str]) -> None:
        self._writing = transaction
        self._back = back
        self._made = made

    def lives(self, id: str) -> bool:
        return id in self._back or (id not in self._made and self._writing.head(id) is not None)

    def place(self, ids: Iterable[str]) -> tuple[list[Edge], list[str]]:
        """Edges as they were when both their ends were those that will live, and those that have to wait."""
        placed: list[Edge] = []
        waiting: list[str] = []
        for id in dict.fromkeys(ids):
            versions = self._writing.versions(id)
            if self._is_settled(versions[-1]):
                continue
            found = next((v.thing for v in reversed(versions) if self._is_whole(v)), None)
            if isinstance(found, Edge):
                placed.append(found)
            else:
                waiting.append(id)
        return placed, waiting

    def _is_whole(self, version: Version) -> bool:
        edge = version.thing
        return isinstance(edge, Edge) and self.lives(edge.source) and self.lives(edge.target)

    def _is_settled(self, newest: Version) -> bool:
        """An edge that stands where it can stay, or that somebody deleted for its own sake."""
        if newest.thing is not None:
            return self._is_whole(newest)
        ended = self._writing.commit(newest.tx)
        return newest.erased or (ended is not None and ended.subject_id == newest.id)

    def rewire(self, edge: Edge, sources: Iterable[Entry]) -> Edge:
        """An edge of a merged entry, moved to the source of it that has most words in common with the other end."""
        made, near = (edge.source, edge.target) if edge.source in self._made else (edge.target, edge.source)
        merged = self._writing.entry(made)
        own = set[str]() if merged is None else set(merged.attributes.get("merged_from", ()))
        sources = [source for source in sources if source.id in own] or list(sources)
        other = self._writing.entry(near)
        spoken = set(words(text_of(other))) if other is not None else set[str]()
        best = max(sources, key=lambda entry: (len(spoken & set(words(text_of(entry)))), entry.id)).id
        source = best if edge.source in self._made else edge.source
        target = best if edge.target in self._made else edge.target
        return replace(edge, source=source, target=target, updated_at=self._writing.time)


def _left_waiting(snapshot: Snapshot, target: Commit) -> list[str]:
    """Edges that earlier restorings since then could not bring back for want of an end."""
    return [id for note in read_notes(snapshot, target.tx, naming=WAITING) for id in note.get(WAITING, ())]
