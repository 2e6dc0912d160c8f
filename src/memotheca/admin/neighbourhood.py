"""Drawing: what lies around a thing of any family in the one graph, links of notes and relations alike."""

from dataclasses import dataclass, field
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.names import find_thing, name_end, short_handle
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Edge
from memotheca.notes.mounts import opened
from memotheca.notes.notebook import Notebook
from memotheca.storage.snapshot import Snapshot

LINK = "links to"


@dataclass(frozen=True, slots=True)
class Branch:
    """A way from a node to another: along an edge (>) or against it (<), and what the edge says."""

    other: str
    arrow: str
    predicate: str


@dataclass(slots=True)
class Drawing:
    """The nodes near one, the edges among them, and by which way each was reached first; all by their ids."""

    center: str
    nodes: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    edges: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    children: dict[str, list[Branch]] = field(default_factory=dict[str, list[Branch]])
    left_out: int = 0


def draw_around(kernel: Kernel, named: str, *, depth: int, limit: int) -> Drawing:
    """The nodes up to `depth` edges away in either direction, the nearest first, at most `limit`."""
    with opened(kernel) as (snapshot, book):
        center = _center(snapshot, book, named)
        reached: dict[str, tuple[int, list[Branch]]] = {center: (0, [])}
        waiting, left_out = [center], set[str]()
        ways: dict[str, list[Branch]] = {}
        for node in waiting:
            distance, branches = reached[node]
            ways[node] = _ways(snapshot, book, node)
            for branch in ways[node] if distance < depth else ():
                if branch.other in reached:
                    continue
                if len(reached) == limit:
                    left_out.add(branch.other)
                    continue
                reached[branch.other] = (distance + 1, [])
                branches.append(branch)
                waiting.append(branch.other)
        nodes = [_shown(snapshot, book, node) for node in waiting]
        names = {node: shown["id"] for node, shown in zip(waiting, nodes, strict=True)}
        return Drawing(
            names[center],
            nodes,
            [
                {"source": names[node], "target": names[branch.other], "predicate": branch.predicate}
                for node in waiting
                for branch in ways[node]
                if branch.arrow == ">" and branch.other in names
            ],
            {
                names[node]: [Branch(names[each.other], each.arrow, each.predicate) for each in branches]
                for node, (_, branches) in reached.items()
                if branches
            },
            len(left_out),
        )


def _center(snapshot: Snapshot, book: Notebook, named: str) -> str:
    """A note or a ghost by its path; anything else by any name of it; a relation stands for where it begins."""
    key = book.find(named.strip())
    if key is not None:
        return key
    version = find_thing(snapshot, named)
    if version.thing is None:
        raise Refusal(
            Failure.TOMBSTONED, f"{named!r} was deleted in transaction {version.tx}; undo it to have it back."
        )
    return version.thing.source if isinstance(version.thing, Edge) else version.id


def _ways(snapshot: Snapshot, book: Notebook, node: str) -> list[Branch]:
    """The links of a note in their order and its edges, those that lead away first, each once."""
    outgoing = [Branch(other, ">", LINK) for other in book.graph.out.get(node, ())]
    incoming = [Branch(other, "<", LINK) for other in (book.incoming(node) if node in book.graph else ())]
    linked = {(branch.other, branch.arrow) for branch in (*outgoing, *incoming)}
    for edge in [] if node in book.ghosts else snapshot.edges_of(node):
        if edge.source == node and (edge.target, ">") not in linked:
            outgoing.append(Branch(edge.target, ">", edge.predicate))
        elif edge.target == node and (edge.source, "<") not in linked:
            incoming.append(Branch(edge.source, "<", edge.predicate))
    return list(dict.fromkeys([*outgoing, *incoming]))


def _shown(snapshot: Snapshot, book: Notebook, node: str) -> dict[str, Any]:
    if node in book.ghosts:
        return {"id": node, "title": book.ghosts[node], "kind": "ghost", "ghost": True}
    entry = snapshot.entry(node)
    if entry is None:
        return {"id": node, "title": name_end(snapshot, node), "kind": "", "ghost": True}
    return {
        "id": book.name_of(node) if node in book.rows else short_handle(snapshot, entry),
        "title": name_end(snapshot, node),
        "kind": entry.kind,
        "ghost": False,
    }
