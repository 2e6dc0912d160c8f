"""Delete a note."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.notes import write_notes
from memotheca.toolkit.fields import UNSET, flag, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.notes.contract import NOTES, Deleted, FileChange, Preview


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    id: str = text("Node ID to delete")
    dry_run: bool = flag("Only show what would change", False)


EXAMPLE = Example(arguments={"id": "tea.md"}, after=(("create_node", {"title": "Tea", "content": "Cold."}),))


@tool(contract="notes", effect="destroy", models=(Input, Deleted, Preview), example=EXAMPLE, idempotent=True)
def delete_node(call: Call[Kernel], input: Input) -> Answer:
    """Delete a node and its file. It can be undone; links to it stay and lead nowhere."""
    done = write_notes.delete_note(call.kernel, input.id, actor=call.actor, dry_run=input.dry_run)
    warnings = done.warnings or UNSET
    if input.dry_run:
        changes = tuple(FileChange(id=each.id, change=each.change, links=each.links) for each in done.changes)
        return Answer("Nothing was deleted.", NOTES, Preview(would_change=changes, _warnings=warnings))
    deleted = bool(done.changes)
    sentence = f"Deleted {input.id}." if deleted else "There is no such node."
    return Answer(sentence, NOTES, Deleted(deleted=deleted, _warnings=warnings))
