"""Hyperbolic space: what is general lies near the middle, and a cone opens outwards from it over what it entails."""

from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.memory.spaces.sparse import Sparse

Array = NDArray[Any]

WIDTH = 64  # specification (memory-model: Entailment)
LARGEST = 0.99999  # specification (memory-model: Entailment)
LEAST_RADIUS, MOST_RADIUS = 0.15, 0.95  # chosen (memory-model: Entailment)
APERTURE, NARROWING = 1.0, 0.85  # specification (memory-model: Entailment)
LEAST_APERTURE, MOST_APERTURE = 0.1, 1.5  # specification (memory-model: Entailment)
MEMBER = 0.7  # specification (memory-model: Entailment)
_SEED = 20_260_210  # chosen: any, but always the same


@cache
def _projection(width: int) -> Array:
    return np.random.default_rng([_SEED, width]).normal(size=(width, WIDTH)).astype(np.float32)


def direction_of_vector(vector: Array) -> Array:
    """The direction of a dense vector, by a fixed random projection (memory-model: Entailment)."""
    return _unit(vector @ _projection(len(vector)))


def direction_of_terms(terms: Sparse, weights: Array) -> Array:
    """The direction of weighted terms: each has a fixed random direction of its own (memory-model: Entailment)."""
    total = np.zeros(WIDTH)
    for number, weight in zip(terms.numbers.tolist(), weights.tolist(), strict=True):
        total += weight * _term(number)
    return _unit(total)


@lru_cache(maxsize=1 << 14)
def _term(number: int) -> Array:
    return np.random.default_rng([_SEED, number]).normal(size=WIDTH)


def radius(rarity: float, depth: int, length: int) -> float:
    """How special something is (memory-model: Entailment): half from how rare its words are, the rest from its depth
    and its length."""
    special = 0.5 * rarity + 0.3 * min(1.0, depth / 6) + 0.2 * min(1.0, float(np.log2(max(length, 1))) / 14)
    return min(MOST_RADIUS, max(LEAST_RADIUS, 0.15 + 0.75 * special))


def pull(child: Array, parent: Array) -> Array:
    """A child of a stated parent, halfway to the parent's direction and at least a little further out (memory-model:
    Entailment)."""
    outward = max(float(np.linalg.norm(child)), float(np.linalg.norm(parent)) + 0.08)
    return _unit(_unit(child) + _unit(parent)) * min(outward, LARGEST)


def distance(one: Array, other: Array) -> float:
    """arcosh(1 + 2 |x - y|² / ((1 - |x|²)(1 - |y|²))) (memory-model: Entailment)."""
    apart = float(((one - other) ** 2).sum())
    room = (1 - float((one**2).sum())) * (1 - float((other**2).sum()))
    return float(np.arccosh(1 + 2 * apart / max(room, 1e-7)))


def aperture(depth: int) -> float:
    """How wide the cone of something at a depth is: narrower further down (memory-model: Entailment)."""
    return min(MOST_APERTURE, max(LEAST_APERTURE, APERTURE * NARROWING**depth))


def angle(apex: Array, point: Array) -> float:
    """The angle at the apex between the way outwards and the way to a point (Ganea et al. 2018; memory-model:
    Entailment)."""
    inner, near, far = float(apex @ point), float(apex @ apex), float(point @ point)
    length = float(np.linalg.norm(apex)) * float(np.linalg.norm(apex - point))
    room = length * float(np.sqrt(max(1 + near * far - 2 * inner, 1e-12)))
    if room < 1e-12:
        return float(np.pi)
    return float(np.arccos(np.clip((inner * (1 + near) - near * (1 + far)) / room, -1.0, 1.0)))


def membership(apex: Array, point: Array, depth: int) -> float:
    """How far a point belongs to a cone: wholly inside, fading outside, and never nearer the middle (memory-model:
    Entailment)."""
    if float(np.linalg.norm(point)) <= float(np.linalg.norm(apex)):
        return 0.0
    beyond = angle(apex, point) - aperture(depth)
    return 1.0 if beyond <= 0 else float(np.exp(-2 * beyond))


def _unit(vector: Array) -> Array:
    return vector / max(float(np.linalg.norm(vector)), 1e-12)
