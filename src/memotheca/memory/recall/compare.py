"""Comparing retrieval: what each of the thirteen spaces finds, what their fusion finds, and what the search does."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.recency import recent_entries
from memotheca.memory.claims.ranking import fuse
from memotheca.memory.spaces.all_spaces import Gallery
from memotheca.memory.spaces.space_table import COUNT, IDS
from memotheca.memory.standing.nearest import vicinity_of
from memotheca.memory.standing.probe import hang_question
from memotheca.memory.standing.sample import reference_of
from memotheca.memory.traits import KNOWN, quarantine_of
from memotheca.model.knowledge import Entry
from memotheca.search.census import take_census
from memotheca.search.hits import Hit
from memotheca.search.search import Question, rank_entries, refuse_blank
from memotheca.storage.snapshot import Snapshot

Array = NDArray[Any]

WHOLE = 400  # chosen: all of so many are ranked in every space
FOUND, OFFERED, RECENT = 100, 50, 30  # chosen: beyond that, what search and recency offer


@dataclass(frozen=True, slots=True)
class SpaceRanking:
    """What one space finds, nearest first, without what is not near at all; how near each is, and how long it took."""

    space: str
    ids: tuple[str, ...]
    values: tuple[float, ...]
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Compared:
    """Every space's ranking over the same entries, and that of the shared search."""

    rankings: tuple[SpaceRanking, ...]
    searched: tuple[str, ...]
    pool: int
    is_whole: bool
    search_milliseconds: float

    def of(self, space: str) -> SpaceRanking:
        return self.rankings[IDS.index(space)]

    def fused(self, spaces: Sequence[str] = IDS) -> list[tuple[str, float]]:
        """Rank fusion over some spaces."""
        return fuse([self.of(space).ids for space in spaces])


def compare(kernel: Kernel, query: str, top_k: int) -> Compared:
    """Rank every entry where there are few; where there are many, those the search and the sample offer."""
    refuse_blank(query)
    began = time.perf_counter()
    found = rank_entries(kernel, Question(content=query, kinds=KNOWN), limit=FOUND)
    searched = _ms(began)
    now = kernel.now()
    with kernel.read() as snapshot:
        pool, is_whole = _pool(kernel, snapshot, found[: max(OFFERED, top_k)])
        free = [entry for entry in pool if quarantine_of(entry, now) is None]
        # A question is joined to nothing, so that in the graph nothing is near it, wherever the others lead.
        gallery = Gallery(vicinity_of(kernel, snapshot).hang(snapshot, free))
        probe = hang_question(kernel, snapshot, query)
    rankings: list[SpaceRanking] = []
    for space in range(COUNT):
        began = time.perf_counter()
        ids, values = _nearest_first(gallery, gallery.nearness(space, probe))
        rankings.append(SpaceRanking(IDS[space], ids, values, _ms(began)))
    return Compared(tuple(rankings), tuple(found), len(gallery), is_whole, searched)


def rank_in_space(kernel: Kernel, hits: Sequence[Hit], query: str, space: str) -> list[Hit]:
    """What the search has found, half by its score and half by nearness in a space; as it was where nothing of it is
    near there."""
    entries = [hit.version.thing for hit in hits if isinstance(hit.version.thing, Entry)]
    with kernel.read() as snapshot:
        gallery = Gallery(vicinity_of(kernel, snapshot).hang(snapshot, entries))
        probe = hang_question(kernel, snapshot, query)
    near = gallery.nearness(IDS.index(space), probe) if entries else np.zeros(0)
    if not near.size or float(near.max()) <= 0:
        return list(hits)
    shares = dict(zip(gallery.ids, (near / near.max()).tolist(), strict=True))
    scored = [replace(hit, score=((hit.score or 0.0) + max(shares[hit.version.id], 0.0)) / 2) for hit in hits]
    best = max(hit.score or 0.0 for hit in scored)
    return sorted(
        [replace(hit, score=(hit.score or 0.0) / best) for hit in scored], key=lambda hit: -(hit.score or 0.0)
    )


def _pool(kernel: Kernel, snapshot: Snapshot, found: Sequence[str]) -> tuple[list[Entry], bool]:
    if take_census(kernel, snapshot).nodes(KNOWN) <= WHOLE:
        return [version.thing for version in snapshot.entries(KNOWN) if isinstance(version.thing, Entry)], True
    sample = reference_of(kernel, snapshot).gallery.ids
    offered = vicinity_of(kernel, snapshot).read(snapshot, (*found, *sample))
    offered |= {entry.id: entry for entry in recent_entries(kernel, snapshot, RECENT)}
    return sorted(offered.values(), key=lambda entry: entry.id), False


def _nearest_first(gallery: Gallery, nearness: Array) -> tuple[tuple[str, ...], tuple[float, ...]]:
    order = np.argsort(-nearness, kind="stable")[: np.count_nonzero(nearness > 0)]
    return tuple(map(gallery.ids.__getitem__, order.tolist())), tuple(nearness[order].tolist())


def _ms(began: float) -> float:
    return round((time.perf_counter() - began) * 1000, 3)
