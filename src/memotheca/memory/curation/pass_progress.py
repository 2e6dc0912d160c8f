"""How far the pass over all that is stored has come, and whether one is due (memory-model: Curation tasks)."""

from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.memory.traits import KNOWN
from memotheca.model.clock import DAY
from memotheca.storage.activity import read_state, write_state
from memotheca.storage.care_tasks import ids_beyond
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction

PLACE = "looked_through"
AGAIN = DAY  # chosen: time alone makes some tasks, and what was edited is looked at again
COUNTED = 1000  # chosen: beyond that a number tells nobody more


def count_ahead(snapshot: Snapshot) -> int:
    """How many entries are still to be looked through in this pass; at most so many are counted."""
    return len(ids_beyond(snapshot, KNOWN, place_of(snapshot)["after"], limit=COUNTED))


def is_due(kernel: Kernel) -> bool:
    """Whether anything is left of this pass, or another is due."""
    with kernel.read() as snapshot:
        place = place_of(snapshot)
        if ids_beyond(snapshot, KNOWN, place["after"], limit=1):
            return True
        return bool(place["after"]) and kernel.now() - place["begun"] >= AGAIN


def place_of(snapshot: Snapshot) -> dict[str, Any]:
    return read_state(snapshot.session, snapshot.collection, PLACE) or {"after": "", "begun": 0}


def note_compared(transaction: Transaction, id: str) -> None:
    """Where all that was there before has been looked through, it goes on after this one."""
    session, collection = transaction.session, transaction.collection
    place: dict[str, Any] = read_state(session, collection, PLACE) or {"after": "", "begun": transaction.time}
    if ids_beyond(transaction, KNOWN, place["after"], limit=1) == [id]:
        write_state(session, collection, PLACE, {**place, "after": id}, now=transaction.time)
