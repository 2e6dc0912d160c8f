"""How alike two sets of words or ids are: the share of what either has that both have (Jaccard)."""

from collections.abc import Iterable


def likeness(one: Iterable[str], other: Iterable[str], *, of_nothing: float = 1.0) -> float:
    """From 0 to 1; what nothing and nothing have in common is for the caller to say."""
    left, right = frozenset(one), frozenset(other)
    shared = len(left & right)
    either = len(left) + len(right) - shared
    return shared / either if either else of_nothing
