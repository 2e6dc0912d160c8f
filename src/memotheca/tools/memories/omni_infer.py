"""Infer in any direction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from memotheca.kernel.citations import citation_of, name_of
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.nodes import find_node
from memotheca.memory.recall.directions import DIRECTIONS, Clamp, Direction, Inference, InferenceRequest, infer_towards
from memotheca.memory.session.state import activity_of
from memotheca.memory.session.walk_log import walks_of
from memotheca.model.knowledge import Entry
from memotheca.storage.snapshot import Snapshot
from memotheca.toolkit.fields import UNSET, choice, fill, flag, integer, listed, many, number, one, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

HIGH, STRONG = 0.8, 0.7  # specification (memory-model: Directions)
CLAMPS = 20  # chosen: what somebody takes as given by hand
UNKNOWN = "Nothing that was stated speaks to this: it is unknown."
TOLD: Mapping[Direction, str] = {
    "forward": "{source} leads to {target}",
    "backward": "{source} was brought about by {target}",
    "bidirectional": "{source} and {target} lead to each other",
    "bridge": "{source} is joined to {target}, of another subject",
    "abduction": "{source} may be explained by {target}",
}

# Which ways lead from an effect to its causes.
BACKWARDS = ("backward", "abduction")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClampShape:
    node_id: str = text("The node that is taken as given.")
    clamp_type: str = choice(
        ("hard", "soft"), "Hard: so whatever leads to it. Soft: only so much of what leads to it gets through.", "hard"
    )
    value: float = number("How much it is so.", 1.0, minimum=0, maximum=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    source: str = text("What is asked about: a node.", format="uuid")
    target: str = text("The other end; without it, the ten that are reached best.", UNSET, format="uuid")
    direction: str = choice(
        DIRECTIONS,
        "What follows from it, what led to it, both, what joins it to another subject, or what would explain it.",
        "forward",
    )
    clamped_nodes: tuple[Mapping[str, Any], ...] = listed(ClampShape, "What is taken as given.", (), maxItems=CLAMPS)
    max_path: int = integer("Steps of a chain.", 5, minimum=1, maximum=10)
    min_confidence: float = number("What is reached less strongly is left out.", 0.5, minimum=0, maximum=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultShape:
    direction: str = choice(DIRECTIONS)
    source: str = text()
    target: str = text()
    target_name: str = text()
    strength: float = number("By all chains that share no link.")
    confidence: float = number("By the best chain; of explanations, the share that it explains.")
    statements: int = integer("How often the least attested link of the best chain was stated.")
    path: tuple[str, ...] = texts()
    path_length: int = integer()
    is_direct: bool = flag()
    is_high_confidence: bool = flag()
    is_strong: bool = flag()
    explanation: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigShape:
    direction: str = text()
    max_path: int = integer()
    min_confidence: float = number()
    clamped: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    results: tuple[ResultShape, ...] = many(ResultShape)
    count: int = integer()
    overall_confidence: float | None = number(nullable=True)
    reason: str | None = text("Why nothing is known.", default=None, nullable=True)
    inference_path: tuple[str, ...] = texts("The best chain, by names.")
    below_min_confidence: int = integer("How much was left out as too weak.")
    config: ConfigShape = one(ConfigShape)
    truncated: bool = flag()


EXAMPLE = Example(
    arguments={"source": "wrong prices", "direction": "abduction"},
    after=(
        ("store_memory", {"content": "Prices were wrong.", "rationale": "Customers called.", "name": "wrong prices"}),
        (
            "store_memory",
            {
                "content": "The cache was stale.",
                "rationale": "Found on Tuesday.",
                "name": "stale cache",
                "link_to": ["wrong prices"],
                "metadata": {"relation": "causes"},
            },
        ),
    ),
)


@tool(contract="memories", component="retrieval", effect="read", models=(Input, Output), example=EXAMPLE)
def omni_infer(call: Call[Kernel], input: Input) -> Answer:
    """What follows from a node, what led to it, what would explain it, or what joins it to another subject, along
    causes that were stated: the strongest and best attested first, under what you take as given. What nobody stated
    is unknown."""
    with call.kernel.read() as snapshot:
        source = _entry(snapshot, input.source, "source")
        request = InferenceRequest(
            source=source,
            target=_entry(snapshot, input.target, "target") if input.target else None,
            direction=cast(Direction, input.direction),
            clamps=_clamps(snapshot, input.clamped_nodes),
            longest=input.max_path,
            least=input.min_confidence,
        )
        found = infer_towards(snapshot, request)
        ids = [id for each in found.results[:1] for id in each.nodes]
        names = [name_of(entry) for id in ids if (entry := snapshot.entry(id)) is not None]
    looked = [source.id, *([] if request.target is None else [request.target.id])]
    activity_of(call.kernel).look(call.kernel.collection, looked, call.kernel.now())
    paths = [each.nodes[::-1] if each.way in BACKWARDS else each.nodes for each in found.results]
    walks_of(call.kernel).walk(call.kernel.collection, paths, call.kernel.now())
    output = Output(
        results=tuple(map(_result, found.results)),
        count=len(found.results),
        overall_confidence=None if found.overall is None else round(found.overall, 4),
        reason=None if found.results else _reason(found.left_out, input.min_confidence),
        inference_path=tuple(names),
        below_min_confidence=found.left_out,
        config=ConfigShape(
            direction=input.direction,
            max_path=input.max_path,
            min_confidence=input.min_confidence,
            clamped=len(request.clamps),
        ),
        truncated=found.truncated,
    )
    return Answer(_tell(output), NODES, output)


def _entry(snapshot: Snapshot, handle: str, field: str) -> Entry:
    return cast(Entry, find_node(snapshot, handle, field=field).thing)


def _clamps(snapshot: Snapshot, given: Sequence[Mapping[str, Any]]) -> tuple[Clamp, ...]:
    shapes = [fill(ClampShape, each) for each in given]
    return tuple(
        Clamp(_entry(snapshot, each.node_id, "clamped_nodes").id, each.clamp_type == "hard", each.value)
        for each in shapes
    )


def _reason(left_out: int, least: float) -> str:
    return f"{left_out} found, all weaker than min_confidence {least:g}." if left_out else UNKNOWN


def _result(each: Inference) -> ResultShape:
    confidence = each.confidence if each.share is None else each.share
    told = TOLD[each.way].format(
        source=f"{name_of(each.source)} {citation_of(each.source)}",
        target=f"{name_of(each.target)} {citation_of(each.target)}",
    )
    return ResultShape(
        direction=each.way,
        source=each.source.id,
        target=each.target.id,
        target_name=name_of(each.target),
        strength=round(each.strength, 4),
        confidence=round(confidence, 4),
        statements=each.statements,
        path=each.nodes,
        path_length=len(each.path),
        is_direct=len(each.path) == 1,
        is_high_confidence=confidence >= HIGH,
        is_strong=each.strength >= STRONG,
        explanation=f"{told} ({each.strength:.2f}).",
    )


def _tell(output: Output) -> str:
    return output.reason or "\n".join(each.explanation for each in output.results)
