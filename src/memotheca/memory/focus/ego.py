"""The ego: what an agent works on, from what its last questions brought first, and whether that is still what it was
(memory-model: Ego)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memotheca.kernel.kernel import Kernel
from memotheca.memory.focus.workspace import mood_of
from memotheca.memory.session.state import activity_of
from memotheca.memory.spaces.space_table import COUNT
from memotheca.memory.standing.agreement import agree_with_each, lasting_agreements, mean_of, together
from memotheca.memory.standing.nearest import vicinity_of
from memotheca.memory.traits import KNOWN
from memotheca.model.knowledge import Entry
from memotheca.storage.instruments.retrievals import FirstShown
from memotheca.storage.snapshot import Snapshot

Array = NDArray[Any]

NOW, BEFORE = 3, 5  # chosen: questions that say what is worked on, and as what it was before (memory-model: Ego)
WINDOW = 10  # specification: an alarm looks at so many steps (memory-model: Ego)
KEPT = 50  # chosen: questions that are looked back at
STORED = 5  # chosen: what was stored last
HEALTHY, WARNING, DEGRADED = 0.9, 0.7, 0.5  # specification (memory-model: Ego)

Status = Literal["Healthy", "Warning", "Degraded", "Critical", "Unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ego:
    """What an agent worked on in its last questions and in those before, one a question; how far the two agree in
    each space and together, now and at the steps before, the newest first; how far what it stored agrees with what it
    asked about; and how many questions are known of it."""

    now: tuple[Entry, ...]
    before: tuple[Entry, ...]
    agreed: tuple[float | None, ...]
    continuity: float | None
    history: tuple[float, ...]
    actions: float | None
    questions: int

    @property
    def is_in_crisis(self) -> bool:
        """At some step of the window it was on something else altogether."""
        return any(each < DEGRADED for each in self.history)

    @property
    def has_strayed(self) -> bool:
        """It was on something else lately, and no longer is."""
        return self.is_in_crisis and self.history[0] >= DEGRADED


def status_of(continuity: float | None) -> Status:
    if continuity is None:
        return "Unknown"
    if continuity >= HEALTHY:
        return "Healthy"
    return "Warning" if continuity >= WARNING else "Degraded" if continuity >= DEGRADED else "Critical"


def look_at_ego(kernel: Kernel, snapshot: Snapshot, session: str) -> Ego:
    steps = _steps(kernel, snapshot, session)
    ids = [each.entry_id for each in steps[: NOW + BEFORE + WINDOW]]
    living = snapshot.living(ids)
    path = [entry for id in ids if (entry := living.get(id)) is not None and entry.kind in KNOWN]
    agreed = agree_with_each(kernel, snapshot, path, reach=NOW + BEFORE - 1)
    history = [float(together(_between(agreed, at))) for at in range(min(WINDOW, max(0, len(path) - NOW)))]
    own = _between(agreed, 0) if history else np.full(COUNT, np.nan)
    return Ego(
        now=tuple(path[:NOW]),
        before=tuple(path[NOW : NOW + BEFORE]),
        agreed=tuple(None if np.isnan(value) else float(value) for value in own),
        continuity=history[0] if history else None,
        history=tuple(history),
        actions=_actions(kernel, snapshot, session, path[:NOW]),
        questions=len(steps),
    )


def _steps(kernel: Kernel, snapshot: Snapshot, session: str) -> list[FirstShown]:
    """The questions of a session that brought something, the newest first, and behind them those that were asked before
    it began."""
    log = activity_of(kernel).retrievals
    own = log.firsts(snapshot.session, kernel.collection, limit=KEPT, of_session=session)
    began = own[-1].time if own else kernel.now()
    others = log.firsts(snapshot.session, kernel.collection, limit=KEPT)
    earlier = [each for each in others if each.session != session and each.time < began]
    return [*own, *earlier][:KEPT]


def _between(agreed: Array, at: int) -> Array:
    """How far what was worked on at a step agrees in each space with what was before it."""
    return mean_of(agreed[at : at + NOW, at + NOW : at + NOW + BEFORE].reshape(-1, COUNT))


def _actions(kernel: Kernel, snapshot: Snapshot, session: str, now: Sequence[Entry]) -> float | None:
    """How far what was stored agrees with what is asked about; None where one of them is nothing."""
    stored = list(snapshot.living(mood_of(kernel, snapshot, session).stored[-STORED:]).values())
    pairs = [(one, other) for one in stored for other in now if one.id != other.id]
    if not pairs:
        return None
    hung = {each.id: each for each in vicinity_of(kernel, snapshot).hang(snapshot, [*stored, *now])}
    agreed = lasting_agreements(
        kernel, snapshot, [hung[one.id] for one, _ in pairs], [hung[other.id] for _, other in pairs]
    )
    return float(together(mean_of(agreed)))
