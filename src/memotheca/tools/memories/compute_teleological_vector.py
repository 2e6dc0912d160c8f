"""Tell which topics a text serves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.memory.recall.profiles import find_profile
from memotheca.memory.spaces.fusion_weights import prioritise
from memotheca.memory.spaces.space_table import COUNT, IDS
from memotheca.memory.topics.purpose import (
    PurposeGround,
    PurposeVector,
    dominant,
    keep_vector,
    purpose_ground,
    purpose_of_text,
    reduced,
)
from memotheca.memory.topics.synergy import synergy_matrix
from memotheca.model.errors import Failure, Refusal
from memotheca.toolkit.fields import UNSET, Unset, flag, free, many, number, numbers, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

RANKS = (4, 4, 128)  # specification (memory-model: Purpose)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    content: str = text("", minLength=1, maxLength=65_536)
    profile_id: str = text("Whose weights say which space is dominant.", UNSET, maxLength=64)
    compute_tucker: bool = flag("", False)
    tucker_ranks: tuple[float, ...] = numbers("The least of them is how many directions are kept.", RANKS)
    include_per_embedder: bool = flag("", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedShape:
    goal_id: str = text()
    name: str = text()
    alignment: float = number("How near it is to the topic's middle, of its members' own nearness.")
    serves_goal: bool = flag()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    vector_id: str = text()
    topics: tuple[ServedShape, ...] = many(ServedShape, "The topics it serves, the nearest first.")
    purpose_vector: tuple[float | None, ...] = numbers(
        "Of E1 to E13: how near it is to the goal's memories, of theirs to each other; null where a space cannot tell.",
        nullable=True,
    )
    cross_correlations: tuple[float, ...] = numbers("Of each of the 78 pairs of spaces.")
    group_alignments: dict[str, Any] = free()
    confidence: float = number()
    coverage: float = number("The share of spaces that say something.")
    dominant_embedder: str | None = text(nullable=True)
    coherence: float | None = number("How far the spaces agree.", nullable=True)
    tucker: tuple[float, ...] | Unset = numbers("Where it is asked for.", UNSET)
    per_embedder: dict[str, Any] | Unset = free(default=UNSET)


EXAMPLE = Example(
    arguments={"content": "The valve of the reactor was painted by Ada."},
    after=(
        *(
            (
                "store_memory",
                {"content": f"The {part} of the reactor was {state} by Ada.", "rationale": "Seen on the tour."},
            )
            for part in ("pump", "valve", "gauge", "core")
            for state in ("cleaned", "checked", "replaced")
        ),
        ("auto_bootstrap_north_star", {"confidence_threshold": 0.4}),
    ),
)


@tool(contract="memories", component="retrieval", effect="read", models=(Input, Output), example=EXAMPLE)
def compute_teleological_vector(call: Call[Kernel], input: Input) -> Answer:
    """Which topics a text serves, and how near it is to the goal in each space. A diagnostic: to find something, use
    search_graph. Its vector_id is understood by search_teleological and update_synergy_matrix."""
    given, kernel = said(input), call.kernel
    with kernel.read() as snapshot:
        ground = purpose_ground(kernel, snapshot)
        vector = purpose_of_text(kernel, snapshot, ground, input.content)
        together = synergy_matrix(snapshot)
        profile = find_profile(snapshot, given["profile_id"], field="profile_id") if "profile_id" in given else None
    weights = (1 / COUNT,) * COUNT if profile is None else prioritise(profile.weights, profile.priorities)
    output = Output(
        vector_id=keep_vector(kernel, vector),
        topics=_topics(ground, vector),
        purpose_vector=vector.values,
        cross_correlations=tuple(round(float(value), 4) for value in vector.pairs(together)),
        group_alignments={name: None if each is None else round(each, 4) for name, each in vector.groups.items()},
        confidence=round(vector.confidence, 4),
        coverage=round(vector.coverage, 4),
        dominant_embedder=dominant(vector, weights),
        coherence=None if vector.coherence is None else round(vector.coherence, 4),
        tucker=tuple(reduced(vector, _rank(input.tucker_ranks), together)) if input.compute_tucker else UNSET,
        per_embedder=dict(zip(IDS, vector.values, strict=True)) if input.include_per_embedder else UNSET,
    )
    told = ", ".join(f"{each.name} ({each.alignment:.2f})" for each in output.topics)
    serves = f"It serves {told}." if told else "It serves none of the topics."
    return Answer(f"{serves} Kept as {output.vector_id}, for search_teleological.", NODES, output)


def _topics(ground: PurposeGround, vector: PurposeVector) -> tuple[ServedShape, ...]:
    return tuple(
        ServedShape(
            goal_id=id, name=ground.known.by_id[id].name, alignment=alignment, serves_goal=id in ground.goal.ids
        )
        for id, alignment in vector.topics.items()
    )


def _rank(ranks: Sequence[float]) -> int:
    if not ranks or min(ranks) < 1:
        raise Refusal(Failure.INVALID, "tucker_ranks are numbers from 1 on.", field="tucker_ranks")
    return min(COUNT, int(min(ranks)))
