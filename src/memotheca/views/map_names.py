"""What the nodes of a map are called, and which of them a handle names."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.names import find_thing
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import SECTION
from memotheca.model.knowledge import Edge, Entry
from memotheca.notes.mounts import opened
from memotheca.storage.snapshot import Snapshot
from memotheca.views.graph_map import GraphMap
from memotheca.views.graph_rows import GHOST
from memotheca.views.standpoint import find_center
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
    ids = [map.rows.ids[number] for number in wanted]
    if not map.is_past:
        with opened(kernel) as (snapshot, book):
            ends = show_ends(snapshot, book, ids)
    else:
        with kernel.read() as snapshot:
            ends = show_ends(snapshot, None, ids, map.rows.tx)
    return [NamedNode(number, _as_spelled(map, ends[id])) for number, id in zip(wanted, ids, strict=True)]


def _as_spelled(map: GraphMap, shown: ShownEnd) -> ShownEnd:
    """What was only linked to is called as notes spelled it then."""
    spelled = map.rows.spelled.get(shown.id) if map.is_past else None
    return shown if spelled is None else replace(shown, title=spelled, kind=GHOST, is_ghost=True)


def find_node(kernel: Kernel, map: GraphMap, handle: str) -> int:
    """The node that a handle names; a section is shown as its document."""
    if not map.is_past:
        with opened(kernel) as (snapshot, book):
            id = find_center(snapshot, book, handle)
            entry = None if id in book.ghosts else snapshot.entry(id)
    else:
        with kernel.read() as snapshot:
            id, entry = _find_then(snapshot, map, handle.strip())
    if entry is not None and entry.kind == SECTION:
        id = str(entry.attributes.get("document", id))
    if id not in map.rows.ids:
        raise Refusal(Failure.NOT_FOUND, f"{handle!r} is not on that map.", field="handle")
    return map.rows.ids.index(id)


def _find_then(snapshot: Snapshot, map: GraphMap, handle: str) -> tuple[str, Entry | None]:
    if handle in map.rows.spelled:
        return handle, None
    newest = find_thing(snapshot, handle)
    thing = (snapshot.version(newest.id, map.rows.tx) or newest).thing
    return thing.source if isinstance(thing, Edge) else newest.id, thing if isinstance(thing, Entry) else None
