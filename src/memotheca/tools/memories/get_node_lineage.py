"""Get a node's lineage."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation.lineage import LineageStep, find_lineage
from memotheca.model.clock import to_iso
from memotheca.notes.sync import ACTOR as VAULT
from memotheca.toolkit.fields import flag, integer, many, one, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

_PEOPLE = ("cli", VAULT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    node_id: str = text("", format="uuid")
    depth: int = integer("How many generations of merging to follow back.", 5, minimum=1, maximum=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActorShape:
    type: str = text()
    id: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class StepShape:
    timestamp: str = text()
    change_type: str = text()
    actor: ActorShape = one(ActorShape)
    description: str = text()
    reversal_hash: str | None = text(default=None, nullable=True)
    tx_id: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    node_id: str = text()
    lineage: tuple[StepShape, ...] = many(StepShape)
    count: int = integer()
    merged_from: tuple[str, ...] = texts()
    merged_into: str | None = text(default=None, nullable=True)
    forked_to: tuple[str, ...] = texts()
    is_alive: bool = flag()


EXAMPLE = Example(
    arguments={"node_id": "$node_id"},
    after=(("store_memory", {"content": "Ada takes her tea black.", "rationale": "She told us at lunch."}),),
)


@tool(contract="memories", component="retrieval", effect="read", models=(Input, Output), example=EXAMPLE)
def get_node_lineage(call: Call[Kernel], input: Input) -> Answer:
    """Tell what happened to a memory, oldest first: made, changed, annotated, boosted, merged, forgotten, restored, by
    whom and why. Works for what is deleted too."""
    with call.kernel.read() as snapshot:
        found = find_lineage(snapshot, input.node_id, input.depth)
    output = Output(
        node_id=found.id,
        lineage=tuple(_shape(step) for step in found.steps),
        count=len(found.steps),
        merged_from=found.merged_from,
        merged_into=found.merged_into,
        forked_to=found.forked_to,
        is_alive=found.is_alive,
    )
    told = f"{len(found.steps)} changes; last {found.steps[-1].change}."
    return Answer(told, f"{NODES}/{found.id}", output)


def _shape(step: LineageStep) -> StepShape:
    commit = step.commit
    return StepShape(
        timestamp=to_iso(commit.time),
        change_type=step.change,
        actor=ActorShape(type="user" if commit.actor in _PEOPLE else "agent", id=commit.actor),
        description=step.description,
        reversal_hash=step.reversal_hash,
        tx_id=commit.tx,
    )
