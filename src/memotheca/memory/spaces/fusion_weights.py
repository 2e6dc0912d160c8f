"""Weights over the thirteen spaces: groups of spaces, how far two belong together, and how much each space counts when
several speak (memory-model: Purpose). Pure."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.memory.spaces.space_table import COUNT, IDS

Array = NDArray[Any]

# Specification (memory-model: Purpose).
GROUPS: Mapping[str, tuple[str, ...]] = {
    "factual": ("E1", "E11", "E13"),
    "temporal": ("E2", "E3", "E4"),
    "causal": ("E5",),
    "relational": ("E8", "E9"),
    "qualitative": ("E10", "E12"),
    "implementation": ("E6", "E7"),
}
METHODS = ("linear", "attention", "gated", "hierarchical", "tucker")
STRONG, MODERATE, WEAK = 0.9, 0.6, 0.3  # specification (memory-model: Purpose)
_STRONG = "1-12 1-10 1-13 2-3 2-4 3-4 5-11 6-13 6-7 7-12 8-11 11-13"
_MODERATE = "1-5 1-6 1-7 1-8 1-9 1-11 2-5 4-5 5-7 5-8 6-9 6-11 6-12 7-8 7-9 7-13 8-12 9-12 9-13 10-11 10-12 11-12 12-13"
TEMPERATURE, GATE = 0.2, 0.3  # specification (memory-model: Purpose)
PAIRS: tuple[tuple[int, int], ...] = tuple((one, other) for one in range(COUNT) for other in range(one + 1, COUNT))

_PLACES = {name: tuple(IDS.index(id) for id in members) for name, members in GROUPS.items()}


def synergy() -> Array:
    """How far two spaces belong together: the same on both sides, 1 with itself."""
    found = np.full((COUNT, COUNT), WEAK)
    for level, said in ((STRONG, _STRONG), (MODERATE, _MODERATE)):
        for pair in said.split():
            one, other = (int(part) - 1 for part in pair.split("-"))
            found[one, other] = found[other, one] = level
    np.fill_diagonal(found, 1.0)
    return found


def group_values(values: Sequence[float | None]) -> dict[str, float | None]:
    """The mean of each group over those of its spaces that have something to say."""
    found: dict[str, float | None] = {}
    for name, places in _PLACES.items():
        said = [value for place in places if (value := values[place]) is not None]
        found[name] = sum(said) / len(said) if said else None
    return found


def normalise(weights: Sequence[float]) -> tuple[float, ...]:
    total = sum(weights)
    return tuple(weight / total for weight in weights) if total > 0 else (1 / COUNT,) * COUNT


def prioritise(weights: Sequence[float], priorities: Mapping[str, float]) -> tuple[float, ...]:
    """The weights with each group's times its priority."""
    factors = {id: priorities.get(name, 1.0) for name, members in GROUPS.items() for id in members}
    return normalise([weight * factors[id] for id, weight in zip(IDS, weights, strict=True)])


def fuse_weights(method: str, weights: Sequence[float], values: Sequence[float | None]) -> tuple[float, ...]:
    """How much each space counts: its weight alone, or by how clearly it speaks; one that says nothing counts
    nothing."""
    spoken = [value if value is not None else 0.0 for value in values]
    says = [value is not None for value in values]
    if method == "attention":
        found = [math.exp(value / TEMPERATURE) * weight for value, weight in zip(spoken, weights, strict=True)]
    elif method == "gated":
        found = [weight * (value >= GATE) for value, weight in zip(spoken, weights, strict=True)]
    elif method == "hierarchical":
        groups = group_values(values)
        share = {id: groups[name] or 0.0 for name, members in GROUPS.items() for id in members}
        found = [weight * share[id] for id, weight in zip(IDS, weights, strict=True)]
    elif method == "tucker":
        left, _, _ = np.linalg.svd(synergy() * np.outer(spoken, spoken))
        found = [weight * abs(float(part)) for weight, part in zip(weights, left[:, 0], strict=True)]
    else:
        found = list(weights)
    return normalise([weight if heard else 0.0 for weight, heard in zip(found, says, strict=True)])
