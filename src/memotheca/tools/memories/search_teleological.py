"""Search by purpose."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.memory.recall.by_purpose import FoundByPurpose, PurposeQuery, search_by_purpose
from memotheca.memory.recall.profiles import find_profile
from memotheca.memory.session.state import activity_of
from memotheca.memory.spaces.fusion_weights import GROUPS
from memotheca.memory.spaces.space_table import COUNT, IDS
from memotheca.memory.topics.purpose import PurposeGround, find_vector, purpose_ground, purpose_of_text
from memotheca.memory.topics.purpose_likeness import SCOPES, STRATEGY_NAMES, Comparison
from memotheca.model.errors import Failure, Refusal
from memotheca.search.search import refuse_blank
from memotheca.storage.snapshot import Snapshot
from memotheca.toolkit.fields import UNSET, Unset, choice, flag, integer, many, number, one, said, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.compute_teleological_vector import EXAMPLE as COMPUTED
from memotheca.tools.memories.contract import NODES

PREVIEW = 160  # chosen: enough to know it by
WEIGHTS = ("weight_purpose", "weight_correlations", "weight_groups")


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    query_content: str = text("A text whose purpose is looked for; this or query_vector_id.", UNSET, maxLength=65_536)
    query_vector_id: str = text(
        "A vector_id of compute_teleological_vector or fuse_embeddings, or a memory's id.", UNSET, maxLength=64
    )
    strategy: str = choice(STRATEGY_NAMES, "How purposes are compared.", "adaptive")
    scope: str = choice(SCOPES, "What of them is compared.", "full")
    specific_groups: tuple[str, ...] = texts("The spaces of these groups only.", UNSET, values=tuple(GROUPS))
    specific_embedder: int = integer("One space only: 0 is E1.", UNSET, minimum=0, maximum=COUNT - 1)
    weight_purpose: float = number(
        "By the strategy cosine; what is left to 1 is confidence.", 0.4, minimum=0, maximum=1
    )
    weight_correlations: float = number("", 0.35, minimum=0, maximum=1)
    weight_groups: float = number("", 0.15, minimum=0, maximum=1)
    min_similarity: float = number("", 0.3, minimum=0, maximum=1)
    max_results: int = integer("", 20, minimum=1, maximum=1000)
    include_breakdown: bool = flag("", True)
    profile_id: str = text("Whose weights and filters to search with.", UNSET, maxLength=64)


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakdownShape:
    purpose: float = number("Topics that both serve, and what the spaces say of each.")
    correlations: float = number("Pairs of spaces.")
    groups: float = number("Groups of spaces.")
    confidence: float = number("The lesser of the two.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    memory_id: str = text()
    similarity: float = number("How alike the purposes are, not the texts.")
    topics: tuple[str, ...] = texts("Which it serves, too.")
    breakdown: BreakdownShape | Unset = one(BreakdownShape, default=UNSET)
    content_preview: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    results: tuple[Result, ...] = many(Result)
    strategy_used: str = choice(STRATEGY_NAMES[:-1])
    count: int = integer()
    compared: int = integer("How many memories were.")
    ms: float = number()


EXAMPLE = Example(
    arguments={"query_content": "Is the valve of the reactor safe?", "max_results": 3}, after=COMPUTED.after
)


@tool(contract="memories", component="retrieval", effect="read", models=(Input, Output), example=EXAMPLE)
def search_teleological(call: Call[Kernel], input: Input) -> Answer:
    """Which memories serve the topics and the goal that a text, a vector or a memory serves, most alike first. A
    diagnostic: on questions search_graph finds better; use this to see what belongs to one purpose."""
    began = time.perf_counter()
    given, kernel = said(input), call.kernel
    _check(given)
    with kernel.read() as snapshot:
        ground = purpose_ground(kernel, snapshot)
        wanted = _wanted(kernel, snapshot, ground, given)
        found = search_by_purpose(kernel, snapshot, ground, wanted)
    near = [each for each in found.results if each.similarity >= input.min_similarity]
    results = tuple(_result(each, input.include_breakdown) for each in near[: input.max_results])
    activity_of(kernel).look(kernel.collection, [each.memory_id for each in results], kernel.now())
    output = Output(
        results=results,
        strategy_used=found.strategy,
        count=len(results),
        compared=found.compared,
        ms=round((time.perf_counter() - began) * 1000, 3),
    )
    served = ", ".join(ground.known.by_id[id].name for id in wanted.vector.topics) or "none of the topics"
    told = [
        f"It serves {served}. Of {found.compared} memories {len(results)} serve the like. "
        "This is a diagnostic: search_graph finds answers.",
        *(f"{each.similarity:.2f} {each.content_preview} {each.memory_id}" for each in results),
    ]
    return Answer("\n".join(told), NODES, output)


def _check(given: Mapping[str, Any]) -> None:
    """Refuse what could be answered of no memory."""
    if ("query_content" in given) == ("query_vector_id" in given):
        raise Refusal(Failure.INVALID, "Say query_content or query_vector_id, one of both.", field="query_content")
    if "query_content" in given:
        refuse_blank(given["query_content"], field="query_content")
    if sum(given[name] for name in WEIGHTS) > 1 + 1e-9:
        raise Refusal(Failure.INVALID, "The weights are more than 1 together.", field="weight_purpose")


def _wanted(kernel: Kernel, snapshot: Snapshot, ground: PurposeGround, given: Mapping[str, Any]) -> PurposeQuery:
    named = str(given.get("query_vector_id", ""))
    if named:
        vector, own = find_vector(kernel, snapshot, ground, named, field="query_vector_id")
    else:
        vector, own = purpose_of_text(kernel, snapshot, ground, given["query_content"]), ""
    weights = tuple(given[name] for name in WEIGHTS)
    return PurposeQuery(
        vector=vector,
        words=str(given.get("query_content", "")),
        own_id=own,
        comparison=Comparison(
            strategy=given["strategy"],
            scope=given["scope"],
            purpose=weights[0],
            correlations=weights[1],
            groups=weights[2],
        ),
        spaces=_spaces(given),
        profile=find_profile(snapshot, given["profile_id"], field="profile_id") if "profile_id" in given else None,
    )


def _spaces(given: Mapping[str, Any]) -> frozenset[str]:
    """The spaces that are asked for: all, or those of some groups, or one."""
    named = [id for name in given.get("specific_groups", ()) for id in GROUPS[name]]
    wanted = frozenset(named or IDS)
    if "specific_embedder" in given:
        wanted &= {IDS[given["specific_embedder"]]}
    if not wanted:
        raise Refusal(Failure.INVALID, "The space is of none of the groups.", field="specific_embedder")
    return wanted


def _result(found: FoundByPurpose, with_breakdown: bool) -> Result:
    parts = found.parts
    broken = BreakdownShape(
        purpose=round(parts.purpose, 4),
        correlations=round(parts.correlations, 4),
        groups=round(parts.groups, 4),
        confidence=round(parts.confidence, 4),
    )
    return Result(
        memory_id=found.entry.id,
        similarity=round(found.similarity, 4),
        topics=found.topics,
        breakdown=broken if with_breakdown else UNSET,
        content_preview=found.entry.body[:PREVIEW],
    )
