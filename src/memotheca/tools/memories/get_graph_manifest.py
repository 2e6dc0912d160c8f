"""Get the graph's manifest."""

from dataclasses import dataclass
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.layers import Layer, layers
from memotheca.memory.session.learning import phase_at
from memotheca.memory.session.state import activity_of
from memotheca.memory.spaces.space_table import SPACES
from memotheca.memory.traits import KNOWN
from memotheca.model.kinds import EDGE_TYPES, PLURALS
from memotheca.search.census import take_census
from memotheca.search.chosen_embedder import model_of
from memotheca.storage.chunks import count_waiting
from memotheca.storage.snapshot import Snapshot
from memotheca.toolkit.fields import free, many, one, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

UNSETTLED_TOOLS = ("epistemic_action", "query_causal", "entailment_query")
LOOSE_TOOLS = ("merge_concepts", "get_neighborhood", "critique_context")
QUICK_TOOLS = ("inject_context", "search_graph", "hydrate_citation")
TROUBLES = {
    "nothing is found": "Ask otherwise with generate_search_plan; look into search_tombstones and quarantine.",
    "statements contradict each other": "critique_context shows them; epistemic_action asks the person.",
    "a node is gone": "restore_from_hash brings back what was forgotten or merged, for 30 days.",
    "a citation is in doubt": "hydrate_citation shows what stands behind it.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerShape:
    id: str = text()
    name: str = text()
    role: str = text()
    budget: str = text()
    status: str = text()
    counts: dict[str, Any] = free()


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchitectureShape:
    layers: tuple[LayerShape, ...] = many(LayerShape)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceShape:
    id: str = text()
    name: str = text()
    purpose: str = text()
    representation: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class GuidanceShape:
    high_entropy_tools: tuple[str, ...] = texts()
    low_coherence_tools: tuple[str, ...] = texts()
    fast_recall_tools: tuple[str, ...] = texts()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    architecture: ArchitectureShape = one(ArchitectureShape)
    spaces: tuple[SpaceShape, ...] = many(SpaceShape)
    prompt_fragment: str = text()
    layer_guidance: GuidanceShape = one(GuidanceShape)
    current_state_summary: str = text()
    troubleshooting: dict[str, Any] = free()
    counts: dict[str, Any] = free()


EXAMPLE = Example(
    arguments={},
    after=(("store_memory", {"content": "Ada takes her tea black.", "rationale": "She told us at lunch."}),),
)


@tool(contract="memories", effect="read", models=(Input, Output), example=EXAMPLE)
def get_graph_manifest(call: Call[Kernel], input: Input) -> Answer:
    """What this memory is made of: its five layers and how each stands, the thirteen spaces, what is stored, and which
    tools help when."""
    kernel = call.kernel
    with kernel.read() as snapshot:
        mood = activity_of(kernel).mood(snapshot.session, kernel.collection, call.session)
        phase = phase_at(activity_of(kernel).count(snapshot.session, kernel.collection))
        standing = layers(kernel, snapshot, mood)
        counts = _counts(kernel, snapshot)
        model = model_of(snapshot.session, kernel.collection) or "none"
    held = [(kind, count) for kind, count in counts["nodes"].items() if count]
    kinds = ", ".join(f"{count} {kind if count == 1 else PLURALS[kind]}" for kind, count in held) or "nothing"
    state = f"{phase.name}; entropy {mood.entropy:.2f}, coherence {mood.coherence:.2f}; stored: {kinds}."
    output = Output(
        architecture=ArchitectureShape(layers=tuple(map(_layer, standing))),
        spaces=tuple(
            SpaceShape(id=each.id, name=each.name, purpose=each.purpose, representation=each.representation)
            for each in SPACES
        ),
        prompt_fragment=(
            f"You have a long-term memory with {counts['total']} nodes and {counts['edges_total']} links. Ask it with "
            "inject_context before you answer, cite what it tells you as [node_…], and store what is worth keeping, "
            "saying why."
        ),
        layer_guidance=GuidanceShape(
            high_entropy_tools=UNSETTLED_TOOLS, low_coherence_tools=LOOSE_TOOLS, fast_recall_tools=QUICK_TOOLS
        ),
        current_state_summary=state,
        troubleshooting=TROUBLES,
        counts={**counts, "embedding_model": model},
    )
    return Answer(state, NODES, output)


def _counts(kernel: Kernel, snapshot: Snapshot) -> dict[str, Any]:
    census = take_census(kernel, snapshot)
    nodes = {kind: census.entries[kind] for kind in KNOWN}
    edges = {type: census.edges[type] for type in EDGE_TYPES}
    return {
        "total": sum(nodes.values()),
        "nodes": nodes,
        "edges_total": census.edges.total(),
        "edges": edges,
        "waiting_for_vectors": count_waiting(snapshot.session, snapshot.collection),
    }


def _layer(layer: Layer) -> LayerShape:
    return LayerShape(
        id=layer.id,
        name=layer.name,
        role=layer.role,
        budget=layer.budget,
        status=layer.status,
        counts=dict(layer.counts),
    )
