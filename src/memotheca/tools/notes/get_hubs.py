"""Find the most central nodes."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.notes import read_notes
from memotheca.notes.notices import take_warnings
from memotheca.toolkit.fields import UNSET, choice, integer
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.notes.contract import NOTES, Hubs, HubShape


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    metric: read_notes.Metric = choice(read_notes.METRICS, "Centrality metric", "in_degree")
    limit: int = integer("Maximum results", 10, minimum=1, maximum=50)


EXAMPLE = Example(
    arguments={"limit": 1},
    after=(
        ("create_node", {"title": "Ada", "content": "A person."}),
        ("create_node", {"title": "Tea", "content": "[[Ada]] takes it black."}),
        ("create_node", {"title": "Engine", "content": "[[Ada]] wrote about it."}),
    ),
)


@tool(contract="notes", effect="read", models=(Input, Hubs), example=EXAMPLE)
def get_hubs(call: Call[Kernel], input: Input) -> Answer:
    """Get most central nodes by graph metric."""
    found = read_notes.get_hubs(call.kernel, input.metric, limit=input.limit)
    hubs = tuple(HubShape(id=id, title=title, score=score) for id, title, score in found)
    warnings = take_warnings(call.kernel, [hub.id for hub in hubs], named=True) or UNSET
    return Answer(f"{len(hubs)} hubs.", NOTES, Hubs(result=hubs, _warnings=warnings))
