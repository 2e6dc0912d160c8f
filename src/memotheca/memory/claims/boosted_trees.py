"""Boosted trees: many small trees of questions about numbers, a leaf of each of which is added up."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# Chosen: beyond it nothing is any surer.
FARTHEST = 30.0


@dataclass(frozen=True, slots=True)
class BoostedTrees:
    """Trees of one depth, a row each: at every inner node the place of a feature and the bound from which on one goes
    right, level after level, and what each leaf adds; and from which probability on the answer is yes."""

    start: float
    features: Array
    bounds: Array
    leaves: Array
    threshold: float

    def ask(self, given: Sequence[float]) -> float:
        """How likely the answer is yes."""
        return self.ask_all([given])[0]

    def ask_all(self, given: Sequence[Sequence[float]]) -> list[float]:
        """How likely it is for each of some rows."""
        if not given:
            return []
        rows = np.asarray(given, float)
        count, inner = len(self.features), int(self.features.shape[1])
        first: Array = np.arange(0, count * inner, inner)
        begins: Array = rows.shape[1] * np.arange(len(rows)).reshape(-1, 1)
        node: Array = np.zeros((len(rows), count), np.int64)
        for _ in range(inner.bit_length()):
            at: Array = first + node
            is_right: Array = rows.take(begins + self.features.take(at)) >= self.bounds.take(at)
            node = 2 * node + 1 + is_right
        leaf: Array = np.arange(0, count * (inner + 1), inner + 1) + node - inner
        scores: list[float] = (self.start + self.leaves.take(leaf).sum(1)).tolist()
        return [1 / (1 + math.exp(-max(-FARTHEST, min(FARTHEST, score)))) for score in scores]


def read_trees(held: Mapping[str, Any], width: int) -> BoostedTrees:
    """Trees as a file holds them, whose features have places below a width."""
    features, bounds = np.array(held["features"], np.int64), np.array(held["bounds"], float)
    leaves = np.array(held["leaves"], float)
    inner = features.shape[1] if features.ndim == 2 else 0
    is_whole = features.shape == bounds.shape and leaves.shape == (len(features), inner + 1)
    if not is_whole or inner & (inner + 1) or features.min() < 0 or features.max() >= width:
        raise ValueError("the trees do not fit together")
    return BoostedTrees(float(held["start"]), features, bounds, leaves, float(held["threshold"]))


def write_trees(trees: BoostedTrees) -> dict[str, Any]:
    """Trees as a file holds them."""
    return {
        "start": round(trees.start, 5),
        "threshold": round(trees.threshold, 4),
        "features": trees.features.tolist(),
        "bounds": [[_short(bound) for bound in row] for row in trees.bounds.tolist()],
        "leaves": [[round(leaf, 4) for leaf in row] for row in trees.leaves.tolist()],
    }


def _short(number: float) -> float:
    return float(f"{number:.5g}")
