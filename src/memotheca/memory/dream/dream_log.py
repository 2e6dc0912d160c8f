"""The log of dreams: which phase a dream has reached, whoever dreams it, and what the last ones did (memory-model:
Dreams). Light, since every call may look whether somebody dreams."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.wake import DREAMS_COMPLETED
from memotheca.model.clock import MINUTE, SECOND
from memotheca.storage.activity import add_to_count, read_state, write_state
from memotheca.storage.database import Session
from memotheca.storage.instruments.work_events import WorkEvent, add_work_events, newest_work_events

WORK = "dream"
COOLDOWN = 60 * SECOND  # specification (memory-model: Dreams)
READ = 400  # chosen: more events than one dream tells
ABORTED, QUERIED = "dream_aborted", "dream_queried"
ALIVE = 15 * MINUTE  # chosen: longer than a dream may last; what was told last before that is of one that was killed

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
    def is_open(self) -> bool:
        """Whether the newest has no end: it goes on, or its program was killed."""
        return self.newest is not None and self.newest.phase != "ended"

    @property
    def ended_at(self) -> int | None:
        """When the last one ended; a dry run has changed nothing to rest from."""
        return None if self.ended is None or self.ended.facts.get("dry_run") else self.ended.time


def tell_phase(session: Session, kernel: Kernel, run: str, *, phase: DreamPhase, facts: Mapping[str, Any]) -> None:
    """Write an event, in whichever transaction its session is."""
    event = WorkEvent(time=kernel.now(), work=WORK, run=run, phase=phase, facts=facts)
    add_work_events(session, kernel.collection, [event])
    if phase == "ended" and facts.get("completed") and not facts.get("dry_run"):
        add_to_count(session, kernel.collection, DREAMS_COMPLETED, 1, now=kernel.now())


def read_dreams(session: Session, collection: str) -> LastDreams:
    events = newest_work_events(session, collection, WORK, limit=READ)
    ended = next((event for event in events if event.phase == "ended"), None)
    return LastDreams(next(iter(events), None), ended, int(read_state(session, collection, DREAMS_COMPLETED) or 0))


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


def tell_of_query(session: Session, kernel: Kernel, run: str) -> None:
    """For whoever dreams in another program and wakes for questions."""
    write_state(session, kernel.collection, QUERIED, {"run": run, "at": kernel.now()}, now=kernel.now())


def queried_at(session: Session, collection: str, run: str) -> int | None:
    """When another program was asked something while this dream went on."""
    told = read_state(session, collection, QUERIED)
    return told["at"] if told is not None and told["run"] == run else None


def dream_to_wake(session: Session, kernel: Kernel) -> str | None:
    """The dream that goes on, as far as the log tells, wakes for questions and was not told of one yet."""
    newest = newest_event(session, kernel.collection)
    if newest is None or newest.phase == "ended" or not newest.facts.get("wakes_on_query"):
        return None
    if kernel.now() - newest.time > ALIVE or queried_at(session, kernel.collection, newest.run) is not None:
        return None
    return newest.run
