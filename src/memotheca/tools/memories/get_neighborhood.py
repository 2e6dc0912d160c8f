"""Get the neighborhood of a node."""

from dataclasses import dataclass
from typing import cast

from memotheca.kernel.citations import citation_of, name_of
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.nodes import find_called
from memotheca.memory.graph.walk import Neighbour, confidence_of, is_shortcut, look_around, mapped
from memotheca.memory.session.state import activity_of
from memotheca.memory.session.walk_log import walks_of
from memotheca.memory.traits import importance_of
from memotheca.model.kinds import EDGE_TYPES
from memotheca.model.knowledge import Edge, Entry, counted
from memotheca.toolkit.contract import ROOM, count_fitting, weigh
from memotheca.toolkit.fields import UNSET, flag, integer, many, number, one, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    node_id: str = text("", format="uuid")
    depth: int = integer("Traversal depth", 1, minimum=1, maximum=3)
    edge_types: tuple[str, ...] = texts("Filter by edge type", UNSET, values=EDGE_TYPES)
    min_weight: float = number("Minimum edge weight", 0.3, minimum=0, maximum=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class FocalShape:
    id: str = text()
    name: str = text()
    kind: str = text()
    citation: str = text()
    importance: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighborShape:
    id: str = text()
    name: str = text()
    kind: str = text()
    citation: str = text()
    edge_type: str = text()
    predicate: str = text()
    weight: float = number()
    effective_weight: float = number()
    confidence: float = number()
    direction: str = text()
    hop: int = integer()
    via: str = text()
    is_shortcut: bool = flag()


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeShape:
    source: str = text()
    target: str = text()
    type: str = text()
    predicate: str = text()
    weight: float = number()
    confidence: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    focal_node: FocalShape = one(FocalShape)
    neighbors: tuple[NeighborShape, ...] = many(NeighborShape)
    count: int = integer()
    edges: tuple[EdgeShape, ...] = many(EdgeShape)
    truncated: bool = flag()


# Chosen: what is kept free for edges where there are many neighbors.
FEW_EDGES = 2_500

EXAMPLE = Example(
    arguments={"node_id": "the lock"},
    after=(
        (
            "store_memory",
            {"content": "The lock is held too long.", "rationale": "Seen in the log.", "name": "the lock"},
        ),
        (
            "store_memory",
            {
                "content": "Deploys fail on Tuesdays.",
                "rationale": "It cost two hours.",
                "link_to": ["the lock"],
                "metadata": {"relation": "causal"},
            },
        ),
    ),
)


@tool(contract="memories", component="retrieval", effect="read", models=(Input, Output), example=EXAMPLE)
def get_neighborhood(call: Call[Kernel], input: Input) -> Answer:
    """What a node is connected to, by what kind of edge and how strongly: the strongest first, up to three steps."""
    with mapped(call.kernel) as chart:
        focal = cast(Entry, find_called(chart.snapshot, input.node_id).thing)
        found = look_around(
            chart, focal, depth=input.depth, types=input.edge_types or EDGE_TYPES, min_weight=input.min_weight
        )
    activity_of(call.kernel).look(call.kernel.collection, [focal.id], call.kernel.now())
    walks_of(call.kernel).walk(call.kernel.collection, found.paths(), call.kernel.now())
    every = tuple(_neighbor(each) for each in found.neighbours)
    neighbors = every[: count_fitting(every, ROOM - FEW_EDGES)]
    shown = {focal.id, *(each.id for each in neighbors)}
    edges = tuple(_edge(edge) for edge in found.edges if {edge.source, edge.target} <= shown)
    fitting = count_fitting(edges, ROOM - sum(map(weigh, neighbors)))
    output = Output(
        focal_node=FocalShape(
            id=focal.id,
            name=name_of(focal),
            kind=focal.kind,
            citation=citation_of(focal),
            importance=importance_of(focal),
        ),
        neighbors=neighbors,
        count=len(neighbors),
        edges=edges[:fitting],
        truncated=found.truncated or len(neighbors) < len(every) or fitting < len(edges),
    )
    most = ", the strongest of more" if output.truncated else ""
    told = [f'Around "{name_of(focal)}": {counted(len(neighbors), "node")}{most}.', *map(_line, neighbors)]
    return Answer("\n".join(told), f"{NODES}/{focal.id}", output, is_text_alone=True)


def _line(found: NeighborShape) -> str:
    """A node as text: how many steps away, which way the edge points, what it says."""
    arrow = "→" if found.direction == "out" else "←"
    return f"{'  ' * (found.hop - 1)}{arrow} {found.predicate}: {found.name} {found.citation}"


def _neighbor(found: Neighbour) -> NeighborShape:
    step = found.step
    return NeighborShape(
        id=found.entry.id,
        name=name_of(found.entry),
        kind=found.entry.kind,
        citation=citation_of(found.entry),
        edge_type=step.edge.type,
        predicate=step.edge.predicate,
        weight=round(step.edge.weight, 4),
        effective_weight=round(step.strength, 4),
        confidence=round(confidence_of(step.edge), 4),
        direction=step.direction,
        hop=found.hop,
        via=step.origin,
        is_shortcut=is_shortcut(step.edge),
    )


def _edge(edge: Edge) -> EdgeShape:
    return EdgeShape(
        source=edge.source,
        target=edge.target,
        type=edge.type,
        predicate=edge.predicate,
        weight=round(edge.weight, 4),
        confidence=round(confidence_of(edge), 4),
    )
