"""Find the most central nodes."""

from dataclasses import dataclass

from memotheca.contracts.notes import NOTES, Hubs, HubShape
from memotheca.engine import notes
from memotheca.engine.kernel import Kernel
from memotheca.engine.noticing import take_warnings
from memotheca.toolkit.fields import UNSET, choice, integer
from memotheca.toolkit.tool import Answer, Call, Example, tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    metric: notes.Metric = choice(notes.METRICS, "Centrality metric", "in_degree")
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
    found = notes.get_hubs(call.kernel, input.metric, limit=input.limit)
    hubs = tuple(HubShape(id=id, title=title, score=score) for id, title, score in found)
    warnings = take_warnings(call.kernel, [hub.id for hub in hubs], named=True) or UNSET
    return Answer(f"{len(hubs)} hubs.", NOTES, Hubs(result=hubs, _warnings=warnings))
