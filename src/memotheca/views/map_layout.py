"""Layout of a map: places for nodes by their links alone, the same every time; who comes later joins its neighbours.

Groups of nodes that hold together are found first and laid on a spiral, each around its middle; then links pull and
all nodes push each other apart, as charges in a bowl do, which fills a disc evenly. The push is worked out on a grid,
so that a round costs what its nodes and links are, not their squares.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Places = NDArray[np.float32]

GOLDEN = 2.399963229728653  # chosen: the angle of sunflowers, in radians, at which nothing lines up
# Chosen by looking at planted graphs of 60 to 100,000 nodes (docs/page.md, The map), all that follow.
SPREADING = 8  # chosen: rounds in which groups are found, at each level
TOPMOST = 40  # chosen: so few groups are not grouped again
SETTLED = 0.01  # chosen: the share of nodes that may still change their group when it is good enough
LEAST = 1e-9  # chosen: what adding in another order makes of equal scores
LEVELS = 4  # chosen: groups in groups
ROUNDS = 60  # chosen: of pulling and pushing
PULL = 0.35  # chosen: how far of the way to the middle of its neighbours a node goes
PUSH = 0.5  # chosen: how strongly nodes keep apart, against that pull
SETTLING = 12  # chosen: rounds for who joins others, while those stay
FINE, COARSE, MANY = 256, 128, 20_000  # measured: cells of the grid; a finer one looks no different and takes longer


@dataclass(frozen=True, slots=True)
class Laid:
    """Where each node is, some one apart from its next, and the group it belongs to."""

    places: Places
    groups: Numbers


@dataclass(frozen=True, slots=True)
class NodePairs:
    """Which nodes are linked, each pair once and both ways round, in the order of the first."""

    count: int
    near: Numbers
    far: Numbers

    @property
    def degrees(self) -> Numbers:
        return np.bincount(self.near, minlength=self.count)


def tie(count: int, sources: NDArray[Any], targets: NDArray[Any]) -> NodePairs:
    """The pairs of nodes that are linked, whichever way and however often."""
    one, other = sources.astype(np.int64), targets.astype(np.int64)
    keys = np.minimum(one, other) * count + np.maximum(one, other)
    keys = np.unique(keys[one != other])
    low, high = keys // max(1, count), keys % max(1, count)
    both = np.sort(np.concatenate([low * count + high, high * count + low]))
    return NodePairs(count, both // max(1, count), both % max(1, count))


def lay_out(ties: NodePairs, pause: Callable[[], None]) -> Laid:
    """Places for nodes that all have links."""
    levels = _find_levels(ties, pause)
    places = _spiral(ties, levels)
    return Laid(_relax(ties, places, pause), levels[-1] if levels else np.zeros(ties.count, np.int64))


# --- groups


def _find_levels(ties: NodePairs, pause: Callable[[], None]) -> list[Numbers]:
    """For each node its group, the group of that, and so on, as long as there are many and they hold together."""
    levels: list[Numbers] = []
    near, far, weights = ties.near, ties.far, np.ones(len(ties.near), np.int64)
    drawn = ties.degrees.astype(np.float64)
    while len(levels) < LEVELS and len(near):
        labels = _spread(near, far, weights=weights, drawn=drawn, pause=pause)
        names, groups = np.unique(labels, return_inverse=True)
        levels.append(groups if not levels else groups[levels[-1]])
        if len(names) <= TOPMOST or len(names) > 0.9 * len(labels):
            break
        kept = groups[near] != groups[far]
        drawn = np.bincount(groups, drawn).astype(np.float64)
        pairs, places = np.unique((groups[near] * len(names) + groups[far])[kept], return_inverse=True)
        weights = np.bincount(places, weights[kept], minlength=len(pairs)).astype(np.int64)
        near, far = pairs // len(names), pairs % len(names)
    return levels


def _spread(
    near: Numbers, far: Numbers, *, weights: Numbers, drawn: NDArray[np.float64], pause: Callable[[], None]
) -> Numbers:
    """Each node takes the label that more of its links lead to than chance would have, so that no label takes all; by
    halves, since two that take each other's would change for ever. `drawn` is how much weight each has in all."""
    count = len(drawn)
    labels = np.arange(count, dtype=np.int64)
    half = ((np.arange(count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(63)).astype(bool)
    sides = [np.flatnonzero(half[near] == side) for side in (False, True)]
    is_plain = bool(weights.max() == 1)
    for _ in range(SPREADING):
        before = labels.copy()
        for side in sides:
            pause()
            if len(side):
                runs = _count_runs(near[side] * count + labels[far[side]], None if is_plain else weights[side])
                owners, taken = _vote(labels, *runs, drawn=drawn)
                labels[owners] = taken
        if np.count_nonzero(labels != before) < SETTLED * count:
            break
    return labels


def _count_runs(keys: Numbers, weights: Numbers | None) -> tuple[Numbers, NDArray[np.float64]]:
    """The distinct keys in order, with how much weight each has."""
    if weights is None:
        keys.sort()
        begins = np.flatnonzero(_begins(keys))
        return keys[begins], np.diff(np.append(begins, len(keys))).astype(np.float64)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    begins = np.flatnonzero(_begins(keys))
    return keys[begins], np.add.reduceat(weights[order], begins).astype(np.float64)


def _vote(
    labels: Numbers, keys: Numbers, votes: NDArray[np.float64], *, drawn: NDArray[np.float64]
) -> tuple[Numbers, Numbers]:
    """Who changes the label, and which each takes: the oldest of the best, where that is better than what it has."""
    count, total = len(labels), drawn.sum()
    held = np.bincount(labels, drawn, minlength=count) / total
    owners, wanted = keys // count, keys % count
    is_own = wanted == labels[owners]
    scores = votes - drawn[owners] * (held[wanted] - is_own * drawn[owners] / total)
    firsts = np.flatnonzero(_begins(owners))
    best = np.repeat(np.maximum.reduceat(scores, firsts), np.diff(np.append(firsts, len(owners))))
    stay = -drawn * (held[labels] - drawn / total)
    stay[owners[is_own]] = scores[is_own]
    winners = np.flatnonzero((scores == best) & (scores > stay[owners] + LEAST))
    kept = winners[_begins(owners[winners])]
    return owners[kept], wanted[kept]


def _begins(sorted_keys: Numbers) -> NDArray[np.bool_]:
    """Where another value begins."""
    return np.concatenate([[True], sorted_keys[1:] != sorted_keys[:-1]])[: len(sorted_keys)]


# --- the first places


def _spiral(ties: NodePairs, levels: list[Numbers]) -> Places:
    """Groups on a spiral by their size, and so on within each; of nodes the most linked in the middle."""
    chain = [np.arange(ties.count, dtype=np.int64), *levels]
    x = y = np.zeros(1)
    above = np.zeros(int(chain[-1].max()) + 1 if levels else ties.count, np.int64)
    for depth in range(len(chain) - 1, -1, -1):
        groups = chain[depth]
        sizes = np.bincount(groups).astype(np.float64)
        weight = sizes if depth else 1 + ties.degrees.astype(np.float64)
        order = np.lexsort((np.arange(len(sizes)), -weight, above))
        dx, dy = _sunflower(sizes[order], above[order])
        nx, ny = np.empty(len(sizes)), np.empty(len(sizes))
        nx[order], ny[order] = x[above[order]] + dx, y[above[order]] + dy
        x, y = nx, ny
        if depth:
            # Each of the level below with the group it is in.
            above = np.zeros(int(chain[depth - 1].max()) + 1, np.int64)
            above[chain[depth - 1]] = groups
    return np.stack([x, y]).astype(np.float32)


def _sunflower(sizes: NDArray[np.float64], parents: Numbers) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Around the middle of each parent, one after the other outwards, each with room for its size."""
    reached = np.cumsum(sizes)
    firsts = np.flatnonzero(_begins(parents))
    begun = np.repeat(reached[firsts] - sizes[firsts], np.diff(np.append(firsts, len(sizes))))
    turn = np.arange(len(sizes)) - np.repeat(firsts, np.diff(np.append(firsts, len(sizes))))
    far = np.where(turn == 0, 0.0, np.sqrt((reached - begun - sizes / 2) / np.pi))
    return far * np.cos(turn * GOLDEN), far * np.sin(turn * GOLDEN)


# --- pulling and pushing


class _Repulsion:
    """How nodes push each other apart, worked out on a grid by a convolution."""

    def __init__(self, count: int) -> None:
        self.cells = COARSE if count <= MANY else FINE
        size = 2 * self.cells
        steps = np.fft.fftfreq(size, 1 / size)
        dx, dy = steps[None, :], steps[:, None]
        square = dx * dx + dy * dy + 0.5
        self._toward = [np.fft.rfft2(each / square) for each in (dx, dy)]

    def push(self, places: Places, reach: float) -> Places:
        """For each node the sum over all of 1/distance, away from them; `reach` is how far from the middle any is."""
        scale = (self.cells - 3) / (2 * reach)
        spots = (places + reach) * scale + 1
        corner = spots.astype(np.int64)
        share = spots - corner
        size = 2 * self.cells
        flat = corner[1] * size + corner[0]
        shares: list[tuple[Numbers, Places]] = []
        for down in (0, 1):
            for right in (0, 1):
                part = (share[0] if right else 1 - share[0]) * (share[1] if down else 1 - share[1])
                shares.append((flat + down * size + right, part))
        mass = sum(np.bincount(at, part, minlength=size * size) for at, part in shares)
        turned = np.fft.rfft2(np.asarray(mass).reshape(size, size))
        fields = [np.fft.irfft2(turned * toward, s=(size, size)).ravel() for toward in self._toward]
        return np.stack([sum(field[at] * part for at, part in shares) for field in fields]).astype(np.float32) * scale


def _relax(
    ties: NodePairs, places: Places, pause: Callable[[], None], moving: NDArray[np.bool_] | None = None
) -> Places:
    """Let links pull and nodes push until they lie well, ever less; only those that move, where the others stay."""
    count = ties.count
    if count < 2:
        return places
    field = _Repulsion(count)
    rounds = ROUNDS if moving is None else SETTLING
    radius = float(np.sqrt(count / np.pi)) if moving is None else 1.0
    degrees = np.maximum(ties.degrees, 1).astype(np.float32)
    places = places.copy()
    for turn in range(rounds):
        pause()
        heat = radius * 0.2 * (1 - turn / rounds) ** 2 + 0.3
        reach = float(np.abs(places).max()) + 1
        pushed = field.push(places, reach) - np.float32(np.pi) * places
        pulled = np.stack([np.bincount(ties.near, each[ties.far], minlength=count) for each in places]) / degrees
        moved = PUSH / np.pi * pushed + PULL * (pulled - places)
        length = np.maximum(np.hypot(moved[0], moved[1]), 1e-6)
        share = np.minimum(1, heat / length) * (1.0 if moving is None else moving)
        places += (moved * share).astype(np.float32)
    return places


# --- who comes later


def join(ties: NodePairs, held: Laid, pause: Callable[[], None]) -> Laid:
    """The same places for who had one (not a number where they had none), and others near what they are linked to; who
    is linked to none of them, beside the whole."""
    places, groups = held.places.copy(), held.groups.copy()
    is_new = np.isnan(places[0])
    newcomers = np.flatnonzero(is_new)
    while len(newcomers):
        pause()
        is_there = ~np.isnan(places[0])
        kept = np.flatnonzero(~is_there[ties.near] & is_there[ties.far])
        if not len(kept):
            break
        _seat(places, groups, ties.near[kept], ties.far[kept])
    left = np.flatnonzero(np.isnan(places[0]))
    if len(left):
        _set_beside(ties, Laid(places, groups), left, pause)
    if len(newcomers):
        places = _relax(ties, places, pause, moving=is_new)
    return Laid(places, groups)


def _seat(places: Places, groups: Numbers, near: Numbers, far: Numbers) -> None:
    """Each of some nodes in the middle of its neighbours that are there, a little aside, in the group of the first."""
    newcomers, firsts, counts = np.unique(near, return_index=True, return_counts=True)
    middle = np.stack([np.add.reduceat(each[far], firsts) / counts for each in places])
    turn = newcomers * GOLDEN
    places[:, newcomers] = middle + np.stack([np.cos(turn), np.sin(turn)])
    groups[newcomers] = groups[far[firsts]]


def _set_beside(ties: NodePairs, held: Laid, left: Numbers, pause: Callable[[], None]) -> None:
    """Lay out those that nothing leads to by themselves, outside of all others."""
    place = np.full(ties.count, -1)
    place[left] = np.arange(len(left))
    kept = np.flatnonzero((place[ties.near] >= 0) & (place[ties.far] >= 0))
    own = lay_out(NodePairs(len(left), place[ties.near[kept]], place[ties.far[kept]]), pause)
    there = held.places[:, ~np.isnan(held.places[0])]
    reach = float(np.hypot(there[0], there[1]).max()) if there.size else 0.0
    far = reach + float(np.abs(own.places).max()) + 2
    turn = there.shape[1] * GOLDEN
    held.places[:, left] = own.places + np.array([[far * np.cos(turn)], [far * np.sin(turn)]], np.float32)
    held.groups[left] = own.groups + held.groups.max() + 1


def pile(count: int) -> Places:
    """A disc of nodes without links, the oldest in the middle."""
    x, y = _sunflower(np.ones(count), np.zeros(count, np.int64))
    return np.stack([x, y]).astype(np.float32)
