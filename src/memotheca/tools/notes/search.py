"""Search notes by meaning."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.model.kinds import NOTE
from memotheca.notes.find_notes import search_notes
from memotheca.notes.notices import take_warnings
from memotheca.toolkit.contract import room_for
from memotheca.toolkit.fields import UNSET, integer, number, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.elsewhere import point_elsewhere
from memotheca.tools.notes.contract import LISTED, NOTES, FoundNode, FoundNodes, fit_nodes, node_fields

USUAL = 10  # specification: the default of `limit`


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    query: str = text("Natural language search query")
    limit: int = integer("Maximum results to return", USUAL, minimum=1, maximum=50)
    threshold: float = number("Least similarity (cosine)", UNSET, minimum=0, maximum=1)


EXAMPLE = Example(
    arguments={"query": "which drink keeps Ada awake"},
    after=(("create_node", {"title": "Ada's tea", "content": "She drinks it black, all night long."}),),
)


@tool(contract="notes", effect="read", models=(Input, FoundNodes), example=EXAMPLE, needs=("embedder",))
def search(call: Call[Kernel], input: Input) -> Answer:
    """Semantic similarity search over the notes, best match first; exact words count too."""
    found = search_notes(call.kernel, input.query, limit=input.limit, threshold=said(input).get("threshold"))
    shapes = [FoundNode(**node_fields(node, LISTED), score=score) for node, score in found]
    nodes, told = fit_nodes(shapes, room_for(input.limit, USUAL))
    warnings = (
        take_warnings(call.kernel, [node.id for node in nodes], named=True) if nodes else _elsewhere(call, input.query)
    )
    warnings = (*warnings, *told) or UNSET
    return Answer(f"Found {len(nodes)} notes.", NOTES, FoundNodes(result=nodes, _warnings=warnings))


def _elsewhere(call: Call[Kernel], query: str) -> tuple[str, ...]:
    found = point_elsewhere(call.kernel, query, but=NOTE, shows=call.shows) if query.strip() else ""
    return (f"No note matches. {found}",) if found else ()
