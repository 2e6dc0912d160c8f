"""Calibration of a space against what is stored: percentiles that can be compared, novelty and fit (D.3, D.5)."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

NEIGHBOUR = 5
FEW = 10
LINK_QUANTILE = 0.98
LINKS = 5
LEAST_LINKS = 3.0
CONNECTED, CLUSTERED, CONSISTENT = 0.4, 0.4, 0.2
DUPLICATE = 0.95


def percentile(value: float, background: Sequence[float]) -> float:
    """The mid-rank of a value in a sorted background (D.3): the share below it, and half of the share equal to it."""
    if not background:
        return 0.5
    return (bisect_left(background, value) + bisect_right(background, value)) / (2 * len(background))


@dataclass(frozen=True, slots=True)
class Standing:
    """How new something is in a space, how well it fits, and from how many neighbours that was judged."""

    delta_s: float
    delta_c: float
    links: int
    nearest: float


class Calibration:
    """One space over a sample of what is stored; made of the nearness of each member to each."""

    def __init__(self, matrix: Array) -> None:
        self.size = len(matrix)
        apart = (
            matrix[~np.eye(self.size, dtype=bool)].reshape(self.size, max(self.size - 1, 0)) if self.size else matrix
        )
        self.background: list[float] = np.sort(apart.ravel()).tolist()
        quantile = max(LINK_QUANTILE, 1 - LINKS / max(self.size, 1))
        self.link_threshold = float(np.quantile(self.background, quantile)) if self.size > 1 else 1.0
        self.usual_links = max(LEAST_LINKS, 2 * self.size * (1 - quantile))
        self.distances = sorted(_kth_distance(np.sort(row)) for row in apart) if self.size > 1 else []
        self.centres = _centres(matrix, self.link_threshold) if self.size >= FEW else np.empty(0, np.int64)
        self.silhouettes = sorted(_silhouette(row, self.centres) for row in matrix) if len(self.centres) else []

    def agreement(self, nearness: float) -> float:
        """`a_i` (D.3): where a nearness stands among those of random pairs, comparable between spaces."""
        return percentile(nearness, self.background)

    def fit(self, row: Array, links: int, consistency: float) -> float:
        """ΔC (D.5): how well something is connected, belongs to one cluster, and holds together with the rest."""
        connected = min(1.0, links / self.usual_links)
        clustered = percentile(_silhouette(row, self.centres), self.silhouettes) if len(self.centres) else 0.5
        return CONNECTED * connected + CLUSTERED * clustered + CONSISTENT * consistency

    def novelty(self, ranked: Array, best: float) -> float:
        """ΔS (D.5): the percentile of the distance to the fifth neighbour among the members' own such distances; with
        few members, or a near-duplicate that the sample does not hold, what is missing to the nearest."""
        if best >= DUPLICATE or len(ranked) < FEW:
            return min(1.0, max(0.0, 1 - best))
        return percentile(_kth_distance(ranked), self.distances)


def stand(
    calibrations: Sequence[Calibration],
    rows: Array,
    *,
    nearest: Sequence[float],
    consistency: Sequence[float],
    own: int | None = None,
) -> tuple[Standing, ...]:
    """Novelty and fit of something in every space, from its nearness to every member, a space a row; `nearest` is the
    best of those that are known from elsewhere to be near, `own` the place it has itself among the members. All spaces
    at once, since each step for itself would take longer than what is computed."""
    ranked = np.sort(rows if own is None else np.delete(rows, own, axis=1), axis=1)
    thresholds = np.array([each.link_threshold for each in calibrations], ranked.dtype)[:, None]
    links: list[int] = np.count_nonzero(ranked > thresholds, axis=1).tolist() if rows.shape[1] > 1 else [0] * len(rows)
    most: list[float] = ranked[:, -1].tolist() if ranked.shape[1] else [0.0] * len(rows)
    found: list[Standing] = []
    for space, calibration in enumerate(calibrations):
        best = max(most[space], 0.0, nearest[space])
        fit = calibration.fit(rows[space], links[space], consistency[space])
        found.append(Standing(calibration.novelty(ranked[space], best), fit, links[space], best))
    return tuple(found)


def _kth_distance(ranked: Array) -> float:
    """The distance to the fifth-nearest, or to the farthest where there are fewer, of what is sorted by nearness."""
    place = min(NEIGHBOUR, len(ranked))
    return 1.0 if not place else float(1 - ranked[-place])


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


def _silhouette(row: Array, centres: Array) -> float:
    """How much nearer the nearest centre is than the second, from its simplified silhouette (D.5)."""
    own, next_ = sorted((1 - row.take(centres)).tolist())[:2]
    return (next_ - own) / max(next_, own) if max(next_, own) > 0 else 0.0
