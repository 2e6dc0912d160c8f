"""Calibration of a space against what is stored: percentiles that can be compared, novelty and fit (memory-model:
Novelty)."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

NEIGHBOUR = 5  # specification (memory-model: Novelty)
FEW = 10  # chosen (memory-model: Novelty)
LINK_QUANTILE = 0.98  # chosen (memory-model: Fit)
LINKS = 5  # chosen (memory-model: Fit)
LEAST_LINKS = 3.0  # chosen (memory-model: Fit)
CONNECTED, CLUSTERED, CONSISTENT = 0.4, 0.4, 0.2  # specification (memory-model: Fit)
DUPLICATE = 0.95  # chosen (memory-model: Novelty)
# Less than any nearness, and so neither near nor a link.
FAR = -1.0  # chosen: below every nearness


def percentile(value: float, background: Sequence[float]) -> float:
    """The mid-rank of a value in a sorted background (memory-model: Agreement): the share below it, and half of the
    share equal to it."""
    if not background:
        return 0.5
    return (bisect_left(background, value) + bisect_right(background, value)) / (2 * len(background))


@dataclass(frozen=True, slots=True)
class Standing:
    """How new something is in a space, and how well it fits."""

    delta_s: float
    delta_c: float


class Calibration:
    """One space over a sample of what is stored; made of the nearness of each member to each, of those of which there
    is anything to compare in it (memory-model: Abstention)."""

    def __init__(self, matrix: Array, speaking: Array | None = None) -> None:
        self.speaking = np.ones(len(matrix), bool) if speaking is None else speaking
        places = np.flatnonzero(self.speaking)
        matrix = matrix[np.ix_(places, places)]
        self.size = len(matrix)
        apart = (
            matrix[~np.eye(self.size, dtype=bool)].reshape(self.size, max(self.size - 1, 0)) if self.size else matrix
        )
        self._ranked = np.sort(apart.ravel()).astype(float)
        self.background: list[float] = self._ranked.tolist()
        quantile = max(LINK_QUANTILE, 1 - LINKS / max(self.size, 1))
        self.link_threshold = float(np.quantile(self.background, quantile)) if self.size > 1 else 1.0
        self.usual_links = max(LEAST_LINKS, 2 * self.size * (1 - quantile))
        self.distances: list[float] = np.sort(_kth_distances(np.sort(apart, axis=1))).tolist() if self.size > 1 else []
        central = _centres(matrix, self.link_threshold) if self.size >= FEW else np.empty(0, np.int64)
        self.centres = places[central]
        around = matrix.take(central, axis=1) if len(central) else np.empty((0, 2))
        self.silhouettes: list[float] = np.sort(_silhouettes(around)).tolist()

    def agreement(self, nearness: float) -> float:
        """`a_i` (memory-model: Agreement): where a nearness stands among those of random pairs, comparable between
        spaces."""
        return percentile(nearness, self.background)

    def agreements(self, near: Array) -> Array:
        """`agreement` of each of several."""
        if not self.background:
            return np.full(len(near), 0.5)
        below, above = (np.searchsorted(self._ranked, near.astype(float), side) for side in ("left", "right"))
        return (below + above) / (2 * len(self.background))

    def fit(self, links: int, silhouette: float, consistency: float) -> float:
        """ΔC (memory-model: Fit): how well something is connected, belongs to one cluster, and holds together with the
        rest."""
        connected = min(1.0, links / self.usual_links)
        clustered = percentile(silhouette, self.silhouettes)
        return CONNECTED * connected + CLUSTERED * clustered + CONSISTENT * consistency

    def novelty(self, distance: float, best: float, others: int) -> float:
        """ΔS (memory-model: Novelty): the percentile of the distance to the fifth neighbour among the members' own such
        distances; with few members, or a near-duplicate that the sample does not hold, what is missing to the
        nearest."""
        if best >= DUPLICATE or others < FEW:
            return min(1.0, max(0.0, 1 - best))
        return percentile(distance, self.distances)


@dataclass(frozen=True, slots=True)
class Beside:
    """What is known of something besides its nearness to the members: in each space the best of those that are known
    from elsewhere to be near, and how consistent it is; and the place it has itself among the members."""

    nearest: Sequence[float]
    consistency: Sequence[float]
    own: int | None = None


class Scale:
    """All spaces over one sample, side by side: what is done in every space is done at once, since each step for itself
    would take longer than what is computed."""

    def __init__(self, spaces: Sequence[Calibration]) -> None:
        self.spaces = tuple(spaces)
        self._silent = ~np.array([each.speaking for each in spaces])[:, None]
        self._thresholds = np.array([each.link_threshold for each in spaces], np.float32)[:, None, None]
        # Where a space has fewer centres than another, the rest of its row leads to a member that is far from all.
        width = max(2, *(len(each.centres) for each in spaces))
        members = len(spaces[0].speaking)
        self._centres = np.array([_filled(each.centres, width, members) for each in spaces])[:, None]

    def stand(self, rows: Array, things: Sequence[Beside]) -> list[tuple[Standing, ...]]:
        """Novelty and fit of several things in every space, from the nearness of each in each space to every member."""
        rows = np.where(self._silent, np.float32(FAR), rows)
        padded = np.concatenate([rows, np.full((*rows.shape[:2], 1), FAR, rows.dtype)], axis=2)
        silhouettes = _silhouettes(np.take_along_axis(padded, self._centres, axis=2)).tolist()
        for place, thing in enumerate(things):
            if thing.own is not None:
                padded[:, place, thing.own] = FAR
        padded.sort(axis=2)
        sizes = np.array([each.size for each in self.spaces])[:, None]
        links: list[list[int]] = (np.count_nonzero(padded > self._thresholds, axis=2) * (sizes > 1)).tolist()
        most: list[list[float]] = padded[:, :, -1].tolist()
        distances = _kth_distances(padded).tolist()
        found: list[list[Standing]] = [[] for _ in things]
        for space, calibration in enumerate(self.spaces):
            for place, thing in enumerate(things):
                best = max(most[space][place], 0.0, thing.nearest[space])
                others = calibration.size - (thing.own is not None and bool(calibration.speaking[thing.own]))
                novelty = calibration.novelty(distances[space][place], best, others)
                fit = calibration.fit(links[space][place], silhouettes[space][place], thing.consistency[space])
                found[place].append(Standing(novelty, fit))
        return [tuple(each) for each in found]


def _filled(centres: Array, width: int, filling: int) -> Array:
    return np.concatenate([centres, np.full(width - len(centres), filling, np.int64)])


def _kth_distances(ranked: Array) -> Array:
    """The distance to the fifth-nearest, or to the farthest where there are fewer, of what is sorted by nearness."""
    return 1 - ranked[..., -min(NEIGHBOUR, ranked.shape[-1])]


def _centres(matrix: Array, threshold: float) -> Array:
    """Members around which many others lie, one after the other, without those already covered."""
    wanted = int(np.ceil(np.sqrt(len(matrix) / 2)))
    near = (matrix > threshold) | np.eye(len(matrix), dtype=bool)
    free = np.ones(len(matrix), bool)
    found: list[int] = []
    while len(found) < wanted and free.any():
        crowd = np.where(free, (near & free).sum(axis=1), -1)
        centre = int(crowd.argmax())
        found.append(centre)
        free &= ~near[centre]
    return np.array(found if len(found) > 1 else [], np.int64)


def _silhouettes(centres: Array) -> Array:
    """How much nearer the nearest of two or more centres is than the second, from the simplified silhouette
    (memory-model: Fit)."""
    ranked = np.partition(1 - centres, 1, axis=-1).astype(np.float64)
    own, following = ranked[..., 0], ranked[..., 1]
    return np.divide(following - own, following, out=np.zeros(own.shape), where=following > 0)
