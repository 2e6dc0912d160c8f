"""Health of the parts: how the store, the background work, the judging and the sessions stand, by what is measured of
each, and what can be done about it (memory-model: Health)."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from memotheca.admin.checkup import STORAGE, WORK, Remedy, Vital, storage_vitals, work_vitals
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.look_through import look_through
from memotheca.memory.curation.pass_progress import count_ahead
from memotheca.memory.curation.rewards import RECALLED
from memotheca.memory.focus.workspace import COUPLING, mood_of, pinned_entry, set_coupling, unpin
from memotheca.memory.session.arousal import bring_to_rest
from memotheca.memory.session.state import activity_of
from memotheca.memory.standing.sample import reference_of
from memotheca.model.kinds import MEMORY
from memotheca.search.census import take_census
from memotheca.storage.snapshot import Snapshot

Part = Literal["judging", "focus", "work", "storage"]
PARTS: tuple[Part, ...] = ("judging", "focus", "work", "storage")
Severity = Literal["low", "medium", "high", "critical"]
SEVERITIES: tuple[Severity, ...] = ("low", "medium", "high", "critical")
Condition = Literal["healthy", "degraded", "critical"]
HEALTHY, DEGRADED = 0.8, 0.5  # specification (memory-model: Health)
AHEAD = 500  # chosen: as many as a quiet minute or two look through
UNWRITTEN = 1_000  # chosen: what a batch writes in a moment
RECALL = 0.5  # specification: less is poor (memory-model: Poor recall)
LOOKED = 2.0  # chosen: seconds that a call may look through the memory


@dataclass(frozen=True, slots=True, kw_only=True)
class PartHealth:
    """How a part stands: what was measured of it, and the least of its scores."""

    part: Part
    vitals: tuple[Vital, ...]

    @property
    def score(self) -> float:
        return min(vital.score for vital in self.vitals)

    @property
    def advice(self) -> list[str]:
        return [f"{vital.name} is {vital.value:g}: {vital.advice}." for vital in self.vitals if vital.score < HEALTHY]


@dataclass(frozen=True, slots=True)
class Healing:
    """What was really done about a part, how it stands now, and how long that took."""

    done: tuple[str, ...]
    before: PartHealth
    after: PartHealth
    milliseconds: float


def condition_of(score: float) -> Condition:
    return "healthy" if score >= HEALTHY else "degraded" if score >= DEGRADED else "critical"


def examine_part(kernel: Kernel, snapshot: Snapshot, part: Part) -> PartHealth:
    looks: Mapping[Part, Callable[[Kernel, Snapshot], list[Vital]]] = {
        "judging": _judging,
        "focus": _focus,
        "work": _work,
        "storage": storage_vitals,
    }
    return PartHealth(part=part, vitals=tuple(looks[part](kernel, snapshot)))


def measured_recall(kernel: Kernel, snapshot: Snapshot) -> float | None:
    """The running recall of tests; None where nobody tested."""
    return activity_of(kernel).state(snapshot.session, kernel.collection, RECALLED)


def _judging(kernel: Kernel, snapshot: Snapshot) -> list[Vital]:
    known = take_census(kernel, snapshot).nodes((MEMORY,))
    lacking = max(0, known - reference_of(kernel, snapshot).size)
    vitals = [Vital(name="fingerprints_missing", value=lacking, limit=0, advice="run memotheca reindex")]
    recall = measured_recall(kernel, snapshot)
    if recall is not None:
        advice = "see which of the expected memories are missed, and say them in the words of the questions"
        vitals.append(Vital(name="recall", value=round(recall, 4), limit=RECALL, advice=advice, is_wanted=True))
    return vitals


def _focus(kernel: Kernel, snapshot: Snapshot) -> list[Vital]:
    held = activity_of(kernel).count_unwritten(kernel.collection)
    return [Vital(name="unwritten", value=held, limit=UNWRITTEN, advice="heal the focus to write it down")]


def _work(kernel: Kernel, snapshot: Snapshot) -> list[Vital]:
    advice = "let a server run for a while, or heal the background work with severity high"
    ahead = Vital(name="not_yet_looked_through", value=count_ahead(snapshot), limit=AHEAD, advice=advice)
    return [*work_vitals(kernel, snapshot), ahead]


def heal(kernel: Kernel, part: Part, severity: Severity, *, session: str) -> Healing:
    """Do what can be done about a part, the mildest first, as far as the severity allows; only what was really done is
    told."""
    began = time.perf_counter()
    with kernel.read() as snapshot:
        before = examine_part(kernel, snapshot, part)
    remedies: Mapping[Part, tuple[tuple[Remedy, ...], ...]] = {
        "judging": ((_renew_sample,), (_forget_judgements,), (_forget_recall,)),
        "focus": (
            (_write_down,),
            (lambda kernel: _let_go_of_lost(kernel, session), lambda kernel: _calm(kernel, session)),
            (lambda kernel: _let_go(kernel, session),),
        ),
        "work": (*WORK, (_look_through,)),
        "storage": STORAGE,
    }
    steps = remedies[part][: SEVERITIES.index(severity) + 1]
    done = [told for remedy in (each for step in steps for each in step) if (told := remedy(kernel))]
    with kernel.read() as snapshot:
        after = examine_part(kernel, snapshot, part)
    return Healing(tuple(done), before, after, round((time.perf_counter() - began) * 1000, 3))


def _renew_sample(kernel: Kernel) -> str:
    with kernel.read() as snapshot:
        reference = reference_of(kernel, snapshot)
        held = reference.gallery
        reference.renew(snapshot)
        return f"drew the sample of {len(reference.gallery)} memories anew" if reference.gallery is not held else ""


def _forget_judgements(kernel: Kernel) -> str:
    with kernel.read() as snapshot:
        forgotten = reference_of(kernel, snapshot).forget_lately()
    return f"forgot {forgotten} judgements, which are made anew" if forgotten else ""


def _forget_recall(kernel: Kernel) -> str:
    with kernel.read() as snapshot:
        held = measured_recall(kernel, snapshot)
    if held is None:
        return ""
    activity_of(kernel).set_state(kernel.collection, RECALLED, None)
    return f"forgot the measured recall of {held:.2f}, which the next test measures anew"


def _write_down(kernel: Kernel) -> str:
    activity = activity_of(kernel)
    before = activity.count_unwritten(kernel.collection)
    activity.flush(kernel.store)
    written = before - activity.count_unwritten(kernel.collection)
    return f"wrote down {written} things that this process held in memory" if written > 0 else ""


def _calm(kernel: Kernel, session: str) -> str:
    moved = bring_to_rest(kernel, session)
    return f"brought {', '.join(moved)} of this session to rest" if moved else ""


def _let_go_of_lost(kernel: Kernel, session: str) -> str:
    """What is pinned and was forgotten or held since stands in no context any more."""
    with kernel.read() as snapshot:
        is_lost = mood_of(kernel, snapshot, session).pinned is not None and not pinned_entry(kernel, snapshot, session)
    return f"took off {unpin(kernel, session)}, which was pinned and is gone" if is_lost else ""


def _let_go(kernel: Kernel, session: str) -> str:
    """Begin without a pin and without a pull."""
    pinned, before = unpin(kernel, session), set_coupling(kernel, session, COUPLING)
    done = [f"took off what was pinned, {pinned}"] if pinned is not None else []
    done += [f"set the coupling from {before:g} to {COUPLING:g}"] if before != COUPLING else []
    return " and ".join(done)


def _look_through(kernel: Kernel) -> str:
    with kernel.read() as snapshot:
        before = count_ahead(snapshot)
    look_through(kernel, lambda: False, seconds=LOOKED)
    with kernel.read() as snapshot:
        looked = before - count_ahead(snapshot)
    return f"looked through {looked} entries for what is to be decided" if looked > 0 else ""
