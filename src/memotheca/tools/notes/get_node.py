"""Get one node."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.notes import read_notes
from memotheca.notes.notices import take_warnings
from memotheca.toolkit.fields import UNSET, integer, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.notes.contract import (
    LISTS,
    NEIGHBOUR,
    NOTES,
    ContextShape,
    Nothing,
    WarnedNode,
    fit_nodes,
    node_shape,
    primary_fields,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    id: str = text("Node ID (file path for DocStore)")
    depth: int = integer("0 = node only, 1 = include neighbors", 0, minimum=0, maximum=1)


# Chosen: what the neighbours may take, which are shown twice.
AROUND = 8_000

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
    node = read_notes.get_node(call.kernel, input.id)
    if node is None:
        return Answer("There is no such node.", NOTES, Nothing(_warnings=take_warnings(call.kernel, []) or UNSET))
    fields, told = primary_fields(node, LISTS if input.depth == 0 else LISTS // 2)
    warnings = (*take_warnings(call.kernel, [node.id]), *told)
    if input.depth == 0:
        return Answer(node.title, NOTES, WarnedNode(**fields, _warnings=warnings or UNSET))
    around = read_notes.get_context(call.kernel, node.key)
    shapes = [node_shape(each, NEIGHBOUR) for each in (*around.outgoing, *around.incoming)]
    fitting, told = fit_nodes(shapes, AROUND)
    outgoing, incoming = fitting[: len(around.outgoing)], fitting[len(around.outgoing) :]
    shape = ContextShape(
        **fields,
        neighbors=outgoing + tuple(each for each in incoming if each not in outgoing),
        outgoingNeighbors=outgoing,
        incomingNeighbors=incoming,
        incomingCount=around.incoming_count,
        outgoingCount=around.outgoing_count,
        _warnings=(*warnings, *told) or UNSET,
    )
    return Answer(node.title, NOTES, shape)
