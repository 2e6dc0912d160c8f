"""A night: one dream from falling asleep to waking, in slices, each change of which is a transaction of its own
(memory-model: Dreams)."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal
from uuid import uuid4

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.precedence import Precedence
from memotheca.memory.curation.reversal import hash_of, machine_note
from memotheca.memory.dream.blind_spots import MOST_SPOTS, BlindSpot, sample_memories, spots_of
from memotheca.memory.dream.dream_log import DreamPhase, tell_phase
from memotheca.memory.dream.measures import BeforeAndAfter, draw_sample, measure_sample
from memotheca.memory.dream.shortcuts import find_shortcuts, is_wanted, make_shortcut
from memotheca.memory.dream.sleeper import Sleep, WakeReason
from memotheca.memory.dream.tend import EdgeChange, carry_out_changes, tend_entry
from memotheca.memory.dream.work_order import WorkOrder, order_work
from memotheca.memory.graph.walk import strength_of
from memotheca.memory.session.state import activity_of
from memotheca.memory.traits import KNOWN
from memotheca.memory.verbs import Verb
from memotheca.model.cancellation import heeding
from memotheca.model.commits import Commit, CommitBatch
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import MEMORY
from memotheca.storage.activity import ActivityRecord, read_state, write_state
from memotheca.storage.care_tasks import TaskRow, add_tasks, ids_beyond, read_tasks
from memotheca.storage.database import Session
from memotheca.storage.store import Transaction

log = logging.getLogger(__name__)

Phase = Literal["nrem", "rem", "full"]
PHASES: tuple[Phase, ...] = ("nrem", "rem", "full")
ALIASES: Mapping[str, Phase] = {"full_cycle": "full"}

SLICE = 0.02  # specification (memory-model: Dreams): seconds of work between two looks whether to wake
READ = 32  # chosen: ids that are read at once
TOGETHER = 16  # chosen: changes of a transaction, a few milliseconds
TOLD = 1.0  # chosen: seconds between two events of the same phase
PLACE = "dreamed_through"


@dataclass(frozen=True, slots=True, kw_only=True)
class DreamRequest:
    """What is to be dreamt, for how long at most, how many memories are probed for blind spots, whether a question
    wakes, and whether anything may be changed."""

    phase: Phase = "full"
    minutes: float = 5.0
    queries: int = 100
    abort_on_query: bool = True
    dry_run: bool = False
    rationale: str = ""
    actor: str = "dream"


@dataclass(slots=True)
class Slices:
    """The pieces that a dream is done in: how many, and how long the longest and all of them took a processor."""

    sleep: Sleep
    give_way: Callable[[], None]
    count: int = 0
    longest: float = 0.0
    late: int = 0
    _began: float = field(default_factory=time.thread_time)

    def pause(self) -> None:
        """Between two slices: wake, if that is due, and let calls go first."""
        spent = time.thread_time() - self._began
        self.count += 1
        self.longest = max(self.longest, spent)
        self.late += spent > SLICE
        if self.sleep.must_wake() is not None:
            raise Woken
        self.give_way()
        self._began = time.thread_time()


class Woken(Exception):
    """Somebody has woken the dreamer, or its time is over."""


class Night:
    """What a dream has done so far."""

    def __init__(self, sleep: Sleep, request: DreamRequest, tell: Callable[[float, float | None, str], None]) -> None:
        self.sleep, self.request, self.tell = sleep, request, tell
        self.kernel = replace(sleep.kernel, batch=CommitBatch(sleep.run, _newest(sleep.kernel)), once=None)
        self.changes: Counter[str] = Counter()
        self.tasks: Counter[str] = Counter()
        self.spots: list[BlindSpot] = []
        self.commits: list[Commit] = []
        self.moved: list[float] = []
        self.nrem: dict[str, Any] = {}
        self.rem: dict[str, Any] = {}
        self.shortcuts = self.shortcut_candidates = self.replayed = 0
        self.done: list[Phase] = []
        self.phase: DreamPhase = "started"
        self.opened = 0
        self._rows: list[TaskRow] = []
        self._found: set[str] = set()
        self._listed = _listed(sleep.kernel)
        self._pending: list[EdgeChange] = []
        self._place = ""
        self._told = 0.0

    # Events ---------------------------------------------------------------------------------------------------------

    def enter(self, phase: DreamPhase, facts: Mapping[str, Any] = MappingProxyType({})) -> None:
        """Tell that a phase has begun, to whoever follows."""
        self.phase = phase
        self.kernel.store.operate(lambda session: self._tell(session, facts))
        self.tell(0.0, None, phase)

    def progress(self, done: int, total: int) -> None:
        self.tell(done, total, self.phase)
        if time.monotonic() - self._told > TOLD:
            self.keep({"done": done, "total": total})

    def _tell(self, session: Session, facts: Mapping[str, Any]) -> None:
        self._told = time.monotonic()
        said = {"requested": self.request.phase, "dry_run": self.request.dry_run, **facts}
        said["wakes_on_query"] = self.sleep.wakes_on_query
        tell_phase(session, self.kernel, self.sleep.run, phase=self.phase, facts=said)

    # Keeping --------------------------------------------------------------------------------------------------------

    def keep(self, facts: Mapping[str, Any] = MappingProxyType({})) -> None:
        """Write down which tasks were found and how far it came, with an event that says so."""
        rows, self._rows = self._rows, []

        def act(session: Session) -> None:
            self.sleep.held.refuse_lost(session)
            if not self.request.dry_run:
                add_tasks(session, self.kernel.collection, rows)
                if self._place and self.phase == "nrem":
                    write_state(session, self.kernel.collection, PLACE, self._place, now=self.kernel.now())
            self._tell(session, facts)

        self.kernel.store.operate(act)

    def add(self, tasks: Sequence[TaskRow]) -> None:
        """Note what is to be decided; of two entries, either of which tells it, once."""
        fresh = {row.id: row for row in tasks if row.id not in self._found}
        self._found |= fresh.keys()
        self.tasks.update(row.kind for row in fresh.values())
        self.opened += len(fresh.keys() - self._listed)
        self._rows += fresh.values()

    def change(self, changes: Sequence[EdgeChange]) -> None:
        """Make changes once there are enough for a transaction."""
        self._pending += changes
        if len(self._pending) >= TOGETHER:
            self.commit()

    def commit(self) -> None:
        """Make what waits, in one transaction that says why and which its hash takes back."""
        pending, self._pending = self._pending, []
        if self.request.dry_run:
            self._count(pending)
        elif pending:
            why = "Links that the memory found itself were moved by how they are used, or missing ones found."
            self._count(self.write(why, lambda transaction: carry_out_changes(transaction, pending)))

    def write(self, why: str, act: Callable[[Transaction], Any]) -> Any:
        """One transaction of the dream; the event beside it is there if and only if it is."""

        def within(transaction: Transaction) -> tuple[Any, int | None]:
            self.sleep.held.refuse_lost(transaction.session)
            rationale = f"{self.request.rationale} {why}".strip()
            transaction.describe("UPDATE", note=machine_note(Verb.DREAM, rationale, dream=self.sleep.run))
            result = act(transaction)
            if transaction.changed:
                self._tell(transaction.session, {"tx": transaction.tx})
            return result, transaction.tx if transaction.changed else None

        result, tx = self.kernel.write(within, actor=self.request.actor)
        if tx is not None:
            with self.kernel.read() as snapshot:
                commit = snapshot.commit(tx)
            self.commits += [] if commit is None else [commit]
        return result

    def _count(self, changes: Sequence[EdgeChange]) -> None:
        self.changes.update(change.kind for change in changes)
        for change in changes:
            if change.edge is not None and change.after is not None:
                self.moved.append(strength_of(change.after) - strength_of(change.edge))

    def tend(self, id: str, pause: Callable[[], None]) -> None:
        """What there is to do about one entry is noted or made."""
        found = tend_entry(self.kernel, id, pause)
        self.add(found.tasks)
        self.change(found.changes)
        self.replayed += 1

    def move(self, after: str) -> None:
        self._place = after


def new_run() -> str:
    return f"dream_{uuid4().hex[:16]}"


def dream(
    sleep: Sleep, request: DreamRequest, tell: Callable[[float, float | None, str], None] | None = None
) -> dict[str, Any]:
    """Dream until everything was done, the time is over or somebody wakes; the answer is the report, which is also the
    last event."""
    night = Night(sleep, request, tell or _silent)
    apart = sleep.kernel.keep(Precedence)
    slices = Slices(sleep, _stay if tell is not None else apart.give_way)
    helped = BeforeAndAfter()
    failed: str | None = None
    try:
        activity_of(sleep.kernel).flush(sleep.kernel.store)
        night.enter("started")
        with heeding(lambda: sleep.must_wake() is not None):
            helped.sample = draw_sample(sleep.kernel)
            helped.before = measure_sample(sleep.kernel, helped.sample, slices.pause)
            _phases(night, slices)
            helped.after = measure_sample(sleep.kernel, helped.sample, slices.pause)
    except Woken:
        pass
    except Refusal as refusal:
        failed = None if refusal.failure is Failure.CANCELLED else refusal.message
    except Exception:
        log.exception("a dream has failed")
        failed = "Something went wrong; the log has the details."
    return _wake(night, slices, helped, failed)


def _silent(done: float, total: float | None, message: str) -> None:
    """Nobody watches."""


def _stay() -> None:
    """Whoever waits for the dream is the call that is being answered."""


def _phases(night: Night, slices: Slices) -> None:
    if night.request.phase in ("nrem", "full"):
        night.enter("nrem")
        _nrem(night, slices)
        night.done.append("nrem")
    if night.request.phase in ("rem", "full"):
        night.enter("rem")
        _rem(night, slices)
        night.done.append("rem")


def _nrem(night: Night, slices: Slices) -> None:
    """Everything that is known once: first what λ holds to matter most, then from where the last dream stood on and
    round again; then shortcuts."""
    began = time.monotonic()
    order: WorkOrder | None = None
    try:
        with night.kernel.read() as snapshot:
            start = str(read_state(snapshot.session, snapshot.collection, PLACE) or "")
            total = snapshot.count("entry", KNOWN)
            order = order_work(night.kernel, snapshot)
        for id in order.ids:
            slices.pause()
            night.tend(id, slices.pause)
            night.progress(night.replayed, total)
        rest = Stretch(low="", high="", total=total, done=frozenset(order.ids))
        for low, high in ((start, ""), ("", start)):
            _tend_rest(night, slices, replace(rest, low=low, high=high))
            if not start:
                break
        night.commit()
        _amortise(night, slices)
    finally:
        night.nrem = {
            "memories_replayed": night.replayed,
            "edges_strengthened": night.changes["strengthened"],
            "edges_weakened": night.changes["weakened"],
            "edges_pruned": night.changes["pruned"],
            "links_found": night.changes["linked"],
            "duplicates_found": night.tasks["duplicate"],
            "updates_found": night.tasks["update"],
            "disputes_found": night.tasks["dispute"],
            "shortcut_candidates": night.shortcut_candidates,
            "average_weight_delta": round(sum(night.moved) / len(night.moved), 4) if night.moved else 0.0,
            "order": None if order is None else order.to_json(),
            "duration_ms": round((time.monotonic() - began) * 1000),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """What is left to tend between two places, of how much, without what came first."""

    low: str
    high: str
    total: int
    done: frozenset[str]


def _tend_rest(night: Night, slices: Slices, rest: Stretch) -> None:
    after = rest.low
    while True:
        slices.pause()
        with night.kernel.read() as snapshot:
            ids = ids_beyond(snapshot, KNOWN, after, limit=READ)
        for id in ids:
            if rest.high and id > rest.high:
                return
            if id not in rest.done:
                night.tend(id, slices.pause)
            night.move(id)
            night.progress(night.replayed, rest.total)
            after = id
        if not ids:
            return


def _amortise(night: Night, slices: Slices) -> None:
    slices.pause()
    with night.kernel.read() as snapshot:
        found = find_shortcuts(night.kernel, snapshot)
        wanted = [each for each in found if is_wanted(snapshot, each)]
    night.shortcut_candidates = len(found)
    for candidate in wanted:
        slices.pause()
        if night.request.dry_run:
            night.shortcuts += 1
            continue
        why = f"A path of {len(candidate.steps)} steps was walked {candidate.times} times."
        made = night.write(why, lambda transaction, candidate=candidate: make_shortcut(transaction, candidate))
        night.shortcuts += made is not None


def _rem(night: Night, slices: Slices) -> None:
    began = time.monotonic()
    asked, visited = 0, set[str]()
    total = 0
    try:
        with night.kernel.read() as snapshot:
            ids = sample_memories(snapshot, night.request.queries)
            total = snapshot.count("entry", (MEMORY,))
        seen: set[frozenset[str]] = set()
        for id in ids:
            slices.pause()
            asked += 1
            with night.kernel.read() as snapshot:
                found = spots_of(night.kernel, snapshot, id)
            visited |= {id, *(spot.other.id for spot in found)}
            fresh = [spot for spot in found if frozenset((spot.one.id, spot.other.id)) not in seen]
            fresh = fresh[: MOST_SPOTS - len(night.spots)]
            seen |= {frozenset((spot.one.id, spot.other.id)) for spot in fresh}
            night.spots += fresh
            night.add([spot.task(night.kernel.now()) for spot in fresh])
            night.progress(asked, len(ids))
    finally:
        leaps = [spot.leap for spot in night.spots if spot.leap is not None]
        night.rem = {
            "queries_generated": asked,
            "blind_spots_found": len(night.spots),
            "average_semantic_leap": round(sum(leaps) / len(leaps), 4) if leaps else None,
            "exploration_coverage": round(len(visited) / total, 4) if total else None,
            "unique_nodes_visited": len(visited),
            "duration_ms": round((time.monotonic() - began) * 1000),
        }


def _wake(night: Night, slices: Slices, helped: BeforeAndAfter, failed: str | None) -> dict[str, Any]:
    """What was seen and is not yet kept is kept, as far as it can be, and what was done is told."""
    sleep = night.sleep
    reason: WakeReason | Literal["cycle_complete"] = sleep.reason or ("error" if failed else "cycle_complete")
    wanted = {"nrem": ("nrem",), "rem": ("rem",), "full": ("nrem", "rem")}[night.request.phase]
    completed = failed is None and tuple(night.done) == wanted
    if failed is None and reason != "resource_pressure":
        night.commit()
        night.keep()
    report = _report(night, slices, helped)
    report |= {
        "completed": completed,
        "was_interrupted": not completed,
        "wake_reason": "cycle_complete" if completed and reason == "external_query" else reason,
        "wake_latency_ms": sleep.latency_ms,
        "error": failed,
    }
    night.enter("ended", report)
    line = ActivityRecord(
        time=night.kernel.now(), level="info", component="dream", action=night.request.phase, reason=str(reason)
    )
    activity_of(night.kernel).log(night.kernel.collection, line)
    return report


def _report(night: Night, slices: Slices, helped: BeforeAndAfter) -> dict[str, Any]:
    return {
        "dream_id": night.sleep.run,
        "phase": night.request.phase,
        "phases_completed": list(night.done),
        "dry_run": night.request.dry_run,
        "duration_ms": round((time.monotonic() - night.sleep.began) * 1000),
        "nrem": night.nrem or None,
        "rem": night.rem or None,
        "shortcuts_created": night.shortcuts,
        "blind_spots": [
            {"nodes": [spot.one.id, spot.other.id], "shared": spot.shared, "semantic_leap": spot.leap}
            for spot in night.spots
        ],
        "tasks_opened": night.opened,
        "slices": slices.count,
        "slices_over_budget": slices.late,
        "longest_slice_ms": round(slices.longest * 1000, 2),
        "probes": len(helped.sample.probes),
        "recall_before": helped.before.recall,
        "recall_after": helped.after.recall,
        "ways": len(helped.sample.ways),
        "path_length_before": helped.before.path_length,
        "path_length_after": helped.after.path_length,
        "transactions": [commit.tx for commit in night.commits],
        "reversal_hashes": [hash_of(commit) for commit in night.commits],
    }


def _listed(kernel: Kernel) -> set[str]:
    """The tasks that are known already, to be decided or kept as they are."""
    with kernel.read() as snapshot:
        return {row.id for row in read_tasks(snapshot.session, snapshot.collection, ("open", "kept"))}


def _newest(kernel: Kernel) -> int:
    with kernel.read() as snapshot:
        return snapshot.tx
