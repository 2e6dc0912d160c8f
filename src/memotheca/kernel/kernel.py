"""The kernel: a store, the collection a connection has chosen, and the means to search it."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from memotheca.jobs.workbench import Workbench
from memotheca.kernel.once import Once
from memotheca.memory.session.state import Activity
from memotheca.model.cancellation import carry_on, heed
from memotheca.model.errors import Failure, Refusal
from memotheca.notes.mounts import Vaults
from memotheca.search.embed import Embedding, LoadedEmbedder
from memotheca.storage.database import Session
from memotheca.storage.snapshot import Reading
from memotheca.storage.store import Store, Writing

T = TypeVar("T")


def _no_finder() -> Any:
    raise Refusal(Failure.UNAVAILABLE, "This kernel was made without a finder.")


def _stand() -> None:
    """Nobody can take over what is no role."""


def _within(batch: Mapping[str, Any] | None, act: Callable[[Writing], T], writing: Writing) -> T:
    if batch is not None:
        writing.batch = batch
    result = act(writing)
    heed()
    return result


@dataclass(frozen=True, slots=True)
class Kernel:
    """What every verb of the engine is given; the finder is made when something is first searched for."""

    store: Store
    collection: str
    embedding: Embedding | None = None
    finder: Callable[[], Any] = _no_finder
    vaults: Vaults = field(default_factory=Vaults)
    bench: Workbench | None = None
    activity: Activity = field(default_factory=Activity)
    # Where one command makes several transactions: what they have in common, so that one undo takes them all back.
    batch: Mapping[str, Any] | None = None
    once: Once | None = None
    # Asked inside a transaction by who acts in a role that another may have taken over meanwhile.
    fence: Callable[[], None] = _stand

    @property
    def is_searchable(self) -> bool:
        return self.finder is not _no_finder

    def read(self) -> AbstractContextManager[Reading]:
        return self.store.read(self.collection)

    def write(self, act: Callable[[Writing], T], *, actor: str) -> T:
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
        result = self.store.operate(act) if self.once is None else self.once.operate(self.store, act)
        carry_on()
        return result

    def now(self) -> int:
        return self.store.clock()

    def prepare(self, title: str, body: str, *, whole: bool = False) -> None:
        """Make the vectors of a short text ready before it is written; of a long one only if the whole is wanted."""
        if self.embedding is not None:
            self.embedding.prepare(self.store, self.collection, (title, body), whole=whole)

    def embedder(self, session: Session) -> LoadedEmbedder | None:
        return None if self.embedding is None else self.embedding.embedder(session, self.collection)
