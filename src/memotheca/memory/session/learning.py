"""Learning: how much a memory adds, from its novelty and its fit, at the age the memory has reached (memory-model:
Learning score)."""

import itertools
import math
import re
from dataclasses import dataclass

from memotheca.memory.tuning.thresholds import PRIORS, Gates

SMOOTHING = 0.1  # specification (memory-model: Running means)
EMPHASIS_STEP = 0.1  # chosen (memory-model: Emphasis)
LEAST_EMPHASIS, MOST_EMPHASIS = 0.5, 1.5  # specification (memory-model: Emphasis)
BLEND = 25  # specification (memory-model: Ages)

_EMPHATIC = re.compile(r"\b(?:important|never|always|critical|must|urgent|crucial|essential)\b|!", re.IGNORECASE)
_HEDGED = re.compile(
    r"\b(?:maybe|perhaps|possibly|might|probably|seems?|i think|not sure|unclear|roughly)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Phase:
    """An age of the memory: which of novelty and fit counts more, and what is worth doing (memory-model: Ages)."""

    name: str
    begins: int
    lambda_s: float
    entropy_trigger: float
    coherence_trigger: float
    min_importance_store: float
    consolidation_threshold: float


PHASES = (
    Phase("Infancy", 0, 0.7, 0.9, 0.2, 0.1, 0.3),
    Phase("Growth", 50, 0.5, 0.7, 0.4, 0.3, 0.5),
    Phase("Maturity", 500, 0.3, 0.6, 0.5, 0.5, 0.7),
)


def phase_at(interactions: int) -> Phase:
    return next(phase for phase in reversed(PHASES) if interactions >= phase.begins)


def lambdas(interactions: int) -> tuple[float, float]:
    """λ_S and λ_C, going over from one age to the next within 25 interactions around the border (memory-model:
    Ages)."""
    value = PHASES[0].lambda_s
    for before, after in itertools.pairwise(PHASES):
        share = min(1.0, max(0.0, (interactions - after.begins + BLEND) / (2 * BLEND)))
        value += share * (after.lambda_s - before.lambda_s)
    return value, 1 - value


def emphasis(text: str) -> float:
    """w_e (memory-model: Emphasis): a tenth more for each word that stresses, a tenth less for each that doubts."""
    net = len(_EMPHATIC.findall(text)) - len(_HEDGED.findall(text))
    return min(MOST_EMPHASIS, max(LEAST_EMPHASIS, 1 + EMPHASIS_STEP * net))


def phase_angle(delta_s: float, delta_c: float) -> float:
    """φ = (π/2)·|ΔS - ΔC| (memory-model: Phase angle): nothing where novelty and fit agree."""
    return math.pi / 2 * abs(delta_s - delta_c)


def learning_score(delta_s: float, delta_c: float, *, weights: tuple[float, float], emphasis: float = 1.0) -> float:
    """L = clamp(ΔS^λS · ΔC^λC · w_e · cos φ) (memory-model: Learning score)."""
    lambda_s, lambda_c = weights
    mean = max(delta_s, 0.0) ** lambda_s * max(delta_c, 0.0) ** lambda_c
    return min(1.0, max(0.0, mean * emphasis * math.cos(phase_angle(delta_s, delta_c))))


def smooth(old: float, new: float, share: float = SMOOTHING) -> float:
    """The session's running mean (memory-model: Running means)."""
    return (1 - share) * old + share * new


def consolidation_phase(entropy: float, coherence: float, gates: Gates = PRIORS) -> str:
    """What the memory is fit for now (memory-model: Consolidation phase): replay where it is settled, roaming where it
    is not, else waking work."""
    if coherence >= gates["coherence_low"]:
        return "Wake"
    if entropy > gates["entropy_high"]:
        return "NREM"
    return "REM" if entropy < gates["entropy_low"] else "Wake"
