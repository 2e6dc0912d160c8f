"""Matching: which chunks may answer, what their words are worth, and which vectors are near."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from memotheca.model.cancellation import heed
from memotheca.search.index.index_parts import Array, DensePart, TextPart
from memotheca.search.index.live import Index
from memotheca.search.index.rest import mixed, to_key
from memotheca.vectors.float16 import widen

# BM25 over words and neighbouring pairs.
K1 = 0.9  # measured: the ranking recipe (docs/decisions/search.md; docs/benchmarks.md, retrieval)
B = 0.75  # measured: as above
EXTRA_LENGTH = 40  # measured: as above; a turn of three words does not beat one of thirty by its length
PAIR_WEIGHT = 0.2  # measured: as above

CANDIDATES = 100  # measured with the ranking recipe: of words and of meaning (docs/decisions/search.md)
RESCORED = 1000  # measured: 1 to 3 ms, and recall of the ten nearest .999 on real vectors (docs/decisions/search.md)
EXACT_BELOW = 2000  # chosen: so few vectors are sooner compared than their signs
# Chosen: where no more than one vector in so many is allowed, the others are not looked at.
SPARSE = 8
_BLOCK = 256  # chosen: one maximum for each block; a row of the processor's cache holds 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What a chunk must satisfy: terms it must have (any of each group), terms it must not have, and columns between
    bounds; a term that bars all that have it but for some entries comes with those."""

    groups: tuple[tuple[int, ...], ...] = ()
    barred: tuple[int, ...] = ()
    bounds: tuple[tuple[str, float | None, float | None], ...] = ()
    as_of: int = 0
    barred_but: tuple[int, tuple[str, ...]] | None = None


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The terms of a question: words, neighbouring pairs, and names as written."""

    words: tuple[int, ...] = ()
    pairs: tuple[int, ...] = ()
    names: tuple[int, ...] = ()


@dataclass(slots=True)
class Lexical:
    """Lexical scores of every chunk, by ordinal, and what is needed to weigh them: of how many words, among how many
    living chunks, how much those are worth that any has, and how many none has."""

    scores: Array
    asked: int = 0
    texts: int = 0
    idf_sum: float = 0.0
    unknown: int = 0
    frequencies: dict[int, int] = field(default_factory=dict[int, int])


def allowed(index: Index, wanted: Filter) -> Array:
    """A mask over all ordinals: alive at that transaction, and passing the filter."""
    return np.concatenate([_allowed_in(part, wanted) for part in index.text] or [np.zeros(0, bool)])


def _allowed_in(part: TextPart, wanted: Filter) -> Array:
    mask = part.alive(wanted.as_of)
    passing = [part.having(group) for group in wanted.groups]
    passing += [part.within(*bound) for bound in wanted.bounds]
    for each in passing:
        if each is not None:
            mask = mask & each
    if wanted.barred:
        mask = mask & ~part.holding(wanted.barred)
    return mask if wanted.barred_but is None else mask & ~_barred_in(part, *wanted.barred_but)


def _barred_in(part: TextPart, term: int, free: Sequence[str]) -> Array:
    having = part.holding((term,))
    places = np.flatnonzero(having) if free else np.empty(0, np.intp)
    if len(places):
        having[places] = ~np.isin(mixed(part.arrays["entry"][places]), mixed(to_key(*free)))
    return having


@dataclass(frozen=True, slots=True)
class _ScoredTerms:
    """Which terms were scored over which chunks, and their scores."""

    wanted: QueryTerms
    as_of: int
    bases: Array
    deaths_seen: int
    found: Lexical

    def answers(self, index: Index, wanted: QueryTerms, as_of: int) -> bool:
        is_same = self.bases is index.bases and self.deaths_seen == index.texts.deaths_seen
        return is_same and (wanted, as_of) == (self.wanted, self.as_of)


def lexical(index: Index, wanted: QueryTerms, as_of: int) -> Lexical:
    """BM25 over words, pairs and names, which the caller may change."""
    last = index.texts.last_scored
    if not (isinstance(last, _ScoredTerms) and last.answers(index, wanted, as_of)):
        last = _ScoredTerms(wanted, as_of, index.bases, index.texts.deaths_seen, _score(index, wanted, as_of))
        index.texts.last_scored = last
    return replace(last.found, scores=last.found.scores.copy())


def _score(index: Index, wanted: QueryTerms, as_of: int) -> Lexical:
    """Statistics are over living chunks, so that segmentation cannot matter."""
    counts = [part.count(as_of) for part in index.text]
    total = sum(count for count, _ in counts)
    result = Lexical(np.zeros(int(index.bases[-1]), np.float32), asked=len(wanted.words), texts=total)
    if not total:
        result.unknown = len(wanted.words)
        return result
    mean = sum(length for _, length in counts) / total
    terms = (*wanted.words, *wanted.pairs, *wanted.names)
    parts = [(part, base, part.find(terms)) for part, base in zip(index.text, index.bases.tolist(), strict=False)]
    for number, term in enumerate(terms):
        heed()
        is_word = number < len(wanted.words)
        is_pair = 0 <= number - len(wanted.words) < len(wanted.pairs)
        found = [
            _Postings(part, base, *part.postings_at(places[number]))
            for part, base, places in parts
            if places[number] >= 0
        ]
        documents = sum(_count_alive(each.part, each.documents, as_of) for each in found)
        result.frequencies[term] = documents
        if not documents:
            result.unknown += is_word
            continue
        idf = float(np.log(1 + (total - documents + 0.5) / (documents + 0.5)))
        result.idf_sum += idf if is_word else 0.0
        _add_scores(result.scores, found, (idf * (PAIR_WEIGHT if is_pair else 1.0), mean))
    return result


class _Postings(NamedTuple):
    """The chunks of a part that have a term, how often, and the ordinal of the part's first chunk."""

    part: TextPart
    base: int
    documents: Array
    frequencies: Array


