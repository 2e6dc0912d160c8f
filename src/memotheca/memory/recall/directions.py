"""Inference in a direction: what follows from something, what led to it, what joins it to another subject, and what
would explain it, along what was stated (memory-model: Directions)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memotheca.memory.curation.links import sureness
from memotheca.memory.graph.causality import Arrow, Arrows, combine, find_paths, strength
from memotheca.memory.graph.causes import Way, causal_arrows
from memotheca.model.knowledge import Entry
from memotheca.storage.snapshot import Snapshot
from memotheca.text.likeness import likeness

Direction = Literal["forward", "backward", "bidirectional", "bridge", "abduction"]
DIRECTIONS: tuple[Direction, ...] = ("forward", "backward", "bidirectional", "bridge", "abduction")
MOST_INFERRED = 10  # specification (memory-model: Directions)
LOOKED_THROUGH = 200  # chosen: ends to which chains are looked for; milliseconds

_WAYS: Mapping[Direction, tuple[Way, ...]] = {
    "forward": ("forward",),
    "backward": ("backward",),
    "bidirectional": ("forward", "backward"),
    "bridge": ("forward", "backward"),
    "abduction": ("backward",),
}


@dataclass(frozen=True, slots=True)
class Clamp:
    """Something that is held: a hard one is so much so whatever led to it, a soft one lets through so much of that."""

    id: str
    is_hard: bool
    value: float


@dataclass(frozen=True, slots=True)
class InferenceRequest:
    """What is asked about, and what is taken as given; without a target everything that is reached is meant."""

    source: Entry
    target: Entry | None
    direction: Direction
    clamps: tuple[Clamp, ...] = ()
    longest: int = 5
    least: float = 0.5


@dataclass(frozen=True, slots=True)
class Inference:
    """One thing that is reached: how strongly by all chains that share no link, how strongly by the best of them, how
    many said its least attested link, and of what is being explained, which share it explains."""

    way: Direction
    source: Entry
    target: Entry
    strength: float
    path: tuple[Arrow, ...]
    statements: int
    share: float | None = None
    distance: float | None = None

    @property
    def confidence(self) -> float:
        return strength(self.path)

    @property
    def nodes(self) -> tuple[str, ...]:
        return (self.path[0].source, *(arrow.target for arrow in self.path))

    def rank(self) -> tuple[float, int, int, str]:
        worth = self.strength * (1.0 if self.distance is None else self.distance)
        return -worth, -self.statements, len(self.path), self.target.id


@dataclass(frozen=True, slots=True)
class Inferred:
    """What was found, the best first; how much was too weak to be told, and whether more was there than was looked
    at."""

    results: tuple[Inference, ...]
    overall: float | None
    left_out: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class _Web:
    """The links around an entry as they hold under what is clamped, pointing the way they are walked, and how often
    each was said."""

    start: Entry
    way: Way
    arrows: Arrows
    said: Mapping[tuple[str, str], int]
    is_part: bool


def infer_towards(snapshot: Snapshot, request: InferenceRequest) -> Inferred:
    """Follow what was stated; where nothing was, nothing is found."""
    starts = [request.source]
    if request.direction == "forward":
        starts += [each for each in map(snapshot.entry, _held_true(request)) if each is not None]
    webs = [_web(snapshot, request, start, way) for start in starts for way in _WAYS[request.direction]]
    found = [each for web in webs for each in _reached(snapshot, request, web)]
    if request.direction == "bridge":
        found = [replace(each, way="bridge", distance=_distance(each.source, each.target)) for each in found]
        found = [each for each in found if each.distance]
    elif request.direction == "bidirectional":
        found += _both_ways(found)
    kept = sorted((each for each in found if each.strength >= request.least), key=Inference.rank)
    shown = _explaining(request, kept) if request.direction == "abduction" else kept
    return Inferred(
        tuple(shown[:MOST_INFERRED]),
        _overall(request, kept),
        len(found) - len(kept),
        len(kept) > MOST_INFERRED or any(web.is_part for web in webs),
    )


def _held_true(request: InferenceRequest) -> list[str]:
    """What is so whatever led to it, and so leads on by itself."""
    return [clamp.id for clamp in request.clamps if clamp.is_hard and clamp.value > 0 and clamp.id != request.source.id]


def _web(snapshot: Snapshot, request: InferenceRequest, start: Entry, way: Way) -> _Web:
    arrows, edges, is_part = causal_arrows(snapshot, start.id, request.longest, way)
    held = {clamp.id: clamp for clamp in request.clamps}
    begin = held[start.id].value if way == "forward" and start.id in held else 1.0
    kept: dict[str, list[Arrow]] = {}
    for here, group in arrows.items():
        for arrow in group:
            share = _let_through(held.get(arrow.target if way == "forward" else arrow.source))
            share *= begin if here == start.id else 1.0
            if way == "backward" and request.direction != "abduction":
                share *= _as_cause(held.get(arrow.target))
            if share > 0:
                kept.setdefault(here, []).append(replace(arrow, probability=arrow.probability * share))
    said = Counter((edge.source, edge.target) for edge in edges.values())
    return _Web(start, way, kept, said if way == "forward" else _turned(said), is_part)


def _let_through(clamp: Clamp | None) -> float:
    """How much of what leads to something counts: nothing where it is held hard, a part where it is held softly."""
    return 1.0 if clamp is None else 0.0 if clamp.is_hard else clamp.value


def _as_cause(clamp: Clamp | None) -> float:
    """How much a cause counts that is reached from its effect: as much as it is held to be so. Of an explanation that
    is in its share already."""
    return clamp.value if clamp is not None and clamp.is_hard else 1.0


def _turned(said: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], int]:
    return {(target, source): count for (source, target), count in said.items()}


def _reached(snapshot: Snapshot, request: InferenceRequest, web: _Web) -> list[Inference]:
    reachable = {arrow.target for group in web.arrows.values() for arrow in group} - {web.start.id}
    wanted = sorted(reachable if request.target is None else reachable & {request.target.id})
    found: list[Inference] = []
    for id in wanted[:LOOKED_THROUGH]:
        entry, paths = snapshot.entry(id), find_paths(web.arrows, web.start.id, id, request.longest)[0]
        if entry is not None and paths:
            said = min(web.said[arrow.source, arrow.target] for arrow in paths[0])
            way = "abduction" if request.direction == "abduction" else web.way
            found.append(Inference(way, web.start, entry, combine(paths), paths[0], said))
    return found


def _both_ways(found: Sequence[Inference]) -> list[Inference]:
    """What leads to something that leads back to it: as strongly as the weaker way."""
    back = {each.target.id: each for each in found if each.way == "backward"}
    pairs = [(each, back[each.target.id]) for each in found if each.way == "forward" and each.target.id in back]
    return [
        replace(
            there,
            way="bidirectional",
            strength=min(there.strength, here.strength),
            statements=min(there.statements, here.statements),
        )
        for there, here in pairs
    ]


def _explaining(request: InferenceRequest, found: Sequence[Inference]) -> list[Inference]:
    """Which share of what is to be explained each of its causes explains: by how likely it is so, and how strongly it
    leads there. Of two on one chain both count, since either may be what is looked for."""
    held = {clamp.id: clamp.value for clamp in request.clamps}
    worth = [held.get(each.target.id, sureness(each.target)) * each.strength for each in found]
    total = sum(worth)
    shared = [replace(each, share=value / total) for each, value in zip(found, worth, strict=True) if value > 0]
    return sorted(shared, key=lambda each: (-(each.share or 0.0), each.rank()))


def _distance(one: Entry, other: Entry) -> float:
    """How far apart two subjects lie that were said to be one's: another domain wholly, else the share of tags that
    only one of them has; nothing where nobody said."""
    domains = one.attributes.get("domain"), other.attributes.get("domain")
    if all(domains) and domains[0] != domains[1]:
        return 1.0
    return 1 - likeness(one.tags, other.tags) if one.tags and other.tags else 0.0


def _overall(request: InferenceRequest, found: Sequence[Inference]) -> float | None:
    """How likely the target is by all that leads to it; of many things, how strongly the first is reached."""
    if not found:
        return None
    if request.direction != "forward" or request.target is None:
        return found[0].strength
    failing = 1.0
    for each in found:
        failing *= 1 - each.strength
    return 1 - failing
