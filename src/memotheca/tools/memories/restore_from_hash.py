"""Restore what was forgotten or merged."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation.restore import restore
from memotheca.model.clock import to_iso
from memotheca.model.knowledge import counted
from memotheca.toolkit.fields import flag, integer, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.names import name_of_act


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    reversal_hash: str = text("Hash from original delete/merge operation")


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    success: bool = flag()
    restored_nodes: tuple[str, ...] = texts()
    restored_edges: int = integer()
    waiting_edges: tuple[str, ...] = texts()
    rewired: tuple[str, ...] = texts()
    original_operation: str = text()
    operation_timestamp: str = text()
    already_restored: bool = flag()


EXAMPLE = Example(
    arguments={"reversal_hash": "$reversal_hash"},
    after=(
        (
            "store_memory",
            {"content": "The nightly job takes the lock.", "rationale": "Seen in the log.", "name": "nightly job"},
        ),
        ("forget_concept", {"node_id": "nightly job", "reason": "obsolete", "rationale": "Switched off in May."}),
    ),
)


@tool(
    contract="memories", component="curation", effect="change", models=(Input, Output), example=EXAMPLE, idempotent=True
)
def restore_from_hash(call: Call[Kernel], input: Input) -> Answer:
    """Bring back what forget_concept or merge_concepts took away, or a machine changed, exactly as it was, within 30
    days; a dream_id takes back all of a dream."""
    restored = restore(call.kernel, input.reversal_hash, actor=call.actor)
    output = Output(
        success=True,
        restored_nodes=restored.nodes,
        restored_edges=len(restored.edges),
        waiting_edges=restored.waiting,
        rewired=restored.rewired,
        original_operation=name_of_act(restored.commit.verb) or restored.commit.operation,
        operation_timestamp=to_iso(restored.commit.time),
        already_restored=restored.was_restored,
    )
    return Answer(_tell(output), NODES, output)


def _tell(output: Output) -> str:
    """What came back; of what changed neither memories nor links, what did."""
    parts = [(len(output.restored_nodes), "node"), (output.restored_edges, "edge")]
    several = " and ".join(counted(many, noun) for many, noun in parts if many)
    if not several:
        again = " already" if output.already_restored else ""
        return f"What was changed then ({output.original_operation}) is{again} as it was before."
    if output.already_restored:
        return f"{several} had come back before."
    return f"{several} came back as {'it was' if sum(many for many, _ in parts) == 1 else 'they were'}."
