"""Moving everything to another database: from a directory to PostgreSQL, or back, history included, compared
afterwards. A move that was cut off is gone on with; until it is whole, nobody can open its target."""

import hashlib
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from memotheca.admin.token_shelves import TokenShelf, bring_tokens
from memotheca.jobs.ingest_job import sent_name_of, to_ingest_job
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import INGEST
from memotheca.storage import jobs, shared_files, table_copy
from memotheca.storage.database import Row, Session
from memotheca.storage.segments import SUFFIX, read_names
from memotheca.storage.store import Store
from memotheca.storage.table_copy import Account, Report

MOUNTS = "vaults:"


@dataclass(frozen=True, slots=True)
class Site:
    """A database and the folder of this machine beside it; `machine` is its name where machines share the database."""

    store: Store
    place: str
    segments: Path
    uploads: Path
    tokens: TokenShelf
    machine: str = ""


@dataclass(frozen=True, slots=True)
class Relocated:
    """What was moved, and whether an earlier move was gone on with."""

    account: Account
    segments: int
    files: int
    resumed: bool

    @property
    def rows(self) -> int:
        return sum(count for groups in self.account.values() for count, _ in groups.values())


def relocate_all(source: Site, target: Site, report: Report) -> Relocated:
    """From one snapshot, so that whoever writes meanwhile is noticed, not half moved."""
    if source.place == target.place:
        raise Refusal(Failure.INVALID, "That is where the data is already; name another target.", field="to")
    mark, resumed = table_copy.begin(target.store, source.place)
    change = _RelocatedRow(target).row
    with source.store.database.read() as session:
        table_copy.copy_rows(session, target.store, mark, change=change, report=report)
        segments = _bring_segments(session, source, target)
        files = _bring_files(session, source, target)
        wanted = table_copy.take_account(session, change)
        with target.store.database.read() as there:
            found = table_copy.take_account(there)
        if unlike := table_copy.differences(wanted, found):
            table_copy.clear(target.store)
            raise Refusal(
                Failure.CONFLICT,
                f"What arrived is not what is here now ({', '.join(unlike[:3])}): something was changed since the move "
                "began. The target was emptied. Stop whatever writes, and run it again.",
            )
        bring_tokens(source.tokens, target.tokens)
        table_copy.finish(session, target.store, left_out=MOUNTS if target.machine else "")
    return Relocated(wanted, segments, files, resumed)


class _RelocatedRow:
    """A job that reads a file of this machine is this machine's where several share them; else there is but one."""

    def __init__(self, target: Site) -> None:
        self._target = target
        tables = {table.name: table.columns for table in table_copy.list_tables()}
        self._columns = tables["job"]

    def row(self, table: str, row: Row) -> Row:
        if table != "job":
            return row
        given = dict(zip(self._columns, row, strict=True))
        job = jobs.to_job(given)
        name = job.lane.partition("@")[0]
        lies_here = job.kind == INGEST and not to_ingest_job(job).upload
        given["lane"] = f"{name}@{self._target.machine}" if self._target.machine and lies_here else name
        return tuple(given[column] for column in self._columns)


def _bring_segments(session: Session, source: Site, target: Site) -> int:
    """The sealed index; what is missing is made anew there from the journal, as it would be here."""
    brought = 0
    for name in sorted(set(read_names(session))):
        path = source.segments / (name + SUFFIX)
        shared_files.bring(session, path)
        if not path.exists():
            continue
        if target.machine:
            _share_whole(target.store, path)
        else:
            _copy_whole(path, target.segments / path.name)
        brought += 1
    return brought


def _share_whole(store: Store, path: Path) -> None:
    """Once, and compared: a piece that is there already may be half of what was cut off."""
    with store.database.read() as session:
        if _digest(shared_files.pieces(session, path.name)) == _digest(_read(path)):
            return
    store.operate_apart(lambda session: shared_files.share_anew(session, path))


def _copy_whole(path: Path, to: Path) -> None:
    to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = to.with_name(f".{to.name}.part")
    shutil.copyfile(path, part)
    descriptor = os.open(part, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.replace(part, to)


def _read(path: Path) -> Iterable[bytes]:
    with path.open("rb") as file:
        yield from iter(lambda: file.read(shared_files.PIECE), b"")


def _digest(pieces: Iterable[bytes]) -> bytes:
    summed = hashlib.sha256()
    for piece in pieces:
        summed.update(piece)
    return summed.digest()


def _bring_files(session: Session, source: Site, target: Site) -> int:
    """Files that were sent for jobs that have not ended."""
    waiting = [job for name in source.store.collections() for job in jobs.unsettled(session, name)]
    brought = 0
    for name in {name for job in waiting if (name := sent_name_of(job))}:
        path = source.uploads / name
        shared_files.bring(session, path, name)
        if not path.exists():
            continue
        if target.machine:
            keep = partial(shared_files.keep_sent, name=name, path=path, now=target.store.clock())
            target.store.operate_apart(keep)
        else:
            _copy_whole(path, target.uploads / name)
        brought += 1
    return brought
