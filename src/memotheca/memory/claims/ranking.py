"""Rankings: fused, compared and measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

FUSION = 60  # specification (memory-model: Recall accuracy)
PERSISTENCE = 0.9  # chosen: the first ten have most of the weight (Webber et al. 2010)


def fuse(rankings: Sequence[Sequence[str]], k: int = FUSION) -> list[tuple[str, float]]:
    """Reciprocal rank fusion: Σ 1 / (k + rank), best first."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for place, id in enumerate(ranking, 1):
            scores[id] = scores.get(id, 0.0) + 1 / (k + place)
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))


def rank_biased_overlap(one: Sequence[str], other: Sequence[str], p: float = PERSISTENCE) -> float:
    """How much two rankings agree, the top counting most: 1 where they are the same, 0 where they share nothing."""
    depth = max(len(one), len(other))
    if not depth:
        return 1.0
    agreed = [
        len(set(one[:d]) & set(other[:d])) / max(min(d, len(one)), min(d, len(other))) for d in range(1, depth + 1)
    ]
    weights = [p**d for d in range(depth)]
    return sum(weight * share for weight, share in zip(weights, agreed, strict=True)) / sum(weights)


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How well a ranking found what was expected."""

    hits: tuple[str, ...]
    precision: float
    recall: float
    reciprocal_rank: float

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def measure(ranking: Sequence[str], expected: Sequence[str]) -> Accuracy:
    wanted = set(expected)
    hits = tuple(id for id in ranking if id in wanted)
    first = next((place for place, id in enumerate(ranking, 1) if id in wanted), None)
    return Accuracy(
        hits,
        len(hits) / len(ranking) if ranking else 0.0,
        len(hits) / len(wanted) if wanted else 0.0,
        0.0 if first is None else 1 / first,
    )


def agreement(rankings: Mapping[str, Sequence[str]]) -> list[str]:
    """What every ranking has, in the order of the first."""
    ranked = list(rankings.values())
    return [id for id in ranked[0] if all(id in other for other in ranked[1:])] if ranked else []
