"""Sparse representations: terms as numbers with counts, packed into few bytes and compared by weighted cosine."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.text.terms import number_of, number_words

Array = NDArray[Any]
# Numbers of terms, rising for each owner, whose each is, and its weight.
Owned = tuple[Array, Array, Array]

MAX_TERMS = 512  # chosen: the words of a long chunk; bounds a row
MAX_COUNT = 255  # chosen: what a byte holds


@dataclass(frozen=True, slots=True)
class Sparse:
    """Numbers of terms in rising order, and how often each occurs."""

    numbers: Array
    counts: Array

    @property
    def is_empty(self) -> bool:
        return not len(self.numbers)

    def to_bytes(self) -> bytes:
        return len(self.numbers).to_bytes(2, "little") + self.numbers.tobytes() + self.counts.tobytes()

    @classmethod
    def from_bytes(cls, packed: bytes, start: int = 0) -> tuple["Sparse", int]:
        """A packed representation, and where the next one begins."""
        size = packed[start] | packed[start + 1] << 8
        middle = start + 2 + 4 * size
        numbers = np.frombuffer(packed, np.uint32, size, start + 2)
        return cls(numbers, np.frombuffer(packed, np.uint8, size, middle)), middle + size


EMPTY = Sparse(np.empty(0, np.uint32), np.empty(0, np.uint8))


def count(space: str, terms: Iterable[str] | Mapping[str, int], limit: int = MAX_TERMS) -> Sparse:
    """The terms of a text as numbers of their own space; of very many, those that occur most."""
    counted = Counter[int]()
    for term, times in Counter(terms).items():
        counted[number_of(space, term) & 0xFFFFFFFF] += times
    kept = counted.items() if len(counted) <= limit else sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    chosen = sorted(list(kept)[:limit])
    if not chosen:
        return EMPTY
    numbers = np.array([number for number, _ in chosen], np.uint32)
    return Sparse(numbers, np.minimum([times for _, times in chosen], MAX_COUNT).astype(np.uint8))


def count_words(texts: Sequence[str], limit: int = MAX_TERMS) -> list[Sparse]:
    """As `count` of the words of each of many texts, all of them counted at once."""
    spoken = [number_words(text) for text in texts]
    sizes = [len(each) for each in spoken]
    # What is left of 64 bits is the number; before it stands whose it is.
    numbers = np.fromiter(chain.from_iterable(spoken), np.uint64, sum(sizes)) & np.uint64(0xFFFFFFFF)
    owned = np.repeat(np.arange(len(texts), dtype=np.uint64) << np.uint64(32), sizes) | numbers
    distinct, times = np.unique(owned, return_counts=True)
    ends = np.cumsum(np.bincount((distinct >> np.uint64(32)).astype(np.intp), minlength=len(texts))).tolist()
    numbers, counts = distinct.astype(np.uint32), np.minimum(times, MAX_COUNT).astype(np.uint8)
    found: list[Sparse] = []
    start = 0
    for stop in ends:
        kept = slice(start, stop) if stop - start <= limit else _most(times[start:stop], limit) + start
        found.append(Sparse(numbers[kept], counts[kept]))
        start = stop
    return found


def _most(times: Array, limit: int) -> Array:
    """The places of what occurs most, in their order; of what occurs as often, the first."""
    return np.sort(np.argsort(-times, kind="stable")[:limit])


def join(one: Sparse, other: Sparse) -> Sparse:
    """The terms of both, counted together."""
    numbers, places = np.unique(np.concatenate([one.numbers, other.numbers]), return_inverse=True)
    counts = np.bincount(places, np.concatenate([one.counts, other.counts]), len(numbers))
    return Sparse(numbers, np.minimum(counts, MAX_COUNT).astype(np.uint8))


def together(probes: Sequence[Sparse]) -> tuple[Sparse, Array]:
    """The terms of several representations one after the other, and whose each is."""
    owners = np.repeat(np.arange(len(probes)), [len(probe.numbers) for probe in probes])
    numbers, counts = ([getattr(probe, part) for probe in probes] for part in ("numbers", "counts"))
    return Sparse(np.concatenate(numbers), np.concatenate(counts)), owners


def normalised(products: Array, norms: Array, others: Array) -> Array:
    """Cosines from products, a row for each norm and a column for each of the others; nothing is near nothing."""
    return np.clip(products / np.maximum(norms[:, None] * others, 1e-9), 0.0, 1.0).astype(np.float32)


def saturated(counts: Array) -> Array:
    """A second occurrence says less than the first, as in BM25."""
    spoken = counts.astype(np.float32)
    return 2.2 * spoken / (spoken + 1.2)


def _in_order(numbers: Array) -> Array:
    """The stable order of numbers of 32 bits: by the lower half and then by the upper, since 16 bits are sorted without
    comparing."""
    order = np.argsort(numbers.astype(np.uint16), kind="stable")
    return order[np.argsort((numbers >> np.uint32(16)).astype(np.uint16)[order], kind="stable")]


class Columns:
    """Many sparse representations side by side; how rare a term is among them enters only here."""

    def __init__(self, members: Sequence[Sparse]) -> None:
        self.size = len(members)
        sizes = [len(member.numbers) for member in members]
        numbers = np.concatenate([member.numbers for member in members]) if members else EMPTY.numbers
        rows = np.repeat(np.arange(self.size), sizes)
        weights = saturated(np.concatenate([member.counts for member in members]) if members else EMPTY.counts)
        order = _in_order(numbers)
        self.numbers, self.rows = numbers[order], rows[order]
        self.starts = np.flatnonzero(np.diff(self.numbers, prepend=np.int64(-1)))
        self.vocabulary, frequencies = self.numbers[self.starts], np.diff(self.starts, append=len(numbers))
        self.rarity = np.log(1 + (self.size - frequencies + 0.5) / (frequencies + 0.5)).astype(np.float32)
        self.unseen = math.log(1 + (self.size + 0.5) / 0.5)
        spread = np.repeat(self.rarity, frequencies)
        self.weights = weights[order] * spread
        self.frequencies = frequencies
        self.totals = np.bincount(self.rows, spread, self.size)
        self.norms = np.sqrt(np.bincount(self.rows, self.weights**2, self.size)).astype(np.float32)

    def rarities(self, probe: Sparse) -> Array:
        """How rare each of the probe's terms is among the members."""
        return self._rarities(probe, *self._known(probe))

    def cosines(self, probe: Sparse) -> Array:
        """The weighted cosine of a probe with every member."""
        return self.cosines_of([probe])[0]

    def cosines_of(self, probes: Sequence[Sparse]) -> Array:
        """As `cosines`, a row for each of several probes: all at once, since each step takes longer than its sum."""
        probe, owners = together(probes)
        known, places = self._known(probe)
        values = saturated(probe.counts) * self._rarities(probe, known, places)
        norms = np.sqrt(np.bincount(owners, values**2, len(probes)))
        found, spread = spans(self.starts[places], self.frequencies[places])
        cells = owners[known][spread] * self.size + self.rows[found]
        products = np.bincount(cells, self.weights[found] * values[known][spread], len(probes) * self.size)
        return normalised(products.reshape(len(probes), self.size), norms, self.norms)

    def cosines_between(self, ones: Sequence[Sparse], others: Sequence[Sparse]) -> Array:
        """The weighted cosine of each of some with its counterpart; they need not be members."""
        return cosines_of_pairs(self._weighed(ones), self._weighed(others), len(ones))

    def overlaps_between(self, ones: Sequence[Sparse], others: Sequence[Sparse]) -> Array:
        """The weighted Jaccard overlap of each of some with its counterpart; they need not be members."""
        (left, mine), (right, theirs) = together(ones), together(others)
        rarity = self.rarities(left)
        found, places = _shared((left.numbers, mine), (right.numbers, theirs))
        shared = np.bincount(theirs[found], rarity[places], len(ones))
        either = np.bincount(mine, rarity, len(ones)) + np.bincount(theirs, self.rarities(right), len(ones))
        return _divided(shared, either - shared)

    def _weighed(self, probes: Sequence[Sparse]) -> Owned:
        probe, owners = together(probes)
        return probe.numbers, owners, saturated(probe.counts) * self.rarities(probe)

    def overlaps_of(self, probes: Sequence[Sparse]) -> Array:
        """The weighted Jaccard overlap of the terms of several probes with those of every member, a row for each."""
        probe, owners = together(probes)
        known, places = self._known(probe)
        rarity = self._rarities(probe, known, places)
        found, spread = spans(self.starts[places], self.frequencies[places])
        cells = owners[known][spread] * self.size + self.rows[found]
        shared = np.bincount(cells, rarity[known][spread], len(probes) * self.size).reshape(len(probes), self.size)
        return _divided(shared, self.totals + np.bincount(owners, rarity, len(probes))[:, None] - shared)

    def _known(self, probe: Sparse) -> tuple[Array, Array]:
        """Which of a probe's terms any member has, and where in the vocabulary they stand."""
        if not len(self.vocabulary):
            return _NOWHERE, _NOWHERE
        places = np.searchsorted(self.vocabulary, probe.numbers)
        places[places == len(self.vocabulary)] = 0
        known = np.flatnonzero(self.vocabulary[places] == probe.numbers)
        return known, places[known]

    def _rarities(self, probe: Sparse, known: Array, places: Array) -> Array:
        found = np.full(len(probe.numbers), self.unseen, np.float32)
        found[known] = self.rarity[places]
        return found


