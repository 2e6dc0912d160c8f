"""Merging: one part out of many, in their order, a piece at a time, into a file or into memory."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np

from memotheca.search.index.index_parts import (
    COLUMN_NAMES,
    Array,
    DensePart,
    TextPart,
    first_of_each,
    order_of,
    summed_up,
)

# Chosen: so many postings are sorted at once, and so many vectors are copied at once.
POSTINGS = 1 << 20
VECTORS = 1 << 14  # chosen: 12 MB at once
_COPIED = ("seq", "entry", "born", "length", *COLUMN_NAMES)

Room = dict[str, tuple[str, tuple[int, ...]]]
Masks = Sequence[Array] | None
Fetch = Callable[[Array], Array]


class Sink(Protocol):
    """Where arrays go, piece by piece."""

    def append(self, key: str, values: Array) -> None: ...


class Memory:
    """Arrays that stay here."""

    def __init__(self) -> None:
        self._pieces: dict[str, list[Array]] = defaultdict(list)

    def append(self, key: str, values: Array) -> None:
        self._pieces[key].append(values)

    def arrays(self) -> dict[str, Array]:
        return {key: np.concatenate(pieces) for key, pieces in self._pieces.items()}


def text_room(parts: Sequence[TextPart]) -> Room:
    """The most that merged parts can fill."""
    count = sum(part.size for part in parts)
    terms = sum(len(part.arrays["terms"]) for part in parts)
    postings = sum(len(part.arrays["documents"]) for part in parts)
    names = ("seq", "born", *(name for name in COLUMN_NAMES if name != "importance"))
    return {
        **dict.fromkeys(names, ("<i8", (count,))),
        "importance": ("<f8", (count,)),
        "entry": ("<u8", (count, 2)),
        "length": ("<i4", (count,)),
        "died": ("<i8", (count,)),
        "living": ("|b1", (count,)),
        "summary": ("<i8", (3,)),
        "lowest": ("<f8", (len(COLUMN_NAMES),)),
        "highest": ("<f8", (len(COLUMN_NAMES),)),
        "deaths": ("<i8", (1,)),
        "terms": ("<u8", (terms,)),
        "offsets": ("<u4" if postings < 1 << 32 else "<i8", (terms + 1,)),
        "documents": ("<u4", (postings,)),
        "frequencies": ("|u1", (postings,)),
    }


def merge_text(parts: Sequence[TextPart], sink: Sink, kept: Masks = None) -> None:
    """`kept` masks out what was erased."""
    columns = {name: _join([part.arrays[name] for part in parts], kept) for name in _COPIED}
    died = _join([part.died for part in parts], kept)
    for key, values in (columns | {"died": died} | summed_up(columns, died)).items():
        sink.append(key, values)
    sink.append("offsets", np.zeros(1, np.int64))
    written = 0
    sources = list(_sources(parts, kept))
    for bounds in _slices(sum(len(part.arrays["documents"]) for part in parts)):
        numbers, documents, frequencies = _merge_slice(sources, bounds)
        terms, starts = first_of_each(numbers)
        sink.append("terms", terms)
        sink.append("offsets", written + np.append(starts[1:], len(numbers))[: len(starts)])
        sink.append("documents", documents)
        sink.append("frequencies", frequencies)
        written += len(numbers)


def _join(arrays: Sequence[Array], kept: Masks) -> Array:
    chosen = arrays if kept is None else [values[mask] for values, mask in zip(arrays, kept, strict=True)]
    return np.concatenate(chosen)


@dataclass(frozen=True, slots=True)
class _KeptPart:
    """A part, which of its chunks are kept (all where there is no mask), and the places they get."""

    part: TextPart
    mask: Array | None
    places: Array | int


def _sources(parts: Sequence[TextPart], kept: Masks) -> Iterator[_KeptPart]:
    base = 0
    for number, part in enumerate(parts):
        if kept is None:
            yield _KeptPart(part, None, base)
            base += part.size
        else:
            places = np.cumsum(kept[number]) - 1 + base
            yield _KeptPart(part, kept[number], places)
            base += int(np.count_nonzero(kept[number]))


def _slices(postings: int) -> list[tuple[int, int]]:
    """The space of terms cut so that each slice has about as many postings as are sorted at once."""
    count = max(postings // POSTINGS, 1)
    edges = [place * (1 << 64) // count for place in range(count + 1)]
    return list(pairwise(edges))


def _merge_slice(sources: Sequence[_KeptPart], bounds: tuple[int, int]) -> tuple[Array, Array, Array]:
    """The terms, chunks and frequencies of the postings whose terms lie between bounds, by term and then by chunk."""
    numbers: list[Array] = []
    documents: list[Array] = []
    frequencies: list[Array] = []
    for source in sources:
        arrays = source.part.arrays
        terms = arrays["terms"]
        low, high = (len(terms) if edge >> 64 else int(np.searchsorted(terms, np.uint64(edge))) for edge in bounds)
        offsets = arrays["offsets"][low : high + 1]
        found = arrays["documents"][offsets[0] : offsets[-1]]
        spelled, counted = np.repeat(terms[low:high], np.diff(offsets)), arrays["frequencies"][offsets[0] : offsets[-1]]
        if source.mask is None:
            places = found + np.uint32(source.places)
        else:
            keep = source.mask[found]
            spelled, counted = spelled[keep], counted[keep]
            places = np.asarray(source.places)[found[keep]].astype(np.uint32)
        numbers.append(spelled)
        documents.append(places)
        frequencies.append(counted)
    joined = np.concatenate(numbers)
    order = np.argsort(joined, kind="stable")
    return joined[order], np.concatenate(documents)[order], np.concatenate(frequencies)[order]


def dense_room(parts: Sequence[DensePart], width: int, kept: Masks = None) -> Room:
    count = sum(part.size for part in parts) if kept is None else sum(int(np.count_nonzero(mask)) for mask in kept)
    return {
        "seq": ("<i8", (count,)),
        "chunk_seq": ("<i8", (count,)),
        "order": ("<u4", (count,)),
        "bits": ("<u8", (len(parts[0].bits), count)),
        "values": ("<f2", (count, width)),
    }


def merge_dense(parts: Sequence[DensePart], sink: Sink, kept: Masks = None, *, fetch: Fetch | None = None) -> None:
    """`kept` masks out what was erased; `fetch` reads the vectors that a segment of an earlier program lacks."""
    chunk_numbers = _join([part.chunk_seq for part in parts], kept)
    sink.append("seq", _join([part.seq for part in parts], kept))
    sink.append("chunk_seq", chunk_numbers)
    sink.append("order", order_of(chunk_numbers))
    for column in range(len(parts[0].bits)):
        sink.append("bits", _join([part.bits[column] for part in parts], kept)[np.newaxis])
    for number, part in enumerate(parts):
        for start in range(0, part.size, VECTORS):
            place = slice(start, start + VECTORS)
            mask = slice(None) if kept is None else kept[number][place]
            if part.values is not None:
                sink.append("values", part.values[place][mask])
            elif fetch is not None:
                sink.append("values", fetch(part.seq[place][mask]).astype(np.float16))
