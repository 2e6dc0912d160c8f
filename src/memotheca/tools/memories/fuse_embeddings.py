"""Fuse what the spaces say of a memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.nodes import find_node
from memotheca.memory.recall.profiles import find_profile
from memotheca.memory.spaces.fusion_weights import METHODS, normalise, prioritise
from memotheca.memory.spaces.space_table import COUNT
from memotheca.memory.topics.purpose import fuse_vector, keep_vector, purpose_of_memory
from memotheca.memory.topics.synergy import synergy_matrix
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import MEMORY
from memotheca.model.knowledge import Entry
from memotheca.storage.snapshot import Snapshot
from memotheca.toolkit.fields import UNSET, choice, flag, free, number, numbers, one, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.compute_teleological_vector import EXAMPLE as COMPUTED
from memotheca.tools.memories.contract import NODES


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    memory_id: str = text("", format="uuid")
    fusion_method: str = choice(METHODS, "Weights alone, or by how clearly a space speaks.", "hierarchical")
    profile_id: str = text("Whose weights to begin with.", UNSET, maxLength=64)
    custom_weights: tuple[float, ...] = numbers("Of E1 to E13, instead of a profile's.", UNSET)
    apply_synergy: bool = flag("Whether pairs count by how far they belong together.", True)
    store_result: bool = flag("Whether search_teleological can take it by its vector_id.", True)


@dataclass(frozen=True, slots=True, kw_only=True)
class FusedShape:
    purpose_vector: tuple[float | None, ...] = numbers("", nullable=True)
    cross_correlations: tuple[float, ...] = numbers()
    groups: dict[str, Any] = free()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    memory_id: str = text()
    method: str = choice(METHODS)
    weights: tuple[float, ...] = numbers("Of E1 to E13, as the method leaves them.")
    fused: FusedShape = one(FusedShape)
    confidence: float = number()
    stored: bool = flag()
    vector_id: str | None = text("For speaking of it, where it is stored.", nullable=True)


EXAMPLE = Example(
    arguments={"memory_id": "core"},
    after=(
        *COMPUTED.after,
        ("store_memory", {"content": "The core of the reactor is warm.", "rationale": "Seen by Ada.", "name": "core"}),
    ),
)


@tool(contract="memories", component="retrieval", effect="read", models=(Input, Output), example=EXAMPLE)
def fuse_embeddings(call: Call[Kernel], input: Input) -> Answer:
    """How much each space should count for a memory, and its alignment with the goal under these weights; numbers are
    fused, never vectors. A diagnostic."""
    kernel = call.kernel
    with kernel.read() as snapshot:
        entry = find_node(snapshot, input.memory_id).thing
        if not isinstance(entry, Entry) or entry.kind != MEMORY:
            raise Refusal(Failure.INVALID, "Only memories have a purpose.", field="memory_id")
        weights = _weights(snapshot, said(input))
        vector = purpose_of_memory(kernel, snapshot, entry)
        together = synergy_matrix(snapshot)
    fused_weights, fused = fuse_vector(vector, input.fusion_method, weights)
    pairs = fused.pairs(together if input.apply_synergy else np.ones((COUNT, COUNT)))
    vector_id = keep_vector(kernel, fused, entry.id) if input.store_result else None
    output = Output(
        memory_id=entry.id,
        method=input.fusion_method,
        weights=tuple(round(weight, 4) for weight in fused_weights),
        fused=FusedShape(
            purpose_vector=tuple(None if value is None else round(value, 4) for value in fused.values),
            cross_correlations=tuple(round(float(value), 4) for value in pairs),
            groups={name: None if each is None else round(each, 4) for name, each in fused.groups.items()},
        ),
        confidence=round(vector.confidence, 4),
        stored=vector_id is not None,
        vector_id=vector_id,
    )
    most = max(range(COUNT), key=lambda space: (fused_weights[space], -space))
    kept = "" if vector_id is None else f" Kept as {vector_id}, for search_teleological."
    told = f"Of what spaces say of its purpose, E{most + 1} counts most, with {fused_weights[most]:.2f}."
    return Answer(f"{told}{kept}", NODES, output)


def _weights(snapshot: Snapshot, given: Mapping[str, Any]) -> tuple[float, ...]:
    if "custom_weights" in given:
        weights = given["custom_weights"]
        if len(weights) != COUNT or min(weights) < 0 or not any(weights):
            raise Refusal(Failure.INVALID, f"custom_weights are {COUNT} numbers, none below 0.", field="custom_weights")
        return normalise(weights)
    if "profile_id" in given:
        profile = find_profile(snapshot, given["profile_id"], field="profile_id")
        return prioritise(profile.weights, profile.priorities)
    return (1 / COUNT,) * COUNT
