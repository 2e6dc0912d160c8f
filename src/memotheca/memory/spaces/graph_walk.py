"""Nearness in the graph (E8): where a walk of two steps from an entry ends up."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.memory.spaces.space import Hung, Members, Space, one_by_one

Array = NDArray[Any]
Walk = Mapping[str, float]

STAY = 0.5  # chosen: both steps count alike


def walk(start: str, neighbours: Mapping[str, Iterable[str]]) -> dict[str, float]:
    """The chances of standing somewhere after one step and after two, half each, from whom an entry is joined to."""
    first = list(neighbours.get(start, ()))
    chances: dict[str, float] = {}
    for one in first:
        chances[one] = chances.get(one, 0.0) + STAY / len(first)
        second = list(neighbours.get(one, ()))
        for two in second:
            chances[two] = chances.get(two, 0.0) + (1 - STAY) / len(first) / len(second)
    return chances


def nearness(one: Walk, other: Walk) -> float:
    """The cosine of two walks; an entry that nothing is joined to is near nothing."""
    if len(one) > len(other):
        one, other = other, one
    shared = sum(chance * other.get(place, 0.0) for place, chance in one.items())
    if not shared:
        return 0.0
    return min(shared / (_norm(one) * _norm(other)) ** 0.5, 1.0)


class GraphSpace(Space):
    """Neighbours in the graph; an entry that nothing is joined to is near nothing."""

    id, name, purpose = "E8", "Graph", "connectivity"
    representation = "chances of a walk of two steps over the edges"
    silence = "no memory is linked to it"

    def __init__(self, members: Members) -> None:
        super().__init__(members)
        self._norms = [_norm(member.walk) for member in members.hung]
        # By the places that walks lead to.
        self._arrivals: dict[str, list[tuple[int, float]]] = {}
        for row, member in enumerate(members.hung):
            for place, chance in member.walk.items():
                self._arrivals.setdefault(place, []).append((row, chance))

    def speaks(self, probes: Sequence[Hung]) -> Array:
        return np.array([bool(probe.walk) for probe in probes], bool)

    def nearness(self, probes: Sequence[Hung]) -> Array:
        return one_by_one(self._walked(probe.walk) for probe in probes)

    def between(self, ones: Sequence[Hung], others: Sequence[Hung]) -> Array:
        return np.array([nearness(one.walk, other.walk) for one, other in zip(ones, others, strict=True)])

    def _walked(self, probe: Walk) -> Array:
        """The cosine of a walk with every other."""
        shared = [0.0] * len(self._norms)
        for place, chance in probe.items():
            for row, other in self._arrivals.get(place, ()):
                shared[row] += chance * other
        own = _norm(probe)
        values = [
            value and min(value / (own * norm) ** 0.5, 1.0) for value, norm in zip(shared, self._norms, strict=True)
        ]
        return np.array(values, np.float32)


def _norm(walk: Walk) -> float:
    return sum(chance**2 for chance in walk.values())
