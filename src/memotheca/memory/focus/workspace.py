"""The workspace: what a session's attention is on, what competes with it, and what of it is disputed, from what it
retrieved and stored last (memory-model: Workspace)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.kernel.kernel import Kernel
from memotheca.memory.focus.oscillators import State, state_of
from memotheca.memory.graph.relations import CONTRADICTS
from memotheca.memory.session.arousal import keep_levels, modulator_levels
from memotheca.memory.session.focus import is_empty
from memotheca.memory.session.modulators import reward
from memotheca.memory.session.state import Mood, activity_of
from memotheca.memory.spaces.space_table import COUNT
from memotheca.memory.standing.agreement import agree_with_each, mean_of, together
from memotheca.memory.traits import KNOWN, importance_of, quarantine_of
from memotheca.memory.tuning.gates import gates_at, voice_at
from memotheca.model.clock import SECOND
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.storage.adjacency import pairs_saying
from memotheca.storage.care_tasks import tasks_about
from memotheca.storage.snapshot import Snapshot

Array = NDArray[Any]

MEMBERS = 10  # specification: the last ten memories of a session (memory-model: Workspace)
QUESTIONS, BEST = 5, 3  # chosen: of the last five questions what was best, so that one answer does not fill it
ASLEEP = 600 * SECOND  # specification (memory-model: Coupling)
REMEMBERED = 100  # specification: the last hundred that were pinned
COUPLING = 0.0  # measured: no pull by itself (docs/benchmarks.md, Pull of the focus)


@dataclass(frozen=True, slots=True)
class Competitor:
    """A memory in focus, how far it agrees with the rest of it, and by which score it competes."""

    entry: Entry
    order: float
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A session's focus at a moment. `agreed` is how far what it is on agrees with the rest of it in each space,
    nothing where a space has nothing to compare; `order` is what they make of it together, nothing where there is no
    rest."""

    pinned: Entry | None
    pinned_since: int | None
    members: tuple[Entry, ...]
    agreed: tuple[float | None, ...]
    order: float | None
    competitors: tuple[Competitor, ...]
    disputed: tuple[str, ...]
    threshold: float
    coupling: float
    pinned_before: int
    moved: int | None
    empty_since: int | None
    is_empty: bool
    is_asleep: bool

    @property
    def state(self) -> State:
        return "DORMANT" if self.is_asleep else state_of(self.order)

    @property
    def on(self) -> Entry | None:
        """What it is on: what is pinned, else what the last question brought first."""
        return self.members[0] if self.members else None

    @property
    def competing(self) -> list[Competitor]:
        return [each for each in self.competitors if each.order >= self.threshold]


@dataclass(frozen=True, slots=True, kw_only=True)
class Broadcast:
    """What came of wanting a memory pinned."""

    entry: Entry
    order: float | None
    score: float
    is_selected: bool
    is_pinned: bool
    reason: str
    dopamine: float


def mood_of(kernel: Kernel, snapshot: Snapshot, session: str) -> Mood:
    return activity_of(kernel).mood(snapshot.session, kernel.collection, session)


def pinned_entry(kernel: Kernel, snapshot: Snapshot, session: str) -> Entry | None:
    """What is pinned in a session, unless it is gone or held since."""
    held = mood_of(kernel, snapshot, session).pinned
    return None if held is None else next(iter(_living(kernel, snapshot, [held["id"]])), None)


def coupling_of(mood: Mood) -> float:
    return COUPLING if mood.coupling is None else mood.coupling


def focus_members(
    kernel: Kernel, snapshot: Snapshot, session: str, *, before: int | None = None
) -> tuple[list[Entry], int | None]:
    """What a session is about, or was before a moment, at most ten memories: what is pinned, then what its last
    questions brought and what it stored, the newest first; and when that changed last. What was shown though it is not
    near is not in focus."""
    mood = mood_of(kernel, snapshot, session)
    near = voice_at(snapshot, gates_at(snapshot)).near
    rows = activity_of(kernel).last_retrievals(snapshot.session, (kernel.collection, session), QUESTIONS + 1)
    found = [
        (row.time, -place, each.entry_id)
        for row in [each for each in rows if before is None or each.time < before][:QUESTIONS]
        for place, each in enumerate([one for one in row.shown if one.signals.get("cosine", 1.0) >= near][:BEST])
    ]
    stored = snapshot.living(mood.stored[-MEMBERS:]).values()
    found += [(each.created_at, 0, each.id) for each in stored if before is None or each.created_at < before]
    found.sort(key=lambda each: (-each[0], -each[1]))
    pin = mood.pinned
    ids = [*([] if pin is None else [str(pin["id"])]), *(id for _, _, id in found)]
    entries = _living(kernel, snapshot, list(dict.fromkeys(ids))[: 2 * MEMBERS])[:MEMBERS]
    times = [*(time for time, _, _ in found), *([] if pin is None else [int(pin["since"])])]
    return entries, max(times) if times else None


def _living(kernel: Kernel, snapshot: Snapshot, ids: Sequence[str]) -> list[Entry]:
    now, living = kernel.now(), snapshot.living(ids)
    return [
        entry
        for id in ids
        if (entry := living.get(id)) is not None and entry.kind in KNOWN and quarantine_of(entry, now) is None
    ]


