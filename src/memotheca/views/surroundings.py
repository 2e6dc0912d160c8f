"""Surroundings: the things near one in the graph, weightiest ties first, as far as there is room."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.views.as_of import find_past
from memotheca.views.standpoint import find_center, standing
from memotheca.views.thing_links import ShownEnd, Tie


@dataclass(frozen=True, slots=True)
class NearbyThing:
    """A thing that is near, by how many ties, and how many it has itself."""

    shown: ShownEnd
    distance: int
    degree: int


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The things near one with the ties among them, and how many were seen in all."""

    center: str
    near: list[NearbyThing]
    ties: list[Tie]
    total: int
    tie_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Radius:
    """How far is looked, how much is wanted at most, and as of when."""

    depth: int
    limit: int
    ties: int
    as_of: str | None = None


def look_around(kernel: Kernel, handle: str, radius: Radius) -> Surroundings:
    """The things up to `depth` ties away, those of the weightiest ties first, with so many ties among them, those of
    the center first; what there is no room for is counted, and not gone on from."""
    past = find_past(kernel, radius.as_of)
    with standing(kernel, None if past is None else past.tx) as here:
        center = find_center(here.snapshot, here.book, handle, here.tx)
        distances, known = {center: 0}, dict[str, list[Tie]]()
        seen, layer = {center}, [center]
        for distance in range(1, radius.depth + 1):
            reached: dict[str, float] = {}
            for id in layer:
                known[id] = here.ties_of(id, is_center=id == center)
                for tie in known[id]:
                    other = tie.other(id)
                    reached[other] = max(reached.get(other, 0.0), tie.weight)
            fresh = sorted((id for id in reached if id not in distances), key=lambda each: (-reached[each], each))
            seen |= set(fresh)
            layer = fresh[: radius.limit - len(distances)]
            distances |= dict.fromkeys(layer, distance)
        for id in layer:
            known.setdefault(id, here.ties_of(id, is_center=id == center))
        found = {
            (tie.source, tie.target, tie.predicate): tie
            for own in known.values()
            for tie in own
            if tie.source in distances and tie.target in distances
        }
        names = here.show(list(distances))
        near = [NearbyThing(names[id], far, here.degree(id)) for id, far in distances.items()]
    best = sorted(found.values(), key=lambda tie: (center not in (tie.source, tie.target), -tie.weight))
    return Surroundings(center, near, best[: radius.ties], len(seen), len(found))
