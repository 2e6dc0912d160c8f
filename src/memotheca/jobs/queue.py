"""Jobs: queueing work that outlives a call, doing it, watching it, calling it off."""

import logging
import math
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from memotheca.jobs.ingest_job import sent_name_of, to_ingest_job
from memotheca.jobs.workbench import Workbench
from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import SECOND
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import INGEST
from memotheca.storage import jobs
from memotheca.storage.database import Session
from memotheca.storage.jobs import Job, State
from memotheca.storage.roles import lease, patience_of_roles
from memotheca.storage.shared_files import living_roles

log = logging.getLogger(__name__)

ROLE = "jobs"
SMALL, LARGE = "small", "large"
ATTEMPTS = 3  # chosen: passing trouble is over by then; a file that ends its reader would go on for ever
TRANSIENT = (Failure.BUSY, Failure.UNAVAILABLE, Failure.DISK_FULL)
LOOK_SECONDS = 0.2  # chosen: a cancelled job stops at once to the eye, and costs five looks a second
GLANCE_SECONDS = 0.05  # chosen: for jobs of another process, whose bell is not heard here

Report = Callable[[float, float | None, str], None]
Asked = Callable[[], bool]


def bench_of(kernel: Kernel) -> Workbench:
    return kernel.part(Workbench).of(kernel.collection)


def enqueue(kernel: Kernel, kind: str, arguments: Mapping[str, Any], *, actor: str, lane: str = LARGE) -> Job:
    """Leave a durable job for whoever takes those of a lane; returns it as it is queued."""
    job = Job(
        collection=kernel.collection,
        id=str(uuid.uuid4()),
        kind=kind,
        lane=lane,
        actor=actor,
        arguments=arguments,
        step=jobs.WAITING,
        created=kernel.now(),
    )
    kernel.operate(lambda session: jobs.add(session, job))
    bench_of(kernel).ring()
    return job


def look_up(kernel: Kernel, id: str) -> Job:
    with kernel.store.database.read() as session:
        job = jobs.find(session, kernel.collection, id.strip().lower())
    if job is None:
        raise Refusal(Failure.NOT_FOUND, f"Task with ID '{id}' not found", field="task_id", details={"task_id": id})
    return job


def unsettled_jobs(kernel: Kernel) -> list[Job]:
    with kernel.store.database.read() as session:
        return jobs.unsettled(session, kernel.collection)


def look_up_all(kernel: Kernel, ids: Iterable[str]) -> list[Job]:
    """Those of these jobs that there are, from one snapshot."""
    with kernel.store.database.read() as session:
        found = [jobs.find(session, kernel.collection, id) for id in ids]
    return [job for job in found if job is not None]


def newest_jobs(kernel: Kernel, limit: int) -> list[Job]:
    with kernel.store.database.read() as session:
        return jobs.newest(session, kernel.collection, limit)


def call_off(kernel: Kernel, id: str) -> Job:
    """Cancel a job that has not ended; from now on nothing of it can be kept."""
    look_up(kernel, id)
    now = kernel.now()
    job = kernel.store.operate_apart(
        lambda session: jobs.want_no_more(session, kernel.collection, id.strip().lower(), now)
    )
    job = job if job is not None else look_up(kernel, id)
    if job.is_settled:
        _let_go(kernel, job)
    bench_of(kernel).ring()
    return job


def wait(kernel: Kernel, id: str, *, report: Report, cancelled: Asked) -> Job:
    """Wait until a job is settled, telling how far it is; where nobody works, do it here."""
    bench = bench_of(kernel)
    told = -1.0
    while not (job := look_up(kernel, id)).is_settled:
        if cancelled():
            call_off(kernel, id)
            continue
        with lease(bench.data, ROLE) as held:
            mine = _claim_alone(kernel, id) if held is not None else None
            if mine is not None:
                work(kernel, mine, report=report, interrupted=lambda: False, unwanted=cancelled)
                continue
        if (reached := job.done / max(job.total, 1)) != told:
            told = reached
            report(reached, 1.0, job.step)
        with bench.bell:
            bench.bell.wait(GLANCE_SECONDS)
    return job


def _claim_alone(kernel: Kernel, id: str) -> Job | None:
    """Take one job while holding the role, so that nobody else can be at it."""
    adopt_orphans(kernel)
    now = kernel.now()
    with kernel.store.database.read() as session:
        job = jobs.find(session, kernel.collection, id)
    if job is None or job.state != "queued" or job.due > now or not _of_here(kernel, [job]):
        return None
    return kernel.store.operate_apart(lambda session: jobs.claim(session, kernel.collection, id, now))


