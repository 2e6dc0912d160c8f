"""Show what is near in the graph for a page."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.model.knowledge import handle_of
from memotheca.toolkit.fields import flag, integer, many, number, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.views.surroundings import Radius, look_around


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    handle: str = text("Any handle: an id, e-1, a note's path, a document's filename, [node_…]", maxLength=4096)
    depth: int = integer("How many ties away", 1, minimum=1, maximum=3)
    limit: int = integer("How many nodes at most, those of the weightiest ties first", 30, minimum=1, maximum=200)
    ties: int = integer("How many edges at most, those of the center first", 80, minimum=1, maximum=5000)
    as_of: str | None = text("As it was then: an ISO-8601 time, or a transaction's number", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeShape:
    id: str = text()
    handle: str = text()
    title: str = text()
    kind: str = text()
    degree: int = integer()
    distance: int = integer()
    ghost: bool = flag()


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeShape:
    source: str = text()
    target: str = text()
    type: str = text()
    predicate: str = text()
    weight: float = number()
    handle: str | None = text(nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    center: str = text()
    nodes: tuple[NodeShape, ...] = many(NodeShape)
    edges: tuple[EdgeShape, ...] = many(EdgeShape)
    shown: int = integer()
    total: int = integer()
    edges_total: int = integer()


EXAMPLE = Example(
    arguments={"handle": "Ada"},
    after=(("relate", {"subject": "Ada", "predicate": "works_at", "object": "Analytical Engines"}),),
)


@tool(contract="console", effect="read", models=(Input, Output), example=EXAMPLE)
def console_neighbourhood(call: Call[Kernel], input: Input) -> Answer:
    """Show the nodes near one and the edges among them, the weightiest first where there are too many."""
    radius = Radius(depth=input.depth, limit=input.limit, ties=input.ties, as_of=input.as_of)
    found = look_around(call.kernel, input.handle, radius)
    nodes = tuple(
        NodeShape(
            id=near.shown.id,
            handle=near.shown.handle,
            title=near.shown.title,
            kind=near.shown.kind,
            degree=near.degree,
            distance=near.distance,
            ghost=near.shown.is_ghost,
        )
        for near in found.near
    )
    edges = tuple(
        EdgeShape(
            source=tie.source,
            target=tie.target,
            type=tie.type,
            predicate=tie.predicate,
            weight=round(tie.weight, 4),
            handle=None if tie.edge is None else handle_of(tie.edge),
        )
        for tie in found.ties
    )
    output = Output(
        center=found.center,
        nodes=nodes,
        edges=edges,
        shown=len(nodes),
        total=found.total,
        edges_total=found.tie_count,
    )
    return Answer(f"{len(nodes):,} of {found.total:,} nodes shown.", content=output)
