"""Get a node by chance."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.notes import read_notes
from memotheca.notes.notices import take_warnings
from memotheca.toolkit.fields import UNSET, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.notes.contract import NOTES, Nothing, WarnedNode, primary_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    tags: tuple[str, ...] = texts("Optional: limit to nodes with these tags (any match)", UNSET)


EXAMPLE = Example(
    arguments={"tags": ["idea"]},
    after=(("create_node", {"title": "Weaving", "content": "With holes in cards.", "tags": ["idea"]}),),
)


@tool(contract="notes", effect="read", models=(Input, WarnedNode, Nothing), example=EXAMPLE)
def random_node(call: Call[Kernel], input: Input) -> Answer:
    """Get random node for discovery; null if no node matches."""
    node = read_notes.random_node(call.kernel, input.tags or ())
    warnings = take_warnings(call.kernel, [] if node is None else [node.id])
    if node is None:
        return Answer("There is no node.", NOTES, Nothing(_warnings=warnings or UNSET))
    fields, told = primary_fields(node)
    return Answer(node.title, NOTES, WarnedNode(**fields, _warnings=(*warnings, *told) or UNSET))