def _add_scores(scores: Array, found: Sequence[_Postings], weight: tuple[float, float]) -> None:
    for part, base, docs, frequencies in found:
        values = _values(part.arrays["length"].take(docs), frequencies, weight)
        mine = scores[base : base + part.size]
        mine[docs] = mine.take(docs) + values


def _count_alive(part: TextPart, docs: Array, as_of: int) -> int:
    if as_of >= part.newest and part.living_count == part.size:
        return len(docs)
    return int(np.count_nonzero(part.alive(as_of).take(docs)))


def _values(lengths: Array, frequencies: Array, weight: tuple[float, float]) -> Array:
    """What a term with this weight is worth, where the mean length is that."""
    idf, mean = weight
    norm = lengths.astype(np.float32)
    norm += EXTRA_LENGTH
    norm *= K1 * B / (mean + EXTRA_LENGTH)
    norm += K1 * (1 - B)
    counted = frequencies.astype(np.float32)
    norm += counted
    counted *= idf * (K1 + 1)
    counted /= norm
    return counted


def best(scores: Array, count: int) -> Array:
    """Ordinals of the highest positive scores, best first; equal scores in their order."""
    places = _promising(scores, count)
    values = scores[places]
    if len(places) > count:
        cut = np.partition(values, len(values) - count)[len(values) - count]
        places, values = places[values >= cut], values[values >= cut]
    return places[np.argsort(-values, kind="stable")][:count]


def _promising(scores: Array, count: int) -> Array:
    """Places among which the highest positive scores are: as many blocks as are wanted have a score of at least the
    least of their highest, so that what is lower need not be looked at."""
    blocks = len(scores) // _BLOCK
    if blocks <= 2 * count:
        return np.flatnonzero(scores > 0)
    whole = scores[: blocks * _BLOCK].reshape(blocks, _BLOCK)
    highest = whole.max(axis=1)
    least = np.partition(highest, blocks - count)[blocks - count]
    if least <= 0:
        return np.flatnonzero(scores > 0)
    chosen = np.flatnonzero(highest >= least)
    rows, columns = np.nonzero(whole[chosen] >= least)
    rest = np.flatnonzero(scores[blocks * _BLOCK :] >= least) + blocks * _BLOCK
    return np.concatenate([chosen[rows] * _BLOCK + columns, rest])


def nearest(
    index: Index, query: Array, mask: Array, fetch: Callable[[Array], Array], *, count: int = CANDIDATES
) -> dict[int, float]:
    """The nearest allowed chunks by cosine: sign bits choose, the vectors themselves decide. Of real texts, hardly one
    in three hundred of those that are wanted lies further down by its signs than ten times as many."""
    chosen = _shortlist(index, query, mask, max(4 * count, min(RESCORED, 10 * count)))
    if not chosen:
        return {}
    cosines = np.concatenate([_cosines_in(part, local, query, fetch) for part, local in chosen])
    ordinals = np.concatenate([index.ordinals(part)[local] for part, local in chosen])
    found: dict[int, float] = {}
    for place in np.argsort(-cosines, kind="stable").tolist():
        found.setdefault(int(ordinals[place]), float(cosines[place]))
        if len(found) == count:
            break
    return found


def cosines_of(index: Index, query: Array, places: Array, fetch: Callable[[Array], Array]) -> dict[int, float]:
    """The best cosine of each of these chunks that has a vector."""
    found: dict[int, float] = {}
    numbers = index.texts.gather("seq", places)
    for part in index.dense:
        local = part.of_chunks(numbers)
        if len(local):
            cosines = _cosines_in(part, local, query, fetch)
            for ordinal, cosine in zip(index.ordinals(part)[local].tolist(), cosines.tolist(), strict=True):
                found[ordinal] = max(found.get(ordinal, -1.0), cosine)
    return found