def take_next(kernel: Kernel, lanes: tuple[str, ...]) -> Job | None:
    """The next job of these lanes, now running; collections take turns. None where there is none."""
    now = kernel.now()
    lanes = bench_of(kernel).lanes(*lanes)
    with kernel.store.database.read() as session:
        waiting = jobs.waiting_collections(session, lanes, now)
    for collection in waiting:

        def take(session: Session, collection: str = collection) -> Job | None:
            id = jobs.next_due(session, collection, lanes, now)
            return None if id is None else jobs.claim(session, collection, id, now)

        if (taken := kernel.store.operate_apart(take)) is not None:
            return taken
    return None


def _of_here(kernel: Kernel, found: list[Job]) -> list[Job]:
    """Those that this machine may take: some that lie here, and those that are anybody's."""
    lanes = bench_of(kernel).lanes(SMALL, LARGE)
    return [job for job in found if job.lane in lanes]


def _left_behind(kernel: Kernel, session: Session, collection: str, *, shared_only: bool = False) -> list[Job]:
    """What runs, but nobody is at it: by this machine's role, or by the lease of a job that is anybody's."""
    bench = bench_of(kernel)
    running = _of_here(kernel, jobs.running(session, collection))
    mine = [job for job in running if not bench.is_anybodys(job.lane)]
    anybodys = [job for job in running if bench.is_anybodys(job.lane)]
    if anybodys:
        # Whoever has only just taken one may not hold its lease yet.
        before = kernel.now() - round(patience_of_roles() * SECOND)
        living = living_roles(session)
        anybodys = [job for job in anybodys if _role_of(job) not in living and (job.started or 0) < before]
    return anybodys if shared_only else [*mine, *anybodys]


def _role_of(job: Job) -> str:
    return f"job-{job.id}"


def adopt_orphans(kernel: Kernel, *, shared_only: bool = False) -> None:
    """What runs while nobody holds the role was left behind: queue it again, or give it up after some attempts.
    Who works already looks only for what other machines have left."""
    now = kernel.now()
    for collection in kernel.store.collections():
        with kernel.store.database.read() as session:
            left = _left_behind(kernel, session, collection, shared_only=shared_only)
        for job in left:
            _leave(kernel, job, _interrupted(job), due=now)


def revive_failed(kernel: Kernel) -> list[Job]:
    """Queue again what has failed and was not passed over since; a file that was sent for a job went with it."""
    now = kernel.now()
    with kernel.store.database.read() as session:
        dead = [job for kind in bench_of(kernel).acts for job in jobs.outstanding(session, kernel.collection, kind)]
    revived = [job for job in dead if job.state == "failed" and not sent_name_of(job)]

    def act(session: Session) -> None:
        for job in revived:
            jobs.revive(session, kernel.collection, job, now=now)

    if revived:
        kernel.store.operate(act)
        bench_of(kernel).ring()
    return revived


def adopt_if_orphaned(kernel: Kernel) -> list[Job]:
    """Where nobody works, queue again what was left running; who holds the role does so itself."""
    with lease(bench_of(kernel).data, ROLE) as held:
        if held is None:
            return []
        with kernel.store.database.read() as session:
            left = _left_behind(kernel, session, kernel.collection)
        adopt_orphans(kernel)
    return left


def _interrupted(job: Job) -> Refusal:
    return Refusal(
        Failure.UNAVAILABLE,
        f"The program that worked on it ended {job.attempts} times before it was done. Add the file again",
    )


def cancelled_meanwhile() -> Refusal:
    return Refusal(Failure.CANCELLED, "The task was cancelled; nothing of it was kept")


class Progress:
    """How far a job has got: told to whoever waits, and written down now and then for those who ask."""

    def __init__(self, kernel: Kernel, job: Job, *, report: Report, interrupted: Asked, unwanted: Asked) -> None:
        self._kernel = kernel
        self._job = job
        self._report = report
        self._interrupted = interrupted
        self._unwanted = unwanted
        self._looked = -math.inf
        self._reached: tuple[int, int, str] = (0, 1, "")
        self._stopped = False

    def reach(self, done: int, total: int, step: str) -> None:
        """So many steps of so many are done; raises where the work is not wanted any more."""
        self._reached = (done, total, step)
        self._report(done / max(total, 1), 1.0, step)
        if self.stop():
            raise cancelled_meanwhile()

    def stop(self) -> bool:
        """Whether to stop; looks into the database a few times a second."""
        if self._stopped or self._interrupted() or self._unwanted():
            self._stopped = True
        elif time.monotonic() - self._looked > LOOK_SECONDS:
            self._looked = time.monotonic()
            done, total, step = self._reached
            try:
                self._stopped = not self._kernel.store.operate_apart(
                    lambda session: jobs.advance(session, self._job, done=done, total=total, step=step)
                )
            except Refusal as refusal:
                # Somebody writes for long; that is no reason to begin again. The next look will tell.
                if refusal.failure is not Failure.BUSY:
                    raise
        return self._stopped


