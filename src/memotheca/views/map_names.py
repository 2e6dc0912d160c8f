"""What the nodes of a map are called, and which of them a handle names."""

from collections.abc import Sequence
from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import SECTION
from memotheca.notes.mounts import opened
from memotheca.views.graph_map import GraphMap
from memotheca.views.surroundings import find_center
from memotheca.views.thing_links import ShownEnd, show_ends


@dataclass(frozen=True, slots=True)
class NamedNode:
    """A node of a map by its number there."""

    number: int
    shown: ShownEnd


def name_nodes(kernel: Kernel, map: GraphMap, numbers: Sequence[int]) -> list[NamedNode]:
    """What some nodes are called now."""
    wanted = list(dict.fromkeys(numbers))
    if any(not 0 <= number < len(map.rows.ids) for number in wanted):
        raise Refusal(Failure.INVALID, f"That map has {len(map.rows.ids):,} nodes, numbered from 0.", field="numbers")
    with opened(kernel) as (snapshot, book):
        ends = show_ends(snapshot, book, [map.rows.ids[number] for number in wanted])
    return [NamedNode(number, ends[map.rows.ids[number]]) for number in wanted]


def find_node(kernel: Kernel, map: GraphMap, handle: str) -> int:
    """The node that a handle names; a section is shown as its document."""
    with opened(kernel) as (snapshot, book):
        id = find_center(snapshot, book, handle)
        entry = None if id in book.ghosts else snapshot.entry(id)
    if entry is not None and entry.kind == SECTION:
        id = str(entry.attributes.get("document", id))
    if id not in map.rows.ids:
        raise Refusal(Failure.NOT_FOUND, f"{handle!r} is not on that map.", field="handle")
    return map.rows.ids.index(id)
