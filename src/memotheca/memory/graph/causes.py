"""Causes: the causal edges around an entry, and the chains along them from one entry to another (memory-model: Causal
chains)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memotheca.memory.graph.causality import Arrow, Arrows, find_circle, find_paths, strength
from memotheca.memory.graph.relations import PREVENTS, RESOLVES
from memotheca.memory.graph.walk import confidence_of, is_shortcut, strength_of
from memotheca.memory.tuning.gates import gates_at
from memotheca.model.kinds import CAUSAL, RELATIONAL
from memotheca.model.knowledge import Edge, Entry
from memotheca.storage.adjacency import End, joints_at
from memotheca.storage.snapshot import Snapshot

DEEPEST, MOST_CAUSES = 4, 20  # chosen: how far back a "why" is answered, and with how much
MOST = 2000  # chosen: milliseconds, and said where it was cut (memory-model: Causal chains)

Way = Literal["forward", "backward"]


@dataclass(frozen=True, slots=True)
class Chains:
    """The chains from one entry to another, the strongest first; which way they were walked, the circle that was met,
    and the edges they are made of. Where there were too many edges to look at all of them, it says so."""

    way: Way
    paths: list[tuple[Arrow, ...]]
    circle: tuple[Arrow, ...]
    edges: dict[str, Edge]
    truncated: bool

    @property
    def confidence(self) -> float:
        return strength(self.paths[0]) if self.paths else 0.0


def find_chains(snapshot: Snapshot, source: str, target: str, *, max_hops: int, way: Way) -> Chains:
    """Chains of causes and effects; backward goes from the effect to its causes."""
    arrows, edges, truncated = causal_arrows(snapshot, source, max_hops, way)
    paths = [] if source == target else find_paths(arrows, source, target, max_hops)[0]
    return Chains(way, paths, find_circle(arrows, source, max_hops), edges, truncated)


@dataclass(frozen=True, slots=True)
class TracedCause:
    """A cause of something: what it brings about directly, by which edge, how many steps before what was asked about,
    and how surely the chain carries from it to there."""

    entry: Entry
    effect: str
    edge: Edge
    hops: int
    probability: float


def causes_of(
    snapshot: Snapshot, ids: Sequence[str], *, depth: int = DEEPEST, limit: int = MOST_CAUSES
) -> list[TracedCause]:
    """What brought some entries about, backwards along what was stated: direct causes first, then theirs, the surest
    of each step first; why there is a remedy is what it settles. One of the entries is among them where it is a cause
    of another."""
    found: dict[str, TracedCause] = {}
    border, faintest = {id: (1.0, id) for id in ids}, gates_at(snapshot)["faint_cause"]
    for hops in range(1, depth + 1):
        reached: dict[str, tuple[TracedCause, str]] = {}
        for edge, cause, effect in _reasons(snapshot, list(border)):
            carried, origin = border[effect]
            probability = carried * probability_of(edge)
            entry = None if cause in found or cause == origin else snapshot.entry(cause)
            known = reached.get(cause)
            if entry is not None and probability >= faintest and (known is None or known[0].probability < probability):
                reached[cause] = TracedCause(entry, effect, edge, hops, probability), origin
        ranked = sorted(reached.values(), key=lambda pair: (-pair[0].probability, pair[0].entry.id))
        found |= {cause.entry.id: cause for cause, _ in ranked}
        border = {cause.entry.id: (cause.probability, origin) for cause, origin in ranked}
        if not border or len(found) >= limit:
            break
    return list(found.values())[:limit]


def _reasons(snapshot: Snapshot, ids: Sequence[str]) -> list[tuple[Edge, str, str]]:
    """The edges that tell why some entries are so, with cause and effect: what caused them, and what they settle."""
    caused = joints_at(snapshot, ids, "target", type=CAUSAL, limit=MOST)
    related = joints_at(snapshot, ids, "source", type=RELATIONAL, limit=MOST)
    joints = [*caused, *(joint for joint in related if joint.predicate == RESOLVES)]
    edges = [edge for joint in joints if (edge := snapshot.edge(joint.id)) is not None]
    return [
        (edge, *((edge.source, edge.target) if edge.type == CAUSAL else (edge.target, edge.source)))
        for edge in edges
        if edge.type != CAUSAL or brings_about(edge)
    ]


def brings_about(edge: Edge) -> bool:
    """Whether a causal edge tells a cause: not what it prevents, and not a shortcut over other edges."""
    return edge.predicate != PREVENTS and not is_shortcut(edge)


def causal_arrows(snapshot: Snapshot, source: str, hops: int, way: Way) -> tuple[Arrows, dict[str, Edge], bool]:
    """Every cause within some hops of an entry, pointing the way it is walked; what was stated more than once is one
    arrow, the surer for it."""
    near: End = "source" if way == "forward" else "target"
    arrows: dict[str, list[Arrow]] = {}
    edges: dict[str, Edge] = {}
    border, seen = [source], {source}
    for _ in range(hops):
        joints = joints_at(snapshot, border, near, type=CAUSAL, limit=MOST - len(edges) + 1)
        found = [edge for joint in joints if (edge := snapshot.edge(joint.id)) is not None and brings_about(edge)]
        kept = found[: MOST - len(edges)]
        edges |= {edge.id: edge for edge in kept}
        for (here, there), stated in _by_ends(kept, near).items():
            arrows.setdefault(here, []).append(_arrow(here, there, stated))
        border = list(dict.fromkeys(arrow.target for here in border for arrow in arrows.get(here, ())))
        border = [id for id in border if id not in seen]
        seen |= set(border)
        if len(kept) < len(found):
            return arrows, edges, True
        if not border:
            break
    return arrows, edges, False


def _by_ends(edges: Sequence[Edge], near: End) -> dict[tuple[str, str], list[Edge]]:
    joined: dict[tuple[str, str], list[Edge]] = {}
    for edge in edges:
        ends = (edge.source, edge.target) if near == "source" else (edge.target, edge.source)
        joined.setdefault(ends, []).append(edge)
    return joined


def _arrow(here: str, there: str, stated: Sequence[Edge]) -> Arrow:
    """One link for all statements of it: it fails where each of them is wrong."""
    failing = 1.0
    for edge in stated:
        failing *= 1 - probability_of(edge)
    return Arrow(here, there, 1 - failing, max(stated, key=lambda edge: (probability_of(edge), edge.id)).id)


def probability_of(edge: Edge) -> float:
    """p(edge) = w_eff · confidence (memory-model: Causal chains)."""
    return strength_of(edge) * confidence_of(edge)
