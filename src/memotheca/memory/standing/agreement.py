"""Agreement: how near memories are to each other in each space, as percentiles that can be compared, and what the
spaces that speak of both make of it together (memory-model: Agreement)."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.kernel.kernel import Kernel
from memotheca.memory.spaces.space import Hung
from memotheca.memory.spaces.space_table import COUNT, IDS, SPACES
from memotheca.memory.standing.nearest import vicinity_of
from memotheca.memory.standing.sample import Reference, reference_of, walk_from
from memotheca.model.knowledge import Entry
from memotheca.storage.snapshot import Snapshot

Array = NDArray[Any]

VOTERS = 2  # specification (memory-model: Focus): what fewer spaces say is no agreement
ALL = tuple(range(COUNT))
GRAPH = IDS.index("E8")
SEEING: Array = np.array([space.sees_content for space in SPACES])


def agreements(
    kernel: Kernel,
    snapshot: Snapshot,
    ones: Sequence[Hung],
    others: Sequence[Hung],
    *,
    spaces: Sequence[int] = ALL,
) -> Array:
    """`a_i` of each of some memories with its counterpart, a row a pair; NaN where a space has nothing of one of them
    to compare, or is not asked."""
    reference = reference_of(kernel, snapshot)
    found = np.full((len(ones), COUNT), np.nan)
    for space in spaces if ones else ():
        speaks = _speaks(reference, space, ones) & _speaks(reference, space, others)
        near = reference.gallery.between_in(space, ones, others)
        # A sparse space that shares nothing of two says nothing of them.
        heard = speaks & (near > 0)
        found[heard, space] = reference.scale.spaces[space].agreements(near[heard])
    return found


def lasting_agreements(kernel: Kernel, snapshot: Snapshot, ones: Sequence[Hung], others: Sequence[Hung]) -> Array:
    """As `agreements`, of what `Vicinity.hang` has hung: such a pair stays as it is while neither text changes, and is
    compared once for as long as the sample lasts."""
    held = reference_of(kernel, snapshot).agreed
    keys = [(one.id, other.id) for one, other in zip(ones, others, strict=True)]
    known = held.find(keys)
    rows = [
        None if (found := known.get(key)) is None or found[0] is not one or found[1] is not other else found[2]
        for key, one, other in zip(keys, ones, others, strict=True)
    ]
    fresh = [place for place, row in enumerate(rows) if row is None]
    made = agreements(kernel, snapshot, [ones[place] for place in fresh], [others[place] for place in fresh])
    for place, row in zip(fresh, made, strict=True):
        held.put(keys[place], (ones[place], others[place], row))
    compared = dict(zip(fresh, made, strict=True))
    return np.array([compared[place] if row is None else row for place, row in enumerate(rows)]).reshape(-1, COUNT)


def _speaks(reference: Reference, space: int, probes: Sequence[Hung]) -> Array:
    return reference.gallery.speaking(space, probes)


def agree_with_each(
    kernel: Kernel,
    snapshot: Snapshot,
    entries: Sequence[Entry],
    *,
    reach: int | None = None,
    with_walks: bool = False,
) -> Array:
    """How far each of some memories agrees with each: by memory, memory and space; with itself nothing is said, nor
    with those farther behind it than `reach`, nor in the graph unless that is asked."""
    size, farthest = len(entries), len(entries) if reach is None else reach
    hung = vicinity_of(kernel, snapshot).hang(snapshot, entries)
    places = [(one, other) for one, other in combinations(range(size), 2) if other - one <= farthest]
    found = np.full((size, size, COUNT), np.nan)
    pairs = lasting_agreements(kernel, snapshot, [hung[one] for one, _ in places], [hung[other] for _, other in places])
    if with_walks and places:
        walked = walk_from(snapshot, entries, hung)
        ones, others = [walked[one] for one, _ in places], [walked[other] for _, other in places]
        pairs[:, GRAPH] = agreements(kernel, snapshot, ones, others, spaces=[GRAPH])[:, GRAPH]
    for (one, other), row in zip(places, pairs, strict=True):
        found[one, other] = found[other, one] = row
    return found


def mean_of(agreed: Array, axis: int = 0) -> Array:
    """The mean over one axis, of what is said; NaN where nothing is."""
    heard = ~np.isnan(agreed)
    counts: Array = heard.sum(axis=axis)
    nothing: Array = np.full(np.shape(counts), np.nan)
    return np.divide(np.where(heard, agreed, 0).sum(axis=axis), counts, out=nothing, where=counts > 0)


def together(agreed: Array) -> Array:
    """`r_m` of each row: the order parameter of its voting spaces on the phase of full agreement, from 0 to 1
    (memory-model: Focus). Spaces that see when or how something was written do not vote."""
    voting = ~np.isnan(agreed) & SEEING
    phases = np.cos(np.pi * (1 - np.where(voting, agreed, 0.5)))
    counts = voting.sum(axis=-1)
    nothing: Array = np.zeros(np.shape(counts))
    mean = np.divide((phases * voting).sum(axis=-1), counts, out=nothing, where=counts >= VOTERS)
    return np.clip(mean, 0.0, 1.0)
