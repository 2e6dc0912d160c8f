"""Ties: making and taking away edges between what is stored already."""

from dataclasses import dataclass

from memotheca.kernel.nodes import find_node
from memotheca.memory.curation.links import StatedRelation, stated_edges
from memotheca.memory.graph.cycles import STRAIGHT, find_way, refuse_superseding_itself
from memotheca.memory.graph.relations import read_relation
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import HIERARCHICAL
from memotheca.model.knowledge import Edge
from memotheca.storage.store import Transaction

LINK_TO, UNLINK = "link_to", "unlink"


@dataclass(frozen=True, slots=True, kw_only=True)
class TieRequest:
    """Handles of what something is to be linked to, and of what it was wrongly linked to, both by a relation."""

    link_to: tuple[str, ...] = ()
    unlink: tuple[str, ...] = ()
    relation: StatedRelation = StatedRelation()


@dataclass(frozen=True, slots=True)
class Tied:
    """The edges that were made and taken away, and the circle of causes that one of them closes, if any."""

    made: tuple[Edge, ...] = ()
    removed: tuple[Edge, ...] = ()
    circle: tuple[str, ...] = ()


def tie(transaction: Transaction, id: str, request: TieRequest) -> Tied:
    """Link and unlink, by the relation; where none is said, every edge between the two is taken away. What was linked
    so already is only weighed anew."""
    removed = _untied(transaction, id, request)
    others = [find_node(transaction, handle, field=LINK_TO).id for handle in request.link_to]
    if id in others:
        raise Refusal(Failure.INVALID, "A node is not linked to itself.", field=LINK_TO)
    made: list[Edge] = []
    circle: list[str] = []
    for edge in stated_edges(transaction, id, others, request.relation):
        is_straight = edge.type in STRAIGHT
        way = find_way(transaction, edge.target, {edge.source}, edge.type) if is_straight else []
        if way and edge.type == HIERARCHICAL:
            raise Refusal(
                Failure.CYCLIC,
                "It would be a part of itself by way of others.",
                field=LINK_TO,
                details={"edge_type": edge.type, "cycle": [edge.source, *way]},
            )
        circle = circle or ([edge.source, *way] if way else [])
        same = _between(transaction, (edge.source, edge.target), edge.predicate)
        if same and (same[0].weight, same[0].confidence) == (edge.weight, edge.confidence):
            continue
        for before in same:
            transaction.remove(before)
        transaction.put(edge)
        refuse_superseding_itself(transaction, [edge], LINK_TO)
        made.append(edge)
    return Tied(tuple(made), tuple(removed), tuple(circle))


def _untied(transaction: Transaction, id: str, request: TieRequest) -> list[Edge]:
    word = request.relation.word
    predicate = read_relation(word).predicate if word and not request.link_to else None
    removed: list[Edge] = []
    for handle in request.unlink:
        other = find_node(transaction, handle, field=UNLINK).id
        edges = [edge for ends in ((id, other), (other, id)) for edge in _between(transaction, ends, predicate)]
        if not edges:
            raise Refusal(Failure.NOT_FOUND, f"There is no such link to {handle!r}.", field=UNLINK)
        for edge in {edge.id: edge for edge in edges}.values():
            transaction.remove(edge)
            removed.append(edge)
    return removed


def _between(transaction: Transaction, ends: tuple[str, str], predicate: str | None) -> list[Edge]:
    return [edge for edge in transaction.edges_from(ends[0], predicate) if edge.target == ends[1]]
