"""Learning boosted trees from labelled rows: by the second order of the logistic loss, over binned features."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.memory.claims.boosted_trees import BoostedTrees

Array = NDArray[Any]

# Chosen out of fold on three corpora; twice or half of any of them changes little.
TREES, DEPTH, RATE = 120, 3, 0.08
HELD = 5.0  # chosen: how much a leaf is held back
LEAST = 0.25  # chosen: curvature a side of a split has at least
BINS = 24  # chosen: bounds of a feature that are tried
COLUMNS, ROWS = 0.25, 0.7  # chosen: share of features and of rows that a tree is shown
NEVER = 1e9  # chosen: a bound that nothing reaches, where a node is not split


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows with what is wanted of each: as numbers, and as places among the bounds of each feature."""

    plain: Array
    wanted: Array
    bounds: list[Array]
    binned: Array


def boost(rows: Array, wanted: Array, *, seeds: tuple[int, ...]) -> BoostedTrees:
    """The mean of several ensembles, each of its own chance, with no threshold yet."""
    bounds = [_bounds(rows[:, place]) for place in range(rows.shape[1])]
    binned = np.stack([np.searchsorted(each, rows[:, place], "right") for place, each in enumerate(bounds)], 1)
    known = _Rows(rows, wanted.astype(float), bounds, binned)
    made = [_ensemble(known, np.random.default_rng(seed)) for seed in seeds]
    return BoostedTrees(
        start=made[0].start,
        features=np.concatenate([each.features for each in made]),
        bounds=np.concatenate([each.bounds for each in made]),
        leaves=np.concatenate([each.leaves for each in made]) / len(made),
        threshold=0.5,
    )


def _bounds(column: Array) -> Array:
    values = np.unique(column)
    if len(values) > BINS:
        values = np.unique(np.quantile(column, np.linspace(0, 1, BINS), method="nearest"))
    return (values[1:] + values[:-1]) / 2


def _ensemble(known: _Rows, chance: np.random.Generator) -> BoostedTrees:
    wanted = known.wanted
    start = float(np.log(wanted.sum() / (1 - wanted).sum()))
    score = np.full(len(wanted), start)
    inner = 2**DEPTH - 1
    made = BoostedTrees(start, np.empty((0, inner), int), np.empty((0, inner)), np.empty((0, inner + 1)), 0.5)
    for _ in range(TREES):
        sure = 1 / (1 + np.exp(-score))
        tree = _tree(known, (sure - wanted, sure * (1 - sure)), chance)
        score += RATE * tree.leaves[0, leaves_of(tree, known.plain)]
        made = replace(
            made,
            features=np.concatenate([made.features, tree.features]),
            bounds=np.concatenate([made.bounds, tree.bounds]),
            leaves=np.concatenate([made.leaves, RATE * tree.leaves]),
        )
    return made


def leaves_of(tree: BoostedTrees, rows: Array) -> Array:
    """In which leaf of a single tree each row ends."""
    node = np.zeros(len(rows), np.int64)
    for _ in range(DEPTH):
        node = 2 * node + 1 + (rows[np.arange(len(rows)), tree.features[0, node]] >= tree.bounds[0, node])
    return node - tree.features.shape[1]


def _tree(known: _Rows, slopes: tuple[Array, Array], chance: np.random.Generator) -> BoostedTrees:
    """One tree of some features and some rows, as many of what is wanted as of the rest by their shares."""
    shown = np.concatenate(
        [
            chance.choice(some, int(ROWS * len(some)), replace=False)
            for some in (np.flatnonzero(known.wanted > 0), np.flatnonzero(known.wanted == 0))
        ]
    )
    width = known.plain.shape[1]
    columns = np.sort(chance.choice(width, max(1, int(COLUMNS * width)), replace=False))
    slope, bend = (each[shown] for each in slopes)
    binned = known.binned[np.ix_(shown, columns)]
    features, bounds = np.zeros(2**DEPTH - 1, int), np.full(2**DEPTH - 1, NEVER)
    node = np.zeros(len(shown), int)
    for level in range(DEPTH):
        count = 2**level
        cells = ((node[:, None] * len(columns)) + np.arange(len(columns))) * BINS + binned
        for at, (feature, place) in enumerate(_splits(cells, (slope, bend), (count, len(columns)))):
            if feature >= 0:
                features[count - 1 + at] = columns[feature]
                bounds[count - 1 + at] = known.bounds[columns[feature]][place]
        at = count - 1 + node
        node = 2 * node + (known.plain[shown, features[at]] >= bounds[at])
    leaves = -np.bincount(node, slope, 2**DEPTH) / (np.bincount(node, bend, 2**DEPTH) + HELD)
    return BoostedTrees(0.0, features[None, :], bounds[None, :], leaves[None, :], 0.5)


def _splits(cells: Array, slopes: tuple[Array, Array], shape: tuple[int, int]) -> list[tuple[int, int]]:
    """For each node the feature and the bound that part its rows best; -1 where none does."""
    count, width = shape
    summed = [
        np.bincount(cells.ravel(), np.repeat(each, width), count * width * BINS).reshape(count, width, BINS).cumsum(2)
        for each in slopes
    ]
    (slope, bend), (slopes_all, bends_all) = summed, [each[:, :, -1:] for each in summed]
    rest, left = slopes_all - slope, bends_all - bend
    gain = slope**2 / (bend + HELD) + rest**2 / (left + HELD) - slopes_all**2 / (bends_all + HELD)
    gain[(bend < LEAST) | (left < LEAST)] = 0.0
    best = gain.reshape(count, -1).argmax(1)
    found = gain.reshape(count, -1).max(1) > 1e-6
    return [(int(each // BINS), int(each % BINS)) if ok else (-1, 0) for each, ok in zip(best, found, strict=True)]
