"""Semantic cancer: something held to be very important that glues together what has nothing to do with each other."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memotheca.memory.tuning.thresholds import PRIORS, REGISTRY
from memotheca.model.errors import Failure, Refusal

FEWEST = 5  # chosen (memory-model: Semantic cancer)
# What is less important is none, wherever the limit comes to lie.
LEAST_IMPORTANT = REGISTRY["weight_limit"].range[0]


def clusters_of(nodes: Iterable[str], pairs: Iterable[tuple[str, str]]) -> list[set[str]]:
    """The groups of nodes that hang together by these pairs."""
    leader = {node: node for node in nodes}

    def find(node: str) -> str:
        while leader[node] != node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    for one, other in pairs:
        if one in leader and other in leader:
            leader[find(one)] = find(other)
    groups: dict[str, set[str]] = {}
    for node in leader:
        groups.setdefault(find(node), set()).add(node)
    return list(groups.values())


def neighbour_entropy(weights: Mapping[str, float], pairs: Iterable[tuple[str, str]]) -> float | None:
    """How evenly a node's edge weight is spread over clusters of its neighbours (memory-model: Semantic cancer): 0
    where all of them hang together, 1 where they are strangers to each other; None where there are too few to say."""
    if len(weights) < FEWEST:
        return None
    shares = [sum(weights[node] for node in group) for group in clusters_of(weights, pairs)]
    total = sum(shares)
    if total <= 0 or len(shares) < 2:
        return 0.0
    return -sum(share / total * math.log(share / total) for share in shares if share > 0) / math.log(len(shares))


@dataclass(frozen=True, slots=True)
class Examined:
    """How an entry's neighbourhood is scattered, at an importance, and both limits; the entropy is None where there are
    too few."""

    importance: float
    entropy: float | None
    neighbours: int
    limits: tuple[float, float] = (PRIORS["weight_limit"], PRIORS["scatter_limit"])

    @property
    def is_cancer(self) -> bool:
        heaviest, widest = self.limits
        return self.entropy is not None and self.importance > heaviest and self.entropy > widest


class Unbalanced(Refusal):
    """One memory would come to outweigh others that have little to do with each other."""

    def __init__(self, found: Examined) -> None:
        super().__init__(
            Failure.INVALID,
            f"An importance of {found.importance:.2f} would let one memory outweigh {found.neighbours} others that "
            "have little to do with each other.",
            details={
                "importance": round(found.importance, 4),
                "neighbor_entropy": round(found.entropy or 0.0, 4),
                "limits": dict(zip(("importance", "neighbor_entropy"), found.limits, strict=True)),
            },
        )
