"""Causal reasoning over edges: chains, how far they carry, and what holds if something is or is not done (memory-model:
Causal chains)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

MAX_PATHS = 10  # chosen (memory-model: Causal chains)
LOOKED_AT = 20_000  # chosen: milliseconds (memory-model: Causal chains)

Arrows = Mapping[str, Sequence["Arrow"]]


@dataclass(frozen=True, slots=True)
class Arrow:
    """One cause of one effect, by which edge, with which probability."""

    source: str
    target: str
    probability: float
    edge_id: str = ""


def effective_weight(
    weight: float, *, excitatory: float = 0.0, inhibitory: float = 0.0, modulatory: float = 0.0
) -> float:
    """w_eff = w · (1 + exc - inh + .5 mod), within 0 and 1 (memory-model: Edge weight); the three are deviations, so a
    fresh edge has its own weight."""
    return min(1.0, max(0.0, weight * (1 + excitatory - inhibitory + 0.5 * modulatory)))


def strength(path: Iterable[Arrow]) -> float:
    """How far a chain carries: the product of its links (memory-model: Causal chains)."""
    value = 1.0
    for arrow in path:
        value *= arrow.probability
    return value


def find_paths(arrows: Arrows, source: str, target: str, max_hops: int) -> tuple[list[tuple[Arrow, ...]], bool]:
    """The simple chains from one to the other, strongest first, and whether a circle was met on the way."""
    found: list[tuple[Arrow, ...]] = []
    circular = False
    stack: list[tuple[str, tuple[Arrow, ...]]] = [(source, ())]
    looked = 0
    while stack and looked < LOOKED_AT:
        here, path = stack.pop()
        visited = {source, *(arrow.target for arrow in path)}
        for arrow in arrows.get(here, ()):
            looked += 1
            if arrow.target in visited:
                circular = True
            elif arrow.target == target:
                found.append((*path, arrow))
            elif len(path) + 1 < max_hops:
                stack.append((arrow.target, (*path, arrow)))
    found.sort(key=lambda path: (-strength(path), len(path), [arrow.edge_id for arrow in path]))
    return found, circular


def find_circle(arrows: Arrows, source: str, max_hops: int) -> tuple[Arrow, ...]:
    """The first chain that comes back to where it has been, with the link that closes it; none where there is none."""
    stack: list[tuple[str, tuple[Arrow, ...]]] = [(source, ())]
    looked = 0
    while stack and looked < LOOKED_AT:
        here, path = stack.pop()
        visited = {source, *(arrow.target for arrow in path)}
        for arrow in arrows.get(here, ()):
            looked += 1
            if arrow.target in visited:
                return (*path, arrow)
            if len(path) + 1 < max_hops:
                stack.append((arrow.target, (*path, arrow)))
    return ()


def combine(paths: Sequence[tuple[Arrow, ...]]) -> float:
    """Noisy-or over chains that share no link, at most ten (memory-model: Causal chains)."""
    used: set[tuple[str, str]] = set()
    failing = 1.0
    taken = 0
    for path in paths:
        links = {(arrow.source, arrow.target) for arrow in path}
        if taken < MAX_PATHS and not links & used:
            used |= links
            taken += 1
            failing *= 1 - strength(path)
    return 1 - failing


def reverse(arrows: Arrows) -> dict[str, list[Arrow]]:
    """The same links, from effect to cause."""
    turned: dict[str, list[Arrow]] = {}
    for group in arrows.values():
        for arrow in group:
            turned.setdefault(arrow.target, []).append(
                Arrow(arrow.target, arrow.source, arrow.probability, arrow.edge_id)
            )
    return turned


def without(arrows: Arrows, node: str) -> dict[str, list[Arrow]]:
    """The links that neither leave nor reach a node: as if it were not so."""
    return {
        source: [arrow for arrow in group if node not in (arrow.source, arrow.target)]
        for source, group in arrows.items()
        if source != node
    }


def necessity(probability: float, without_it: float) -> float:
    """1 - P(Y | do(not X)) / P(Y) (memory-model: Interventions): how much of the effect would be missing."""
    return max(0.0, 1 - without_it / probability) if probability > 0 else 0.0
