"""Derivations: everything that is made of an entry whenever it changes, in the same transaction."""

import logging
from collections.abc import Callable

from memotheca.model.errors import Refusal
from memotheca.model.kinds import MEMORY
from memotheca.model.knowledge import Entry, Thing
from memotheca.search.derive import Births
from memotheca.storage import fingerprints
from memotheca.storage.activity import drop_findings, drop_questions, forget_accesses
from memotheca.storage.care_tasks import drop_tasks
from memotheca.storage.database import Session
from memotheca.storage.heads import is_newest
from memotheca.storage.instruments.gate_decisions import drop_decisions
from memotheca.storage.instruments.retrievals import drop_retrievals
from memotheca.storage.instruments.traversals import drop_traversals

log = logging.getLogger(__name__)

# What is no part of history and knows of an entry.
FORGET = (
    forget_accesses,
    drop_findings,
    drop_questions,
    drop_tasks,
    drop_retrievals,
    drop_traversals,
    drop_decisions,
)

Represent = Callable[[Entry], bytes]


class Derivations:
    """Chunks for every entry, a fingerprint for every memory; `represent` makes it, and is loaded when first needed."""

    def __init__(self, births: Births, represent: Represent) -> None:
        self._births = births
        self._represent = represent

    def changed(self, session: Session, collection: str, tx: int, thing: Thing, *, prepared: object) -> None:
        self._births.changed(session, collection, tx, thing, prepared=prepared)
        if isinstance(thing, Entry) and thing.kind == MEMORY:
            fingerprints.put(session, collection, thing.id, self._represented(thing))

    def removed(self, session: Session, collection: str, tx: int, id: str) -> None:
        self._births.removed(session, collection, tx, id)
        fingerprints.put(session, collection, id, None)

    def erased(self, session: Session, collection: str, id: str) -> None:
        self._births.erased(session, collection, id)
        fingerprints.put(session, collection, id, None)
        for forget in FORGET:
            forget(session, collection, id)

    def bear(self, session: Session, collection: str, tx: int, entry: Entry) -> None:
        """For whoever makes everything anew, version by version: only the newest has a fingerprint."""
        self._births.bear(session, collection, tx, entry)
        if entry.kind == MEMORY and is_newest(session, collection, entry.id, tx):
            fingerprints.put(session, collection, entry.id, self._represented(entry))

    def _represented(self, entry: Entry) -> bytes | None:
        """A memory that cannot be represented is kept without a fingerprint: it is compared by its words alone."""
        try:
            return self._represent(entry)
        except (Refusal, MemoryError):
            raise
        except Exception:
            log.exception("memory %s has no fingerprint", entry.id)
            return None
