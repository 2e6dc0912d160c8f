"""Backups: made, counted, found good or not, and put back in place of the data."""

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from memotheca.admin.erasure import erase_in_copy
from memotheca.admin.manifest import manifest_files
from memotheca.admin.upkeep import rebuild
from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from memotheca.storage import journal, swap
from memotheca.storage.database import Database, LogMissing
from memotheca.storage.migrations import STEPS, format_of
from memotheca.storage.presence import gate, present
from memotheca.storage.segments import SUFFIX, missing_segments, read_names
from memotheca.storage.soundness import find_damage
from memotheca.storage.store import ACCEPTED, Store

COMMAND = "memotheca restore"
BEFORE_RESTORE, DAMAGED, ASKED = "before-restore", "damaged", "asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseAccess:
    """Where the data is, and how a database is opened, copied and looked at here."""

    database: Path
    segments: Path
    open_database: Callable[[Path, bool], Database]
    open_copy: Callable[[Path], Store]
    copy_live: Callable[[Path, Path], None]
    log_of: Callable[[Path], Path]
    path_for: Callable[[str], Path]
    backups: Callable[[], list[Path]]
    find_faults: Callable[[Path], list[str]]
    is_consistent: Callable[[Path], bool]
    count_history: Callable[[Path], int]

    @property
    def directory(self) -> Path:
        return self.database.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoredBackup:
    """What was put in place, from which format, where the state before it is kept and how that was; what was erased
    since the backup and is so again; whose index was made anew."""

    file: str
    collections: dict[str, int]
    migrated_from: int | None
    kept: str | None
    before: str
    erased_again: int
    reindexed: list[str]


def restore(means: DatabaseAccess, source: Path, *, accept_incomplete: bool = False) -> RestoredBackup:
    """Put a backup in place of the data, whether that is whole, damaged or missing, and keep what was there."""
    _refuse_what_is_no_file(means, source)
    with gate(means.directory, command=COMMAND) as held:
        if not held:
            raise Refusal(
                Failure.BUSY, "The data directory cannot be written, or another program is just coming in; try again."
            )
        _refuse_company(means)
        swap.finish(means.database)
        try:
            return _replace(means, source, accept_incomplete)
        except OSError as error:
            decided = swap.is_pending(means.database)
            then = "The next program that opens the data completes it." if decided else "Nothing was changed."
            failure = Failure.DISK_FULL if error.errno == errno.ENOSPC else Failure.UNAVAILABLE
            raise Refusal(failure, f"It could not be restored: {error.strerror}. {then}") from error
        finally:
            if not swap.is_pending(means.database):
                swap.finish(means.database)


def _refuse_what_is_no_file(means: DatabaseAccess, source: Path) -> None:
    if source.is_dir():
        raise Refusal(Failure.INVALID, f"{source} is a folder; name the file of the backup.")
    if not source.is_file():
        raise Refusal(Failure.NOT_FOUND, f"There is no file {source}.")
    if means.database.exists() and source.samefile(means.database):
        raise Refusal(Failure.INVALID, f"{source} is the data itself; name a backup of it.")


def _refuse_company(means: DatabaseAccess) -> None:
    holders = present(means.directory)
    if holders:
        named = "; ".join(map(str, holders))
        raise Refusal(
            Failure.BUSY,
            f"The data directory is open: {named}. Stop that first, then restore.",
            details={"holders": [asdict(holder) for holder in holders]},
        )
    # The gate is ours; programs of before there was a presence hold a role, or have the file open.
    roles = [name for name in swap.held_roles(means.directory) if name != "gate"]
    if roles or swap.is_open(means.database):
        role = f" (it holds the role {roles[0]!r})" if roles else ""
        raise Refusal(Failure.BUSY, f"Another program has the data open{role}. Stop it first, then restore.")