def look_at_workspace(kernel: Kernel, snapshot: Snapshot, session: str) -> Workspace:
    mood = mood_of(kernel, snapshot, session)
    members, moved = focus_members(kernel, snapshot, session)
    pinned = pinned_entry(kernel, snapshot, session)
    agreed = agree_with_rest(kernel, snapshot, members)
    orders: list[float] = together(agreed).tolist() if len(members) > 1 else []
    competitors = [
        Competitor(entry, order, order * importance_of(entry)) for entry, order in zip(members, orders, strict=False)
    ]
    own = agreed[0] if len(members) > 1 else np.full(COUNT, np.nan)
    return Workspace(
        pinned=pinned,
        pinned_since=None if pinned is None or mood.pinned is None else int(mood.pinned["since"]),
        members=tuple(members),
        agreed=tuple(None if np.isnan(value) else float(value) for value in own),
        order=orders[0] if orders else None,
        competitors=tuple(sorted(competitors, key=lambda each: (-each.score, each.entry.id))),
        disputed=_disputed(snapshot, [entry.id for entry in members]),
        threshold=gates_at(snapshot)["workspace"],
        coupling=coupling_of(mood),
        pinned_before=len(mood.broadcasts),
        moved=moved,
        empty_since=mood.empty_since,
        is_empty=is_empty(kernel, mood),
        is_asleep=moved is not None and kernel.now() - moved > ASLEEP,
    )


def agree_with_rest(kernel: Kernel, snapshot: Snapshot, entries: Sequence[Entry]) -> Array:
    """How far each of some memories agrees with the others on average, a row a memory, a column a space."""
    return mean_of(agree_with_each(kernel, snapshot, entries, with_walks=True), 1)


def _disputed(snapshot: Snapshot, ids: Sequence[str]) -> tuple[str, ...]:
    """Those in focus of which two cannot both hold, as was said or as an open task has it."""
    known = set(ids)
    said = {id for pair in pairs_saying(snapshot, ids, CONTRADICTS) for id in pair if known.issuperset(pair)}
    open_tasks = (
        {row.one, row.other}
        for row in tasks_about(snapshot.session, snapshot.collection, ids)
        if row.kind == "dispute" and row.state == "open" and row.other
    )
    told = {id for pair in open_tasks if pair <= known for id in pair}
    return tuple(id for id in ids if id in said | told)


def broadcast(kernel: Kernel, entry: Entry, session: str, *, weight: float, force: bool) -> Broadcast:
    """Pin a memory for a session, where it agrees with what the session is about at least as far as the threshold and
    better than what is pinned; by force in any case. `weight` is what its agreement counts."""
    if quarantine_of(entry, kernel.now()) is not None:
        raise Refusal(Failure.INVALID, "It is held, and shown to nobody until it is released.", field="memory_id")
    with kernel.read() as snapshot:
        mood = mood_of(kernel, snapshot, session)
        others = [each for each in focus_members(kernel, snapshot, session)[0] if each.id != entry.id]
        agreed = agree_with_rest(kernel, snapshot, [entry, *others])
        order = float(together(agreed)[0]) if others else None
        threshold = gates_at(snapshot)["workspace"]
        held = pinned_entry(kernel, snapshot, session)
    score = weight * (1.0 if order is None else order)
    best = float(mood.pinned["score"]) if mood.pinned is not None and held is not None and held.id != entry.id else 0.0
    reason = _reason(order, threshold, score, best=best, force=force)
    is_selected = force or order is None or (order >= threshold and score > best)
    gained = 0.0
    if is_selected:
        mood.pinned = {"id": entry.id, "since": kernel.now(), "score": score}
        mood.broadcasts = [*mood.broadcasts, entry.id][-REMEMBERED:]
        activity_of(kernel).keep((kernel.collection, session))
        gained = _gladden(kernel, session)
    return Broadcast(
        entry=entry,
        order=order,
        score=score,
        is_selected=is_selected,
        is_pinned=is_selected or (held is not None and held.id == entry.id),
        reason=reason,
        dopamine=gained,
    )


def _reason(order: float | None, threshold: float, score: float, *, best: float, force: bool) -> str:
    if order is None:
        return "nothing else is in focus"
    if order < threshold:
        told = f"it agrees with what this session is about to {order:.2f}, less than {threshold:.2f}"
        return f"forced, though {told}" if force else told
    if score <= best:
        told = f"what is pinned has the score {best:.2f}, it has {score:.2f}"
        return f"forced, though {told}" if force else told
    return f"it agrees with what this session is about to {order:.2f}, and nothing pinned has a better score"


def _gladden(kernel: Kernel, session: str) -> float:
    """What enters the focus raises dopamine as a full reward does (memory-model: Workspace); by how much."""
    with kernel.store.database.read() as held:
        levels = modulator_levels(kernel, held, session)
    after = reward(levels, 1.0)
    keep_levels(kernel, session, after)
    return after.values["dopamine"] - levels.values["dopamine"]


def unpin(kernel: Kernel, session: str) -> str | None:
    """Take off what is pinned in a session; its id."""
    with kernel.read() as snapshot:
        mood = mood_of(kernel, snapshot, session)
    held, mood.pinned = mood.pinned, None
    activity_of(kernel).keep((kernel.collection, session))
    return None if held is None else str(held["id"])


def set_coupling(kernel: Kernel, session: str, coupling: float) -> float:
    """From the next question on the focus pulls so strongly; how strongly it did."""
    with kernel.read() as snapshot:
        mood = mood_of(kernel, snapshot, session)
    before = coupling_of(mood)
    mood.coupling = coupling
    activity_of(kernel).keep((kernel.collection, session))
    return before
