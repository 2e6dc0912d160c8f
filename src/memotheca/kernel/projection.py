"""Projection: a value worked out of a collection once and then brought by the journal to each snapshot it is asked for.

Whoever follows the journal says three things: how the value is loaded, what has to be read of a change, and how what
was read is applied. When to do which is decided here, once.
"""

from abc import ABC, abstractmethod
from threading import RLock
from typing import ClassVar, Generic, TypeVar

from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction

T = TypeVar("T")
C = TypeVar("C")


class Projection(ABC, Generic[T, C]):
    """A value of type T, followed by changes of type C. What `at` gives out is read by one thread at a time, under
    `guard`, where `apply` changes it in place."""

    # After so many transactions everything is loaded anew, without asking what they were.
    most: ClassVar[int] = 5_000

    def __init__(self) -> None:
        self.guard = RLock()
        self._held: tuple[int, T] | None = None

    @abstractmethod
    def load(self, snapshot: Snapshot) -> T:
        """The value at a snapshot, from nothing: a new one each time."""

    @abstractmethod
    def read(self, snapshot: Snapshot, after: int, held: T) -> C | None:
        """What the transactions after a number mean for the value, which stays as it is; None where it has to be loaded
        anew, since nobody can tell or since that is less work."""

    @abstractmethod
    def apply(self, held: T, changes: C) -> T:
        """The value after the changes: another one, or the same changed in place."""

    def at(self, snapshot: Snapshot) -> T:
        """The value as a snapshot has it. One that is older than what is held, or not committed and may never be, has
        a value of its own, of which nothing is kept."""
        with self.guard:
            if isinstance(snapshot, Transaction) or (self._held is not None and snapshot.tx < self._held[0]):
                return self.load(snapshot)
            if self._held is None or snapshot.tx > self._held[0]:
                self._held = (snapshot.tx, self._brought_to(snapshot))
            return self._held[1]

    def _brought_to(self, snapshot: Snapshot) -> T:
        """Whatever is refused or breaks off here leaves what was held; half a change leaves nothing."""
        if self._held is None or snapshot.tx - self._held[0] > self.most:
            return self.load(snapshot)
        after, held = self._held
        changes = self.read(snapshot, after, held)
        if changes is None:
            return self.load(snapshot)
        self._held = None
        return self.apply(held, changes)
