"""What the nodes of a map are called, and which of them answer to a name or a text."""

from collections.abc import Sequence
from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import KINDS, SECTION
from memotheca.model.knowledge import fold
from memotheca.notes.mounts import opened
from memotheca.search.search import Question, find_entries
from memotheca.storage.adjacency import find_labelled
from memotheca.views.graph_map import GraphMap
from memotheca.views.surroundings import find_center
from memotheca.views.thing_links import ShownEnd, show_ends

BY_TEXT = 100  # chosen: what a text finds beyond titles; who wants more of it searches


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


def find_nodes(kernel: Kernel, map: GraphMap, text: str, *, limit: int) -> tuple[list[int], int]:
    """The nodes whose title contains a text or whose text answers it, as many as wanted; and how many there are."""
    page = find_entries(kernel, Question(content=text, kinds=KINDS, passages=1), limit=BY_TEXT)
    with kernel.read() as snapshot:
        ids = [*find_labelled(snapshot, text, limit=len(map.rows.ids)), *(hit.version.id for hit in page.hits)]
    ids += [id for id, spelled in map.rows.spelled.items() if fold(text) in fold(spelled)]
    numbers = {id: number for number, id in enumerate(map.rows.ids)}
    found = dict.fromkeys(numbers[id] for id in ids if id in numbers)
    return list(found)[:limit], len(found)


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
