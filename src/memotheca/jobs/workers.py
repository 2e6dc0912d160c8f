"""Workers: threads that do queued jobs, in one process at a time; another takes over when that one is gone."""

import logging
import threading
import time

from memotheca.jobs.ingest_job import sent_name_of
from memotheca.jobs.queue import LARGE, ROLE, SMALL, adopt_orphans, bench_of, take_next, work
from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import DAY
from memotheca.model.errors import Failure, Refusal
from memotheca.storage import jobs
from memotheca.storage.jobs import Job
from memotheca.storage.roles import Lease, lease, patience_of_roles
from memotheca.storage.shared_files import drop_silent_roles

log = logging.getLogger(__name__)

# One worker takes small files alone, so that they never wait for big ones.
LANES: tuple[tuple[str, ...], ...] = ((SMALL,), (SMALL, LARGE), (LARGE, SMALL))
IDLE_SECONDS = 0.5  # chosen: what another process queued begins at once to the eye
FAREWELL_SECONDS = 2.0  # chosen: a server that is asked to end does not keep its client waiting
TIDY_SECONDS = 3600.0  # chosen: what is removed is days old
KEEP = 30 * DAY  # chosen: as long as what was deleted can be brought back


class Workers:
    """The workers of this process; they work while it holds the role."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._bench = bench_of(kernel)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)

    def start(self) -> "Workers":
        self._thread.start()
        return self

    def stop(self) -> None:
        """Give back what is under way; whoever works next begins it again."""
        self._stopped.set()
        self._bench.ring()
        self._thread.join(FAREWELL_SECONDS)

    def _run(self) -> None:
        said = ""
        while not self._stopped.is_set():
            try:
                with lease(self._bench.data, ROLE) as held:
                    if held is not None:
                        self._work_together(held)
                said = ""
            except (Refusal, OSError) as trouble:
                self._give_up_if_outdated(trouble)
                if said != (said := str(trouble)):
                    log.warning("jobs wait: %s", said)
            self._stopped.wait(IDLE_SECONDS)

    def _work_together(self, held: Lease) -> None:
        """Work until stopped, or until another has taken over; the role is kept as long as a single worker is at it."""
        adopt_orphans(self._kernel)
        workers = [threading.Thread(target=self._work, args=(lanes, held), daemon=True) for lanes in LANES]
        for worker in workers:
            worker.start()
        self._tidy_up()
        tidied = adopted = time.monotonic()
        while held.is_held and not self._stopped.wait(IDLE_SECONDS):
            if self._bench.machine and time.monotonic() - adopted > patience_of_roles() / 2:
                self._adopt_from_others()
                adopted = time.monotonic()
            if time.monotonic() - tidied > TIDY_SECONDS:
                self._tidy_up()
                tidied = time.monotonic()
        for worker in workers:
            worker.join()

    def _adopt_from_others(self) -> None:
        try:
            adopt_orphans(self._kernel, shared_only=True)
        except Refusal as trouble:
            self._give_up_if_outdated(trouble)
            log.warning("looking for what other machines have left waits: %s", trouble)

    def _tidy_up(self) -> None:
        """Forget what was settled long ago, and files that were sent and never added; what cannot be done now is done
        the next time, and work goes on."""
        try:
            before, store = self._kernel.now() - KEEP, self._kernel.store
            wanted: set[str] = set()
            for collection in store.collections():
                store.operate_apart(lambda session, name=collection: jobs.prune(session, name, before))
                with store.database.read() as session:
                    wanted |= {sent_name_of(job) for job in jobs.unsettled(session, collection)}
            self._bench.sent.drop_stale(time.time(), wanted - {""})
            store.operate_apart(drop_silent_roles)
        except (Refusal, OSError) as trouble:
            self._give_up_if_outdated(trouble)
            log.warning("tidying up waits: %s", trouble)

    def _work(self, lanes: tuple[str, ...], held: Lease) -> None:
        def is_over() -> bool:
            return self._stopped.is_set() or not held.is_held

        while not is_over():
            job = self._next_job(lanes)
            if job is None:
                with self._bench.bell:
                    if not self._stopped.is_set():
                        self._bench.bell.wait(IDLE_SECONDS)
            else:
                work(self._kernel, job, report=_say_nothing, interrupted=is_over)

    def _next_job(self, lanes: tuple[str, ...]) -> Job | None:
        try:
            return take_next(self._kernel, lanes)
        except Refusal as refusal:
            self._give_up_if_outdated(refusal)
        except Exception:
            log.exception("no job could be taken")
        return None

    def _give_up_if_outdated(self, trouble: Exception) -> None:
        """Where a newer program has changed the format of the data, jobs are for newer programs; the role is free."""
        if isinstance(trouble, Refusal) and trouble.failure is Failure.INCOMPATIBLE:
            self._stopped.set()


def _say_nothing(done: float, total: float | None, message: str) -> None:
    """Whoever watches reads the job's row."""
