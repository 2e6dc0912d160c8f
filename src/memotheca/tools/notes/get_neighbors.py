"""Get the nodes around a node."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.notes import read_notes
from memotheca.notes.notices import take_warnings
from memotheca.toolkit.contract import room_for
from memotheca.toolkit.fields import UNSET, choice, integer, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.notes.contract import LISTED, NOTES, Nodes, fit_nodes, node_shape

USUAL = 20  # specification: the default of `limit`


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    id: str = text("Source node ID")
    direction: read_notes.Direction = choice(
        read_notes.DIRECTIONS, "in = nodes linking here, out = nodes linked to, both = all", "both"
    )
    limit: int = integer("Maximum neighbors to return", USUAL, minimum=1, maximum=50)


EXAMPLE = Example(
    arguments={"id": "ada.md", "direction": "in"},
    after=(
        ("create_node", {"title": "Ada", "content": "A person."}),
        ("create_node", {"title": "Tea", "content": "[[Ada]] takes it black."}),
    ),
)


@tool(contract="notes", effect="read", models=(Input, Nodes), example=EXAMPLE)
def get_neighbors(call: Call[Kernel], input: Input) -> Answer:
    """Get nodes linked to/from a node; those it links to come first."""
    found = read_notes.get_neighbours(call.kernel, input.id, direction=input.direction, limit=input.limit)
    nodes, told = fit_nodes([node_shape(node, LISTED) for node in found], room_for(input.limit, USUAL))
    warnings = (*take_warnings(call.kernel, [node.id for node in nodes], named=True), *told) or UNSET
    return Answer(f"{len(nodes)} neighbors.", NOTES, Nodes(result=nodes, _warnings=warnings))
