"""How alike two purposes are: the topics that both serve, what the spaces say of each, and the pairs and groups of
spaces (memory-model: Search by purpose). Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.memory.spaces.fusion_weights import GROUPS
from memotheca.memory.spaces.space_table import IDS
from memotheca.memory.topics.purpose import SPEAKS, PurposeVector

Array = NDArray[Any]

ADAPTIVE = "adaptive"
SCOPES = ("full", "purpose_vector_only", "cross_correlations_only", "group_alignments_only")
SPREAD, MANY = 0.2, 10  # specification (memory-model: Search by purpose)
SYNERGY, DOMINANT, HIERARCHY = 0.6, 0.75, 0.6  # specification (memory-model: Search by purpose)
KEPT_DIRECTIONS = 4  # specification (memory-model: Purpose): the first of the ranks
HALF = 0.5  # chosen: topics and spaces count alike


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How purposes are compared: the way, what of them, and what each part counts where all do; the rest is
    confidence."""

    strategy: str = ADAPTIVE
    scope: str = SCOPES[0]
    purpose: float = 0.4
    correlations: float = 0.35
    groups: float = 0.15


@dataclass(frozen=True, slots=True)
class PurposeParts:
    """How alike two purposes are in each part of them, from 0 to 1."""

    purpose: float
    correlations: float
    groups: float
    confidence: float


def only_spaces(vector: PurposeVector, spaces: frozenset[str]) -> PurposeVector:
    """A vector as some spaces have it; what the others say is left out."""
    values = tuple(value if id in spaces else None for id, value in zip(IDS, vector.values, strict=True))
    return PurposeVector(values=values, topics=vector.topics)


def parts_of(one: PurposeVector, other: PurposeVector, together: Array) -> PurposeParts:
    spaces = _alike(one.values, other.values)
    topics = _same_topics(one.topics, other.topics)
    ours, theirs = one.groups, other.groups
    return PurposeParts(
        purpose=spaces if topics is None else HALF * topics + (1 - HALF) * spaces,
        correlations=_cosine(one.pairs(together), other.pairs(together)),
        groups=_alike([ours[name] for name in GROUPS], [theirs[name] for name in GROUPS]),
        confidence=min(1.0, one.confidence, other.confidence),
    )


def chosen_strategy(wanted: str, query: PurposeVector) -> str:
    """The way that fits a purpose where none is asked for: by groups where spaces disagree, by all of it where most
    speak, else by pairs."""
    if wanted != ADAPTIVE:
        return wanted
    known = [value for value in query.values if value is not None]
    if known and float(np.std(known)) > SPREAD:
        return "group_hierarchical"
    return "cosine" if sum(value > SPEAKS for value in known) >= MANY else "synergy_weighted"


@dataclass(frozen=True, slots=True)
class PurposePair:
    """Two purposes, the parts in which they are alike, and the matrix by which pairs count."""

    query: PurposeVector
    found: PurposeVector
    parts: PurposeParts
    together: Array


def similarity_of_purposes(pair: PurposePair, wanted: Comparison, strategy: str) -> float:
    """How alike two purposes are in a way, from 0 to 1."""
    if wanted.scope != SCOPES[0]:
        return _in_scope(pair, wanted.scope, strategy)
    if strategy == "cosine":
        return _weighed(pair.parts, wanted)
    return STRATEGIES[strategy](pair)


def _weighed(parts: PurposeParts, wanted: Comparison) -> float:
    rest = max(0.0, 1 - wanted.purpose - wanted.correlations - wanted.groups)
    return (
        wanted.purpose * parts.purpose
        + wanted.correlations * parts.correlations
        + wanted.groups * parts.groups
        + rest * parts.confidence
    )


def _in_scope(pair: PurposePair, scope: str, strategy: str) -> float:
    if strategy == "euclidean":
        numbers: Mapping[str, Callable[[PurposeVector], Sequence[float]]] = {
            "purpose_vector_only": lambda vector: vector.plain.tolist(),
            "cross_correlations_only": lambda vector: vector.pairs(pair.together).tolist(),
            "group_alignments_only": lambda vector: [value or 0.0 for value in vector.groups.values()],
        }
        return _near(numbers[scope](pair.query), numbers[scope](pair.found))
    parts = pair.parts
    return {
        "purpose_vector_only": parts.purpose,
        "cross_correlations_only": parts.correlations,
        "group_alignments_only": parts.groups,
    }[scope]


def _euclidean(pair: PurposePair) -> float:
    return _near(pair.query.plain.tolist(), pair.found.plain.tolist())


def _synergy_weighted(pair: PurposePair) -> float:
    return (1 - SYNERGY) * pair.parts.purpose + SYNERGY * pair.parts.correlations


def _group_hierarchical(pair: PurposePair) -> float:
    """By groups, and within the one that says most of the query."""
    said = {name: value for name, value in pair.query.groups.items() if value is not None}
    if not said:
        return 0.0
    members = GROUPS[max(said, key=lambda name: (said[name], name))]
    within = _alike(only_spaces(pair.query, frozenset(members)).values, pair.found.values)
    return HIERARCHY * pair.parts.groups + (1 - HIERARCHY) * within


def _cross_correlation(pair: PurposePair) -> float:
    return DOMINANT * pair.parts.correlations + (1 - DOMINANT) * pair.parts.purpose


def _tucker(pair: PurposePair) -> float:
    """By what is left of the pairs in the few directions that say most of the query."""
    query, found = (pair.together * np.outer(each.plain, each.plain) for each in (pair.query, pair.found))
    basis = np.linalg.svd(query)[0][:, :KEPT_DIRECTIONS]
    left, right = basis.T @ query @ basis, basis.T @ found @ basis
    lengths = float(np.linalg.norm(left)) * float(np.linalg.norm(found))
    return min(1.0, max(0.0, float((left * right).sum()) / lengths)) if lengths > 0 else 0.0


STRATEGIES: Mapping[str, Callable[[PurposePair], float]] = {
    "euclidean": _euclidean,
    "synergy_weighted": _synergy_weighted,
    "group_hierarchical": _group_hierarchical,
    "cross_correlation_dominant": _cross_correlation,
    "tucker_compressed": _tucker,
}
STRATEGY_NAMES = ("cosine", *STRATEGIES, ADAPTIVE)


def _same_topics(one: Mapping[str, float], other: Mapping[str, float]) -> float | None:
    """The cosine of what both serve; None where the first serves none, so that there is nothing to ask for."""
    if not one:
        return None
    names = sorted({*one, *other})
    return _cosine(np.array([one.get(id, 0.0) for id in names]), np.array([other.get(id, 0.0) for id in names]))


def _alike(one: Sequence[float | None], other: Sequence[float | None]) -> float:
    """One less the mean difference over what the first has to say; what the second leaves unsaid differs by all of
    it. Numbers that all point the same way would have a cosine near 1 whatever they are."""
    said = [abs(mine - (theirs or 0.0)) for mine, theirs in zip(one, other, strict=True) if mine is not None]
    return max(0.0, 1 - sum(said) / len(said)) if said else 0.0


def _cosine(one: Array, other: Array) -> float:
    lengths = float(np.linalg.norm(one)) * float(np.linalg.norm(other))
    return min(1.0, max(0.0, float(one @ other) / lengths)) if lengths > 0 else 0.0


def _near(one: Sequence[float], other: Sequence[float]) -> float:
    return 1 / (1 + float(np.linalg.norm(np.array(one) - np.array(other))))
