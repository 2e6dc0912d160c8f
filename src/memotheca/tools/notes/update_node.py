"""Change a note."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.notes import write_notes
from memotheca.toolkit.fields import UNSET, flag, said, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.notes.contract import NOTES, PRIMARY, FileChange, Preview, WarnedNode, node_fields
from memotheca.vault.files import MAX_SIZE


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    id: str = text("Node ID to update")
    title: str = text("New title (renames file for DocStore)", UNSET)
    content: str = text("New content (replaces entirely)", UNSET, longest=MAX_SIZE)
    tags: tuple[str, ...] = texts("New tags (replaces existing)", UNSET)
    dry_run: bool = flag("Only show what would change", False)


EXAMPLE = Example(
    arguments={"id": "tea.md", "title": "Black Tea"},
    after=(
        ("create_node", {"title": "Tea", "content": "Hot."}),
        ("create_node", {"title": "Ada", "content": "She drinks [[tea|her tea]]."}),
    ),
)


@tool(contract="notes", effect="change", models=(Input, WarnedNode, Preview), example=EXAMPLE, idempotent=True)
def update_node(call: Call[Kernel], input: Input) -> Answer:
    """Update an existing node. A new title renames the file and rewrites every link to it, as one change."""
    given = said(input)
    changes = write_notes.NoteEdit(**{name: given.get(name) for name in ("title", "content", "tags")})
    done = write_notes.update_note(call.kernel, input.id, changes, actor=call.actor, dry_run=input.dry_run)
    if done.node is None:
        files = tuple(FileChange(id=each.id, change=each.change, links=each.links) for each in done.changes)
        return Answer("Nothing was written.", NOTES, Preview(would_change=files, _warnings=done.warnings or UNSET))
    shape = WarnedNode(**node_fields(done.node, PRIMARY), _warnings=done.warnings or UNSET)
    return Answer(f"Updated {shape.id}.", NOTES, shape)
