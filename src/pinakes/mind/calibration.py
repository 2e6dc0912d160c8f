"""Calibration of a space against what is stored: percentiles that can be compared, novelty and fit (D.3, D.5)."""

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


def percentile(value: float, background: Array) -> float:
    """The mid-rank of a value in a sorted background (D.3): the share below it, and half of the share equal to it."""
    if not len(background):
        return 0.5
    below, upto = background.searchsorted(value, "left"), background.searchsorted(value, "right")
    return float(below + upto) / (2 * len(background))


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
        self.background = np.sort(apart.ravel())
        quantile = max(LINK_QUANTILE, 1 - LINKS / max(self.size, 1))
        self.link_threshold = float(np.quantile(self.background, quantile)) if self.size > 1 else 1.0
        self.usual_links = max(LEAST_LINKS, 2 * self.size * (1 - quantile))
        self.distances = np.sort(np.array([_kth_distance(row) for row in apart])) if self.size > 1 else np.empty(0)
        self.centres = _centres(matrix, self.link_threshold) if self.size >= FEW else ()
        values = [_silhouette(row, self.centres) for row in matrix] if self.centres else []
        self.silhouettes = np.sort(np.array(values)) if values else np.empty(0)

    def agreement(self, nearness: float) -> float:
        """`a_i` (D.3): where a nearness stands among those of random pairs, comparable between spaces."""
        return percentile(nearness, self.background)

    def stand(self, row: Array, *, nearest: float = 0.0, consistency: float = 1.0, own: int | None = None) -> Standing:
        """Novelty and fit of something from its nearness to every member; `nearest` is the best of those that are
        known from elsewhere to be near, `own` the place it has itself among the members."""
        others = row if own is None else np.delete(row, own)
        best = max(float(others.max(initial=0.0)), nearest)
        links = int(np.count_nonzero(others > self.link_threshold)) if self.size > 1 else 0
        connected = min(1.0, links / self.usual_links)
        clustered = percentile(_silhouette(row, self.centres), self.silhouettes) if self.centres else 0.5
        fit = CONNECTED * connected + CLUSTERED * clustered + CONSISTENT * consistency
        return Standing(self._novelty(others, best), fit, links, best)

    def _novelty(self, others: Array, best: float) -> float:
        """ΔS (D.5): the percentile of the distance to the fifth neighbour among the members' own such distances; with
        few members, or a near-duplicate that the sample does not hold, what is missing to the nearest."""
        if best >= DUPLICATE or len(others) < FEW:
            return min(1.0, max(0.0, 1 - best))
        return percentile(_kth_distance(others), self.distances)


def _kth_distance(row: Array) -> float:
    """The distance to the fifth-nearest, or to the farthest where there are fewer."""
    place = min(NEIGHBOUR, len(row))
    return 1.0 if not place else float(1 - np.partition(row, len(row) - place)[len(row) - place])


def _centres(matrix: Array, threshold: float) -> tuple[int, ...]:
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
    return tuple(found) if len(found) > 1 else ()


def _silhouette(row: Array, centres: tuple[int, ...]) -> float:
    """How much nearer the nearest centre is than the second, from its simplified silhouette (D.5)."""
    if not centres:
        return 0.0
    own, next_ = sorted((1 - row[list(centres)]).tolist())[:2]
    return (next_ - own) / max(next_, own) if max(next_, own) > 0 else 0.0


def cluster_of(row: Array, calibration: Calibration) -> int | None:
    """The centre something belongs to, by its place among the members."""
    if not calibration.centres:
        return None
    return calibration.centres[int(np.argmax(row[list(calibration.centres)]))]
