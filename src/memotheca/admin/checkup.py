"""A checkup: what can be measured of the store and of its background work in a moment, beside how much of it is all
right, and what can be done about it. `health.py` looks at everything, and takes its time."""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass

from memotheca.admin.health import repair
from memotheca.admin.upkeep import rebuild, seal
from memotheca.jobs.queue import adopt_if_orphaned, revive_failed
from memotheca.jobs.workbench import Workbench
from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import SECOND
from memotheca.model.knowledge import counted
from memotheca.search.embed import embed_waiting
from memotheca.search.finder import finder_of
from memotheca.search.index.seal import SEAL_AT
from memotheca.storage import chunks, jobs
from memotheca.storage.roles import holders
from memotheca.storage.segments import absent_segments, count_segments
from memotheca.storage.snapshot import Snapshot

WAITING_VECTORS = 256  # chosen: some seconds of embedding
UNSEALED = 2 * SEAL_AT  # chosen: upkeep seals at half of it
COUNTED = 100_000  # chosen: beyond that a number tells nobody more
SEGMENTS = 64  # chosen: merging keeps a few for each fourfold size, in three streams
LOG = 64 * 1024 * 1024  # chosen: SQLite folds it at 4 MB; a reader that stays longer lets it grow
FREE = 200 * 1024 * 1024  # chosen: two files of the largest size, as `memotheca doctor` has it
QUEUED = 100  # chosen: so many files take some minutes
WAITED = 600  # chosen: seconds; a job that is due is taken at once where anybody works
FAILED = 1  # chosen: one file that cannot be read says nothing of the work
PATIENCE = 5.0  # chosen: seconds that a call may embed


@dataclass(frozen=True, slots=True, kw_only=True)
class Vital:
    """A quantity, how much of it is all right (at most, or at least where it should be much), and what to do
    otherwise."""

    name: str
    value: float
    limit: float
    advice: str
    is_wanted: bool = False

    @property
    def score(self) -> float:
        """1 where it is all right, else by how much of it that is: half where it is twice the limit."""
        if self.is_wanted:
            return min(1.0, self.value / self.limit)
        return 1.0 if self.value <= self.limit else self.limit / self.value


def storage_vitals(kernel: Kernel, snapshot: Snapshot) -> list[Vital]:
    """How far the index is behind, and whether there is room."""
    session, collection = snapshot.session, kernel.collection
    heal, reindex = "heal the storage", "run memotheca reindex"
    return [
        Vital(
            name="vectors_waiting",
            value=chunks.count_waiting(session, collection),
            limit=WAITING_VECTORS,
            advice=f"{heal}, or let the server embed",
        ),
        Vital(name="rows_unsealed", value=_unsealed(snapshot), limit=UNSEALED, advice=heal),
        Vital(name="segments", value=count_segments(session, collection), limit=SEGMENTS, advice=heal),
        Vital(
            name="segments_missing",
            value=len(_absent(kernel, snapshot)),
            limit=0,
            advice=f"{heal} with severity critical, or {reindex}",
        ),
        Vital(name="log_bytes", value=kernel.store.database.log_size(), limit=LOG, advice=heal),
        Vital(
            name="format_ahead",
            value=int(kernel.store.newer_format() is not None),
            limit=0,
            advice="upgrade memotheca and restart this client",
        ),
        *_room(kernel),
    ]


def _room(kernel: Kernel) -> list[Vital]:
    bench = kernel.parts.find(Workbench)
    if bench is None:
        return []
    # A backup before a migration, and files that are sent, need as much as there is.
    needed = max(FREE, kernel.store.database.size())
    free = shutil.disk_usage(bench.data).free
    return [Vital(name="disk_free_bytes", value=free, limit=needed, advice="free some space", is_wanted=True)]


