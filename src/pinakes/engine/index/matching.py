"""Matching: which chunks may answer, what their words are worth, and which vectors are near."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pinakes.engine.index.follower import Index
from pinakes.engine.index.parts import Array, DensePart, TextPart
from pinakes.spaces.lexical import EXTRA_LENGTH, K1, PAIR_WEIGHT, B

CANDIDATES = 100
RESCORED = 1000
EXACT_BELOW = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What a chunk must satisfy: terms it must have (any of each group), and columns between bounds."""

    groups: tuple[tuple[int, ...], ...] = ()
    bounds: tuple[tuple[str, float | None, float | None], ...] = ()
    as_of: int = 0


@dataclass(frozen=True, slots=True)
class Wanted:
    """The terms of a question: words, neighbouring pairs, and names as written."""

    words: tuple[int, ...] = ()
    pairs: tuple[int, ...] = ()
    names: tuple[int, ...] = ()


@dataclass(slots=True)
class Lexical:
    """Lexical scores of every chunk, by ordinal, and what is needed to weigh them."""

    scores: Array
    idf_sum: float = 0.0
    unknown: int = 0
    frequencies: dict[int, int] = field(default_factory=dict[int, int])


def allowed(index: Index, wanted: Filter) -> Array:
    """A mask over all ordinals: alive at that transaction, and passing the filter."""
    return np.concatenate([_allowed_in(part, wanted) for part in index.text] or [np.zeros(0, bool)])


def alive(index: Index, as_of: int) -> Array:
    return np.concatenate([part.alive(as_of) for part in index.text] or [np.zeros(0, bool)])


def _allowed_in(part: TextPart, wanted: Filter) -> Array:
    mask = part.alive(wanted.as_of)
    for group in wanted.groups:
        having = np.zeros(part.size, bool)
        for term in group:
            having[part.postings(term)[0]] = True
        mask &= having
    for name, low, high in wanted.bounds:
        values = part.column(name)
        if low is not None:
            mask &= values >= low
        if high is not None:
            mask &= values <= high
    return mask


def lexical(index: Index, wanted: Wanted, living: Array) -> Lexical:
    """BM25 over words, pairs and names; statistics are over living chunks, so that segmentation cannot matter."""
    total = int(living.sum())
    result = Lexical(np.zeros(len(living), np.float32))
    if not total:
        result.unknown = len(wanted.words)
        return result
    mean = _mean_length(index, living, total)
    for terms, weight in ((wanted.words, 1.0), (wanted.pairs, PAIR_WEIGHT), (wanted.names, 1.0)):
        for term in terms:
            found = [(part.postings(term), base) for part, base in zip(index.text, index.bases[:-1], strict=True)]
            documents = sum(int(living[docs + base].sum()) for (docs, _), base in found if len(docs))
            result.frequencies[term] = documents
            if not documents:
                result.unknown += terms is wanted.words
                continue
            idf = float(np.log(1 + (total - documents + 0.5) / (documents + 0.5)))
            result.idf_sum += idf if terms is wanted.words else 0.0
            _add_scores(index, result.scores, found, (idf * weight, mean))
    return result


def _mean_length(index: Index, living: Array, total: int) -> float:
    lengths = [part.arrays["length"] for part in index.text]
    spread = np.split(living, index.bases[1:-1])
    return sum(float(each[mask].sum()) for each, mask in zip(lengths, spread, strict=True)) / total


def _add_scores(index: Index, scores: Array, found: list[Any], weight: tuple[float, float]) -> None:
    idf, mean = weight
    for part, ((docs, frequencies), base) in zip(index.text, found, strict=True):
        if len(docs):
            lengths = part.arrays["length"][docs].astype(np.float32)
            norm = K1 * (1 - B + B * (lengths + EXTRA_LENGTH) / (mean + EXTRA_LENGTH))
            counted = frequencies.astype(np.float32)
            scores[docs + np.int64(base)] += (idf * (K1 + 1) * counted / (counted + norm)).astype(np.float32)


def best(scores: Array, count: int) -> Array:
    """Ordinals of the highest positive scores, best first; equal scores in their order."""
    positive = np.flatnonzero(scores > 0)
    if len(positive) > count:
        cut = np.partition(scores[positive], len(positive) - count)[len(positive) - count]
        positive = positive[scores[positive] >= cut]
    return positive[np.argsort(-scores[positive], kind="stable")][:count]


def nearest(
    index: Index, query: Array, mask: Array, fetch: Callable[[Array], Array], *, count: int = CANDIDATES
) -> dict[int, float]:
    """The nearest allowed chunks by cosine: sign bits choose, the vectors themselves decide."""
    chosen = _shortlist(index, query, mask, max(RESCORED, 4 * count))
    if not chosen:
        return {}
    cosines = np.concatenate([_cosines_in(part, local, query, fetch) for part, local in chosen])
    ordinals = np.concatenate([part.ordinals[local] for part, local in chosen])
    found: dict[int, float] = {}
    for place in np.argsort(-cosines, kind="stable").tolist():
        found.setdefault(int(ordinals[place]), float(cosines[place]))
        if len(found) == count:
            break
    return found


def cosines_of(index: Index, query: Array, places: Array, fetch: Callable[[Array], Array]) -> dict[int, float]:
    """The best cosine of each of these chunks that has a vector."""
    found: dict[int, float] = {}
    for part in index.dense:
        local = np.flatnonzero(np.isin(part.ordinals, places))
        if len(local):
            cosines = _cosines_in(part, local, query, fetch)
            for ordinal, cosine in zip(part.ordinals[local].tolist(), cosines.tolist(), strict=True):
                found[ordinal] = max(found.get(ordinal, -1.0), cosine)
    return found


def _cosines_in(part: DensePart, local: Array, query: Array, fetch: Callable[[Array], Array]) -> Array:
    """Row by row, since a product of matrices rounds differently with the number of its rows."""
    values = fetch(part.seq[local]) if part.values is None else part.values[local].astype(np.float32)
    return np.einsum("ij,j->i", values, query)


def _shortlist(index: Index, query: Array, mask: Array, depth: int) -> list[tuple[DensePart, Array]]:
    """The vectors worth reading: all that are allowed where they are few, else those with the nearest signs."""
    found: list[tuple[DensePart, Array]] = []
    for part in index.dense:
        local = np.flatnonzero((part.ordinals >= 0) & mask[np.maximum(part.ordinals, 0)])
        if len(local):
            found.append((part, local))
    if sum(len(local) for _, local in found) <= max(depth, EXACT_BELOW):
        return found
    signs = np.packbits(query > 0, bitorder="little")
    columns = np.pad(signs, (0, -len(signs) % 8)).view("<u8")
    distances = [_distances(part, local, columns) for part, local in found]
    cut = _distance_cut(np.concatenate(distances), depth)
    near = [(part, local[each <= cut]) for (part, local), each in zip(found, distances, strict=True)]
    return [(part, local) for part, local in near if len(local)]


def _distances(part: DensePart, local: Array, columns: Array) -> Array:
    """How many signs differ from the question's."""
    whole = len(local) == part.size
    total = np.zeros(len(local), np.uint16)
    for column, sign in zip(part.bits, columns, strict=True):
        total += np.bitwise_count((column if whole else column[local]) ^ sign)
    return total


def _distance_cut(distances: Array, depth: int) -> int:
    """The smallest distance within which at least `depth` vectors lie."""
    return int(np.searchsorted(np.cumsum(np.bincount(distances)), depth))
