"""The kernel: a store and the collection a connection has chosen."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TypeVar

from pinakes.storage.reading import Reading
from pinakes.storage.store import Store, Writing

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Kernel:
    """What every verb of the engine is given."""

    store: Store
    collection: str

    def read(self) -> AbstractContextManager[Reading]:
        return self.store.read(self.collection)

    def write(self, act: Callable[[Writing], T], *, actor: str) -> T:
        return self.store.write(self.collection, act, actor=actor)

    def now(self) -> int:
        return self.store.clock()
