"""The kernel: a store, the collection a connection has chosen, and the parts that live as long as the process."""

from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol, TypeVar

from memotheca.kernel.parts import Parts
from memotheca.model.cancellation import carry_on, heed
from memotheca.model.commits import CommitBatch
from memotheca.storage.database import Session
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Store, Transaction

T = TypeVar("T")


class Writer(Protocol):
    """Who changes a store in its place."""

    def write(self, store: Store, act: Callable[[Transaction], T], *, actor: str) -> T: ...

    def operate(self, store: Store, act: Callable[[Session], T]) -> T: ...


def _stand(session: Session) -> None:
    """Nobody can take over what is no role."""


def _within(batch: CommitBatch | None, act: Callable[[Transaction], T], transaction: Transaction) -> T:
    if batch is not None:
        transaction.batch = batch
    result = act(transaction)
    heed()
    return result


@dataclass(frozen=True, slots=True)
class Kernel:
    """What every verb is given."""

    store: Store
    collection: str
    parts: Parts = field(default_factory=Parts)
    # Where one command makes several transactions: what they have in common, so that one undo takes them all back.
    batch: CommitBatch | None = None
    # Who writes in the store's place, so that a call under a key is carried out once.
    once: Writer | None = None
    # Asked inside a transaction by who acts in a role that another may have taken over meanwhile.
    fence: Callable[[Session], None] = _stand

    def part(self, kind: type[T]) -> T:
        """A part of the process that this kernel was made with, such as its workbench."""
        return self.parts.part(kind)

    def keep(self, kind: type[T], key: Hashable = None, make: Callable[[], T] | None = None) -> T:
        """What is worked out once and kept as long as the process lives, one for each key."""
        return self.parts.keep(kind, key, make or kind)

    def having(self, *parts: object) -> "Kernel":
        """The same kernel with some parts in the place of others."""
        return replace(self, parts=self.parts.having(*parts))

    def read(self) -> AbstractContextManager[Snapshot]:
        return self.store.read(self.collection)

    def write(self, act: Callable[[Transaction], T], *, actor: str) -> T:
        heed()
        within = partial(_within, self.batch, act)
        if self.once is not None:
            result = self.once.write(self.store, within, actor=actor)
        else:
            result = self.store.write(self.collection, within, actor=actor)
        carry_on()
        return result

    def operate(self, act: Callable[[Session], T]) -> T:
        """Change the operational state that a call is about; what is merely kept on the way goes to the store."""
        heed()
        result = (
            self.store.operate(act, collection=self.collection)
            if self.once is None
            else self.once.operate(self.store, act)
        )
        carry_on()
        return result

    def now(self) -> int:
        return self.store.clock()
