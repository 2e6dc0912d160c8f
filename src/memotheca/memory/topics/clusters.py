"""Grouping: average linkage over the similarities of some entries, from which topics and the fields they belong to
are cut (memory-model: Topics). Pure."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# Where groups end: this share of what only every twentieth pair reaches, for topics and for the fields they belong to.
FAR, TOPIC, FIELD = 0.95, 0.5, 0.125  # measured on three corpora (memory-model: Topics)
LEAST, LEAST_FIELD = 0.05, 0.02  # chosen: below it texts share hardly a word, or no more than by chance
AT_ONCE = 16  # chosen: some milliseconds of a processor
MOST = 0.12  # chosen: in a small memory of few subjects every twentieth pair says nearly the same


@dataclass(frozen=True, slots=True)
class Joining:
    """Two groups that were joined, by one member of each, and how alike their members are on average."""

    one: int
    other: int
    level: float


def cut_of(similarities: Array) -> float:
    """How alike members of a topic must be on average, by how alike any two entries are."""
    if len(similarities) < 2:
        return 1.0
    pairs = np.concatenate([row[place + 1 :] for place, row in enumerate(similarities)])
    return min(MOST, max(LEAST, TOPIC * float(np.quantile(pairs, FAR))))


def field_cut_of(cut: float) -> float:
    """How alike the members of a field must be on average, given that of its topics."""
    return max(LEAST_FIELD, cut * FIELD / TOPIC)


def join(similarities: Array, least: float) -> Generator[None, None, list[Joining]]:
    """Join the two groups that are most alike on average, until none are as alike as that. Of equals the first, so that
    the same entries always give the same groups. Pauses every few milliseconds."""
    size = len(similarities)
    near = similarities.astype(np.float64)
    np.fill_diagonal(near, -np.inf)
    members, is_there = np.ones(size), np.ones(size, bool)
    best = near.max(1, initial=-np.inf)
    which = near.argmax(1) if size else np.zeros(0, np.intp)
    joined: list[Joining] = []
    while size and float(best.max()) >= least:
        one = int(best.argmax())
        other, level = int(which[one]), float(best[one])
        joined.append(Joining(one, other, level))
        row = (members[one] * near[one] + members[other] * near[other]) / (members[one] + members[other])
        row[[one, other]] = -np.inf
        near[one], near[:, one] = row, row
        near[other], near[:, other] = -np.inf, -np.inf
        members[one] += members[other]
        is_there[other], best[other] = False, -np.inf
        moved = np.flatnonzero(is_there & ((which == one) | (which == other)))
        moved = np.union1d(moved, [one])
        best[moved], which[moved] = near[moved].max(1), near[moved].argmax(1)
        nearer = np.flatnonzero(is_there & (row > best))
        best[nearer], which[nearer] = row[nearer], one
        if len(joined) % AT_ONCE == 0:
            yield
    return joined


def groups_at(size: int, joined: Sequence[Joining], level: float) -> list[list[int]]:
    """The groups as they stand at a level, the largest first, each in the order of its members."""
    held: dict[int, list[int]] = {place: [place] for place in range(size)}
    for each in joined:
        if each.level < level:
            break
        held[each.one] += held.pop(each.other)
    return sorted((sorted(group) for group in held.values()), key=lambda group: (-len(group), group[0]))
