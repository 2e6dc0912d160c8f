"""Find the way between two nodes."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.notes import read_notes
from memotheca.notes.notices import take_warnings
from memotheca.toolkit.fields import UNSET, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.notes.contract import NOTES, Nothing, PathShape


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    source: str = text("Start node ID")
    target: str = text("End node ID")


EXAMPLE = Example(
    arguments={"source": "tea.md", "target": "engine.md"},
    after=(
        ("create_node", {"title": "Tea", "content": "[[Ada]] takes it black."}),
        ("create_node", {"title": "Ada", "content": "She wrote about the [[Engine]]."}),
        ("create_node", {"title": "Engine", "content": "It weaves."}),
    ),
)


@tool(contract="notes", effect="read", models=(Input, PathShape, Nothing), example=EXAMPLE)
def find_path(call: Call[Kernel], input: Input) -> Answer:
    """Find shortest path between two nodes, along the links; null if no path exists."""
    path = read_notes.find_path(call.kernel, input.source, input.target)
    warnings = take_warnings(call.kernel, path or [], named=True) or UNSET
    if path is None:
        return Answer("There is no path.", NOTES, Nothing(_warnings=warnings))
    shape = PathShape(path=tuple(path), length=len(path) - 1, _warnings=warnings)
    return Answer(" > ".join(path), NOTES, shape)
