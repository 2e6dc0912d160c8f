"""Letting go of vaults: their notes leave the collection, their files stay as they are."""

from typing import cast

from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.notes.mounts import owner_role, vaults_of
from memotheca.notes.note_bytes import remove_note
from memotheca.notes.outbox import catch_up
from memotheca.notes.sync import ACTOR
from memotheca.storage import vault_index
from memotheca.storage.store import Transaction

BATCH = 500  # chosen: one transaction a batch, so that other writers wait for a moment only


def unmount(kernel: Kernel) -> int:
    """Forget every mounted vault and return how many notes left the collection with them."""
    locks = vaults_of(kernel).lock_folder
    catch_up(kernel)
    database = kernel.store.database
    with database.lease(locks, owner_role(kernel.collection)) as held:
        if held is None:
            holder = database.holder(locks, owner_role(kernel.collection))
            raise Refusal(Failure.BUSY, f"{holder or 'A server'} follows the vaults of this collection; stop it first.")
        with kernel.read() as snapshot:
            known = vault_index.known_notes(snapshot.session, kernel.collection)
        ids = [id for _, id, _ in known.values()]
        for start in range(0, len(ids), BATCH):
            kernel.write(lambda transaction, some=ids[start : start + BATCH]: _leave(transaction, some), actor=ACTOR)
        kernel.store.operate(lambda session: vault_index.forget_vaults(session, kernel.collection))
    return len(ids)


def _leave(transaction: Transaction, ids: list[str]) -> None:
    transaction.describe("INDEX")
    for id in ids:
        head = transaction.head(id)
        if head is not None:
            remove_note(transaction, cast(Entry, head.thing))
