"""Delete an entry or a triple."""

from dataclasses import dataclass

from memotheca.entries.edges import delete_edge
from memotheca.entries.entries import delete_entry
from memotheca.entries.refusals import OwnedByFile
from memotheca.kernel.kernel import Kernel
from memotheca.toolkit.fields import UNSET, choice, flag, integer, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.entries.contract import ENTRIES, TRIPLES, address, point_to_note_tool

TYPES = ("entry", "triple")


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    id: str = text("Such as e-42 or t-7.", minLength=1)
    entity_type: str = choice(TYPES, "", "entry")


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    id: str = text()
    entity_type: str = choice(TYPES)
    deleted: bool = flag()
    tx_id: int = integer()
    deleted_triples: int = integer(default=UNSET)


EXAMPLE = Example(arguments={"id": "e-1"}, after=(("store", {"topic": "obsolete", "content": "No longer so."}),))


@tool(contract="entries", effect="destroy", models=(Input, Output), example=EXAMPLE)
def delete(call: Call[Kernel], input: Input) -> Answer:
    """Delete an entry, with the triples that end at it, or one triple. It can be undone."""
    if input.entity_type == "triple":
        handle, tx = delete_edge(call.kernel, input.id, actor=call.actor)
        output = Output(id=handle, entity_type="triple", deleted=True, tx_id=tx)
        return Answer(f"Deleted triple {handle} in transaction {tx}.", address(TRIPLES, handle=handle), output)
    try:
        handle, edges, tx = delete_entry(call.kernel, input.id, actor=call.actor)
    except OwnedByFile as owned:
        raise point_to_note_tool(owned, "delete_node") from owned
    also = f" and {edges} {'triple' if edges == 1 else 'triples'}" if edges else ""
    output = Output(id=handle, entity_type="entry", deleted=True, tx_id=tx, deleted_triples=edges)
    return Answer(f"Deleted {handle}{also} in transaction {tx}.", address(ENTRIES, handle=handle), output)
