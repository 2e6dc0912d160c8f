"""Parts of the index: postings and columns of some chunks, sign bits of some vectors; sealed in a file or not yet."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from pinakes.engine.births import COLUMNS, FOREVER

Array = NDArray[Any]

COLUMN_NAMES = ("created", "updated", "valid_from", "valid_to", "expires", "importance")
_COLUMN_TYPE = np.dtype([(name, "<f8" if name == "importance" else "<i8") for name in COLUMN_NAMES])
_SLICES = 64


@dataclass(slots=True)
class TextPart:
    """Chunks in the order of their numbers, with postings from terms to them."""

    arrays: dict[str, Array]
    died: Array

    @property
    def size(self) -> int:
        return len(self.arrays["seq"])

    def postings(self, term: int) -> tuple[Array, Array]:
        """The chunks that have a term, and how often."""
        terms = self.arrays["terms"]
        place = int(np.searchsorted(terms, np.uint64(term)))
        if place == len(terms) or terms[place] != term:
            return _NO_DOCUMENTS, _NO_FREQUENCIES
        start, stop = self.arrays["offsets"][place : place + 2]
        return self.arrays["documents"][start:stop], self.arrays["frequencies"][start:stop]

    def alive(self, as_of: int) -> Array:
        return (self.arrays["born"] <= as_of) & (self.died > as_of)

    def column(self, name: str) -> Array:
        return self.arrays[name]


_NO_DOCUMENTS = np.empty(0, np.uint32)
_NO_FREQUENCIES = np.empty(0, np.uint8)

TextRow = tuple[int, str, int, int | None, bytes, bytes]


def entry_key(entry_id: str) -> bytes:
    return UUID(entry_id).bytes


def text_arrays(rows: Sequence[TextRow]) -> dict[str, Array]:
    """Arrays from rows of (seq, entry id, born, died, columns, terms)."""
    count = len(rows)
    sizes = np.array([(len(row[5]) - 4) // 9 for row in rows], np.int64)
    pairs = list(zip(rows, sizes.tolist(), strict=True))
    numbers: Array = np.concatenate([np.frombuffer(row[5], "<u8", n, 4) for row, n in pairs])
    frequencies: Array = np.concatenate([np.frombuffer(row[5], np.uint8, n, 4 + 8 * n) for row, n in pairs])
    documents = np.repeat(np.arange(count, dtype=np.uint32), sizes)
    order = np.argsort(numbers, kind="stable")
    terms, starts = np.unique(numbers[order], return_index=True)
    columns = np.frombuffer(b"".join(row[4] for row in rows), _COLUMN_TYPE)
    assert COLUMNS.size == _COLUMN_TYPE.itemsize
    return {
        "seq": np.array([row[0] for row in rows], np.int64),
        "entry": np.frombuffer(b"".join(entry_key(row[1]) for row in rows), "<u8").reshape(count, 2),
        "born": np.array([row[2] for row in rows], np.int64),
        "died": np.array([FOREVER if row[3] is None else row[3] for row in rows], np.int64),
        "length": np.array([int.from_bytes(row[5][:4], "little") for row in rows], np.int32),
        **{name: np.ascontiguousarray(columns[name]) for name in COLUMN_NAMES},
        "terms": terms.astype(np.uint64),
        "offsets": np.append(starts, len(numbers)).astype(np.int64),
        "documents": documents[order],
        "frequencies": frequencies[order],
    }


def to_text_part(arrays: dict[str, Array]) -> TextPart:
    return TextPart(arrays, np.array(arrays["died"]))


def merge_text(parts: Sequence[TextPart], kept: Sequence[Array] | None = None) -> dict[str, Array]:
    """One part out of many, in order; `kept` masks out what was erased. Postings are merged a slice of the term
    space at a time, so that the peak stays near the size of the result."""
    masks = kept or [np.ones(part.size, bool) for part in parts]
    places = [np.cumsum(mask) - 1 for mask in masks]
    bases = np.cumsum([0, *(int(mask.sum()) for mask in masks)])
    names = ("seq", "entry", "born", "length", *COLUMN_NAMES)
    merged = {
        name: np.concatenate([part.arrays[name][mask] for part, mask in zip(parts, masks, strict=True)])
        for name in names
    }
    merged["died"] = np.concatenate([part.died[mask] for part, mask in zip(parts, masks, strict=True)])
    sources = list(zip(parts, masks, places, bases[:-1].tolist(), strict=True))
    pieces = [_merge_slice(sources, bounds) for bounds in _slices()]
    counts = np.concatenate([piece[1] for piece in pieces])
    merged["terms"] = np.concatenate([piece[0] for piece in pieces])
    merged["offsets"] = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    merged["documents"] = np.concatenate([piece[2] for piece in pieces])
    merged["frequencies"] = np.concatenate([piece[3] for piece in pieces])
    return merged


def _slices() -> list[tuple[int, int]]:
    width = 1 << 58
    return [(place * width, min((place + 1) * width, (1 << 64) - 1)) for place in range(_SLICES)]


def _merge_slice(
    sources: Sequence[tuple[TextPart, Array, Array, int]], bounds: tuple[int, int]
) -> tuple[Array, Array, Array, Array]:
    """Terms between bounds with the counts, chunks and frequencies of their postings; a source is a part with its
    mask, the places of what is kept, and where it begins in the result."""
    numbers: list[Array] = []
    documents: list[Array] = []
    frequencies: list[Array] = []
    for part, mask, place, base in sources:
        terms = part.arrays["terms"]
        low = int(np.searchsorted(terms, np.uint64(bounds[0])))
        last = bounds[1] == (1 << 64) - 1
        high = len(terms) if last else int(np.searchsorted(terms, np.uint64(bounds[1])))
        offsets = part.arrays["offsets"][low : high + 1]
        found = part.arrays["documents"][offsets[0] : offsets[-1]]
        keep = mask[found]
        numbers.append(np.repeat(terms[low:high], np.diff(offsets))[keep])
        documents.append((place[found[keep]] + base).astype(np.uint32))
        frequencies.append(part.arrays["frequencies"][offsets[0] : offsets[-1]][keep])
    joined = np.concatenate(numbers)
    order = np.argsort(joined, kind="stable")
    terms, counts = np.unique(joined, return_counts=True)
    return terms, counts, np.concatenate(documents)[order], np.concatenate(frequencies)[order]


@dataclass(slots=True)
class DensePart:
    """Vectors as sign bits in columns of 64, with the numbers of the vectors and of their chunks."""

    seq: Array
    chunk_seq: Array
    bits: Array
    ordinals: Array
    values: Array | None = None

    @property
    def size(self) -> int:
        return len(self.seq)


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


def merge_dense(
    parts: Sequence[DensePart], kept: Sequence[Array] | None = None, *, with_values: bool = False
) -> dict[str, Array]:
    """One part out of many; the vectors themselves are kept in memory only while unsealed, the database has them."""
    masks = kept or [np.ones(part.size, bool) for part in parts]
    pairs = list(zip(parts, masks, strict=True))
    merged = {
        "seq": np.concatenate([part.seq[mask] for part, mask in pairs]),
        "chunk_seq": np.concatenate([part.chunk_seq[mask] for part, mask in pairs]),
        "bits": np.concatenate([part.bits[:, mask] for part, mask in pairs], axis=1),
    }
    if with_values:
        merged["values"] = np.concatenate([part.values[mask] for part, mask in pairs if part.values is not None])
    return merged
