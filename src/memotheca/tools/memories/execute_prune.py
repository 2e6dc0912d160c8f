"""Prune memories."""

from dataclasses import dataclass
from typing import cast

from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation.reversal import WINDOW
from memotheca.memory.dream.prune import REASONS, PruneReason, PruneRequest, prune
from memotheca.model.clock import to_iso
from memotheca.model.knowledge import counted
from memotheca.toolkit.fields import UNSET, choice, flag, integer, many, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

TOLD = 10  # chosen: lines that anybody reads; the structure has them all


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    node_ids: tuple[str, ...] = texts("Memories to let go.", minItems=1, maxItems=1000)
    reason: str = choice(REASONS, "Each memory needs a ground of its own that this speaks of.")
    cascade: bool = flag("Also what they had superseded.", False)
    rationale: str = text("Why.", UNSET, minLength=10, maxLength=1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorShape:
    node_id: str = text()
    error: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    pruned_count: int = integer()
    pruned: tuple[str, ...] = texts()
    cascade_pruned: int = integer()
    errors: tuple[ErrorShape, ...] = many(ErrorShape)
    soft_deleted: bool = flag()
    recoverable_until: str | None = text(default=None, nullable=True)
    reason: str = text()
    reversal_hashes: tuple[str, ...] = texts("One, for all of them went together.")
    tx_id: int | None = integer(default=None, nullable=True)


EXAMPLE = Example(
    arguments={"node_ids": ["port"], "reason": "staleness"},
    after=(
        ("store_memory", {"content": "The gateway listens on port 8080.", "rationale": "Set up.", "name": "port"}),
        (
            "store_memory",
            {
                "content": "The gateway listens on port 9090.",
                "rationale": "Moved behind the proxy.",
                "supersedes": ["port"],
            },
        ),
    ),
)


@tool(contract="memories", component="curation", effect="destroy", models=(Input, Output), example=EXAMPLE)
def execute_prune(call: Call[Kernel], input: Input) -> Answer:
    """Let go of memories for which there is a ground, as get_pruning_candidates tells; the others stay, with why.
    Low alignment alone is none. One transaction, which restore_from_hash takes back within 30 days."""
    asked = PruneRequest(
        handles=input.node_ids,
        reason=cast(PruneReason, input.reason),
        cascade=input.cascade,
        rationale=input.rationale or "",
    )
    pruned = prune(call.kernel, asked, actor=call.actor)
    commit = pruned.commit
    until = None if commit is None else to_iso(commit.time + WINDOW)
    output = Output(
        pruned_count=len(pruned.gone),
        pruned=tuple(each.entry.id for each in (*pruned.gone, *pruned.along)),
        cascade_pruned=len(pruned.along),
        errors=tuple(ErrorShape(node_id=handle, error=why) for handle, why in pruned.refused),
        soft_deleted=commit is not None,
        recoverable_until=until,
        reason=input.reason,
        reversal_hashes=() if pruned.reversal_hash is None else (pruned.reversal_hash,),
        tx_id=None if commit is None else commit.tx,
    )
    gone = counted(len(pruned.gone) + len(pruned.along), "memory")
    stayed = [f"{handle} stays: {why}" for handle, why in pruned.refused[:TOLD]]
    if len(pruned.refused) > TOLD:
        stayed.append(f"{len(pruned.refused) - TOLD} more stay, as errors says.")
    back = f" restore_from_hash brings back {pruned.reversal_hash} until {until}." if until else ""
    return Answer("\n".join((f"Let go of {gone}.{back}", *stayed)), NODES, output)