def _replace(means: DatabaseAccess, source: Path, accept_incomplete: bool) -> RestoredBackup:
    new = swap.begin(means.database)
    if means.log_of(source).exists():
        means.copy_live(source, new)
    else:
        swap.copy_file(source, new)
    found = _check(means, source, accept_incomplete)
    before, erased = _look_at_present(means)
    store = means.open_copy(new)
    try:
        again = _erase_again(store, _gather_erased(means, erased))
        reindexed = _renew_index(means, store, {name for name, count in again.items() if count})
        # Whoever restores has decided what is to be there.
        store.mark_begun_anew(ACCEPTED)
        with store.database.read() as session:
            names = tuple(name + SUFFIX for name in read_names(session))
        collections = {name: _count(store, name) for name in store.collections()}
    finally:
        store.close()
    kept = _place_for(means, before)
    others = tuple(map(str, manifest_files(means.directory)))
    swap.decide(means.database, swap.SwapPlan("" if kept is None else str(kept), others, str(means.segments), names))
    swap.finish(means.database)
    return RestoredBackup(
        file=str(source),
        collections=collections,
        migrated_from=found if found < len(STEPS) else None,
        kept=None if kept is None else str(kept),
        before=before,
        erased_again=sum(again.values()),
        reindexed=reindexed,
    )


def _check(means: DatabaseAccess, source: Path, accept_incomplete: bool) -> int:
    """The format of the backup; refuses what is none, is damaged, or is of a newer program."""
    try:
        database = means.open_database(swap.staged(means.database), accept_incomplete)
    except LogMissing as missing:
        message = (
            f"{source} is incomplete: it was copied while a program had it open, without its log. Copy the file "
            "that ends in -wal beside it too, or take what is in it with --accept-incomplete."
        )
        raise Refusal(Failure.CORRUPT, message) from missing
    except Refusal as refusal:
        message = f"{source} is no backup of Memotheca, or damaged; an export is brought in by `memotheca import`."
        raise Refusal(Failure.CORRUPT, message) from refusal
    try:
        complaints = database.check()
        with database.read() as session:
            found = format_of(database, session)
            if found and not complaints and not accept_incomplete:
                complaints = find_damage(session)
    except Refusal as refusal:
        raise Refusal(Failure.CORRUPT, f"{source} is damaged. Nothing was changed.") from refusal
    finally:
        database.close()
    if complaints:
        raise Refusal(Failure.CORRUPT, f"{source} is damaged: {complaints[0]}. Nothing was changed.")
    if not found:
        raise Refusal(Failure.CORRUPT, f"{source} holds no data of Memotheca. Nothing was changed.")
    if found > len(STEPS):
        message = (
            f"{source} has format {found}, of a newer Memotheca; this one knows {len(STEPS)}. Upgrade, then restore."
        )
        raise Refusal(Failure.INCOMPATIBLE, message)
    return found


def _look_at_present(means: DatabaseAccess) -> tuple[str, dict[str, list[str]]]:
    """How the present state is, with its log moved into the file, and what was erased in it."""
    if not means.database.exists() or not means.database.stat().st_size:
        return "missing", {}
    try:
        database = means.open_database(means.database, False)
        try:
            if database.check():
                return DAMAGED, {}
            with database.read() as session:
                if not format_of(database, session):
                    return "missing", {}
                return "whole", journal.erased_ids(session)
        finally:
            database.close()
    except LogMissing:
        return "incomplete", {}
    except Refusal:
        return DAMAGED, {}


def _gather_erased(means: DatabaseAccess, known: dict[str, list[str]]) -> dict[str, list[str]]:
    """What the present state knows of and what the backups do: it may be damaged, or begun anew after a loss."""
    gathered = {collection: set(ids) for collection, ids in known.items()}
    for path in means.backups():
        try:
            database = means.open_database(path, False)
        except Refusal:
            continue
        try:
            with database.read() as session:
                found = journal.erased_ids(session)
        except Refusal:
            continue
        finally:
            database.close()
        for collection, ids in found.items():
            gathered.setdefault(collection, set()).update(ids)
    return {collection: sorted(ids) for collection, ids in gathered.items()}


