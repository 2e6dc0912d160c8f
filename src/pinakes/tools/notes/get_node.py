"""Get one node."""

from dataclasses import dataclass

from pinakes.contracts.notes import (
    NEIGHBOUR,
    NOTES,
    PRIMARY,
    ContextShape,
    Nothing,
    WarnedNode,
    node_fields,
    node_shape,
)
from pinakes.engine import notes
from pinakes.engine.kernel import Kernel
from pinakes.engine.noticing import take_warnings
from pinakes.toolkit.fields import UNSET, integer, text
from pinakes.toolkit.tool import Answer, Call, Example, tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    id: str = text("Node ID (file path for DocStore)")
    depth: int = integer("0 = node only, 1 = include neighbors", 0, minimum=0, maximum=1)


EXAMPLE = Example(
    arguments={"id": "tea.md", "depth": 1},
    after=(
        ("create_node", {"title": "Tea", "content": "Ada takes it black. See [[Ada]].", "tags": ["drinks"]}),
        ("create_node", {"title": "Ada", "content": "She wrote [[Notes on the engine]]."}),
    ),
)


@tool(contract="notes", effect="read", models=(Input, WarnedNode, ContextShape, Nothing), example=EXAMPLE)
def get_node(call: Call[Kernel], input: Input) -> Answer:
    """Retrieve single node with optional neighbor context; null if there is none."""
    node = notes.get_node(call.kernel, input.id)
    if node is None:
        return Answer("There is no such node.", NOTES, Nothing(_warnings=take_warnings(call.kernel, []) or UNSET))
    warnings = take_warnings(call.kernel, [node.id]) or UNSET
    fields = node_fields(node, PRIMARY)
    if input.depth == 0:
        return Answer(node.title, NOTES, WarnedNode(**fields, _warnings=warnings))
    around = notes.get_context(call.kernel, node.key)
    outgoing = tuple(node_shape(each, NEIGHBOUR) for each in around.outgoing)
    incoming = tuple(node_shape(each, NEIGHBOUR) for each in around.incoming)
    shape = ContextShape(
        **fields,
        neighbors=outgoing + tuple(each for each in incoming if each not in outgoing),
        outgoingNeighbors=outgoing,
        incomingNeighbors=incoming,
        incomingCount=around.incoming_count,
        outgoingCount=around.outgoing_count,
        _warnings=warnings,
    )
    return Answer(node.title, NOTES, shape)