_NOWHERE = np.empty(0, np.intp)


def _divided(shared: Array, union: Array) -> Array:
    return np.divide(shared, union, out=np.zeros(shared.shape), where=union > 1e-9).astype(np.float32)


def cosines_of_pairs(ones: Owned, others: Owned, count: int) -> Array:
    """The cosine of each of some weighted terms with those of the same owner among the others."""
    found, places = _shared(ones[:2], others[:2])
    products = np.bincount(others[1][found], others[2][found] * ones[2][places], count)
    squares = np.bincount(ones[1], ones[2] ** 2, count) * np.bincount(others[1], others[2] ** 2, count)
    return np.clip(products / np.maximum(np.sqrt(squares), 1e-9), 0.0, 1.0).astype(np.float32)


def _shared(ones: tuple[Array, Array], others: tuple[Array, Array]) -> tuple[Array, Array]:
    """Which terms of the others, in rising order for each owner, the same owner has among the ones, and where."""
    mine, theirs = (owners.astype(np.int64) << 32 | numbers for numbers, owners in (ones, others))
    if not len(mine):
        return _NOWHERE, _NOWHERE
    places = np.searchsorted(mine, theirs)
    places[places == len(mine)] = 0
    found = np.flatnonzero(mine[places] == theirs)
    return found, places[found]


def spans(starts: Array, lengths: Array) -> tuple[Array, Array]:
    """All places of many runs one after the other, and which run each belongs to."""
    shifts = starts - np.cumsum(lengths) + lengths
    return np.arange(int(lengths.sum())) + np.repeat(shifts, lengths), np.repeat(np.arange(len(lengths)), lengths)
