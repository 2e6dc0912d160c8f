"""Parts of the index: postings and columns of some chunks, vectors and their sign bits; sealed in a file or not yet."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.storage.chunks import COLUMNS, FOREVER

Array = NDArray[Any]

COLUMN_NAMES = ("created", "updated", "valid_from", "valid_to", "expires", "importance")
_COLUMN_TYPE = np.dtype([(name, "<f8" if name == "importance" else "<i8") for name in COLUMN_NAMES])
_GROUPS_KEPT = 8  # chosen: the filters of a session
# Chosen: a place among sorted hashes is guessed; within so many standard deviations the guess is right.
_DEVIATIONS = 8
_FEW_TERMS = 1 << 16  # chosen: half a megabyte, through which all terms of a question are looked for at once
_FEW_POSTINGS = 200_000  # chosen: so many are counted at once in less time than a hundred terms one by one
_NONE = np.zeros(1, np.int64)


@dataclass(slots=True)
class TextPart:
    """Chunks in the order of their numbers, with postings from terms to them. `living` holds those that no
    transaction has killed, and is what is alive after the transaction `newest` and later."""

    arrays: dict[str, Array]
    died: Array
    living: Array
    newest: int
    living_count: int
    living_length: int
    name: str = ""
    deaths_seen: int = 0
    _groups: dict[tuple[int, ...], Array | None] = field(default_factory=dict[tuple[int, ...], Array | None])

    @property
    def size(self) -> int:
        return len(self.arrays["seq"])

    def postings(self, term: int) -> tuple[Array, Array]:
        """The chunks that have a term, and how often."""
        place = find_sorted(self.arrays["terms"], term)
        return (_NO_DOCUMENTS, _NO_FREQUENCIES) if place < 0 else self.postings_at(place)

    def find(self, terms: Sequence[int]) -> list[int]:
        """Where the postings of some terms are, -1 for one that no chunk has."""
        held = self.arrays["terms"]
        if not 0 < len(held) <= _FEW_TERMS:
            return [find_sorted(held, term) for term in terms]
        wanted = np.array(terms, np.uint64)
        places = np.minimum(held.searchsorted(wanted), len(held) - 1)
        return np.where(held[places] == wanted, places, -1).tolist()

    def count_alive(self, terms: Sequence[int], alive: Array) -> Array:
        """How many of the living chunks have each of some terms."""
        places = np.array(self.find(terms), np.intp)
        counts = np.zeros(len(terms), np.int64)
        having = np.flatnonzero(places >= 0)
        offsets, documents = self.arrays["offsets"], self.arrays["documents"]
        if len(documents) <= _FEW_POSTINGS:
            below = np.concatenate((_NONE, np.cumsum(alive[documents], dtype=np.int64)))
            counts[having] = below[offsets[places[having] + 1]] - below[offsets[places[having]]]
            return counts
        for each in having.tolist():
            start, stop = offsets[places[each] : places[each] + 2].tolist()
            counts[each] = np.count_nonzero(alive[documents[start:stop]])
        return counts

    def postings_at(self, place: int) -> tuple[Array, Array]:
        """As `postings`, of the term in a place that `find` has found."""
        start, stop = self.arrays["offsets"][place : place + 2].tolist()
        # Whatever is looked up by them would turn them into such numbers again and again.
        return self.arrays["documents"][start:stop].astype(np.intp), self.arrays["frequencies"][start:stop]

    def alive(self, as_of: int) -> Array:
        """A mask that nobody may change."""
        return self.living if as_of >= self.newest else (self.arrays["born"] <= as_of) & (self.died > as_of)

    def count(self, as_of: int) -> tuple[int, int]:
        """How many chunks are alive, and their length together."""
        if as_of >= self.newest:
            return self.living_count, self.living_length
        mask = self.alive(as_of)
        return int(np.count_nonzero(mask)), int(self.arrays["length"][mask].sum())

    def having(self, group: tuple[int, ...]) -> Array | None:
        """A mask of the chunks that have any of these terms; None where all have."""
        if group not in self._groups:
            mask = self.holding(group)
            while len(self._groups) >= _GROUPS_KEPT:
                del self._groups[next(iter(self._groups))]
            self._groups[group] = None if mask.all() else mask
        return self._groups[group]

    def holding(self, group: tuple[int, ...]) -> Array:
        mask = np.zeros(self.size, bool)
        for term in group:
            mask[self.postings(term)[0]] = True
        return mask

    def within(self, name: str, low: float | None, high: float | None) -> Array | None:
        """A mask of the chunks whose column lies between bounds; None where all do."""
        place = COLUMN_NAMES.index(name)
        mask: Array | None = None
        if low is not None and low > self.arrays["lowest"][place]:
            mask = self.arrays[name] >= low
        if high is not None and high < self.arrays["highest"][place]:
            below = self.arrays[name] <= high
            mask = below if mask is None else mask & below
        return mask

    def bury(self, local: Array, died: Array) -> None:
        """Note the transactions in which some chunks died."""
        if not self.died.flags.writeable:
            self.died, self.living = np.array(self.died), np.array(self.living)
        gone = local[self.living[local]]
        self.died[local] = died
        self.living[gone] = False
        self.newest = max(self.newest, int(died.max()))
        self.living_count -= len(gone)
        self.living_length -= int(self.arrays["length"][gone].sum())


_NO_DOCUMENTS = np.empty(0, np.intp)
_NO_FREQUENCIES = np.empty(0, np.uint8)


def find_sorted(hashes: Array, wanted: int) -> int:
    """The place of a hash among sorted ones, or -1. They are spread evenly, so that looking near where it should be
    touches a few pages instead of one for every halving."""
    count = len(hashes)
    guess = (wanted * count) >> 64
    reach = _DEVIATIONS * (int(count**0.5) + 1)
    low, high = max(guess - reach, 0), min(guess + reach, count)
    is_near = low < high and (not low or hashes[low] <= wanted) and (high == count or hashes[high - 1] >= wanted)
    if not is_near:
        low, high = 0, count
    place = low + int(np.searchsorted(hashes[low:high], np.uint64(wanted)))
    return place if place < count and hashes[place] == wanted else -1


TextRow = tuple[int, str, int, int | None, bytes, bytes]


def text_arrays(rows: Sequence[TextRow]) -> dict[str, Array]:
    """Arrays from rows of (seq, entry id, born, died, columns, terms)."""
    count = len(rows)
    sizes = np.array([(len(row[5]) - 4) // 9 for row in rows], np.int64)
    pairs = list(zip(rows, sizes.tolist(), strict=True))
    numbers: Array = np.concatenate([np.frombuffer(row[5], "<u8", n, 4) for row, n in pairs])
    frequencies: Array = np.concatenate([np.frombuffer(row[5], np.uint8, n, 4 + 8 * n) for row, n in pairs])
    documents = np.repeat(np.arange(count, dtype=np.uint32), sizes)
    order = np.argsort(numbers, kind="stable")
    terms, starts = first_of_each(numbers[order])
    columns = np.frombuffer(b"".join(row[4] for row in rows), _COLUMN_TYPE)
    assert COLUMNS.size == _COLUMN_TYPE.itemsize
    keys = bytes.fromhex("".join(row[1] for row in rows).replace("-", ""))
    return {
        "seq": np.array([row[0] for row in rows], np.int64),
        "entry": np.frombuffer(keys, "<u8").reshape(count, 2),
        "born": np.array([row[2] for row in rows], np.int64),
        "died": np.array([FOREVER if row[3] is None else row[3] for row in rows], np.int64),
        "length": np.array([int.from_bytes(row[5][:4], "little") for row in rows], np.int32),
        **{name: np.ascontiguousarray(columns[name]) for name in COLUMN_NAMES},
        "terms": terms.astype(np.uint64),
        "offsets": np.append(starts, len(numbers)).astype(np.int64),
        "documents": documents[order],
        "frequencies": frequencies[order],
    }


def first_of_each(ordered: Array) -> tuple[Array, Array]:
    """The different values of a sorted array, and where each begins."""
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(ordered)])
    return ordered[starts], starts


def to_text_part(arrays: dict[str, Array], name: str = "") -> TextPart:
    """A part of what a segment holds; what one of an earlier program lacks is summed up now."""
    if "summary" not in arrays:
        arrays = {**arrays, **summed_up(arrays, arrays["died"])}
    newest, count, length = arrays["summary"].tolist()
    deaths = int(arrays["deaths"][0]) if "deaths" in arrays else 0
    return TextPart(arrays, arrays["died"], arrays["living"], newest, count, length, name, deaths)


def summed_up(arrays: dict[str, Array], died: Array) -> dict[str, Array]:
    """What can be said of all chunks of a part at once, so that opening it need not look at each."""
    living = died == FOREVER
    newest = max(int(arrays["born"].max(initial=0)), int(died[~living].max(initial=0)))
    length = int(arrays["length"][living].sum(dtype=np.int64))
    return {
        "living": living,
        "summary": np.array([newest, np.count_nonzero(living), length], np.int64),
        "lowest": np.array([arrays[name].min(initial=FOREVER) for name in COLUMN_NAMES], np.float64),
        "highest": np.array([arrays[name].max(initial=-FOREVER) for name in COLUMN_NAMES], np.float64),
    }


@dataclass(slots=True)
class DensePart:
    """Vectors with the numbers of the vectors and of their chunks, and their sign bits in columns of 64. One that was
    sealed by an earlier program has no `values`: they are read from the database."""

    seq: Array
    chunk_seq: Array
    bits: Array
    values: Array | None
    order: Array
    name: str = ""
    ordinals: Array = field(default_factory=lambda: np.empty(0, np.int64))
    placed: tuple[int, int] = (-1, 0)
    # Whether they are the vectors of chunks that stand one after the other, each with one.
    is_in_order: bool = False

    @property
    def size(self) -> int:
        return len(self.seq)

    @property
    def is_placed(self) -> bool:
        """Whether the chunk of every vector has an ordinal."""
        return not self.placed[1]

    def of_chunks(self, numbers: Array) -> Array:
        """Where the vectors of some chunks are."""
        in_order = self.order if len(self.order) else None
        low = np.searchsorted(self.chunk_seq, numbers, "left", sorter=in_order)
        high = np.searchsorted(self.chunk_seq, numbers, "right", sorter=in_order)
        counts: Array = high - low
        found: Array = np.repeat(low - np.cumsum(counts) + counts, counts) + np.arange(int(counts.sum()))
        return found if in_order is None else self.order[found]


def to_dense_part(arrays: dict[str, Array], name: str = "") -> DensePart:
    order = arrays["order"] if "order" in arrays else order_of(arrays["chunk_seq"])
    return DensePart(arrays["seq"], arrays["chunk_seq"], arrays["bits"], arrays.get("values"), order, name)


def order_of(numbers: Array) -> Array:
    """Their places by size; none where they are sorted already."""
    if (numbers[1:] >= numbers[:-1]).all():
        return np.empty(0, np.uint32)
    return np.argsort(numbers, kind="stable").astype(np.uint32)


def sign_bits(vectors: Array) -> Array:
    """Columns of 64 sign bits each, so that one comparison runs along memory."""
    packed = np.packbits(vectors > 0, axis=1, bitorder="little")
    padding = -packed.shape[1] % 8
    padded = np.pad(packed, ((0, 0), (0, padding)))
    return np.ascontiguousarray(padded.view("<u8").T)


def dense_arrays(rows: Sequence[tuple[int, int, bytes]]) -> dict[str, Array]:
    """Arrays from rows of (seq, chunk seq, float16 value)."""
    vectors = np.frombuffer(b"".join(row[2] for row in rows), np.float16).reshape(len(rows), -1)
    return {
        "seq": np.array([row[0] for row in rows], np.int64),
        "chunk_seq": np.array([row[1] for row in rows], np.int64),
        "bits": sign_bits(vectors),
        "values": vectors,
    }
