"""Expanded keywords (E13): a text's words and those that keep company with them in what is stored."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.memory.spaces.space import Hung, Members, Space, distinct, speak_by_words
from memotheca.memory.spaces.sparse import (
    Columns,
    Owned,
    Sparse,
    cosines_of_pairs,
    normalised,
    saturated,
    spans,
    together,
)

Array = NDArray[Any]

ASSOCIATES = 5  # specification: five associates a word (memory-model: Spaces)
LEAST, MOST = 0.3, 0.5  # specification: their weight (memory-model: Spaces)
TOGETHER = 2  # chosen: met once is chance
VOCABULARY = 512  # chosen: the words most texts share; all pairs of them are counted in milliseconds
ROWS = 64  # chosen: a block that stays in the processor's cache
# Chosen: what so many columns of 64 bits share fits into a byte.
FEW = 3


class Associations:
    """Which terms go together more often than chance would have it, by pointwise mutual information."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        frequencies = columns.frequencies
        common = np.flatnonzero((frequencies >= TOGETHER) & (frequencies <= max(TOGETHER, columns.size // 2)))
        chosen = np.sort(common[np.argsort(-frequencies[common], kind="stable")][:VOCABULARY])
        self.terms = columns.vocabulary[chosen]
        self.associates, self.strengths = self._relate(frequencies[chosen])

    def _relate(self, frequencies: Array) -> tuple[Array, Array]:
        size, members = len(self.terms), self.columns.size
        if not size:
            return np.empty((0, ASSOCIATES), np.int64), np.empty((0, ASSOCIATES), np.float32)
        together = self._together()
        np.fill_diagonal(together, 0)
        # Most pairs never meet; only for those that do is anything worked out.
        met = np.flatnonzero(together >= TOGETHER)
        one, other = np.divmod(met, size)
        times = together.ravel()[met].astype(np.float32)
        information = np.log(times / (frequencies[one] * frequencies[other] / members))
        highest = -np.log(times / members)
        share = np.divide(information, highest, out=np.zeros_like(information), where=highest > 1e-9)
        normal = np.zeros(size * size)
        normal[met] = np.clip(share, 0.0, 1.0)
        return _strongest(normal.reshape(size, size), min(ASSOCIATES, size))

    def _together(self) -> Array:
        """How many members have both of two terms: a bit for each member, and the bits that two terms share counted.
        A product of matrices would be spread over all processors, and wait for those that are busy."""
        places = self._places(self.columns.numbers)
        known = np.flatnonzero(self.terms[places] == self.columns.numbers)
        words = -(-self.columns.size // 64)
        present = np.zeros((len(self.terms), 64 * words), bool)
        present[places[known], self.columns.rows[known]] = True
        bits = np.packbits(present, axis=1, bitorder="little").view(np.uint64)
        return _count_shared(np.ascontiguousarray(bits.T))

    def _places(self, numbers: Array) -> Array:
        """Where among the terms each of some numbers would stand."""
        return np.minimum(np.searchsorted(self.terms, numbers), len(self.terms) - 1)

    def expand_all(self, probes: Sequence[Sparse]) -> tuple[Array, Array, Array]:
        """The terms of several probes and those of their company: the numbers of each in rising order, one probe after
        the other; whose each is; and its weight."""
        probe, owners = together(probes)
        own = saturated(probe.counts) * self.columns.rarities(probe)
        if not len(self.terms):
            return probe.numbers, owners, own
        place = self._places(probe.numbers)
        known = np.flatnonzero(self.terms[place] == probe.numbers)
        company = self.terms[self.associates[place[known]]].ravel()
        lent = (self.strengths[place[known]] * own[known, None]).ravel()
        lenders = np.repeat(owners[known], self.associates.shape[1])[lent > 0]
        numbers = np.concatenate([probe.numbers, company[lent > 0]]).astype(np.int64)
        owned = (np.concatenate([owners, lenders]) << 32) | numbers
        distinct, inverse = np.unique(owned, return_inverse=True)
        strongest = np.zeros(len(distinct), np.float32)
        np.maximum.at(strongest, inverse, np.concatenate([own, lent[lent > 0]]))
        return (distinct & 0xFFFFFFFF).astype(probe.numbers.dtype), distinct >> 32, strongest

    def expand_members(self) -> tuple[Array, Array, Array]:
        """As `expand_all` of every member, at once: numbers in rising order, whose each is, and its weight."""
        numbers, rows, own = self.columns.numbers, self.columns.rows, self.columns.weights
        if not len(self.terms):
            return numbers, rows, own
        places = self._places(numbers)
        known = np.flatnonzero(self.terms[places] == numbers)
        size = self.columns.size
        strongest = np.zeros(len(self.terms) * size, np.float32)
        strongest[places[known] * size + rows[known]] = own[known]
        lent = self.strengths[places[known]] * own[known, None]
        np.maximum.at(strongest, (self.associates[places[known]] * size + rows[known, None]).ravel(), lent.ravel())
        held = np.flatnonzero(strongest > 0)
        terms, theirs = np.divmod(held, size)
        rest = np.flatnonzero(self.terms[places] != numbers)
        numbers, rows = np.concatenate([numbers[rest], self.terms[terms]]), np.concatenate([rows[rest], theirs])
        # Two runs that are in order already, which a stable sort only has to merge.
        order = np.argsort(numbers, kind="stable")
        return numbers[order], rows[order], np.concatenate([own[rest], strongest[held]])[order]


def _count_shared(columns: Array) -> Array:
    """How many bits every two places have in common, over columns of 64; a few rows at a time, which stay in the
    processor's cache, and each pair once."""
    size = columns.shape[1]
    found = np.empty((size, size), np.uint16)
    shared, counted = np.empty((ROWS, size), np.uint64), np.empty((ROWS, size), np.uint8)
    for start in range(0, size, ROWS):
        stop = min(start + ROWS, size)
        room = (slice(0, stop - start), slice(0, size - start))
        total = np.zeros((stop - start, size - start), np.uint16)
        for some in range(0, len(columns), FEW):
            sums = np.zeros_like(counted[room])
            for column in columns[some : some + FEW]:
                np.bitwise_and(column[start:stop, None], column[start:], out=shared[room])
                sums += np.bitwise_count(shared[room], out=counted[room])
            total += sums
        found[start:stop, start:] = total
        found[start:, start:stop] = total.T
    return found


def _strongest(normal: Array, width: int) -> tuple[Array, Array]:
    """The terms that keep most company with each, and how much they lend; of equals, the first. Takes from `normal`
    what it has found."""
    best, every = np.empty((len(normal), width), np.int64), np.arange(len(normal))
    value = np.empty((len(normal), width))
    for place in range(width):
        best[:, place] = normal.argmax(axis=1)
        value[:, place] = normal[every, best[:, place]]
        normal[every, best[:, place]] = -1
    return best, np.where(value > 0, LEAST + (MOST - LEAST) * value, 0.0).astype(np.float32)


class ExpandedSpace(Space):
    """Words with their company."""

    id, name, purpose = "E13", "Expanded keywords", "keyword precision"
    representation = "stems and those that keep their company"
    silence = "it has no words"

    def __init__(self, members: Members) -> None:
        super().__init__(members)
        self._associations = Associations(members.words)
        self._size = members.words.size
        self._numbers, self._rows, self._weights = self._associations.expand_members()
        self._norms = np.sqrt(np.bincount(self._rows, self._weights**2, self._size))

    def speaks(self, probes: Sequence[Hung]) -> Array:
        return speak_by_words(probes)

    def between(self, ones: Sequence[Hung], others: Sequence[Hung]) -> Array:
        return cosines_of_pairs(self._expand_each(ones), self._expand_each(others), len(ones))

    def _expand_each(self, probes: Sequence[Hung]) -> Owned:
        """As `expand_all` of every probe, where each that comes again is expanded once."""
        different, places = distinct(probes)
        numbers, owners, weights = self._associations.expand_all([each.words for each in different])
        sizes = np.bincount(owners, minlength=len(different))
        found, spread = spans((np.cumsum(sizes) - sizes)[places], sizes[places])
        return numbers[found], spread, weights[found]

    def nearness(self, probes: Sequence[Hung]) -> Array:
        numbers, owners, weights = self._associations.expand_all([probe.words for probe in probes])
        norms = np.sqrt(np.bincount(owners, weights**2, len(probes)))
        left = np.searchsorted(self._numbers, numbers, "left")
        places, spread = spans(left, np.searchsorted(self._numbers, numbers, "right") - left)
        cells = owners[spread] * self._size + self._rows[places]
        products = np.bincount(cells, self._weights[places] * weights[spread], len(probes) * self._size)
        return normalised(products.reshape(len(probes), self._size), norms, self._norms)