def _cosines_in(part: DensePart, local: Array, query: Array, fetch: Callable[[Array], Array]) -> Array:
    """Row by row, since a product of matrices rounds differently with the number of its rows."""
    values = fetch(part.seq[local]) if part.values is None else widen(part.values[local])
    return np.einsum("ij,j->i", values, query)


def _shortlist(index: Index, query: Array, mask: Array, depth: int) -> list[tuple[DensePart, Array]]:
    """The vectors worth reading: all that are allowed where they are few, else those with the nearest signs."""
    masks = [_mask_of(index, part, mask) for part in index.dense]
    many, total = sum(int(np.count_nonzero(each)) for each in masks), sum(part.size for part in index.dense)
    pairs = list(zip(index.dense, masks, strict=True))
    if many <= max(depth, EXACT_BELOW):
        found = [(part, np.flatnonzero(each)) for part, each in pairs]
    elif many * SPARSE <= total:
        found = _nearest_signs([(part, np.flatnonzero(each), None) for part, each in pairs], query, depth)
    else:
        found = _nearest_signs([(part, None, each) for part, each in pairs], query, depth)
    return [(part, local) for part, local in found if len(local)]


def _nearest_signs(
    among: list[tuple[DensePart, Array | None, Array | None]], query: Array, depth: int
) -> list[tuple[DensePart, Array]]:
    """At least so many of the vectors in these places, or else of those that a mask allows."""
    columns = sign_columns(query)
    starts: list[int] = np.cumsum(
        [0, *(part.size if local is None else len(local) for part, local, _ in among)]
    ).tolist()
    far = np.empty(starts[-1], np.uint16)
    for (part, local, mask), start, stop in zip(among, starts, starts[1:], strict=False):
        distances(part.bits if local is None else part.bits[:, local], columns, mask, far[start:stop])
    near = np.flatnonzero(far <= distance_cut(far, depth, 64 * len(columns)))
    pieces = np.split(near, np.searchsorted(near, starts[1:-1]))
    found = [
        (part, local, piece - start) for (part, local, _), piece, start in zip(among, pieces, starts, strict=False)
    ]
    return [(part, piece if local is None else local[piece]) for part, local, piece in found]


def _mask_of(index: Index, part: DensePart, mask: Array) -> Array:
    """Which vectors are of allowed chunks."""
    ordinals = index.ordinals(part)
    if not len(mask):
        return np.zeros(part.size, bool)
    if part.is_in_order:
        return mask[ordinals[0] : ordinals[-1] + 1]
    # A chunk that is not there has the ordinal -1, which would be the last one.
    found = mask.take(ordinals, mode="wrap")
    return found if part.is_placed else found & (ordinals >= 0)


# Measured: so many vectors at once stay in the processor's cache from one step to the next.
_AT_ONCE = 1 << 16
# Chosen: differences in so many columns of 64 signs fit into a byte.
_COLUMNS = 3


def sign_columns(vector: Array) -> Array:
    """The signs of one vector, in columns of 64."""
    signs = np.packbits(vector > 0, bitorder="little")
    return np.pad(signs, (0, -len(signs) % 8)).view("<u8")


def distances(bits: Array, columns: Array, mask: Array | None, result: Array) -> None:
    """How many signs differ from the question's, into a result of 16 bits; what a mask leaves out is far."""
    count = bits.shape[1]
    differing, counted, sums = np.empty(_AT_ONCE, np.uint64), np.empty(_AT_ONCE, np.uint8), np.empty(_AT_ONCE, np.uint8)
    for start in range(0, count, _AT_ONCE):
        stop = min(start + _AT_ONCE, count)
        room = slice(0, stop - start)
        total = result[start:stop]
        total[:] = 0
        for place, sign in enumerate(columns):
            np.bitwise_xor(bits[place, start:stop], sign, out=differing[room])
            if place % _COLUMNS == 0:
                np.bitwise_count(differing[room], out=sums[room])
            else:
                np.bitwise_count(differing[room], out=counted[room])
                sums[room] += counted[room]
            if place % _COLUMNS == _COLUMNS - 1 or place == len(columns) - 1:
                total += sums[room]
        if mask is not None:
            # One less than none is as far as can be.
            total |= mask[start:stop].view(np.uint8) - np.uint16(1)


def distance_cut(found: Array, depth: int, longest: int) -> int:
    """The smallest distance within which at least `depth` vectors lie."""
    low, high = 0, longest
    while low < high:
        middle = (low + high) // 2
        if np.count_nonzero(found <= middle) >= depth:
            high = middle
        else:
            low = middle + 1
    return low
