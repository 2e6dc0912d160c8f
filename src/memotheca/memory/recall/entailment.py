"""Entailment: what an entry is a case of and what is a case of it, by stated hierarchy and by cones (memory-model:
Entailment)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memotheca.kernel.citations import name_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.spaces import hyperbolic
from memotheca.memory.spaces.all_spaces import Gallery
from memotheca.memory.spaces.space import Hung
from memotheca.memory.spaces.space_table import IDS
from memotheca.memory.standing.nearest import nearest_entries
from memotheca.memory.standing.sample import hang, reference_of
from memotheca.memory.traits import text_of
from memotheca.model.kinds import HIERARCHICAL
from memotheca.model.knowledge import Edge, Entry, fold
from memotheca.storage.adjacency import ENDS, Joint, joints_at
from memotheca.storage.snapshot import Snapshot
from memotheca.text.words import words

Array = NDArray[Any]

NEAR = 20  # chosen (docs/decisions/curation.md)
DEEPEST = 3  # specification (memory-model: Entailment)
HIGHEST = 6  # chosen (memory-model: Entailment)
MOST = 100  # specification (memory-model: Entailment)

# An edge of the type Hierarchical leads from the part to the whole, unless its predicate says otherwise.
FROM_THE_WHOLE = frozenset({"has_section", "has section", "has part", "has_part", "contains", "includes", "parent of"})


@dataclass(frozen=True, slots=True)
class Kin:
    """An ancestor or a descendant: how surely, how far away, and whether somebody said so."""

    entry: Entry
    membership: float
    depth: int
    via: Literal["explicit", "inferred"]


@dataclass(frozen=True, slots=True)
class Cone:
    """Where an entry stands: how wide its cone opens, how deep in the hierarchy, how far from the middle."""

    aperture: float
    depth: int
    radius: float | None


@dataclass(frozen=True, slots=True)
class Entailed:
    ancestors: tuple[Kin, ...]
    descendants: tuple[Kin, ...]
    cone: Cone


@dataclass(frozen=True, slots=True)
class _BallPlace:
    """An entry in the ball."""

    entry: Entry
    point: Array
    depth: int


def entail(kernel: Kernel, snapshot: Snapshot, entry: Entry, space: str) -> Entailed:
    above, below = _stated(snapshot, entry.id, up=True), _stated(snapshot, entry.id, up=False)
    stated = [found for id in (*above, *below) if (found := snapshot.entry(id)) is not None]
    # Nothing else than what the shared search finds near can lie in so narrow a cone.
    near = [
        other for other, _ in nearest_entries(kernel, snapshot, entry, _hung(snapshot, [entry])[0].vector, limit=NEAR)
    ]
    everyone = {each.id: each for each in (entry, *near, *stated)}
    placed = _place(kernel, snapshot, list(everyone.values()), IDS.index(space))
    own = placed.pop(entry.id, None)
    depth = _depth(_climb(snapshot, [entry.id]), entry.id)
    inner: list[_BallPlace] = []
    outer: list[_BallPlace] = []
    memberships: dict[str, float] = {}
    unsaid = [other for other in placed.values() if other.entry.id not in above and other.entry.id not in below]
    for other in unsaid if own is not None else ():
        assert own is not None
        held = hyperbolic.membership(own.point, other.point, own.depth)
        holding = hyperbolic.membership(other.point, own.point, other.depth)
        general, case = (entry, other.entry) if held >= holding else (other.entry, entry)
        if max(held, holding) >= hyperbolic.MEMBER and _takes_up(case, general):
            memberships[other.entry.id] = max(held, holding)
            (outer if held >= holding else inner).append(other)
    radius = None if own is None else float(np.linalg.norm(own.point))
    return Entailed(
        ancestors=_together(snapshot, above, _nested(inner, memberships, up=True)),
        descendants=_together(snapshot, below, _nested(outer, memberships, up=False)),
        cone=Cone(hyperbolic.aperture(depth), depth, radius),
    )


def _takes_up(case: Entry, general: Entry) -> bool:
    """Whether a text has every word by which another is called: a cone alone tells a case from likeness no
    better than a cosine does."""
    called = set(words(name_of(general)))
    return bool(called) and called <= set(words(text_of(case)))


def ends_of(edge: Edge) -> tuple[str, str]:
    """The whole and the part that a hierarchical edge is between."""
    turned = fold(edge.predicate) in FROM_THE_WHOLE
    return (edge.source, edge.target) if turned else (edge.target, edge.source)


def _stated(snapshot: Snapshot, id: str, *, up: bool, steps: int = DEEPEST) -> dict[str, tuple[int, float]]:
    """Whom somebody put above or below an entry: how many steps away, and how surely."""
    found: dict[str, tuple[int, float]] = {}
    border = {id: 1.0}
    for step in range(1, steps + 1):
        reached: dict[str, float] = {}
        for edge in _hierarchy(snapshot, list(border)):
            whole, part = ends_of(edge)
            here, there = (part, whole) if up else (whole, part)
            if here in border and there != id and there not in found:
                reached[there] = max(reached.get(there, 0.0), border[here] * edge.weight)
        found |= {there: (step, sure) for there, sure in reached.items()}
        border = reached
        if not border or len(found) >= MOST:
            break
    return found


def _hierarchy(snapshot: Snapshot, ids: Sequence[str]) -> list[Edge]:
    """The hierarchical edges at some entries."""
    joints = {joint.id for end in ENDS for joint in joints_at(snapshot, ids, end, type=HIERARCHICAL, limit=4 * MOST)}
    return [edge for id in sorted(joints)[: 4 * MOST] if (edge := snapshot.edge(id)) is not None]


def _place(kernel: Kernel, snapshot: Snapshot, entries: Sequence[Entry], space: int) -> dict[str, _BallPlace]:
    """Entries in the ball, a child of a stated parent drawn to it; what has nothing in a space has no place."""
    gallery = reference_of(kernel, snapshot).gallery
    parents = _climb(snapshot, [entry.id for entry in entries])
    placed: dict[str, _BallPlace] = {}
    for entry, hung in zip(entries, _hung(snapshot, entries), strict=True):
        direction = _direction(gallery, hung, space)
        if direction is not None:
            depth = _depth(parents, entry.id)
            far = hyperbolic.radius(gallery.rarity(hung), depth, len(text_of(entry)))
            placed[entry.id] = _BallPlace(entry, direction * far, depth)
    for child, wholes in parents.items():
        parent = min((whole for whole in wholes if whole in placed), default=None)
        if child in placed and parent is not None:
            held = placed[child]
            placed[child] = _BallPlace(held.entry, hyperbolic.pull(held.point, placed[parent].point), held.depth)
    return placed


def _hung(snapshot: Snapshot, entries: Sequence[Entry]) -> list[Hung]:
    """Entries as the spaces see them, but for whom they are joined to."""
    return hang(snapshot, entries, joined={entry.id: () for entry in entries})


def _climb(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, set[str]]:
    """What is stated to be above some entries, and above that, up to six steps: the wholes of each part."""
    found: dict[str, set[str]] = {}
    border = list(ids)
    for _ in range(HIGHEST):
        above = dict[str, set[str]]()
        for _, source, target, predicate in _hierarchical(snapshot, border):
            whole, part = (source, target) if predicate in FROM_THE_WHOLE else (target, source)
            above.setdefault(part, set()).add(whole)
        found |= {part: above[part] for part in border if part in above}
        border = sorted({whole for part in border for whole in above.get(part, ())} - found.keys())
        if not border:
            break
    return found


def _hierarchical(snapshot: Snapshot, ids: Sequence[str]) -> list[Joint]:
    found = {joint for end in ENDS for joint in joints_at(snapshot, ids, end, type=HIERARCHICAL, limit=40 * MOST)}
    return sorted(found)


def _depth(parents: Mapping[str, set[str]], id: str, below: frozenset[str] = frozenset()) -> int:
    """How many steps of stated hierarchy are above an entry, at most six; a circle ends where it began."""
    if len(below) == HIGHEST:
        return 0
    wholes = parents.get(id, set()) - below - {id}
    return 1 + max(_depth(parents, whole, below | {id}) for whole in wholes) if wholes else 0


def _direction(gallery: Gallery, hung: Hung, space: int) -> Array | None:
    if IDS[space] == "E1" and hung.vector is not None:
        return hyperbolic.direction_of_vector(hung.vector)
    terms, weights = gallery.weights(space, hung)
    return None if terms.is_empty or not float(np.abs(weights).sum()) else hyperbolic.direction_of_terms(terms, weights)


def _nested(found: Sequence[_BallPlace], memberships: Mapping[str, float], *, up: bool) -> list[Kin]:
    """What cones say; something is as many steps away as there are others of these cones in between."""
    kin: list[Kin] = []
    for each in found:
        between = 0
        for other in found:
            apex, point = (each, other) if up else (other, each)
            if other is not each and hyperbolic.membership(apex.point, point.point, apex.depth) >= hyperbolic.MEMBER:
                between += 1
        kin.append(Kin(each.entry, memberships[each.entry.id], 1 + between, "inferred"))
    return kin


def _together(snapshot: Snapshot, stated: Mapping[str, tuple[int, float]], inferred: Sequence[Kin]) -> tuple[Kin, ...]:
    said = [
        Kin(entry, sure, far, "explicit")
        for id, (far, sure) in stated.items()
        if (entry := snapshot.entry(id)) is not None
    ]
    told = sorted([*said, *inferred], key=lambda kin: (kin.depth, kin.via, -kin.membership, kin.entry.id))
    return tuple(told[:MOST])
