"""Rarity: how much a term tells in a collection, by how few of its passages have it."""

import math
from collections.abc import Iterable
from functools import partial

from memotheca.kernel.kernel import Kernel
from memotheca.memory.claims.alignment import TermWeights, Weighing
from memotheca.search.finder import Finder, finder_of
from memotheca.storage.snapshot import Snapshot
from memotheca.text.words import words

FEW = 500  # chosen: so few are counted anew each time
DRIFTED = 0.1  # chosen: where a collection has grown by so much, its terms are counted anew
MANY = 65_536  # chosen: memory of a process


class Rarity:
    """The weights of the terms of one collection, as they were last counted."""

    def __init__(self, finder: Finder) -> None:
        self._finder = finder
        self._weights = TermWeights()
        self._size = 0

    def learn(self, snapshot: Snapshot, size: int, terms: Iterable[str]) -> Weighing:
        """Count the terms that nobody asked about yet, and say what each tells; whoever counts beside changes nothing
        of that."""
        weights = self._weights
        if size < FEW or abs(size - self._size) > DRIFTED * self._size or len(weights) > MANY:
            self._weights = weights = TermWeights()
            self._size = size
        parts = {term: words(term) or [term] for term in terms if term not in weights}
        counted = self._finder.holding(snapshot, list({part for each in parts.values() for part in each}))
        for term, each in parts.items():
            weights[term] = _weight(min(counted[part] for part in each), size)
        return Weighing(weights)


def _weight(count: int, size: int) -> float:
    """The square of how rare a term is, from 0 to 1."""
    return max(0.0, math.log((size + 1) / (count + 0.5)) / math.log(size + 2)) ** 2 if count else 1.0


def rarity_of(kernel: Kernel, snapshot: Snapshot) -> Rarity:
    """The terms of a collection as this process knows them."""
    return kernel.keep(Rarity, snapshot.collection, partial(Rarity, finder_of(kernel)))
