"""Steering: whether storing this helped, said so that whoever stores can do better (memory-model: Steering)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memotheca.memory.session.learning import Phase

NEAR_DUPLICATE, LOW_PRIORS = -0.4, -0.3  # specification (memory-model: Steering)
GOOD, BAD = 0.3, -0.3  # specification (memory-model: Steering)


# What would make a memory worth more: merging it with its duplicate, a longer rationale, a domain, who said it, a link.
Improvement = Literal["merge", "rationale", "domain", "source", "link"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """What is known about a memory that was just stored, and about the memory as a whole."""

    delta_s: float
    delta_c: float
    phase: Phase
    is_duplicate: bool
    missing: tuple[Improvement, ...]
    is_alone: bool
    connectivity: float
    quality: float
    accuracy: float | None = None

    @property
    def is_unclear(self) -> bool:
        """Two of the three that its assumptions are known by are missing (memory-model: Priors)."""
        return len(self.missing) > 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Reward:
    """The verdict with its parts and what to do better."""

    reward: float
    gardener: float
    curator: float
    assessor: float | None
    explanation: str
    behavioral_hint: str
    improvements: tuple[Improvement, ...]


def lifecycle_reward(phase: Phase, delta_s: float, delta_c: float) -> float:
    """In infancy novelty is worth most, in growth balance, in maturity fit (memory-model: Steering)."""
    if phase.name == "Infancy":
        return 0.5 if delta_s > 0.6 else delta_s - 0.6
    if phase.name == "Growth":
        return 0.5 - abs(delta_s - delta_c)
    return 0.5 if delta_c > 0.6 else delta_c - 0.6


def steer(deed: Deed) -> Reward:
    """The reward of a store: what its age values, less the penalties (memory-model: Steering)."""
    own = lifecycle_reward(deed.phase, deed.delta_s, deed.delta_c)
    penalties = {
        "a near-duplicate exists": NEAR_DUPLICATE if deed.is_duplicate else 0.0,
        "its assumptions are unclear": LOW_PRIORS if deed.is_unclear else 0.0,
    }
    total = min(1.0, max(-1.0, own + sum(penalties.values())))
    reasons = [reason for reason, value in penalties.items() if value]
    return Reward(
        reward=total,
        gardener=2 * deed.connectivity - 1,
        curator=2 * deed.quality - 1,
        assessor=None if deed.accuracy is None else 2 * deed.accuracy - 1,
        explanation=_explain(deed, own, reasons),
        behavioral_hint="keep on" if total > GOOD else "change what is stored" if total < BAD else "neutral",
        improvements=tuple(_improvements(deed)),
    )


def _explain(deed: Deed, own: float, reasons: Sequence[str]) -> str:
    valued = {"Infancy": "novelty", "Growth": "balance of novelty and fit", "Maturity": "fit"}[deed.phase.name]
    scored = f"{deed.phase.name} values {valued}: {own:+.2f} for novelty {deed.delta_s:.2f} and fit {deed.delta_c:.2f}"
    return f"{scored}; less because {' and '.join(reasons)}." if reasons else f"{scored}."


def _improvements(deed: Deed) -> Iterator[Improvement]:
    if deed.is_duplicate:
        yield "merge"
    # What makes two of the three known.
    yield from deed.missing[:-1]
    if deed.is_alone:
        yield "link"
