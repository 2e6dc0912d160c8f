"""Immunity: which entries would become, or have become, what glues unrelated things together (memory-model: Semantic
cancer)."""

from dataclasses import dataclass

from memotheca.memory.graph.cancer import Examined, Unbalanced, neighbour_entropy
from memotheca.memory.tuning.gates import gates_at
from memotheca.model.kinds import MENTIONS, TEMPORAL
from memotheca.storage.adjacency import joined_among
from memotheca.storage.snapshot import Snapshot

LOOKED_AT = 200  # chosen: the heaviest neighbours decide (memory-model: Semantic cancer)


@dataclass(frozen=True, slots=True)
class Scattering:
    """How scattered the neighbours of an entry are, nothing where they are too few; how many they are, and which of
    them were looked at."""

    entropy: float | None
    neighbours: int
    looked_at: frozenset[str]


def scattering_of(snapshot: Snapshot, id: str) -> Scattering:
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
    return Scattering(entropy, len(weights), frozenset(nodes))


def examine(snapshot: Snapshot, id: str, importance: float) -> Examined:
    """How an entry would stand between its neighbours at an importance."""
    found = scattering_of(snapshot, id)
    return Examined(importance, found.entropy, found.neighbours, limits_at(snapshot, id))


def limits_at(snapshot: Snapshot, id: str) -> tuple[float, float]:
    """How important an entry may be where its neighbours are scattered so much."""
    entry = snapshot.entry(id)
    return limits_of(snapshot, None if entry is None else entry.attributes.get("domain"))


def limits_of(snapshot: Snapshot, domain: str | None) -> tuple[float, float]:
    """As `limits_at`, of what is of a domain."""
    gates = gates_at(snapshot, domain)
    return gates["weight_limit"], gates["scatter_limit"]


def refuse_cancer(snapshot: Snapshot, id: str, importance: float) -> Examined:
    """Examine, and refuse what would push an entry over both limits."""
    found = examine(snapshot, id, importance)
    if found.is_cancer:
        raise Unbalanced(found)
    return found
