"""Consolidate memories that say the same."""

from dataclasses import dataclass
from typing import cast

from memotheca.kernel.kernel import Kernel
from memotheca.memory.dream.consolidate import (
    STRATEGIES,
    Consolidated,
    ConsolidationRequest,
    SamePair,
    Strategy,
    consolidate,
)
from memotheca.memory.traits import chief_of
from memotheca.model.knowledge import counted
from memotheca.toolkit.fields import choice, flag, integer, many, number, one, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

SAMPLE = 10  # specification: candidates that are shown
STATUSES = ("nothing_to_do", "candidates_found", "consolidated")


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    max_memories: int = integer("How many memories are compared with what is near.", 100, minimum=1, maximum=10000)
    strategy: str = choice(
        STRATEGIES,
        "similarity: whatever says the same; temporal: stored within a day; semantic: naming the same.",
        "similarity",
    )
    min_similarity: float = number("Least likeness.", 0.85, minimum=0, maximum=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultShape:
    status: str = choice(STATUSES)
    candidate_count: int = integer("Pairs that say the same.")
    action_required: bool = flag("Whether some of them are left for somebody to decide.")


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsShape:
    pairs_evaluated: int = integer()
    pairs_consolidated: int = integer()
    strategy: str = text()
    similarity_threshold: float = number()
    fingerprints_analyzed: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateShape:
    source_ids: tuple[str, ...] = texts()
    target_id: str = text("Of the two the one to keep.")
    similarity: float = number()
    hindrance: str | None = text("Why it was not merged without asking.", default=None, nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedShape:
    node_id: str = text()
    source_ids: tuple[str, ...] = texts()
    edges_redirected: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    consolidation_result: ResultShape = one(ResultShape)
    statistics: StatisticsShape = one(StatisticsShape)
    candidates_sample: tuple[CandidateShape, ...] = many(CandidateShape)
    merged: tuple[MergedShape, ...] = many(MergedShape)
    reversal_hash: str | None = text(default=None, nullable=True)
    tx_id: int | None = integer(default=None, nullable=True)


EXAMPLE = Example(
    arguments={},
    after=(
        ("store_memory", {"content": "The nightly job takes the lock.", "rationale": "Seen in the log."}),
        ("store_memory", {"content": "The nightly job takes the lock.", "rationale": "Seen in the log again."}),
    ),
)


@tool(contract="memories", component="curation", effect="destroy", models=(Input, Output), example=EXAMPLE)
def trigger_consolidation(call: Call[Kernel], input: Input) -> Answer:
    """Make one of memories that say the same. What differs in a figure, a name, a denial or a time, rests on other
    assumptions, or is not alike enough (threshold consolidation) is only told and put on the list of tasks. One
    transaction, which restore_from_hash takes back."""
    asked = ConsolidationRequest(
        most=input.max_memories, strategy=cast(Strategy, input.strategy), least=input.min_similarity
    )
    done = consolidate(call.kernel, asked, actor=call.actor)
    merged = sum(len(each.sources) for each in done.merged)
    told = f"{counted(merged, 'memory')} became {len(done.merged)}." if done.merged else "Nothing was merged."
    left = f" Left to decide: {counted(len(done.left), 'pair')}, which get_memetic_status lists." if done.left else ""
    undone = f" restore_from_hash takes back {done.reversal_hash}." if done.reversal_hash else ""
    return Answer(f"{told}{left}{undone}", NODES, _output(input, done))


def _output(input: Input, done: Consolidated) -> Output:
    status = "consolidated" if done.merged else "candidates_found" if done.pairs else "nothing_to_do"
    return Output(
        consolidation_result=ResultShape(
            status=status, candidate_count=len(done.pairs), action_required=bool(done.left)
        ),
        statistics=StatisticsShape(
            pairs_evaluated=done.evaluated,
            pairs_consolidated=len(done.pairs) - len(done.left),
            strategy=input.strategy,
            similarity_threshold=input.min_similarity,
            fingerprints_analyzed=done.looked_at,
        ),
        candidates_sample=tuple(_candidate(pair) for pair in done.left[:SAMPLE]),
        merged=tuple(
            MergedShape(node_id=each.version.id, source_ids=each.sources, edges_redirected=each.redirected)
            for each in done.merged
        ),
        reversal_hash=done.reversal_hash,
        tx_id=None if done.commit is None else done.commit.tx,
    )


def _candidate(pair: SamePair) -> CandidateShape:
    return CandidateShape(
        source_ids=(pair.older.id, pair.newer.id),
        target_id=chief_of((pair.older, pair.newer)).id,
        similarity=round(pair.similarity, 4),
        hindrance=pair.hindrance or None,
    )
