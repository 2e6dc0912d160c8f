"""Find nodes by their tags."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.notes import read_notes
from memotheca.notes.notices import take_warnings
from memotheca.toolkit.contract import room_for
from memotheca.toolkit.fields import UNSET, choice, integer, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.notes.contract import LISTED, NOTES, Nodes, fit_nodes, node_shape

USUAL = 20  # specification: the default of `limit`


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    tags: tuple[str, ...] = texts("Tags to match", minItems=1)
    mode: read_notes.Mode = choice(read_notes.MODES, "any = OR matching, all = AND matching", "any")
    limit: int = integer("Maximum results", USUAL, minimum=1, maximum=100)


EXAMPLE = Example(
    arguments={"tags": ["drinks"]},
    after=(("create_node", {"title": "Tea", "content": "Black. #drinks/hot"}),),
)


@tool(contract="notes", effect="read", models=(Input, Nodes), example=EXAMPLE)
def search_by_tags(call: Call[Kernel], input: Input) -> Answer:
    """Filter nodes by tags; a tag also matches the tags nested in it."""
    found = read_notes.search_by_tags(call.kernel, input.tags, mode=input.mode, limit=input.limit)
    nodes, told = fit_nodes([node_shape(node, LISTED) for node in found], room_for(input.limit, USUAL))
    warnings = (*take_warnings(call.kernel, [node.id for node in nodes], named=True), *told) or UNSET
    return Answer(f"{len(nodes)} nodes.", NOTES, Nodes(result=nodes, _warnings=warnings))
