"""Create a note."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.notes import write_notes
from memotheca.toolkit.fields import UNSET, flag, said, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.notes.contract import NOTES, PRIMARY, FileChange, Preview, WarnedNode, node_fields
from memotheca.vault.files import MAX_SIZE


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    title: str = text("Node title (becomes filename for DocStore)")
    content: str = text("Full text content (markdown)", longest=MAX_SIZE)
    tags: tuple[str, ...] = texts("Classification tags", ())
    directory: str = text("Optional: subdirectory path (e.g., 'notes/drafts')", UNSET)
    dry_run: bool = flag("Only show what would change", False)


EXAMPLE = Example(
    arguments={
        "title": "Meeting Notes 2024-01-15",
        "content": "# Meeting Notes\n\nDiscussed project timeline...",
        "tags": ["meeting", "project-x"],
        "directory": "meetings",
    }
)


@tool(contract="notes", effect="add", models=(Input, WarnedNode, Preview), example=EXAMPLE)
def create_node(call: Call[Kernel], input: Input) -> Answer:
    """Create a new node (writes file for DocStore). Fails if the file already exists."""
    draft = write_notes.NoteDraft(
        title=input.title, content=input.content, tags=input.tags, directory=said(input).get("directory", "")
    )
    done = write_notes.create_note(call.kernel, draft, actor=call.actor, dry_run=input.dry_run)
    if done.node is None:
        changes = tuple(FileChange(id=each.id, change=each.change, links=each.links) for each in done.changes)
        return Answer("Nothing was written.", NOTES, Preview(would_change=changes, _warnings=done.warnings or UNSET))
    shape = WarnedNode(**node_fields(done.node, PRIMARY), _warnings=done.warnings or UNSET)
    return Answer(f"Created {shape.id}.", NOTES, shape)
