"""History: listing transactions, undoing them, and saying what changed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast
from uuid import uuid4

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.paging import PagePosition, start, to_cursor
from memotheca.model.commits import Change, Commit, CommitBatch, Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import ENTITY, MENTIONED
from memotheca.model.knowledge import Edge, Entry, Thing, handle_of
from memotheca.notes.mounts import vaults_of
from memotheca.notes.outbox import FilePlan, catch_up, finish
from memotheca.search.prepared import LATER
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction

NOT_UNDOABLE = ("REVERT", "ERASE", "INDEX")


@dataclass(frozen=True, slots=True)
class HistoryRecord:
    """A transaction with what it is about and whether it still holds."""

    commit: Commit
    about: Version
    undone_by: int | None


@dataclass(frozen=True, slots=True)
class Undone:
    """A transaction that was reverted, and the transaction that reverted it."""

    happening: HistoryRecord
    revert_tx: int


@dataclass(frozen=True, slots=True)
class Undoing:
    """What was reverted, newest first, in how many steps: a command's several transactions are one. What was passed
    over, since it touched what was erased."""

    done: list[Undone]
    steps: int
    passed_over: list[int]

    @property
    def remarks(self) -> list[str]:
        """What is to be said besides the list."""
        said: list[str] = []
        if self.steps < len(self.done):
            said.append("What one command did in several transactions was taken back together.")
        if self.passed_over:
            named = ", ".join(map(str, self.passed_over))
            said.append(f"Passed over {named}, which touched what was erased since and cannot be undone.")
        return said


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """One page of transactions, newest first."""

    happenings: list[HistoryRecord]
    as_of_tx: int
    next_cursor: str | None


def list_history(
    kernel: Kernel,
    *,
    limit: int,
    entity_type: str | None = None,
    cursor: str | None = None,
    as_of_tx_id: int | None = None,
) -> HistoryPage:
    asked = {"entity_type": entity_type, "as_of_tx_id": as_of_tx_id}
    with kernel.read() as snapshot:
        place = start(asked, cursor, newest=snapshot.tx, now=kernel.now())
        before = int(place.last) if place.last else place.tx + 1
        found = _happenings(snapshot, before=before, entity_type=entity_type, limit=limit + 1)
    more = len(found) > limit
    last = str(found[limit - 1].commit.tx) if more else ""
    following = to_cursor(PagePosition(place.tx, place.now, last), asked) if more else None
    return HistoryPage(found[:limit], place.tx, following)


def new_batch(kernel: Kernel) -> CommitBatch:
    """What the transactions that one command is about to make will have in common."""
    return CommitBatch(uuid4().hex, newest_tx(kernel))


def undo(
    kernel: Kernel, *, count: int | None = None, tx: int | None = None, together: Sequence[int] = (), actor: str
) -> Undoing:
    """Revert the newest transactions, or the one that is named, or some that belong together, all or nothing."""
    if tx is not None and count not in (None, 1):
        raise Refusal(Failure.INVALID, "Name one transaction, or say how many of the newest; not both.", field="count")

    def act(transaction: Transaction) -> tuple[Undoing, bool]:
        done: list[Undone] = []
        plan = FilePlan(vaults_of(kernel), brings_back=True)
        if together:
            chosen = _StandingCommits(sorted(together, reverse=True), 1, [])
        else:
            chosen = _named(transaction, tx) if tx is not None else _newest_standing(transaction, count or 1)
        for number in chosen.numbers:
            if done:
                transaction.start_another()
            target = transaction.commit(number)
            if target is None:
                raise Refusal(Failure.NOT_FOUND, f"There is no transaction {number}.", field="tx_id")
            for change in _revert(transaction, target):
                plan.add(change.after.thing, None if change.before is None else change.before.thing)
            done.append(Undone(_happening(transaction, target), transaction.tx))
        return Undoing(done, chosen.steps, chosen.passed_over), bool(plan.settle(transaction))

    catch_up(kernel)
    done, files_follow = kernel.write(act, actor=actor)
    if files_follow:
        finish(kernel)
    return done


@dataclass(frozen=True, slots=True)
class UndoPreview:
    """What taking back a transaction would do, each thing as it is and as it would be; or why it cannot be done."""

    changes: list[tuple[Version, Thing | None]]
    refusal: Refusal | None = None


class _RehearsedUndo(Exception):
    def __init__(self, changes: list[Change]) -> None:
        self.changes = changes


def preview_undo(kernel: Kernel, tx: int) -> UndoPreview:
    """Take back a transaction as `undo` would, and leave nothing of it."""

    def act(transaction: Transaction) -> None:
        changes: list[Change] = []
        for number in _named(transaction, tx).numbers:
            target = transaction.commit(number)
            if target is None:
                raise Refusal(Failure.NOT_FOUND, f"There is no transaction {number}.", field="tx")
            if changes:
                transaction.start_another()
            changes += _revert(transaction, target)
        raise _RehearsedUndo(changes)

    try:
        kernel.store.write(kernel.collection, act, actor="")
    except _RehearsedUndo as rehearsed:
        changes = rehearsed.changes
        return UndoPreview([(each.after, None if each.before is None else each.before.thing) for each in changes])
    except Refusal as refusal:
        if refusal.failure.is_trouble:
            raise
        return UndoPreview([], refusal)
    raise AssertionError("a rehearsal always ends by itself")


def changes_after(kernel: Kernel, tx: int, limit: int) -> list[tuple[Commit, list[Change]]]:
    """The transactions after this one with their changes, oldest first."""
    with kernel.read() as snapshot:
        found = snapshot.commits(after=tx, limit=limit, newest_first=False)
        return [(each, snapshot.changes(each.tx)) for each in found]


def newest_tx(kernel: Kernel) -> int:
    with kernel.read() as snapshot:
        return snapshot.tx


def _happenings(snapshot: Snapshot, *, before: int, entity_type: str | None, limit: int) -> list[HistoryRecord]:
    found: list[HistoryRecord] = []
    while len(found) < limit:
        batch = snapshot.commits(before=before, limit=max(limit, 50))
        if not batch:
            break
        before = batch[-1].tx
        versions = snapshot.versions_in([commit.tx for commit in batch])
        about = {commit.tx: _about(snapshot, commit, versions[commit.tx]) for commit in batch}
        wanted = [commit for commit in batch if entity_type is None or _is_about(about[commit.tx], entity_type)]
        undone = snapshot.undone_among([commit.tx for commit in wanted])
        found += [HistoryRecord(commit, about[commit.tx], undone.get(commit.tx)) for commit in wanted]
    return found[:limit]


def _is_about(version: Version, entity_type: str) -> bool:
    return entity_type == ("triple" if version.subject == "edge" else version.kind)


def _happening(snapshot: Snapshot, commit: Commit) -> HistoryRecord:
    after = cast(Version, snapshot.version(commit.subject_id, commit.tx))
    return HistoryRecord(commit, _about(snapshot, commit, after), snapshot.undone_by(commit.tx))


def _about(snapshot: Snapshot, commit: Commit, after: Version) -> Version:
    """What a transaction is about is shown as it was: after it, or before it where it deleted."""
    if after.thing is None and not after.erased:
        return snapshot.version(commit.subject_id, commit.tx - 1) or after
    return after


@dataclass(slots=True)
class _StandingCommits:
    """Transactions to take back, newest first, in so many steps; and those that never can be."""

    numbers: list[int]
    steps: int
    passed_over: list[int]


def _named(transaction: Transaction, tx: int) -> _StandingCommits:
    """The transaction that is named; where it took back a part of what one command did, all that took back the rest
    too, so that the whole of it comes back."""
    origin, depth = transaction.commit(tx), 0
    while origin is not None and origin.operation == "REVERT" and origin.undoes is not None:
        origin, depth = transaction.commit(origin.undoes), depth + 1
    batch = None if origin is None else origin.batch
    if batch is None or not depth:
        return _StandingCommits([tx], 1, [])
    numbers = {tx, *_standing_reverts(transaction, batch, depth % 2)}
    return _StandingCommits(sorted(numbers, reverse=True), 1, [])


def _standing_reverts(transaction: Transaction, batch: CommitBatch, side: int) -> Iterable[int]:
    """For each of a command's transactions the newest that holds of what took it back, took that back, and so on, an
    odd or even number of times; without what touched something erased."""
    origins: dict[int, tuple[int, int]] = {}
    newest: dict[int, int] = {}
    after = batch.after
    while page := transaction.commits(after=after, limit=200, newest_first=False):
        for each in page:
            if each.batch is not None and each.batch.id == batch.id:
                origins[each.tx] = (each.tx, 0)
            elif each.undoes in origins:
                origin, far = origins[each.undoes]
                origins[each.tx] = (origin, far + 1)
                if (
                    (far + 1) % 2 == side
                    and transaction.undone_by(each.tx) is None
                    and not transaction.touches_erased(each.tx)
                ):
                    newest[origin] = each.tx
        after = page[-1].tx
    return newest.values()


def _newest_standing(transaction: Transaction, count: int) -> _StandingCommits:
    """The newest transactions that are no reverts, not reverted and touch nothing erased; those of one command count as
    one, however far apart they are."""
    chosen = _StandingCommits([], 0, [])
    begun: dict[str, int] = {}
    before = transaction.tx
    while page := transaction.commits(before=before, limit=200):
        for found in page:
            if chosen.steps == count and found.tx <= min(begun.values(), default=found.tx):
                return chosen
            if found.operation not in NOT_UNDOABLE and transaction.undone_by(found.tx) is None:
                _choose(transaction, found, count, chosen=chosen, begun=begun)
        before = page[-1].tx
    return chosen


def _choose(
    transaction: Transaction, found: Commit, count: int, *, chosen: _StandingCommits, begun: dict[str, int]
) -> None:
    batch = found.batch
    if transaction.touches_erased(found.tx):
        if chosen.steps < count:
            chosen.passed_over.append(found.tx)
        return
    if batch is not None and batch.id in begun:
        chosen.numbers.append(found.tx)
    elif chosen.steps < count:
        chosen.numbers.append(found.tx)
        chosen.steps += 1
        if batch is not None:
            begun[batch.id] = batch.after


def _revert(transaction: Transaction, target: Commit) -> list[Change]:
    if target.operation == "INDEX":
        raise Refusal(
            Failure.UNSUPPORTED,
            f"Transaction {target.tx} took in files that were there already; undoing it would delete them.",
            field="tx_id",
        )
    if target.operation == "ERASE":
        raise Refusal(Failure.ERASED, f"Transaction {target.tx} erased for good; that cannot be undone.", field="tx_id")
    undone_by = transaction.undone_by(target.tx)
    if undone_by is not None:
        raise Refusal(
            Failure.CONFLICT,
            f"Transaction {target.tx} was already reverted by transaction {undone_by}; undo that one to have it back.",
            field="tx_id",
            details={"tx_id": undone_by},
        )
    changes = sorted(transaction.changes(target.tx), key=lambda change: change.after.id != target.subject_id)
    for change in changes:
        _refuse_later_change(transaction, target, change)
    transaction.describe("REVERT", undoes=target.tx)
    for change in sorted(changes, key=lambda change: _is_mentioned(change.after.thing)):
        _restore(transaction, change)
    for change in changes:
        _refuse_dangling(transaction, target, change)
    return changes


def _refuse_later_change(transaction: Transaction, target: Commit, change: Change) -> None:
    """A change can be taken back while the thing is still as that change left it."""
    versions = transaction.versions(change.after.id)
    if any(version.erased for version in versions):
        following = _newest_standing(transaction, 1).numbers
        then = f" The newest that can be is {following[0]}." if following else ""
        raise Refusal(
            Failure.ERASED,
            f"Transaction {target.tx} touched what was erased since; it cannot be undone.{then}",
            field="tx_id",
            details={"tx_id": following[0]} if following else {},
        )
    if versions[-1].thing != change.after.thing:
        named = next((v.thing for v in reversed(versions) if v.thing is not None), None)
        raise _conflict(target, versions[-1].tx, change.after.id if named is None else handle_of(named))


def _restore(transaction: Transaction, change: Change) -> None:
    before = None if change.before is None else change.before.thing
    if before is None:
        # What others have come to name stays; it says nothing by itself.
        is_named = _is_mentioned(change.after.thing) and bool(transaction.edges_of(change.after.id))
        if change.after.thing is not None and not is_named:
            transaction.remove(change.after.thing)
        return
    try:
        transaction.put(before, LATER)
    except Refusal as refusal:
        raise Refusal(Failure.CONFLICT, f"It cannot come back: {refusal.message}") from refusal


def _is_mentioned(thing: Thing | None) -> bool:
    """Whether it is an entity that was made because something names it."""
    return isinstance(thing, Entry) and thing.kind == ENTITY and bool(thing.attributes.get(MENTIONED))


def _refuse_dangling(transaction: Transaction, target: Commit, change: Change) -> None:
    """No edge may be left without an end."""
    newest = transaction.version(change.after.id, transaction.tx)
    thing = None if newest is None else newest.thing
    if thing is None:
        for edge in transaction.edges_of(change.after.id):
            last = cast(Version, transaction.version(edge.id, transaction.tx))
            raise _conflict(target, last.tx, handle_of(edge))
    elif isinstance(thing, Edge):
        for end in (thing.source, thing.target):
            if transaction.head(end) is None:
                gone = transaction.versions(end)
                named = next((v.thing for v in reversed(gone) if isinstance(v.thing, Entry)), None)
                raise _conflict(target, gone[-1].tx if gone else 0, end if named is None else handle_of(named))


class ChangedSince(Refusal):
    """What a transaction did cannot be taken back before a later one is."""

    def __init__(self, message: str, later: int, name: str) -> None:
        details = {"tx_id": later, "entity_id": name}
        super().__init__(Failure.CONFLICT, message, field="tx_id", details=details)
        self.later = later
        self.name = name


def _conflict(target: Commit, later: int, name: str) -> Refusal:
    return ChangedSince(
        f"Transaction {target.tx} cannot be undone: transaction {later} changed {name!r} since. Undo that one first.",
        later,
        name,
    )
