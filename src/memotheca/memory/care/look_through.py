"""Looking through: all that is stored, a little at a time between the calls, for what is to be decided (memory-model:
Curation tasks)."""

import time
from collections.abc import Callable
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.precedence import Precedence
from memotheca.memory.care.critique import judge_pairs, related_pairs
from memotheca.memory.care.tasks import bring_up_to_date, has_expired, is_alone, task_of
from memotheca.memory.curation.pass_progress import AGAIN, PLACE, place_of
from memotheca.memory.curation.undecided import HELD, single_task, unexplained_names
from memotheca.memory.graph.balance import examine
from memotheca.memory.graph.cancer import LEAST_IMPORTANT
from memotheca.memory.traits import KNOWN, importance_of, quarantine_of
from memotheca.model.cancellation import heeding
from memotheca.model.clock import DAY, to_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import MEMORY
from memotheca.model.knowledge import Entry
from memotheca.storage.activity import write_state
from memotheca.storage.care_tasks import TaskRow, add_tasks, ids_beyond
from memotheca.storage.database import Session
from memotheca.storage.snapshot import Snapshot

ALONE = 30 * DAY  # specification (memory-model: Curation tasks)
ROUND = 0.2  # chosen: seconds of work between two looks whether something else is due
SLICE = 32  # chosen: ids that are read at once


def look_through(
    kernel: Kernel,
    stop: Callable[[], bool],
    *,
    fence: Callable[[Session], None] = lambda session: None,
    seconds: float = ROUND,
    anew: bool = False,
) -> None:
    """Go on with the pass where it stood, one entry at a time and giving way to calls, for so long; then write down
    what was found and how far it came. A pass begins again a day after it began; `anew` begins one that has ended."""
    bring_up_to_date(kernel)
    with kernel.read() as snapshot:
        place: dict[str, Any] = place_of(snapshot)
        is_through = not ids_beyond(snapshot, KNOWN, place["after"], limit=1)
    if not place["begun"] or (is_through and (anew or kernel.now() - place["begun"] >= AGAIN)):
        place = {"after": "", "begun": kernel.now()}
    rows, after = _go_on(kernel, stop, place["after"], seconds)
    if after == place["after"] and not rows:
        return

    def act(session: Session) -> None:
        fence(session)
        add_tasks(session, kernel.collection, rows)
        write_state(session, kernel.collection, PLACE, {**place, "after": after}, now=kernel.now())

    kernel.store.operate(act)


def _go_on(kernel: Kernel, stop: Callable[[], bool], after: str, seconds: float) -> tuple[list[TaskRow], str]:
    until = time.thread_time() + seconds
    rows: list[TaskRow] = []
    with heeding(stop):
        while True:
            with kernel.read() as snapshot:
                ids = ids_beyond(snapshot, KNOWN, after, limit=SLICE)
            for id in ids:
                if stop() or time.thread_time() > until:
                    return rows, after
                try:
                    rows += examine_entry(kernel, id, kernel.keep(Precedence).give_way)
                except Refusal as refusal:
                    if refusal.failure is Failure.CANCELLED:
                        return rows, after
                    raise
                after = id
            if not ids:
                return rows, after


def examine_entry(kernel: Kernel, id: str, pause: Callable[[], None]) -> list[TaskRow]:
    """What is to be decided about an entry and what it is near or linked to; between any two comparisons, while nothing
    is held that a call may need, there is a pause in which calls go first."""
    now = kernel.now()
    pause()
    with kernel.read() as snapshot:
        entry = snapshot.entry(id)
        if entry is None:
            return []
        if quarantine_of(entry, now) is not None:
            return [single_task("held", entry, score=1.0, reason=HELD, now=now)]
        rows = [*unexplained_names(snapshot, entry.id, now), *_singles(snapshot, entry, now)]
        pairs = related_pairs(kernel, snapshot, [entry]).pairs
    for pair in pairs:
        pause()
        with kernel.read() as snapshot:
            rows += [task_of(each, now) for each in judge_pairs(snapshot, [pair], kernel)]
    return rows


def _singles(snapshot: Snapshot, entry: Entry, now: int) -> list[TaskRow]:
    rows: list[TaskRow] = []
    importance = importance_of(entry)
    if importance > LEAST_IMPORTANT and (found := examine(snapshot, entry.id, importance)).is_cancer:
        reason = f"it outweighs {found.neighbours} neighbours that have little to do with each other"
        rows.append(single_task("hub", entry, score=importance, reason=reason, now=now))
    if has_expired(snapshot, entry, now):
        reason = f"it held until {to_iso(entry.validity.end or now)}"
        rows.append(single_task("expired", entry, score=1.0, reason=reason, now=now))
    if entry.kind == MEMORY and now - entry.created_at > ALONE and is_alone(snapshot, entry):
        days = (now - entry.created_at) // DAY
        reason = f"nothing is linked to it, and it is {days} days old"
        rows.append(single_task("alone", entry, score=1 - importance, reason=reason, now=now))
    return rows
