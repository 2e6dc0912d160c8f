"""Collections as wholes: called another name, or removed with everything in them."""

from dataclasses import dataclass

from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import STARTER_COLLECTION
from memotheca.model.knowledge import counted
from memotheca.storage import table_copy
from memotheca.storage.database import Session
from memotheca.storage.jobs import unsettled
from memotheca.storage.store import Store
from memotheca.storage.table_copy import delete_rows, has_collection, rename_rows

LONGEST = 200  # chosen: a name that still fits into an address and a line


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedCollection:
    """How many rows are gone, and which segments nobody needs any more."""

    rows: int
    segments: tuple[str, ...]


def rename_collection(store: Store, name: str, wanted: str) -> None:
    """In one transaction; whatever was in it is as it was, history included."""
    if not wanted.strip() or len(wanted) > LONGEST or not wanted.isprintable():
        raise Refusal(Failure.INVALID, f"A collection's name is 1 to {LONGEST} printable characters.", field="to")
    _refuse_others(store)

    def act(session: Session) -> None:
        _refuse_absent(session, name)
        if wanted == STARTER_COLLECTION or has_collection(session, wanted):
            raise Refusal(Failure.ALREADY_EXISTS, f"There is a collection named {wanted!r} already.", field="to")
        rename_rows(session, name, wanted)

    store.operate(act)


def read_renaming(store: Store) -> tuple[str, str] | None:
    """The old name and the new one of a collection whose tokens and manifest may have the old one yet."""
    with store.database.read() as session:
        return table_copy.read_renaming(session)


def end_renaming(store: Store) -> None:
    store.operate(table_copy.end_renaming)


def remove_collection(store: Store, name: str) -> RemovedCollection:
    """For good, with its history; the room it took is given back."""
    _refuse_others(store)

    def act(session: Session) -> RemovedCollection:
        _refuse_absent(session, name)
        rows, segments = delete_rows(session, name)
        return RemovedCollection(rows=rows, segments=segments)

    removed = store.operate(act)
    store.database.forget_log()
    return removed


def _refuse_absent(session: Session, name: str) -> None:
    if name == STARTER_COLLECTION or not has_collection(session, name):
        raise Refusal(Failure.NOT_FOUND, f"There is no collection {name!r}; `memotheca collections` lists them.")
    if jobs := unsettled(session, name):
        raise Refusal(
            Failure.BUSY,
            f"What is to be read for {name!r} is not done ({counted(len(jobs), 'file')}); let it end or cancel it.",
        )


def _refuse_others(store: Store) -> None:
    """Whoever serves a collection keeps much of it in memory, and would begin it anew under the old name."""
    if others := store.database.others():
        raise Refusal(Failure.BUSY, f"The data is open elsewhere: {others}. Stop that first.")
