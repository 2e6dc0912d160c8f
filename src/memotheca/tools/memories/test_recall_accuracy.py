"""Test the accuracy of recall."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.memory.claims.ranking import Accuracy
from memotheca.memory.recall.accuracy import Missing, measure_recall
from memotheca.memory.session.arousal import note_recall
from memotheca.toolkit.fields import integer, many, number, one, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    query: str = text("", minLength=1, maxLength=4096)
    expected_node_ids: tuple[str, ...] = texts("What it should find.", minItems=1, format="uuid")
    top_k: int = integer("", 10, minimum=1, maximum=100)


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingShape:
    id: str = text()
    best_rank: int | None = integer(nullable=True)
    reason: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    precision: float = number()
    recall: float = number()
    f1: float = number()
    mrr: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    precision: float = number()
    recall: float = number()
    f1: float = number()
    mrr: float = number()
    hits: tuple[str, ...] = texts()
    missing_expected: tuple[MissingShape, ...] = many(MissingShape)
    unexpected_results: tuple[str, ...] = texts()
    count: int = integer()
    rank_fusion: Scores = one(Scores)
    query_type: str = text()
    running_hit_rate: float = number()
    latency_ms: float = number()


EXAMPLE = Example(
    arguments={"query": "why do deploys fail?", "expected_node_ids": ["$node_id"]},
    after=(("store_memory", {"content": "Deploys fail because the lock is held.", "rationale": "Seen on Tuesday."}),),
)


@tool(
    contract="memories", component="retrieval", effect="read", models=(Input, Output), example=EXAMPLE, idempotent=False
)
def test_recall_accuracy(call: Call[Kernel], input: Input) -> Answer:
    """Ask a question whose right answers you know and see how many of them come, why the others do not, and how a
    fusion of all thirteen spaces would have fared. What is measured sets what generate_search_plan expects."""
    began = time.perf_counter()
    found = measure_recall(call.kernel, input.query, input.expected_node_ids, input.top_k)
    note_recall(call.kernel, call.session, found.accuracy.recall)
    output = Output(
        **_scores(found.accuracy),
        hits=found.accuracy.hits,
        missing_expected=tuple(_shape(each) for each in found.missing),
        unexpected_results=found.unexpected,
        count=found.returned,
        rank_fusion=Scores(**_scores(found.fusion)),
        query_type=found.query_type,
        running_hit_rate=round(found.rate, 4),
        latency_ms=round((time.perf_counter() - began) * 1000, 3),
    )
    told = f"Found {len(found.accuracy.hits)} of {len(set(input.expected_node_ids))} among {found.returned}."
    return Answer(told, NODES, output)


def _scores(accuracy: Accuracy) -> Mapping[str, Any]:
    return {
        "precision": round(accuracy.precision, 4),
        "recall": round(accuracy.recall, 4),
        "f1": round(accuracy.f1, 4),
        "mrr": round(accuracy.reciprocal_rank, 4),
    }


def _shape(missing: Missing) -> MissingShape:
    return MissingShape(id=missing.id, best_rank=missing.best_rank, reason=missing.reason)
