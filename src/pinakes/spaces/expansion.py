"""Expanded keywords (E13): a text's words and those that keep company with them in what is stored."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pinakes.spaces.sparse import Columns, Sparse, saturated, spans

Array = NDArray[Any]

ASSOCIATES = 5
LEAST, MOST = 0.3, 0.5
TOGETHER = 2
VOCABULARY = 512


class Associations:
    """Which terms go together more often than chance would have it, by pointwise mutual information."""

    def __init__(self, members: Sequence[Sparse]) -> None:
        self.columns = Columns(members)
        frequencies = self.columns.frequencies
        common = np.flatnonzero((frequencies >= TOGETHER) & (frequencies <= max(TOGETHER, len(members) // 2)))
        chosen = np.sort(common[np.argsort(-frequencies[common], kind="stable")][:VOCABULARY])
        self.terms = self.columns.vocabulary[chosen]
        self.associates, self.strengths = self._relate(members, frequencies[chosen])

    def _relate(self, members: Sequence[Sparse], frequencies: Array) -> tuple[Array, Array]:
        size = len(self.terms)
        if not size:
            return np.empty((0, ASSOCIATES), np.int64), np.empty((0, ASSOCIATES), np.float32)
        present = np.zeros((len(members), size), np.float32)
        for row, member in enumerate(members):
            place = np.minimum(np.searchsorted(self.terms, member.numbers), size - 1)
            present[row, place[self.terms[place] == member.numbers]] = 1
        together = present.T @ present
        np.fill_diagonal(together, 0)
        expected = np.outer(frequencies, frequencies) / len(members)
        information = np.where(together >= TOGETHER, np.log(np.maximum(together, 1) / expected), 0.0)
        highest = -np.log(np.maximum(together, 1) / len(members))
        normal = np.divide(information, highest, out=np.zeros_like(information), where=highest > 1e-9)
        normal = np.clip(normal, 0.0, 1.0)
        width = min(ASSOCIATES, size)
        best = np.argsort(-normal, axis=1, kind="stable")[:, :width]
        value = np.take_along_axis(normal, best, axis=1)
        return best, np.where(value > 0, LEAST + (MOST - LEAST) * value, 0.0).astype(np.float32)

    def expand(self, probe: Sparse) -> tuple[Array, Array]:
        """The probe's terms with their weights, and those of their company."""
        own = saturated(probe.counts) * self.columns.rarities(probe)
        if not len(self.terms):
            return probe.numbers, own
        place = np.minimum(np.searchsorted(self.terms, probe.numbers), len(self.terms) - 1)
        known = np.flatnonzero(self.terms[place] == probe.numbers)
        company = self.terms[self.associates[place[known]]].ravel()
        lent = (self.strengths[place[known]] * own[known, None]).ravel()
        numbers = np.concatenate([probe.numbers, company[lent > 0]])
        weights = np.concatenate([own, lent[lent > 0]])
        distinct, inverse = np.unique(numbers, return_inverse=True)
        strongest = np.zeros(len(distinct), np.float32)
        np.maximum.at(strongest, inverse, weights)
        return distinct, strongest


class ExpandedColumns:
    """Many expanded representations side by side."""

    def __init__(self, members: Sequence[Sparse]) -> None:
        self._associations = Associations(members)
        expanded = [self._associations.expand(member) for member in members]
        self.size = len(members)
        numbers = np.concatenate([numbers for numbers, _ in expanded]) if expanded else np.empty(0, np.uint32)
        weights = np.concatenate([weights for _, weights in expanded]) if expanded else np.empty(0, np.float32)
        rows = np.repeat(np.arange(self.size), [len(numbers) for numbers, _ in expanded])
        order = np.argsort(numbers, kind="stable")
        self._numbers, self._rows, self._weights = numbers[order], rows[order], weights[order]
        self._norms = np.sqrt(np.bincount(rows, weights**2, self.size))

    def associates_of(self, probe: Sparse) -> Array:
        """Numbers of the terms a probe is expanded by."""
        numbers, _ = self._associations.expand(probe)
        return np.setdiff1d(numbers, probe.numbers)

    def between(self, one: Sparse, other: Sparse) -> float:
        """As `nearness`, for two that need not be members."""
        (numbers, weights), (others, their) = self._associations.expand(one), self._associations.expand(other)
        norms = float(np.sqrt((weights**2).sum() * (their**2).sum()))
        _, left, right = np.intersect1d(numbers, others, assume_unique=True, return_indices=True)
        return min(1.0, float(weights[left] @ their[right]) / norms) if norms else 0.0

    def nearness(self, probe: Sparse) -> Array:
        numbers, weights = self._associations.expand(probe)
        norm = float(np.sqrt((weights**2).sum()))
        if not norm:
            return np.zeros(self.size, np.float32)
        left = np.searchsorted(self._numbers, numbers, "left")
        places, spread = spans(left, np.searchsorted(self._numbers, numbers, "right") - left)
        products = np.bincount(self._rows[places], self._weights[places] * weights[spread], self.size)
        return np.clip(products / np.maximum(self._norms * norm, 1e-9), 0.0, 1.0).astype(np.float32)
