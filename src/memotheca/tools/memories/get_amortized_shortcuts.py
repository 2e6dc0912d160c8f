"""Get amortized shortcuts."""

from dataclasses import dataclass
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.memory.dream.shortcuts import HOPS, WALKED, ShortcutCandidate, find_shortcuts
from memotheca.model.clock import to_iso
from memotheca.model.knowledge import counted
from memotheca.toolkit.contract import ROOM, count_fitting
from memotheca.toolkit.fields import free, integer, many, number, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    min_confidence: float = number("Of the least sure step.", 0.7, minimum=0, maximum=1)
    limit: int = integer("", 20, minimum=1, maximum=100)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortcutShape:
    source: str = text()
    target: str = text()
    hop_count: int = integer("Steps of the path.")
    path_length: int = integer("Steps that it takes now: one where a shortcut stands.")
    traversal_count: int = integer()
    combined_weight: float = number("The product of its steps.")
    min_confidence: float = number()
    path: tuple[str, ...] = texts()
    created: str | None = text("When the shortcut was made; null before a dream makes it.", default=None, nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    shortcuts: tuple[ShortcutShape, ...] = many(ShortcutShape)
    total_candidates: int = integer()
    returned_count: int = integer()
    quality_thresholds: dict[str, Any] = free()


def _cause(name: str, effect: str) -> tuple[str, dict[str, Any]]:
    said = {"content": f"It is known of {name}.", "rationale": "Seen in the log.", "name": name}
    linked = {"link_to": [effect], "metadata": {"relation": "causes"}} if effect else {}
    return "store_memory", {**said, **linked}


EXAMPLE = Example(
    arguments={},
    after=(
        _cause("cold rooms", ""),
        _cause("cool boiler", "cold rooms"),
        _cause("stalled pump", "cool boiler"),
        _cause("worn fuse", "stalled pump"),
        *([("find_causal_path", {"source_id": "worn fuse", "target_id": "cold rooms"})] * WALKED),
    ),
)


@tool(contract="memories", component="dream", effect="read", models=(Input, Output), example=EXAMPLE)
def get_amortized_shortcuts(call: Call[Kernel], input: Input) -> Answer:
    """Paths of three steps or more that were walked five times or more, each step of them evidenced: those that have a
    shortcut, and those that the next dream gives one."""
    with call.kernel.read() as snapshot:
        found = find_shortcuts(call.kernel, snapshot)
    kept = [each for each in found if each.confidence >= input.min_confidence][: input.limit]
    shown = tuple(_shape(each) for each in kept)
    shown = shown[: count_fitting(shown, ROOM)]
    output = Output(
        shortcuts=shown,
        total_candidates=len(found),
        returned_count=len(shown),
        quality_thresholds={"min_hops": HOPS, "min_traversals": WALKED, "min_confidence": input.min_confidence},
    )
    made = sum(each.created is not None for each in shown)
    told = f"{len(shown)} of {counted(len(found), 'path')} walked often; {made} with a shortcut."
    if made < len(shown):
        told += " The next dream makes the others."
    elif not found:
        told = f"No path of {HOPS} steps or more was walked {WALKED} times, so there is nothing to shorten."
    return Answer(told, NODES, output)


def _shape(found: ShortcutCandidate) -> ShortcutShape:
    edge = found.shortcut
    return ShortcutShape(
        source=found.path[0],
        target=found.path[-1],
        hop_count=len(found.steps),
        path_length=len(found.steps) if edge is None else 1,
        traversal_count=found.times,
        combined_weight=round(found.weight, 4),
        min_confidence=round(found.confidence, 4),
        path=found.path,
        created=None if edge is None else to_iso(edge.created_at),
    )
