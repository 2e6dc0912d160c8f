"""Say whether a result serves what was asked for."""

from dataclasses import dataclass

import numpy as np

from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation.reversal import hash_of
from memotheca.memory.spaces.fusion_weights import GROUPS, PAIRS
from memotheca.memory.spaces.space_table import IDS
from memotheca.memory.topics.purpose import find_vector, purpose_ground
from memotheca.memory.topics.synergy import (
    FEEDBACK,
    UPDATE_SCOPES,
    HeldOutOrder,
    SynergyUpdate,
    feedback_of,
    matrix_of,
    pair_values,
    take_feedback,
)
from memotheca.model.errors import Failure, Refusal
from memotheca.toolkit.fields import UNSET, choice, flag, free, integer, many, number, one, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.compute_teleological_vector import EXAMPLE as COMPUTED
from memotheca.tools.memories.contract import NODES

TOP = 5  # chosen: of 78 pairs those that moved most


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    query_vector_id: str = text("A vector_id, or a memory's id.", minLength=1, maxLength=64)
    result_vector_id: str = text("A vector_id, or a memory's id.", minLength=1, maxLength=64)
    feedback: str = choice(tuple(FEEDBACK), "Whether the result serves what the query serves.")
    relevance_score: float = number("How much, instead of the word.", UNSET, minimum=0, maximum=1)
    learning_rate: float = number("How far this moves weights.", 0.01, minimum=0.001, maximum=0.5)
    update_scope: str = choice(UPDATE_SCOPES, "Which pairs it moves.", "contributing_pairs")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeShape:
    pair: str = text()
    before: float = number()
    after: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderShape:
    count: int = integer()
    before: float = number("The share of pairs in their right order, without what was learned.")
    after: float = number("With it.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    pairs_updated: int = integer("Of the 78, those that what is learned by now counts otherwise than before.")
    max_delta: float = number()
    mean_delta: float = number("Of those, without their signs.")
    matrix_version: int = integer("How often what is in force has changed.")
    events_accumulated: int = integer("Feedback on different pairs of vectors.")
    applied: bool = flag("Whether what was learned is in force.")
    reason: str = text()
    held_out: OrderShape | None = one(OrderShape, "On feedback that it has not seen.", nullable=True)
    weights: dict[str, float] = free("What was learned: how much each group of spaces counts.")
    top_changes: tuple[ChangeShape, ...] = many(ChangeShape)
    reversal_hash: str | None = text("Takes it back with restore_from_hash.", nullable=True)


EXAMPLE = Example(
    arguments={"query_vector_id": "core", "result_vector_id": "tea", "feedback": "not_relevant"},
    after=(
        *COMPUTED.after,
        ("store_memory", {"content": "The core of the reactor is warm.", "rationale": "Seen by Ada.", "name": "core"}),
        ("store_memory", {"content": "Tea is served warm by Ada.", "rationale": "Seen at lunch.", "name": "tea"}),
    ),
)


@tool(contract="memories", component="retrieval", effect="change", models=(Input, Output), example=EXAMPLE)
def update_synergy_matrix(call: Call[Kernel], input: Input) -> Answer:
    """Say whether a result of search_teleological was right. From ten on, six weights of groups of spaces are learned
    from that, in force where they order feedback better that they have not seen."""
    kernel, ids = call.kernel, (input.query_vector_id, input.result_vector_id)
    if ids[0] == ids[1]:
        raise Refusal(Failure.INVALID, "Both are the same; that teaches nothing.", field="result_vector_id")
    with kernel.read() as snapshot:
        ground = purpose_ground(kernel, snapshot)
        query, _ = find_vector(kernel, snapshot, ground, ids[0], field="query_vector_id")
        result, _ = find_vector(kernel, snapshot, ground, ids[1], field="result_vector_id")
    name, event = feedback_of(ids, (query, result), said(input))
    found = take_feedback(kernel, name, event, actor=call.actor)
    moved = np.abs(found.moved)
    touched = moved[moved > 0]
    output = Output(
        pairs_updated=int(touched.size),
        max_delta=round(float(moved.max()), 6),
        mean_delta=round(float(touched.mean()), 6) if touched.size else 0.0,
        matrix_version=found.after.version,
        events_accumulated=len(found.after.events),
        applied=found.after.is_applied,
        reason=found.reason,
        held_out=_order(found.held_out),
        weights=dict(zip(GROUPS, found.after.learned, strict=True)),
        top_changes=_changes(found),
        reversal_hash=None if found.commit is None else hash_of(found.commit),
    )
    return Answer(found.reason, NODES, output)


def _order(found: HeldOutOrder | None) -> OrderShape | None:
    return None if found is None else OrderShape(count=found.count, before=found.before, after=found.after)


def _changes(found: SynergyUpdate) -> tuple[ChangeShape, ...]:
    before, after = (pair_values(matrix_of(state.learned)) for state in (found.before, found.after))
    order = sorted(range(len(PAIRS)), key=lambda at: (-abs(float(after[at] - before[at])), at))[:TOP]
    return tuple(
        ChangeShape(
            pair="-".join(IDS[space] for space in PAIRS[at]),
            before=round(float(before[at]), 6),
            after=round(float(after[at]), 6),
        )
        for at in order
        if before[at] != after[at]
    )
