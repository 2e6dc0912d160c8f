"""Variety: how far results may repeat each other, as the serotonin of a session has it (memory-model: Modulators)."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.modulators import Levels, share_compared, variety
from memotheca.memory.spaces.space_weights import active_spaces
from memotheca.memory.standing.nearest import vicinity_of
from memotheca.memory.standing.sample import reference_of
from memotheca.model.knowledge import Entry

Array = NDArray[Any]

LOOKED_AT = 30  # chosen: bounds the comparing of each with each


def vary(kernel: Kernel, ranked: Sequence[tuple[Entry, float]], levels: Levels) -> list[tuple[int, float]]:
    """The order of what is ranked as serotonin has it, as (place, score): above rest what repeats something before it
    comes later, below it what resembles the first comes sooner. The first stays the first, what is far down its place,
    and at rest nothing moves."""
    strength = variety(levels)
    kept = [(place, score) for place, (_, score) in enumerate(ranked)]
    if not strength or len(ranked) < 3:
        return kept
    looked = ranked[:LOOKED_AT]
    alike = _alikeness(kernel, [entry for entry, _ in looked], active_spaces(share_compared(levels)))
    scores = np.array([score for _, score in looked])
    best = float(scores[0])
    ordered = _spread(scores, alike, strength * best) if strength > 0 else _gather(scores, alike, -strength * best)
    top = max(ordered[0][1], 1e-12)
    return [*((place, best * value / top) for place, value in ordered), *kept[len(looked) :]]


def _alikeness(kernel: Kernel, entries: Sequence[Entry], spaces: Sequence[int]) -> Array:
    """How near each two are, from 0 to 1: the mean of the spaces that speak of both. No percentiles: of results about
    one question nearly all would be among the nearest there are."""
    pairs = list(combinations(range(len(entries)), 2))
    with kernel.read() as snapshot:
        hung = vicinity_of(kernel, snapshot).hang(snapshot, entries)
        gallery = reference_of(kernel, snapshot).gallery
    ones, others = [hung[one] for one, _ in pairs], [hung[other] for _, other in pairs]
    total, counts = np.zeros(len(pairs)), np.zeros(len(pairs))
    for space in spaces:
        heard = gallery.speaking(space, ones) & gallery.speaking(space, others)
        total += np.where(heard, gallery.between_in(space, ones, others), 0)
        counts += heard
    mean = np.divide(total, counts, out=np.zeros(len(pairs)), where=counts > 0)
    found = np.zeros((len(entries), len(entries)))
    for (one, other), value in zip(pairs, np.clip(mean, 0, 1).tolist(), strict=True):
        found[one, other] = found[other, one] = value
    return found


def _spread(scores: Array, alike: Array, cost: float) -> list[tuple[int, float]]:
    """Maximal marginal relevance: each next is the best beside what it repeats of those before it."""
    chosen = [(0, float(scores[0]))]
    repeated = alike[0].copy()
    left = np.arange(1, len(scores))
    while len(left):
        values = scores[left] - cost * repeated[left]
        at = int(values.argmax())
        chosen.append((int(left[at]), float(values[at])))
        repeated = np.maximum(repeated, alike[left[at]])
        left = np.delete(left, at)
    return chosen


def _gather(scores: Array, alike: Array, gain: float) -> list[tuple[int, float]]:
    values = scores + gain * alike[0]
    values[0] = scores[0] + gain
    order = np.argsort(-values, kind="stable")
    return [(int(place), float(values[place])) for place in order]
