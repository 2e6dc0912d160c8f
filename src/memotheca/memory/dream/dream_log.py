"""The log of dreams: which phase a dream has reached, whoever dreams it, and what the last ones did (memory-model:
Dreams). Light, since every call may look whether somebody dreams."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import SECOND
from memotheca.storage.activity import add_to_count, read_state, write_state
from memotheca.storage.database import Session
from memotheca.storage.instruments.work_events import WorkEvent, add_work_events, newest_work_events

WORK = "dream"
COOLDOWN = 60 * SECOND  # specification (memory-model: Dreams)
READ = 400  # chosen: more events than one dream tells
ABORTED, COMPLETED = "dream_aborted", "dreams_completed"

DreamPhase = Literal["started", "nrem", "rem", "waking", "ended"]
DreamState = Literal["Awake", "NREM", "REM", "Waking"]
STATES: Mapping[str, DreamState] = {
    "started": "NREM",
    "nrem": "NREM",
    "rem": "REM",
    "waking": "Waking",
    "ended": "Awake",
}


def dream_role(collection: str) -> str:
    """The role of the one program that dreams about a collection."""
    return f"dream-{hashlib.blake2b(collection.encode(), digest_size=8).hexdigest()}"


@dataclass(frozen=True, slots=True)
class LastDreams:
    """The newest event of any dream, the last end of one, and how many went through."""

    newest: WorkEvent | None
    ended: WorkEvent | None
    completed: int

    @property
    def ended_at(self) -> int | None:
        """When the last one ended; a dry run has changed nothing to rest from."""
        return None if self.ended is None or self.ended.facts.get("dry_run") else self.ended.time


def tell_phase(session: Session, kernel: Kernel, run: str, *, phase: DreamPhase, facts: Mapping[str, Any]) -> None:
    """Write an event, in whichever transaction its session is."""
    event = WorkEvent(time=kernel.now(), work=WORK, run=run, phase=phase, facts=facts)
    add_work_events(session, kernel.collection, [event])
    if phase == "ended" and facts.get("completed"):
        add_to_count(session, kernel.collection, COMPLETED, 1, now=kernel.now())


def read_dreams(session: Session, collection: str) -> LastDreams:
    events = newest_work_events(session, collection, WORK, limit=READ)
    ended = next((event for event in events if event.phase == "ended"), None)
    return LastDreams(next(iter(events), None), ended, int(read_state(session, collection, COMPLETED) or 0))


def newest_event(session: Session, collection: str) -> WorkEvent | None:
    return next(iter(newest_work_events(session, collection, WORK, limit=1)), None)


def may_dream(kernel: Kernel, session: Session) -> bool:
    """Whether nobody dreams, and nobody has for a minute, as far as the log tells."""
    newest = newest_event(session, kernel.collection)
    return newest is None or (newest.phase == "ended" and kernel.now() - newest.time > COOLDOWN)


def ask_to_wake(session: Session, kernel: Kernel, run: str) -> None:
    """For whoever dreams in another program."""
    write_state(session, kernel.collection, ABORTED, run, now=kernel.now())


def is_asked_to_wake(session: Session, collection: str, run: str) -> bool:
    return read_state(session, collection, ABORTED) == run
