"""Immunity: which entries would become, or have become, what glues unrelated things together (memory-model: Semantic
cancer)."""

from memotheca.memory.graph.cancer import Examined, Unbalanced, neighbour_entropy
from memotheca.memory.tuning.gates import gates_at
from memotheca.model.kinds import MENTIONS, TEMPORAL
from memotheca.storage.adjacency import joined_among
from memotheca.storage.snapshot import Snapshot

LOOKED_AT = 200  # chosen: the heaviest neighbours decide (memory-model: Semantic cancer)


def examine(snapshot: Snapshot, id: str, importance: float) -> Examined:
    """Look at the neighbours of an entry and at which of them know each other; what merely came one after the other
    is no neighbour."""
    weights: dict[str, float] = {}
    for edge in snapshot.edges_of(id):
        other = edge.target if edge.source == id else edge.source
        if edge.type != TEMPORAL and edge.predicate != MENTIONS and other != id:
            weights[other] = max(weights.get(other, 0.0), edge.weight)
    nodes = sorted(weights, key=lambda node: (-weights[node], node))[:LOOKED_AT]
    entropy = neighbour_entropy(
        {node: weights[node] for node in nodes}, joined_among(snapshot, nodes, without=TEMPORAL)
    )
    return Examined(importance, entropy, len(weights), limits_at(snapshot, id))


def limits_at(snapshot: Snapshot, id: str) -> tuple[float, float]:
    """How important an entry may be where its neighbours are scattered so much."""
    entry = snapshot.entry(id)
    gates = gates_at(snapshot, None if entry is None else entry.attributes.get("domain"))
    return gates["weight_limit"], gates["scatter_limit"]


def refuse_cancer(snapshot: Snapshot, id: str, importance: float) -> Examined:
    """Examine, and refuse what would push an entry over both limits."""
    found = examine(snapshot, id, importance)
    if found.is_cancer:
        raise Unbalanced(found)
    return found
