"""The schedule: the jobs that are done between the calls, when each was done last and is due next, and what it left
behind (memory-model: Schedule)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation.pass_progress import AGAIN, PLACE, count_ahead
from memotheca.memory.session.consent import IdleDreams
from memotheca.memory.session.rounds import RAN
from memotheca.memory.session.state import activity_of
from memotheca.memory.session.wake import DREAMS_COMPLETED
from memotheca.memory.topics.drift_checks import DAILY, past_checks
from memotheca.memory.topics.topics import AGAIN as FOUND_AGAIN
from memotheca.memory.topics.topics import FEWEST, GROWN, STATE, STATE_AT, WORK
from memotheca.model.clock import DAY, HOUR
from memotheca.model.kinds import MEMORY
from memotheca.search.census import take_census
from memotheca.storage.activity import read_stamp, read_state
from memotheca.storage.chunks import count_waiting, has_unsealed
from memotheca.storage.instruments.work_events import newest_work_events
from memotheca.storage.snapshot import Snapshot

JobStatus = Literal["due", "waiting", "on_request"]

SEALED_AT = 4096  # chosen: as many as `search/index/seal.py` seals at once
LATE = HOUR  # chosen: a quiet hour has rounds enough for every job
DREAM = "dream"
DREAM_AGAIN = DAY  # chosen: as often as everything else is looked through


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledJob:
    """A job: when it was done last and is due next (on request where that is not set), and how much waits for it."""

    name: str
    status: JobStatus
    last_run: int | None
    next_run: int | None
    pending: int = 0

    def is_late(self, now: int) -> bool:
        return self.next_run is not None and now - self.next_run > LATE


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneJob:
    """A job that was done, and what it tells of it."""

    name: str
    time: int
    told: Mapping[str, Any] = field(default_factory=dict[str, Any])


def scheduled_jobs(kernel: Kernel, snapshot: Snapshot) -> tuple[ScheduledJob, ...]:
    session, collection, now = snapshot.session, snapshot.collection, kernel.now()
    waiting = count_waiting(session, collection)
    unsealed = int(has_unsealed(session, collection, SEALED_AT))
    jobs = [
        _when_needed("vectors", _last_run(kernel, snapshot, "vectors"), waiting, now),
        _when_needed("sealing", _last_run(kernel, snapshot, "sealing"), unsealed, now),
        _review(snapshot, now),
        _topics(kernel, snapshot, now),
        _drift(kernel, snapshot, now),
    ]
    return (*jobs, *_dream(kernel, snapshot))


def _dream(kernel: Kernel, snapshot: Snapshot) -> list[ScheduledJob]:
    """On request only, unless whoever runs this program wants it to dream by itself."""
    dreamt = newest_work_events(snapshot.session, snapshot.collection, DREAM, limit=1)
    last = dreamt[0].time if dreamt else None
    if kernel.part(IdleDreams).is_on:
        return [_job(DREAM, last, next_dream(snapshot), now=kernel.now())]
    return [ScheduledJob(name=DREAM, status="on_request", last_run=last, next_run=None)] if dreamt else []


def next_dream(snapshot: Snapshot) -> int | None:
    """When a dream by itself is due: a day after the last that went through, where anything has changed since."""
    newest, completed = (
        snapshot.commit(snapshot.tx),
        read_stamp(snapshot.session, snapshot.collection, DREAMS_COMPLETED),
    )
    if newest is None or (completed is not None and newest.time <= completed):
        return None
    return newest.time if completed is None else completed + DREAM_AGAIN


def _last_run(kernel: Kernel, snapshot: Snapshot, name: str) -> int | None:
    return activity_of(kernel).state(snapshot.session, snapshot.collection, RAN + name)


def _when_needed(name: str, last: int | None, pending: int, now: int) -> ScheduledJob:
    """A job without a time of its own: due as soon as something waits for it."""
    return _job(name, last, now if pending else None, now=now, pending=pending)


def _job(name: str, last: int | None, due: int | None, *, now: int, pending: int = 0) -> ScheduledJob:
    status: JobStatus = "due" if due is not None and due <= now else "waiting"
    return ScheduledJob(name=name, status=status, last_run=last, next_run=due, pending=pending)


def _review(snapshot: Snapshot, now: int) -> ScheduledJob:
    place = read_state(snapshot.session, snapshot.collection, PLACE)
    last = read_stamp(snapshot.session, snapshot.collection, PLACE)
    ahead = count_ahead(snapshot)
    due = now if ahead else None if place is None else int(place["begun"]) + AGAIN
    return _job("review", last, due, now=now, pending=ahead)


def _topics(kernel: Kernel, snapshot: Snapshot, now: int) -> ScheduledJob:
    """Found for the first time when there is enough; then daily, where anything has changed, or once most is new."""
    held = read_state(snapshot.session, snapshot.collection, STATE_AT)
    if held is None:
        memories = take_census(kernel, snapshot).nodes((MEMORY,))
        return _job("topics", None, now if memories >= FEWEST else None, now=now, pending=memories)
    if not held["whole"]:
        return _job("topics", held["time"], now, now=now, pending=1)
    changed = snapshot.tx - int(held["tx"])
    again = now if snapshot.tx >= GROWN * held["tx"] else held["time"] + FOUND_AGAIN
    return _job("topics", held["time"], again if changed else None, now=now, pending=changed)


def _drift(kernel: Kernel, snapshot: Snapshot, now: int) -> ScheduledJob:
    if read_stamp(snapshot.session, snapshot.collection, STATE) is None:
        return _job("drift", None, None, now=now)
    checks = past_checks(kernel, snapshot)
    last = checks[-1]["time"] if checks else None
    return _job("drift", last, now if last is None else last + DAILY, now=now)


def done_jobs(kernel: Kernel, snapshot: Snapshot, limit: int) -> list[DoneJob]:
    """What the last runs told of themselves, newest first."""
    events = [
        DoneJob(name=name, time=event.time, told={"phase": event.phase, **event.facts})
        for name in (WORK, DREAM)
        for event in newest_work_events(snapshot.session, snapshot.collection, name, limit=limit)
    ]
    checks = [
        DoneJob(name="drift", time=each["time"], told={"similarity": each["similarity"], "analyzed": each["analyzed"]})
        for each in past_checks(kernel, snapshot)[-limit:]
    ]
    return sorted((*events, *checks), key=lambda each: -each.time)[:limit]
