"""The rest: entries that match a question by their words and are not among the best, counted, any stretch of them."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from memotheca.search.index.index_parts import Array
from memotheca.search.index.live import Index

# Chosen: more passages than these are not counted where no page reaches them: the answer then says "at least".
COUNTED = 100_000


@dataclass(frozen=True, slots=True)
class Wanting:
    """Which stretch is wanted: so many after this entry, or, where it is gone, after so many entries in all."""

    limit: int
    last: str = ""
    shown: int = 0


@dataclass(frozen=True, slots=True)
class Rest:
    """How many entries there are, whether that is all of them, and the best passages of a stretch, which begins after
    so many."""

    count: int
    is_counted: bool
    start: int
    places: Array


NOTHING = Rest(0, True, 0, np.empty(0, np.int64))


def mixed(keys: Array) -> Array:
    """One number for the sixteen bytes of an id: sorting pairs of numbers would take ten times as long."""
    return keys[:, 0] * np.uint64(0x9E3779B97F4A7C15) ^ keys[:, 1]


def to_key(*ids: str) -> Array:
    """The sixteen bytes that an entry's id is kept as, of some."""
    return np.frombuffer(bytes.fromhex("".join(ids).replace("-", "")), np.uint64).reshape(len(ids), 2)


def rest_of(index: Index, scores: Array, best: Collection[str], wanting: Wanting) -> Rest:
    """Entries with a score that are not among the best, those with the higher score first, equals in the order of
    their making. A first page that the best alone fill needs no order, only a count."""
    places = np.flatnonzero(scores > 0)
    if not len(places):
        return NOTHING
    if wanting.last or wanting.limit > len(best):
        others, firsts = _others(index, places, best, scores)
        ordered = others[np.sort(firsts)]
        start = _after(index, ordered, best, wanting)
        return Rest(len(ordered), True, start, ordered[start : start + wanting.limit])
    return Rest(_count_others(index, places[:COUNTED], best), len(places) <= COUNTED, 0, NOTHING.places)


def _count_others(index: Index, places: Array, best: Collection[str]) -> int:
    """How many entries have these passages and are not among the best."""
    named = np.unique(mixed(index.texts.gather("entry", places)))
    known = mixed(to_key(*best))
    found = named[np.minimum(named.searchsorted(known), len(named) - 1)] == known
    return len(named) - int(np.count_nonzero(found))


def _others(index: Index, places: Array, best: Collection[str], scores: Array) -> tuple[Array, Array]:
    """The passages of entries that are not among the best, in the order of their scores, and where in them each entry
    comes first."""
    named = mixed(index.texts.gather("entry", places))
    if best:
        kept = ~np.isin(named, mixed(to_key(*best)))
        places, named = places[kept], named[kept]
    order = np.argsort(-scores[places], kind="stable")
    places, named = places[order], named[order]
    return places, np.unique(named, return_index=True)[1]


def _after(index: Index, ordered: Array, best: Collection[str], wanting: Wanting) -> int:
    if not wanting.last or wanting.last in best:
        return 0
    found = np.flatnonzero(mixed(index.texts.gather("entry", ordered)) == mixed(to_key(wanting.last)))
    # What was last may be erased since: then what followed it has moved up by one.
    return int(found[0]) + 1 if len(found) else max(0, wanting.shown - 1 - len(best))