def work(kernel: Kernel, job: Job, *, report: Report, interrupted: Asked, unwanted: Asked = lambda: False) -> None:
    """Do a job that was taken and write down what came of it, whatever that is. One that is anybody's is done under a
    lease of its own, so that other machines know that somebody is at it."""
    kernel = replace(kernel, collection=job.collection)
    if not bench_of(kernel).is_anybodys(job.lane):
        _carry_out(kernel, job, report=report, interrupted=interrupted, unwanted=unwanted)
        return
    try:
        with kernel.store.database.lease(bench_of(kernel).data, _role_of(job)) as held:
            if held is not None:

                def is_over() -> bool:
                    return interrupted() or not held.is_held

                _carry_out(kernel, job, report=report, interrupted=is_over, unwanted=unwanted)
    except Refusal as refusal:
        # No lease could be had: it is left behind, and whoever looks next takes it up.
        log.warning("job %s waits: %s", job.id, refusal.message)


def _carry_out(kernel: Kernel, job: Job, *, report: Report, interrupted: Asked, unwanted: Asked) -> None:
    bench = bench_of(kernel)
    progress = Progress(kernel, job, report=report, interrupted=interrupted, unwanted=unwanted)
    try:
        outcome = bench.acts[job.kind](kernel, job, progress)
        _settle(kernel, job, "completed", outcome)
    except Refusal as refusal:
        _end_badly(kernel, job, refusal, interrupted=interrupted())
    except Exception:
        log.exception("job %s failed", job.id)
        _fail(kernel, job, Refusal(Failure.INTERNAL, "Something went wrong here; the log has the details."))
    finally:
        bench.ring()


def _end_badly(kernel: Kernel, job: Job, refusal: Refusal, *, interrupted: bool) -> None:
    # Where even this cannot be written, the job is an orphan, and whoever works next finds it.
    with suppress(Refusal):
        if refusal.failure is Failure.CANCELLED and interrupted:
            kernel.store.operate_apart(lambda session: jobs.give_back(session, job, due=0, count_attempt=False))
        elif refusal.failure is Failure.CANCELLED:
            _settle(kernel, job, "cancelled", {"message": refusal.message})
        elif refusal.failure in TRANSIENT:
            _leave(kernel, job, refusal, due=kernel.now() + SECOND * 2**job.attempts)
        else:
            _fail(kernel, job, refusal)


def _leave(kernel: Kernel, job: Job, refusal: Refusal, *, due: int) -> None:
    """Try again later, unless it was tried often enough."""
    if job.attempts < ATTEMPTS:
        kernel.store.operate_apart(lambda session: jobs.give_back(session, job, due=due, count_attempt=True))
    else:
        _fail(kernel, job, refusal)


def _fail(kernel: Kernel, job: Job, refusal: Refusal) -> None:
    outcome = {
        "failure": refusal.failure.name,
        "message": refusal.message,
        "field": refusal.field,
        "details": refusal.details,
    }
    with suppress(Refusal):
        _settle(kernel, job, "failed", outcome)


def _settle(kernel: Kernel, job: Job, state: State, outcome: Mapping[str, Any]) -> None:
    kernel.store.operate_apart(lambda session: jobs.settle(session, job, state, outcome=outcome, now=kernel.now()))
    _let_go(kernel, job)


def _let_go(kernel: Kernel, job: Job) -> None:
    """A file that was sent for a job is of no use after it."""
    if name := sent_name_of(job):
        bench_of(kernel).sent.drop(name)


def refusal_of(job: Job) -> Refusal:
    """Why a job did not complete."""
    outcome = job.outcome or {}
    if job.state == "cancelled":
        return cancelled_meanwhile()
    return Refusal(
        Failure[outcome["failure"]], outcome["message"], field=outcome.get("field"), details=outcome.get("details")
    )


def elapsed_seconds(job: Job, now: int) -> float:
    """Since it was asked for, up to its end."""
    return round(max(0, (job.settled or now) - job.created) / SECOND, 1)


def remaining_seconds(job: Job, now: int) -> float:
    """From the rate at which its steps were taken; before the first of them, from what was expected."""
    if job.done and job.started is not None:
        return round((now - job.started) / SECOND * (job.total - job.done) / job.done, 1)
    expected = to_ingest_job(job).estimate if job.kind == INGEST else 0
    return max(0.0, round(expected - elapsed_seconds(job, now), 1))
