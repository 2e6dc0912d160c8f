"""Forget a concept."""

from dataclasses import dataclass
from typing import cast

from memotheca.admin.erasure import erase_everywhere
from memotheca.admin.manifest import strike
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.nodes import find_node
from memotheca.memory.curation.merge import forget
from memotheca.memory.curation.reversal import WINDOW
from memotheca.model.clock import to_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.toolkit.fields import choice, flag, integer, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

REASONS = ("obsolete", "duplicate", "incorrect", "user_requested", "semantic_cancer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    node_id: str = text("", format="uuid")
    soft_delete: bool = flag("Soft delete allows 30-day recovery", True)
    reason: str = choice(REASONS, "Reason for deletion")
    rationale: str = text("Detailed explanation", minLength=10, maxLength=1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    deleted: bool = flag()
    node_id: str = text()
    soft_deleted: bool = flag()
    edges_removed: int = integer()
    reversal_hash: str | None = text(nullable=True)
    restore_deadline: str | None = text(nullable=True)
    tx_id: int = integer()


EXAMPLE = Example(
    arguments={"node_id": "nightly job", "reason": "obsolete", "rationale": "The job was switched off in May."},
    after=(
        (
            "store_memory",
            {"content": "The nightly job takes the lock.", "rationale": "Seen in the log.", "name": "nightly job"},
        ),
    ),
)


@tool(contract="memories", component="curation", effect="destroy", models=(Input, Output), example=EXAMPLE)
def forget_concept(call: Call[Kernel], input: Input) -> Answer:
    """Forget a memory or anything else stored: recoverable for 30 days, or for good if the user asked for it."""
    if not input.soft_delete:
        return _erase(call, input)
    gone = forget(call.kernel, input.node_id, reason=input.reason, rationale=input.rationale, actor=call.actor)
    deadline = to_iso(gone.commit.time + WINDOW)
    output = Output(
        deleted=True,
        node_id=gone.version.id,
        soft_deleted=True,
        edges_removed=gone.edges,
        reversal_hash=gone.reversal_hash,
        restore_deadline=deadline,
        tx_id=gone.commit.tx,
    )
    sentence = f"Forgotten, with {gone.edges} edges; restore_from_hash brings it back until {deadline}."
    return Answer(sentence, f"{NODES}/{gone.version.id}", output)


def _erase(call: Call[Kernel], input: Input) -> Answer:
    if input.reason != "user_requested":
        message = "Only what the user asked to be deleted is deleted for good."
        raise Refusal(Failure.INVALID, message, field="soft_delete", constraint={"allowed": ["user_requested"]})
    with call.kernel.read() as snapshot:
        version = find_node(snapshot, input.node_id)
        id, edges = version.id, len(snapshot.edges_of(version.id))
    strike(call.kernel, cast(Entry, version.thing))
    gone = erase_everywhere(call.kernel, id, actor=call.actor)
    output = Output(
        deleted=True,
        node_id=id,
        soft_deleted=False,
        edges_removed=edges,
        reversal_hash=None,
        restore_deadline=None,
        tx_id=gone.tx,
    )
    return Answer("Deleted for good, from the journal, the index and the backups too.", f"{NODES}/{id}", output)