def work_vitals(kernel: Kernel, snapshot: Snapshot) -> list[Vital]:
    """How the queue stands, and whether whoever should work does."""
    counts, since = jobs.take_stock(snapshot.session, kernel.collection)
    waited = 0.0 if since is None else max(0.0, (kernel.now() - since) / SECOND)
    bench = kernel.parts.find(Workbench)
    silent = [] if bench is None else [holder for holder in holders(bench.data) if holder.is_silent]
    heal = "heal the background work"
    return [
        Vital(
            name="jobs_waiting", value=counts.get("queued", 0), limit=QUEUED, advice="wait, or run a server that works"
        ),
        Vital(name="longest_wait_seconds", value=round(waited, 1), limit=WAITED, advice="run a server that works"),
        Vital(name="jobs_failed", value=counts.get("failed", 0), limit=FAILED, advice=f"{heal} to try them again"),
        Vital(
            name="silent_roles",
            value=len(silent),
            limit=0,
            advice="wake or end process " + ", ".join(str(each.pid) for each in silent),
        ),
    ]


def _say_nothing(done: float, total: float | None, message: str) -> None:
    """Who asked hears of it when it is done."""


def seal_index(kernel: Kernel) -> str:
    """Seal and merge what is due; to what has lost a file nothing can be added."""
    with kernel.read() as snapshot:
        before = _unsealed(snapshot)
        if _absent(kernel, snapshot):
            return ""
    seal(kernel)
    with kernel.read() as snapshot:
        sealed = before - _unsealed(snapshot)
    return f"sealed {counted(sealed, 'row')} of the index" if sealed > 0 else ""


def shorten_log(kernel: Kernel) -> str:
    database = kernel.store.database
    before = database.log_size()
    if not before or not database.shorten_log():
        return ""
    moved = before - database.log_size()
    return f"moved {counted(moved, 'byte')} of the log into the data file" if moved > 0 else ""


def embed_backlog(kernel: Kernel) -> str:
    """Embed what waits, for as long as a caller can be kept waiting."""
    until = time.monotonic() + PATIENCE
    done = embed_waiting(kernel, stop=lambda: time.monotonic() > until, report=_say_nothing)
    return f"embedded {counted(done, 'passage')}" if done else ""


def drop_index(kernel: Kernel) -> str:
    """Let this process read its index anew."""
    dropped = finder_of(kernel).forget(kernel.collection)
    return (
        f"let go of what is kept in memory of the index, to read it anew ({counted(dropped, 'part')})"
        if dropped
        else ""
    )


def mend_heads(kernel: Kernel) -> str:
    """Compare what is there with the journal, and make it anew where it differs."""
    mended = repair(kernel)
    return f"made the heads of {', '.join(mended)} anew from the journal" if mended else ""


def rebuild_index(kernel: Kernel) -> str:
    """Where files of the index are gone, make it anew from the journal."""
    with kernel.read() as snapshot:
        absent = _absent(kernel, snapshot)
    if not absent:
        return ""
    done = rebuild(kernel, _say_nothing)
    return f"made the index anew from {counted(done, 'version')}, since {counted(len(absent), 'file')} of it had gone"


def adopt_jobs(kernel: Kernel) -> str:
    left = adopt_if_orphaned(kernel) if kernel.parts.find(Workbench) else []
    return f"queued again what had lost its worker: {counted(len(left), 'job')}" if left else ""


def retry_jobs(kernel: Kernel) -> str:
    revived = revive_failed(kernel) if kernel.parts.find(Workbench) else []
    return f"queued {len(revived)} failed jobs again" if revived else ""


def _absent(kernel: Kernel, snapshot: Snapshot) -> list[str]:
    return absent_segments(snapshot.session, kernel.collection, finder_of(kernel).folder)


def _unsealed(snapshot: Snapshot) -> int:
    return chunks.count_unsealed(snapshot.session, snapshot.collection, COUNTED)


# What is done about the store and about the work, the mildest first.
Remedy = Callable[[Kernel], str]
STORAGE: tuple[tuple[Remedy, ...], ...] = (
    (seal_index, shorten_log),
    (embed_backlog,),
    (drop_index,),
    (mend_heads, rebuild_index),
)
WORK: tuple[tuple[Remedy, ...], ...] = ((adopt_jobs,), (retry_jobs,))
