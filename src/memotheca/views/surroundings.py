"""Surroundings: the things near one in the graph, weightiest ties first, as far as there is room."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.names import find_thing
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Edge
from memotheca.notes.mounts import opened
from memotheca.notes.notebook import Notebook
from memotheca.storage.adjacency import count_joints
from memotheca.storage.snapshot import Snapshot
from memotheca.views.thing_links import ShownEnd, Tie, show_ends, ties_of


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


def look_around(kernel: Kernel, handle: str, *, depth: int, limit: int, ties: int) -> Surroundings:
    """The things up to `depth` ties away, those of the weightiest ties first, with so many ties among them, those of
    the center first; what there is no room for is counted, and not gone on from."""
    with opened(kernel) as (snapshot, book):
        center = find_center(snapshot, book, handle)
        distances, known = {center: 0}, dict[str, list[Tie]]()
        seen, layer = {center}, [center]
        for distance in range(1, depth + 1):
            reached: dict[str, float] = {}
            for id in layer:
                known[id] = ties_of(snapshot, book, id)
                for tie in known[id]:
                    other = tie.other(id)
                    reached[other] = max(reached.get(other, 0.0), tie.weight)
            fresh = sorted((id for id in reached if id not in distances), key=lambda each: (-reached[each], each))
            seen |= set(fresh)
            layer = fresh[: limit - len(distances)]
            distances |= dict.fromkeys(layer, distance)
        for id in layer:
            known.setdefault(id, ties_of(snapshot, book, id))
        found = {
            (tie.source, tie.target, tie.predicate): tie
            for own in known.values()
            for tie in own
            if tie.source in distances and tie.target in distances
        }
        names = show_ends(snapshot, book, list(distances))
        near = [NearbyThing(names[id], far, _degree(snapshot, book, id)) for id, far in distances.items()]
    best = sorted(found.values(), key=lambda tie: (center not in (tie.source, tie.target), -tie.weight))
    return Surroundings(center, near, best[:ties], len(seen), len(found))


def _degree(snapshot: Snapshot, book: Notebook, id: str) -> int:
    counted = sum(count_joints(snapshot, id)) if id not in book.ghosts else 0
    noted = len(book.graph.out.get(id, ())) + len(book.graph.into(id)) if id in book.graph else 0
    return max(counted, noted)


def find_center(snapshot: Snapshot, book: Notebook, handle: str) -> str:
    """A note or a ghost by its path, anything else by any name; a relation stands for where it begins."""
    key = book.find(handle.strip())
    if key is not None:
        return key
    version = find_thing(snapshot, handle)
    if version.thing is None:
        message = f"{handle!r} was deleted in transaction {version.tx}; undo it to have it back."
        raise Refusal(Failure.TOMBSTONED, message, field="handle")
    return version.thing.source if isinstance(version.thing, Edge) else version.id
