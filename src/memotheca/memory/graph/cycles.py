"""Circles: what must not be its own cause, its own part or its own successor, however long the way around."""

from collections.abc import Collection, Iterable, Sequence

from memotheca.memory.graph.relations import SUPERSEDES
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import CAUSAL, HIERARCHICAL
from memotheca.model.knowledge import Edge
from memotheca.storage.adjacency import joints_at
from memotheca.storage.snapshot import Snapshot

STRAIGHT = (CAUSAL, HIERARCHICAL)
MOST = 2000  # chosen: milliseconds; a longer way around is not looked for


def find_way(
    snapshot: Snapshot, start: str, goals: Collection[str], type: str, *, around: str | None = None
) -> list[str]:
    """The shortest way along edges of a type from an entry to one of several others, with both ends, around one that
    it must not pass; empty where there is none among so many edges."""
    came: dict[str, str] = {}
    border, looked = [start], 0
    while border and looked < MOST:
        joints = joints_at(snapshot, border, "source", type=type, limit=MOST - looked)
        looked += len(joints)
        border = list[str]()
        for joint in joints:
            if joint.target in came or joint.target in (start, around):
                continue
            came[joint.target] = joint.source
            if joint.target in goals:
                return _walked(came, joint.target, start)
            border.append(joint.target)
    return []


def _walked(came: dict[str, str], end: str, start: str) -> list[str]:
    way = [end]
    while way[-1] != start:
        way.append(came[way[-1]])
    return way[::-1]


def refuse_circle(snapshot: Snapshot, ids: Collection[str]) -> None:
    """Refuse to make one of entries of which one brings about or holds another by way of a third."""
    for type in STRAIGHT:
        for id in sorted(ids):
            way = _around(snapshot, id, ids, type)
            if way:
                verb = "bring itself about" if type == CAUSAL else "be a part of itself"
                raise Refusal(
                    Failure.CYCLIC,
                    f"Merged, it would {verb} by way of others.",
                    field="source_node_ids",
                    details={"edge_type": type, "cycle": way},
                )


def _around(snapshot: Snapshot, id: str, ids: Collection[str], type: str) -> list[str]:
    """A way from one of them to another through somebody else; what leads directly falls away with them."""
    for joint in joints_at(snapshot, [id], "source", type=type, limit=MOST):
        if joint.target not in ids:
            way = find_way(snapshot, joint.target, set(ids) - {id}, type, around=id)
            if way:
                return [id, *way]
    return []


def refuse_superseding_itself(snapshot: Snapshot, edges: Iterable[Edge], field: str) -> None:
    """Refuse edges, which stand already, by which something supersedes what supersedes it: both would be over, and
    neither hold."""
    for edge in edges:
        way = _succession(snapshot, edge) if edge.predicate == SUPERSEDES else []
        if way:
            raise Refusal(
                Failure.CYCLIC,
                "It would supersede what supersedes it. If it holds again, take that link away first (`unlink` with "
                "the relation “supersedes”).",
                field=field,
                details={"edge_type": edge.type, "predicate": SUPERSEDES, "cycle": way},
            )


def _succession(snapshot: Snapshot, edge: Edge) -> list[str]:
    """The circle that an edge closes, from its source back to it, along what supersedes what."""
    came, border = {edge.target: edge.source}, [edge.target]
    for id in border:
        for each in snapshot.edges_from(id, SUPERSEDES) if len(came) < MOST else ():
            if each.target == edge.source:
                return [edge.source, *_walked(came, id, edge.source)[1:], edge.source]
            if each.target not in came:
                came[each.target] = id
                border.append(each.target)
    return []


def without_circles(snapshot: Snapshot, id: str, asked: Sequence[Edge], found: Sequence[Edge]) -> list[Edge]:
    """The edges that were found for a new entry, but those that would close a circle with those that were asked for
    or found before them."""
    kept: list[Edge] = []
    for edge in found:
        same = [other for other in (*asked, *kept) if other.type == edge.type]
        out, into = {each.target for each in same if each.source == id}, {each.source for each in same} - {id}
        starts, goals = ({edge.target}, into) if edge.source == id else (out, {edge.source})
        may_close = edge.type in STRAIGHT and bool(goals)
        if not may_close or not any(start in goals or find_way(snapshot, start, goals, edge.type) for start in starts):
            kept.append(edge)
    return kept
