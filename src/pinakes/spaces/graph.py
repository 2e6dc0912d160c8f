"""Nearness in the graph (E8): where a walk of two steps from an entry ends up."""

from collections.abc import Iterable, Mapping

Walk = Mapping[str, float]

STAY = 0.5


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
    norms = sum(chance**2 for chance in one.values()) * sum(chance**2 for chance in other.values())
    return min(shared / norms**0.5, 1.0)
