"""Thirteen coupled oscillators, one for each space: how far they fall in step at a coupling (memory-model: Coupling).
Pure; how far the spaces agree about a session is measured, not simulated."""

import math
from functools import lru_cache
from statistics import fmean, pstdev
from typing import Literal

from memotheca.memory.spaces.space_table import COUNT

# Of E1 to E13, in Hz: specification (memory-model: Coupling).
FREQUENCIES = (40.0, 8.0, 8.0, 8.0, 25.0, 4.0, 25.0, 12.0, 80.0, 40.0, 15.0, 60.0, 4.0)
# In step from here on, at the least, and as one: specification (memory-model: Coupling).
IN_STEP, APART, AS_ONE = 0.8, 0.5, 0.95
STILL = 0.3  # specification (memory-model: Coupling)
LEAST, MOST = 0.0, 10.0  # specification (memory-model: Coupling)
SECONDS, STEP = 30.0, 0.02  # specification, chosen: the mean does not change with shorter steps
RESOLUTION = 100  # chosen: couplings that differ by less than a hundredth are the same

State = Literal["DORMANT", "FRAGMENTED", "EMERGING", "CONSCIOUS", "HYPERSYNC"]


def standard_frequencies() -> tuple[float, ...]:
    """With mean 0 and spread 1: in Hz, as specified, no coupling up to 10 could bring them in step."""
    mean, spread = fmean(FREQUENCIES), pstdev(FREQUENCIES)
    return tuple((each - mean) / spread for each in FREQUENCIES)


def order_at(coupling: float) -> float:
    """The order parameter r of the model, from 0 to 1: its mean over the second half of half a minute."""
    return _order_at(round(min(MOST, max(LEAST, coupling)) * RESOLUTION))


@lru_cache(maxsize=4 * RESOLUTION)
def _order_at(hundredths: int) -> float:
    coupling, own = hundredths / RESOLUTION, standard_frequencies()
    phases = [2 * math.pi * place / COUNT for place in range(COUNT)]
    steps = round(SECONDS / STEP)
    total = 0.0
    for step in range(steps):
        east, north = sum(map(math.cos, phases)) / COUNT, sum(map(math.sin, phases)) / COUNT
        total += math.hypot(east, north) if 2 * step >= steps else 0.0
        # Σ sin(θj - θi) / n = r sin(ψ - θi): each is drawn to the middle of all.
        phases = [
            phase + STEP * (own[place] + coupling * (north * math.cos(phase) - east * math.sin(phase)))
            for place, phase in enumerate(phases)
        ]
    return total / (steps - steps // 2)


def state_of(order: float | None) -> State:
    """By r (memory-model: Coupling); where there is nothing to agree about, dormant."""
    if order is None or order < STILL:
        return "DORMANT"
    if order > AS_ONE:
        return "HYPERSYNC"
    return "CONSCIOUS" if order >= IN_STEP else "EMERGING" if order >= APART else "FRAGMENTED"
