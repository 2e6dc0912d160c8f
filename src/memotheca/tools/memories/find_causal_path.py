"""Find a causal path between two nodes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from memotheca.kernel.citations import name_of
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.nodes import find_node
from memotheca.memory.graph.causality import Arrow, strength
from memotheca.memory.graph.causes import Chains, Way, find_chains
from memotheca.memory.graph.walk import confidence_of
from memotheca.memory.session.state import activity_of
from memotheca.memory.session.walk_log import walks_of
from memotheca.model.knowledge import Entry
from memotheca.storage.snapshot import Snapshot
from memotheca.toolkit.fields import UNSET, Unset, choice, flag, integer, many, number, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

WAYS: dict[str, tuple[Way, ...]] = {
    "forward": ("forward",),
    "backward": ("backward",),
    "bidirectional": ("forward", "backward"),
}
ALTERNATIVES = 2  # chosen: the best and two others fit into an answer
UNKNOWN = "No such chain is known; whether one leads to the other is unknown."
ARROWS: dict[Way, str] = {"forward": "→", "backward": "←"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    source_id: str = text("", format="uuid")
    target_id: str = text("", format="uuid")
    max_hops: int = integer("", 5, minimum=1, maximum=10)
    direction: str = choice(tuple(WAYS), "", "forward")


@dataclass(frozen=True, slots=True, kw_only=True)
class HopShape:
    node_id: str = text()
    node_name: str = text()
    edge_type: str | None = text(default=None, nullable=True)
    relationship: str | None = text(default=None, nullable=True)
    edge_weight: float | None = number(default=None, nullable=True)
    confidence: float | None = number(default=None, nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherShape:
    path: tuple[str, ...] = texts()
    narrative: str = text()
    hop_count: int = integer()
    path_confidence: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    path_found: bool = flag()
    path: tuple[HopShape, ...] = many(HopShape)
    hop_count: int = integer()
    path_confidence: float | None = number(nullable=True)
    reason: str | None = text("Why nothing is known.", default=None, nullable=True)
    narrative: str = text()
    direction: str = text()
    alternative_paths: tuple[OtherShape, ...] = many(OtherShape)
    cycle_detected: bool = flag()
    cycle: tuple[str, ...] | Unset = texts(default=UNSET)
    truncated: bool = flag()


EXAMPLE = Example(
    arguments={"source_id": "stale cache", "target_id": "wrong prices"},
    after=(
        (
            "store_memory",
            {"content": "Prices were wrong.", "rationale": "Customers called.", "name": "wrong prices"},
        ),
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
def find_causal_path(call: Call[Kernel], input: Input) -> Answer:
    """The chain of causes and effects from one node to another, with how sure each step is. Backward goes from an
    effect to its causes; bidirectional takes the surer of both."""
    with call.kernel.read() as snapshot:
        source = cast(Entry, find_node(snapshot, input.source_id, field="source_id").thing)
        target = cast(Entry, find_node(snapshot, input.target_id, field="target_id").thing)
        ends, hops = (source.id, target.id), input.max_hops
        tried = [find_chains(snapshot, *ends, max_hops=hops, way=way) for way in WAYS[input.direction]]
        best = max(tried, key=lambda chains: chains.confidence)
        output = _output(snapshot, source, best, tried)
    activity, now = activity_of(call.kernel), call.kernel.now()
    activity.look(call.kernel.collection, [source.id, target.id], now)
    walked = [hop.node_id for hop in output.path] if output.path_found else []
    walks_of(call.kernel).walk(call.kernel.collection, [walked if best.way == "forward" else walked[::-1]], now)
    sentence = f"{output.narrative} ({output.path_confidence:.2f})." if output.path_found else UNKNOWN
    return Answer(sentence, NODES, output)


def _output(snapshot: Snapshot, source: Entry, best: Chains, tried: Sequence[Chains]) -> Output:
    """Where nothing leads there but a circle was met, the way up to it is shown."""
    circular = next((chains for chains in (best, *tried) if chains.circle), None)
    shown, chain = best, best.paths[0] if best.paths else ()
    if not best.paths and circular is not None:
        shown, chain = circular, circular.circle[:-1]
    hops = _hops(snapshot, source, shown, chain)
    return Output(
        path_found=bool(best.paths),
        path=hops if best.paths or len(hops) > 1 else (),
        hop_count=len(chain) if best.paths else 0,
        path_confidence=round(best.confidence, 4) if best.paths else None,
        reason=None if best.paths else UNKNOWN,
        narrative=_narrative(hops, best.way) if best.paths else "",
        direction=best.way,
        alternative_paths=tuple(_other(snapshot, source, best, path) for path in best.paths[1 : 1 + ALTERNATIVES]),
        cycle_detected=circular is not None,
        cycle=UNSET if circular is None else _round(circular.circle),
        truncated=any(chains.truncated for chains in tried),
    )


def _round(circle: Sequence[Arrow]) -> tuple[str, ...]:
    """The nodes of a circle, from where it begins to where it is closed."""
    nodes = [circle[0].source, *(arrow.target for arrow in circle)]
    return tuple(nodes[nodes.index(nodes[-1]) :])


def _hops(snapshot: Snapshot, source: Entry, chains: Chains, path: Sequence[Arrow]) -> tuple[HopShape, ...]:
    hops = [HopShape(node_id=source.id, node_name=name_of(source))]
    for arrow in path:
        edge, entry = chains.edges[arrow.edge_id], snapshot.entry(arrow.target)
        hops.append(
            HopShape(
                node_id=arrow.target,
                node_name="" if entry is None else name_of(entry),
                edge_type=edge.type,
                relationship=edge.predicate,
                edge_weight=round(edge.weight, 4),
                confidence=round(confidence_of(edge), 4),
            )
        )
    return tuple(hops)


def _narrative(hops: Sequence[HopShape], way: Way) -> str:
    return ARROWS[way].join(hop.node_name for hop in hops)


def _other(snapshot: Snapshot, source: Entry, chains: Chains, path: Sequence[Arrow]) -> OtherShape:
    hops = _hops(snapshot, source, chains, path)
    return OtherShape(
        path=tuple(hop.node_id for hop in hops),
        narrative=_narrative(hops, chains.way),
        hop_count=len(path),
        path_confidence=round(strength(path), 4),
    )
