"""Compare retrieval between spaces."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.memory.claims.ranking import agreement, rank_biased_overlap
from memotheca.memory.recall.compare import Compared, compare
from memotheca.text.likeness import likeness
from memotheca.toolkit.fields import flag, free, integer, many, number, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

SPACES = ("E1", "E5", "E7", "E13")


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    query: str = text("", minLength=1, maxLength=4096)
    spaces: tuple[str, ...] = texts("", values=SPACES, minItems=1)
    top_k: int = integer("", 10, minimum=1, maximum=100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    spaces: tuple[str, ...] = texts()
    jaccard: float = number()
    rbo: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    id: str = text()
    rank: int = integer()
    score: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    results: dict[str, Any] = free()
    latency_ms: dict[str, Any] = free()
    overlap: tuple[Overlap, ...] = many(Overlap)
    consensus: tuple[str, ...] = texts()
    unique: dict[str, Any] = free()
    fused: tuple[Ranked, ...] = many(Ranked)
    fused_all_spaces: tuple[Ranked, ...] = many(Ranked)
    shared_search: tuple[str, ...] = texts()
    agreement_with_search: dict[str, Any] = free()
    compared: int = integer()
    compared_everything: bool = flag()
    recommendation: str = text()


EXAMPLE = Example(
    arguments={"query": "why do deploys fail?", "spaces": ["E1", "E5"], "top_k": 3},
    after=(
        ("store_memory", {"content": "Deploys fail because the lock is held.", "rationale": "Seen on Tuesday."}),
        ("store_memory", {"content": "The nightly job holds the lock.", "rationale": "It explains the deploys."}),
    ),
)


@tool(contract="memories", component="retrieval", effect="read", models=(Input, Output), example=EXAMPLE)
def debug_compare_retrieval(call: Call[Kernel], input: Input) -> Answer:
    """See what each space alone would find for a question, where they agree, what their fusion finds, and what the
    search that search_graph uses finds."""
    compared = compare(call.kernel, input.query, input.top_k)
    spaces = tuple(dict.fromkeys(input.spaces))
    top = input.top_k
    tops = {space: compared.of(space).ids[:top] for space in spaces}
    searched = compared.searched[:top]
    fused_all = compared.fused()[:top]
    agreements = {space: round(rank_biased_overlap(ids, searched), 4) for space, ids in tops.items()}
    agreements["fused_all_spaces"] = round(rank_biased_overlap([id for id, _ in fused_all], searched), 4)
    output = Output(
        results={space: [_line(*line) for line in _lines(compared, space, top)] for space in spaces},
        latency_ms={**{s: compared.of(s).milliseconds for s in spaces}, "shared_search": compared.search_milliseconds},
        overlap=tuple(
            Overlap(
                spaces=(one, other),
                jaccard=round(likeness(tops[one], tops[other]), 4),
                rbo=round(rank_biased_overlap(tops[one], tops[other]), 4),
            )
            for one, other in combinations(spaces, 2)
        ),
        consensus=tuple(agreement(tops)),
        unique={space: _only(tops, space) for space in spaces},
        fused=_ranked(compared.fused(spaces)[:top]),
        fused_all_spaces=_ranked(fused_all),
        shared_search=searched,
        agreement_with_search=agreements,
        compared=compared.pool,
        compared_everything=compared.is_whole,
        recommendation=_recommend(tops, agreements),
    )
    return Answer(output.recommendation, NODES, output)


def _lines(compared: Compared, space: str, top: int) -> list[tuple[str, int, float]]:
    found = compared.of(space)
    scored = zip(found.ids[:top], found.values[:top], strict=True)
    return [(id, rank, round(score, 4)) for rank, (id, score) in enumerate(scored, 1)]


def _line(id: str, rank: int, score: float) -> dict[str, Any]:
    return {"id": id, "rank": rank, "score": score}


def _ranked(found: list[tuple[str, float]]) -> tuple[Ranked, ...]:
    return tuple(Ranked(id=id, rank=rank, score=round(score, 6)) for rank, (id, score) in enumerate(found, 1))


def _only(tops: Mapping[str, Sequence[str]], space: str) -> list[str]:
    others = {id for name, ids in tops.items() if name != space for id in ids}
    return [id for id in tops[space] if id not in others]


def _recommend(tops: Mapping[str, Sequence[str]], agreements: dict[str, float]) -> str:
    finding = [space for space in tops if tops[space]]
    if not finding:
        return "None of these spaces finds anything; generate_search_plan may put the question differently."
    best = max(finding, key=lambda space: agreements[space])
    alone = [space for space in finding if _only(tops, space)]
    told = f"{best} agrees best with the search ({agreements[best]:.2f})."
    return f"{told} Only {', '.join(alone)} would add something of its own." if alone else f"{told} None adds anything."
