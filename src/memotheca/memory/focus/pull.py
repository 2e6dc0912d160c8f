"""The pull of the focus: of what a question finds, what agrees with what the session is about comes sooner, as strongly
as its coupling has it (memory-model: Coupling)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.kernel.kernel import Kernel
from memotheca.memory.focus.workspace import coupling_of, focus_members, mood_of
from memotheca.memory.session.state import activity_of
from memotheca.memory.spaces.space_table import COUNT, IDS, SPACES
from memotheca.memory.standing.agreement import agreements, mean_of, together
from memotheca.memory.standing.nearest import vicinity_of
from memotheca.model.knowledge import Entry
from memotheca.storage.snapshot import Snapshot

Array = NDArray[Any]

PULLING, PULLED = 5, 30  # chosen: of the focus and of what is found, bounds the comparing
SHARE = 0.1  # specification: of the coupling (memory-model: Coupling)
# The graph aside, which would have to be read for each.
COMPARED = [place for place, space in enumerate(SPACES) if space.sees_content and IDS[place] != "E8"]


@dataclass(frozen=True, slots=True)
class Pull:
    """How strongly a focus pulls, and its memories, the newest first."""

    coupling: float = 0.0
    members: tuple[Entry, ...] = ()


NO_PULL = Pull()


def pull_of(kernel: Kernel, snapshot: Snapshot, session: str, coupling: float | None = None) -> Pull:
    """The pull of a session's focus at its own coupling or another."""
    strength = coupling_of(mood_of(kernel, snapshot, session)) if coupling is None else coupling
    if not strength:
        return NO_PULL
    return Pull(strength, tuple(focus_members(kernel, snapshot, session)[0][:PULLING]))


def pulled(kernel: Kernel, ranked: Sequence[tuple[Entry, float]], pull: Pull) -> list[tuple[int, float]]:
    """The order of what is ranked as the focus has it, as (place, score): score · (1 + K/10 · r), in which r is how far
    it agrees with the focus; the best has the score it had. What is far down keeps its place."""
    kept = [(place, score) for place, (_, score) in enumerate(ranked)]
    if not pull.coupling or not pull.members or len(ranked) < 2:
        return kept
    looked = ranked[:PULLED]
    orders = orders_with(kernel, [entry for entry, _ in looked], pull.members)
    scores = [score * (1 + SHARE * pull.coupling * r) for (_, score), r in zip(looked, orders, strict=True)]
    best = max(scores) or 1.0
    order = sorted(range(len(looked)), key=lambda place: (-scores[place], place))
    top = looked[0][1]
    return [*((place, top * scores[place] / best) for place in order), *kept[len(looked) :]]


def orders_with(kernel: Kernel, entries: Sequence[Entry], members: Sequence[Entry]) -> list[float]:
    """How far each of some entries agrees with the memories of a focus, itself aside."""
    with kernel.read() as snapshot:
        hung = vicinity_of(kernel, snapshot).hang(snapshot, [*entries, *members])
        ones, others = hung[: len(entries)], hung[len(entries) :]
        pairs = [(one, other) for one in ones for other in others]
        agreed = agreements(kernel, snapshot, [one for one, _ in pairs], [other for _, other in pairs], spaces=COMPARED)
    cube = agreed.reshape(len(entries), len(members), COUNT)
    cube[[[one.id == other.id for other in others] for one in ones]] = np.nan
    return together(mean_of(cube, 1)).tolist()


@dataclass(frozen=True, slots=True)
class Move:
    """A result that would stand elsewhere; places begin with 1."""

    entry: Entry
    old: int
    new: int


@dataclass(frozen=True, slots=True)
class PullEffect:
    """What another coupling would have moved in a session's last question: of how many results, by how many memories of
    the focus at that time."""

    results: int
    members: int
    moves: tuple[Move, ...]


def effect_on_last(kernel: Kernel, snapshot: Snapshot, session: str, *, old: float, new: float) -> PullEffect | None:
    """Of the last question of a session, what would stand elsewhere; None where there was no question, or no focus
    before it."""
    rows = activity_of(kernel).last_retrievals(snapshot.session, (kernel.collection, session), 1)
    if not rows:
        return None
    members = focus_members(kernel, snapshot, session, before=rows[0].time)[0][:PULLING]
    living = snapshot.living([each.entry_id for each in rows[0].shown])
    shown = [(living[each.entry_id], each.score) for each in rows[0].shown if each.entry_id in living][:PULLED]
    if not members or not shown:
        return None
    orders = orders_with(kernel, [entry for entry, _ in shown], members)
    own = [score / (1 + SHARE * old * r) for (_, score), r in zip(shown, orders, strict=True)]
    places = [_places(own, orders, coupling) for coupling in (old, new)]
    moves = [
        Move(entry, before + 1, after + 1)
        for (entry, _), before, after in zip(shown, *places, strict=True)
        if before != after
    ]
    return PullEffect(len(shown), len(members), tuple(moves))


def _places(scores: Sequence[float], orders: Sequence[float], coupling: float) -> list[int]:
    values = [score * (1 + SHARE * coupling * r) for score, r in zip(scores, orders, strict=True)]
    ranked = sorted(range(len(values)), key=lambda place: (-values[place], place))
    return [ranked.index(place) for place in range(len(values))]
