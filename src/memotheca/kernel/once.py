"""Once: the key of a call goes into the very transaction that the call makes, so that nothing can come between them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from memotheca.storage import repeats
from memotheca.storage.database import Session
from memotheca.storage.store import Store, Transaction
from memotheca.toolkit.tool import Repeated

T = TypeVar("T")


@dataclass(slots=True)
class KeyedCall:
    """One call under a key: its first change claims the key, and a second call finds it claimed."""

    collection: str
    key: str
    asked: str
    is_claimed: bool = False

    def write(self, store: Store, act: Callable[[Transaction], T], *, actor: str) -> T:
        """As `Store.write`, with the key in the same transaction where that changes anything."""
        changed: list[bool] = []

        def keyed(transaction: Transaction) -> T:
            self._refuse_repeated(transaction.session, store)
            result = act(transaction)
            if transaction.changed:
                self._claim(transaction.session, store)
                repeats.note_transaction(transaction.session, self.collection, self.key, transaction.tx)
                changed.append(True)
            return result

        result = store.write(self.collection, keyed, actor=actor)
        self.is_claimed = self.is_claimed or bool(changed)
        return result

    def operate(self, store: Store, act: Callable[[Session], T]) -> T:
        """As `Store.operate`, for the change of operational state that a call is about."""

        def keyed(session: Session) -> T:
            self._refuse_repeated(session, store)
            result = act(session)
            self._claim(session, store)
            return result

        result = store.operate(keyed)
        self.is_claimed = True
        return result

    def keep(self, store: Store, reply: bytes) -> None:
        """Remember the answer, also of a call that found nothing to change."""

        def act(session: Session) -> None:
            self._claim(session, store)
            repeats.keep_reply(session, self.collection, self.key, reply)

        store.operate(act)

    def _claim(self, session: Session, store: Store) -> None:
        repeats.claim(session, self.collection, self.key, asked=self.asked, now=store.clock())

    def _refuse_repeated(self, session: Session, store: Store) -> None:
        if not self.is_claimed and repeats.find(session, self.collection, self.key, store.clock()) is not None:
            raise Repeated
