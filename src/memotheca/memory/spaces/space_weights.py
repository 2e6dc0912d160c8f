"""How much each space counts: for a type of question, and for the whole of a memory (memory-model: Space weights)."""

from collections.abc import Mapping, Sequence

from memotheca.memory.spaces.space_table import COUNT, IDS, SPACES

# Specification: what they leave over is spread evenly over the other spaces (memory-model: Space weights).
WEIGHTS: Mapping[str, Mapping[str, float]] = {
    "semantic": {"E1": 0.40, "E5": 0.15, "E11": 0.15},
    "causal": {"E5": 0.50, "E1": 0.20, "E11": 0.15},
    "code": {"E7": 0.50, "E1": 0.20, "E8": 0.15},
    "temporal": {"E2": 0.20, "E3": 0.20, "E4": 0.20, "E1": 0.20},
    "fact": {"E11": 0.50, "E5": 0.25, "E1": 0.15},
}


def space_weights(kind: str) -> tuple[float, ...]:
    """The weights of the thirteen spaces for a type of question (memory-model: Space weights)."""
    named = WEIGHTS[kind]
    rest = (1 - sum(named.values())) / (COUNT - len(named))
    return tuple(named.get(id, rest) for id in IDS)


def weights_for(domain: str | None) -> tuple[float, ...]:
    """The weights by which a memory of a domain is judged as a whole."""
    return space_weights("code" if domain == "Code" else "semantic")


def aggregate(values: Sequence[float], weights: Sequence[float], counted: Sequence[bool]) -> float:
    """Σ w_i v_i / Σ w_i over the spaces that count (memory-model: Abstention)."""
    total = sum(weight for weight, counts in zip(weights, counted, strict=True) if counts)
    return sum(w * v for w, v, counts in zip(weights, values, counted, strict=True) if counts) / total


def active_spaces(share: float) -> list[int]:
    """Of the spaces that see what is said, those whose weight is at least this share of the greatest
    (memory-model: Modulators)."""
    weights = weights_for(None)
    least = max(weights) * share
    return [place for place, space in enumerate(SPACES) if space.sees_content and weights[place] >= least]
