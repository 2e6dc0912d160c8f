"""Erasing for good, and letting go of what was deleted long ago."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from memotheca.admin.manifest import strike_all
from memotheca.admin.upkeep import forget_erased
from memotheca.documents.sections import sections_ever
from memotheca.jobs.queue import bench_of
from memotheca.kernel.handles import resolve_any
from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import DAY
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import MENTIONED, MENTIONS
from memotheca.model.knowledge import Entry
from memotheca.notes.mounts import vaults_of
from memotheca.notes.outbox import FilePlan, catch_up, finish
from memotheca.notes.ownership import empty_trash
from memotheca.search.index_folder import IndexFolder
from memotheca.storage.conflicts import drop_all_conflicts
from memotheca.storage.locks import role
from memotheca.storage.repeats import drop_replies
from memotheca.storage.shared_files import drop_originals
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Store, Transaction

RETENTION = 30 * DAY  # specification: what was deleted can be brought back for 30 days
BACKUP_ROLE = "backup"
# One role for both: no backup may be made of what is being erased, and none be erased in twice at once.
OCCUPIED = "A backup is being made or something else is being erased; try again when that is done."


@dataclass(frozen=True, slots=True)
class Erased:
    """What is gone: how many things, how many of their versions, in which transaction, from how many backups."""

    things: int
    versions: int
    tx: int
    backups: int


def erase(kernel: Kernel, handle: str, *, actor: str, backups: Iterable[Store] = ()) -> Erased:
    """Take an entry or edge, dead or alive, and the edges that end at it, out of everything we keep."""
    try:
        with kernel.read() as snapshot:
            id = resolve_any(snapshot, handle).id
    except Refusal:
        _forget_traces(kernel)
        raise
    return _erase(kernel, lambda snapshot: _with_all(snapshot, id), actor=actor, backups=backups)


def _with_all(snapshot: Snapshot, id: str) -> list[str]:
    """It, its sections, and the entities that were made because it alone names them."""
    named = [edge for edge in snapshot.edges_from(id, MENTIONS) if edge.target != id]
    entities = [entry for edge in named if (entry := snapshot.entry(edge.target)) is not None]
    alone = [
        each.id
        for each in entities
        if each.attributes.get(MENTIONED) and all(edge.source == id for edge in snapshot.edges_of(each.id))
    ]
    return list(dict.fromkeys([id, *sections_ever(snapshot, id), *alone]))


def erase_everywhere(kernel: Kernel, id: str, *, actor: str) -> Erased:
    """The same, in the backups of the data directory and in the trash of the vaults too."""
    bench = bench_of(kernel)
    with role(bench.data, BACKUP_ROLE) as held:
        if not held:
            raise Refusal(Failure.BUSY, OCCUPIED)
        with kernel.read() as snapshot:
            past = [version.thing for version in snapshot.versions(id) if isinstance(version.thing, Entry)]
        copies = bench.open_backups()
        try:
            erased = erase(kernel, id, actor=actor, backups=copies)
        finally:
            for copy in copies:
                copy.close()
    empty_trash(kernel, past)
    return erased


def purge(kernel: Kernel, *, actor: str, older_than: int = RETENTION, backups: Iterable[Store] = ()) -> Erased | None:
    """Erase what has been a tombstone for longer than the time it can be brought back in."""
    before = kernel.now() - older_than
    with kernel.read() as snapshot:
        ids = snapshot.tombstones(before=before)
    if not ids:
        _forget_traces(kernel)
        return None
    return _erase(kernel, lambda snapshot: snapshot.tombstones(before=before), actor=actor, backups=backups)


def _erase(kernel: Kernel, find: Callable[[Snapshot], list[str]], *, actor: str, backups: Iterable[Store]) -> Erased:
    """What is found is found again in the transaction: a tombstone may be undone, a document get another section."""

    def act(transaction: Transaction) -> tuple[int, int, int, bool]:
        transaction.describe("ERASE")
        ids = find(transaction)
        doomed = list(dict.fromkeys([*ids, *(edge for id in ids for edge in transaction.edges_ever_at(id))]))
        plan = FilePlan(vaults_of(kernel))
        for id in ids:
            head = transaction.head(id)
            plan.add(None if head is None else head.thing, None)
        files_follow = bool(plan.settle(transaction))
        return len(doomed), _erase_things(transaction, doomed), transaction.tx, files_follow

    # The copies first: once the handle is gone from here, nobody could name what to look for in them.
    with kernel.read() as snapshot:
        ids = find(snapshot)
        past = [version.thing for id in ids for version in snapshot.versions(id)]
    copies = sum(erase_in_copy(copy, kernel.collection, ids) for copy in backups)
    strike_all(kernel, [thing for thing in past if isinstance(thing, Entry)])
    catch_up(kernel)
    things, versions, tx, files_follow = kernel.write(act, actor=actor)
    if files_follow:
        finish(kernel)
    _forget_traces(kernel)
    return Erased(things, versions, tx, copies)


def _erase_things(transaction: Transaction, ids: Iterable[str]) -> int:
    """Things, and what waits or was answered in the same collection, which may quote them; how many versions held
    some content."""
    doomed = list(ids)
    versions = sum(transaction.erase(id) for id in doomed)
    for id in doomed:
        drop_originals(transaction.session, transaction.collection, id)
    if transaction.changed:
        drop_all_conflicts(transaction.session, transaction.collection)
        drop_replies(transaction.session, transaction.collection)
    return versions


def _forget_traces(kernel: Kernel) -> None:
    """Also where there is nothing to erase: an attempt before may have got no further than the rows."""
    if kernel.parts.find(IndexFolder) is not None:
        forget_erased(kernel)
    if not kernel.store.database.forget_log():
        raise Refusal(
            Failure.BUSY,
            "Erased, but a reader still holds the write-ahead log; run the same command again to clear it.",
        )


def erase_in_copy(copy: Store, collection: str, ids: list[str]) -> bool:
    def act(transaction: Transaction) -> bool:
        transaction.describe("ERASE")
        held = [id for id in ids if transaction.version(id, transaction.tx) is not None]
        doomed = dict.fromkeys([*held, *(edge for id in held for edge in transaction.edges_ever_at(id))])
        _erase_things(transaction, doomed)
        return bool(doomed)

    found = copy.write(collection, act, actor="erasure")
    copy.database.forget_log()
    return found


def backup_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.db")) if folder.is_dir() else []


def remove_partial_backups(folder: Path) -> None:
    """Remove what killed programs have left of backups; only for who holds the role of making one."""
    for path in folder.glob("*.db.part*"):
        path.unlink(missing_ok=True)