def _erase_again(store: Store, erased: dict[str, list[str]]) -> dict[str, int]:
    """What was erased stays so, also where the backup is older; by collection, how many things that were."""
    done: dict[str, int] = {}
    with store.database.read() as session:
        own = journal.erased_ids(session)
        held = {name: journal.still_held(session, name, ids) for name, ids in erased.items()}
    for collection, ids in held.items():
        if ids:
            erase_in_copy(store, collection, ids)
            done[collection] = len(ids)
    known = {name: sorted({*own.get(name, ()), *erased.get(name, ())}) for name in own.keys() | erased.keys()}
    if known != own:
        store.operate(lambda session: journal.remember_erased(session, known))
    return done


def _renew_index(means: DatabaseAccess, store: Store, erased: set[str]) -> list[str]:
    """Make the index anew where files of it are missing, or hold what was erased again, or the format was older."""
    stale = store.has_stale_chunks()
    renewed: list[str] = []
    for name in store.collections():
        with store.database.read() as session:
            missing = bool(missing_segments(session, name, means.segments))
        if stale or missing or name in erased:
            rebuild(Kernel(store, name), lambda done, total, message: None)
            renewed.append(name)
    if stale:
        store.mark_fresh()
    return renewed


def _count(store: Store, collection: str) -> int:
    with store.read(collection) as snapshot:
        return snapshot.count("entry")


def _place_for(means: DatabaseAccess, before: str) -> Path | None:
    """Where what is there is kept: as a backup like others, or, where it is none, in a folder of its own."""
    if before == "missing":
        return None
    if before == "whole":
        return means.path_for(BEFORE_RESTORE)
    return means.path_for(before).with_suffix("") / means.database.name


def open_all(means: DatabaseAccess) -> list[Store]:
    """Every backup as a store, to take something out of it; none where one of them cannot be read."""
    opened: list[Store] = []
    for path in [*means.backups(), *sorted(means.path_for(ASKED).parent.glob(f"*/{means.database.name}"))]:
        try:
            opened.append(means.open_copy(path))
        except Refusal as refusal:
            for store in opened:
                store.close()
            raise Refusal(
                Failure.CORRUPT,
                f"{path} is damaged, so that nothing can be erased in it; delete it, or move it elsewhere, first.",
            ) from refusal
    # Pages of what was remembered, kept beside what a restore has replaced: they name things.
    for page in means.path_for(ASKED).parent.glob(f"*-{BEFORE_RESTORE}.md"):
        page.unlink(missing_ok=True)
    return opened


def find_good(means: DatabaseAccess) -> Path | None:
    """The newest backup that can be restored; what a restore has replaced, or what needs a repair, only where there is
    no other."""
    found = sorted(means.backups(), key=lambda path: (not path.stem.endswith(BEFORE_RESTORE), path.name), reverse=True)
    mendable: Path | None = None
    for path in found:
        if not means.find_faults(path):
            if means.is_consistent(path):
                return path
            mendable = mendable or path
    return mendable


def make_backup(database: Database, target: Path, find_faults: Callable[[Path], list[str]]) -> None:
    """A copy for its owner alone that counts once it is whole, durable and found good; half a one is left nowhere."""
    part = target.with_name(target.name + ".part")
    sides = list(swap.side_files(part))
    try:
        for each in (part, *sides):
            each.unlink(missing_ok=True)
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        database.copy_to(part)
        faults = find_faults(part)
        if faults:
            raise Refusal(
                Failure.CORRUPT,
                f"The data is damaged ({faults[0]}), so that no backup was kept; `memotheca doctor` says what to do.",
            )
        swap.settle(part, target)
    except OSError as error:
        failure = Failure.DISK_FULL if error.errno == errno.ENOSPC else Failure.UNAVAILABLE
        raise Refusal(failure, f"{target} cannot be written: {error.strerror}. No backup was made.") from error
    finally:
        for each in (part, *sides):
            with suppress(OSError):
                each.unlink(missing_ok=True)


def thin_out(means: DatabaseAccess, keep: int) -> list[Path]:
    """Remove the oldest of the backups that were asked for; those made before a migration or a restore stay."""
    asked = [path for path in sorted(means.backups()) if path.stem.endswith(ASKED)]
    surplus = asked[:-keep]
    for path in surplus:
        for each in (path, *swap.side_files(path)):
            each.unlink(missing_ok=True)
    return surplus
