"""What somebody said of two entries: that one contradicts or supersedes the other, that they are the same, or both
fine (memory-model: Contradictions)."""

from collections.abc import Iterable

from memotheca.memory.graph.relations import CONSISTENT, CONTRADICTS, SAME_AS, SUPERSEDES
from memotheca.storage.adjacency import with_predicate
from memotheca.storage.snapshot import Snapshot


def said_between(snapshot: Snapshot, ids: Iterable[str]) -> dict[frozenset[str], dict[str, float]]:
    """What edges say of pairs, with their weights (memory-model: Contradictions)."""
    known, found = list(ids), dict[frozenset[str], dict[str, float]]()
    for predicate in (CONTRADICTS, SUPERSEDES, SAME_AS, CONSISTENT):
        for id in with_predicate(snapshot, known, predicate):
            for edge in snapshot.edges_of(id, predicate):
                held = found.setdefault(frozenset((edge.source, edge.target)), {})
                held[predicate] = max(edge.weight, held.get(predicate, 0.0))
    return found
