"""Erasing for good, and letting go of what was deleted long ago."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pinakes.engine.handles import resolve_any
from pinakes.engine.kernel import Kernel
from pinakes.engine.upkeep import forget_erased
from pinakes.model.clock import DAY
from pinakes.model.errors import Failure, Refusal
from pinakes.storage.store import Store, Writing

RETENTION = 30 * DAY


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
        with kernel.read() as reading:
            ids = [resolve_any(reading, handle).id]
    except Refusal:
        _forget_traces(kernel)
        raise
    return _erase(kernel, ids, actor=actor, backups=backups)


def purge(kernel: Kernel, *, actor: str, older_than: int = RETENTION, backups: Iterable[Store] = ()) -> Erased | None:
    """Erase what has been a tombstone for longer than the time it can be brought back in."""
    with kernel.read() as reading:
        ids = reading.tombstones(before=kernel.now() - older_than)
    if not ids:
        _forget_traces(kernel)
        return None
    return _erase(kernel, ids, actor=actor, backups=backups)


def _erase(kernel: Kernel, ids: list[str], *, actor: str, backups: Iterable[Store]) -> Erased:
    def act(writing: Writing) -> tuple[int, int, int]:
        writing.describe("ERASE")
        doomed = list(dict.fromkeys([*ids, *(edge for id in ids for edge in writing.edges_ever_at(id))]))
        return len(doomed), sum(writing.erase(id) for id in doomed), writing.tx

    # The copies first: once the handle is gone from here, nobody could name what to look for in them.
    copies = sum(_erase_in_copy(copy, kernel.collection, ids) for copy in backups)
    things, versions, tx = kernel.write(act, actor=actor)
    _forget_traces(kernel)
    return Erased(things, versions, tx, copies)


def _forget_traces(kernel: Kernel) -> None:
    """Also where there is nothing to erase: an attempt before may have got no further than the rows."""
    if kernel.is_searchable:
        forget_erased(kernel)
    if not kernel.store.database.forget_log():
        raise Refusal(
            Failure.BUSY,
            "Erased, but a reader still holds the write-ahead log; run the same command again to clear it.",
        )


def _erase_in_copy(copy: Store, collection: str, ids: list[str]) -> bool:
    def act(writing: Writing) -> bool:
        writing.describe("ERASE")
        held = [id for id in ids if writing.version(id, writing.tx) is not None]
        doomed = dict.fromkeys([*held, *(edge for id in held for edge in writing.edges_ever_at(id))])
        for id in doomed:
            writing.erase(id)
        return bool(doomed)

    found = copy.write(collection, act, actor="erasure")
    copy.database.forget_log()
    return found


def backup_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.db")) if folder.is_dir() else []
