"""Repeating: a client whose answer was lost asks again under the same key, has the same answer, and nothing is done
twice."""

import json
import logging
import threading
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from memotheca.model.clock import MINUTE
from memotheca.model.errors import Failure, Refusal
from memotheca.storage import repeats
from memotheca.storage.database import Session
from memotheca.storage.repeats import Repeat
from memotheca.storage.store import Store, Transaction
from memotheca.toolkit.contract import Reply
from memotheca.toolkit.tool import Call, Repeated

T = TypeVar("T")

log = logging.getLogger(__name__)

LONGEST_KEY = 200  # chosen: a UUID and what a client may put around it (docs/behaviour.md, Asking again)
UNDER_WAY = MINUTE
PATIENCE_SECONDS = 10.0  # chosen: most calls are over by then, and no client has given up
GLANCE_SECONDS = 0.05  # chosen: not felt beside the call that is waited for
FIELD = "idempotency_key"


@dataclass(slots=True)
class KeyedCall:
    """One call under a key: its first change claims the key, in the very transaction that it makes, so that nothing can
    come between them; a second call finds it claimed."""

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

        result = store.operate(keyed, collection=self.collection)
        self.is_claimed = True
        return result

    def keep(self, store: Store, reply: bytes) -> None:
        """Remember the answer, also of a call that found nothing to change."""

        def act(session: Session) -> None:
            self._claim(session, store)
            repeats.keep_reply(session, self.collection, self.key, reply)

        store.operate(act, collection=self.collection)

    def _claim(self, session: Session, store: Store) -> None:
        repeats.claim(session, self.collection, self.key, asked=self.asked, now=store.clock())

    def _refuse_repeated(self, session: Session, store: Store) -> None:
        if not self.is_claimed and repeats.find(session, self.collection, self.key, store.clock()) is not None:
            raise Repeated


def answer_once(call: Call[Any], asked: str, answer: Callable[[Call[Any]], Reply]) -> Reply:
    """The answer to a call under a key: what was answered before, or what is answered now, and kept."""
    kernel = call.kernel
    if not call.key.strip() or len(call.key) > LONGEST_KEY:
        raise Refusal(Failure.INVALID, f"An idempotency key has 1 to {LONGEST_KEY} characters.", field=FIELD)
    if (before := _find(call)) is not None:
        return _answer_again(call, asked, before)
    once = KeyedCall(kernel.collection, call.key, asked)
    try:
        reply = answer(replace(call, kernel=replace(kernel, once=once)))
    except Repeated:
        before = _find(call)
        assert before is not None
        return _answer_again(call, asked, before)
    if once.is_claimed or not reply.failed:
        _keep(call, once, reply)
    return reply


def _find(call: Call[Any]) -> Repeat | None:
    with call.kernel.store.database.read() as session:
        return repeats.find(session, call.kernel.collection, call.key, call.kernel.now())


def _keep(call: Call[Any], once: KeyedCall, reply: Reply) -> None:
    try:
        once.keep(call.kernel.store, _packed(reply))
    except Refusal as refusal:
        # What was changed is changed, and the key with it; who asks again is told so.
        log.warning("the answer to a call with a key could not be kept: %s", refusal.message)


def _answer_again(call: Call[Any], asked: str, before: Repeat) -> Reply:
    if before.asked != asked:
        raise Refusal(
            Failure.INVALID,
            "The idempotency key belongs to another call; a new call needs a new key.",
            field=FIELD,
            details={"reason": "key_reused"},
        )
    found: Repeat | None = before
    deadline = time.monotonic() + PATIENCE_SECONDS
    while found is not None and found.reply is None and _is_under_way(call, found) and time.monotonic() < deadline:
        if call.cancelled():
            break
        threading.Event().wait(GLANCE_SECONDS)
        found = _find(call)
    if found is not None and found.reply is not None:
        return _unpacked(found.reply)
    if found is not None and _is_under_way(call, found):
        raise Refusal(Failure.BUSY, "The same call is still being carried out; ask again with the same key.")
    raise _lost(found or before)


def _is_under_way(call: Call[Any], found: Repeat) -> bool:
    return call.kernel.now() - found.time < UNDER_WAY


def _lost(found: Repeat) -> Refusal:
    made = [tx for tx in dict.fromkeys((found.first_tx, found.last_tx)) if tx is not None]
    told = f" by transaction {' to '.join(str(tx) for tx in made)}" if made else ""
    return Refusal(
        Failure.DUPLICATE,
        f"This call was carried out before{told}, and its answer is not kept any more. Nothing was done again; "
        "history shows what it did.",
        field=FIELD,
        details={"reason": "already_done", "transactions": made},
    )


def _packed(reply: Reply) -> bytes:
    told = {"blocks": reply.blocks, "structured": reply.structured, "failed": reply.failed}
    return zlib.compress(json.dumps(told).encode())


def _unpacked(kept: bytes) -> Reply:
    return Reply(**json.loads(zlib.decompress(kept)))
