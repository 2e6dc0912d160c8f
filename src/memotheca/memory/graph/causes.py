"""Causes: the causal edges around an entry, and the chains along them from one entry to another (memory-model: Causal
chains)."""

from dataclasses import dataclass
from typing import Literal

from memotheca.memory.graph.causality import Arrow, Arrows, find_circle, find_paths, strength
from memotheca.memory.graph.walk import confidence_of, strength_of
from memotheca.model.kinds import CAUSAL
from memotheca.model.knowledge import Edge
from memotheca.storage.adjacency import End, joints_at
from memotheca.storage.snapshot import Snapshot

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


def causal_arrows(snapshot: Snapshot, source: str, hops: int, way: Way) -> tuple[Arrows, dict[str, Edge], bool]:
    """Every causal edge within some hops of an entry, pointing the way it is walked."""
    near: End = "source" if way == "forward" else "target"
    arrows: dict[str, list[Arrow]] = {}
    edges: dict[str, Edge] = {}
    border, seen = [source], {source}
    for _ in range(hops):
        joints = joints_at(snapshot, border, near, type=CAUSAL, limit=MOST - len(edges) + 1)
        border = list[str]()
        for edge in [found for joint in joints if (found := snapshot.edge(joint.id)) is not None]:
            if len(edges) == MOST:
                return arrows, edges, True
            here, there = (edge.source, edge.target) if way == "forward" else (edge.target, edge.source)
            edges[edge.id] = edge
            arrows.setdefault(here, []).append(Arrow(here, there, strength_of(edge) * confidence_of(edge), edge.id))
            if there not in seen:
                seen.add(there)
                border.append(there)
        if not border:
            break
    return arrows, edges, False
