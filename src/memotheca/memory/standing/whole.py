"""An entry as a whole: what its standing in the thirteen spaces comes to, and what the memory learns by it
(memory-model: Learning score)."""

from collections.abc import Sequence
from dataclasses import dataclass

from memotheca.memory.session.learning import emphasis, lambdas, learning_score, phase_angle
from memotheca.memory.session.quadrants import Quadrant, quadrant
from memotheca.memory.spaces.space_table import IDS
from memotheca.memory.spaces.space_weights import aggregate, weights_for
from memotheca.memory.standing.sample import Judged
from memotheca.memory.traits import text_of
from memotheca.memory.tuning.thresholds import Gates
from memotheca.model.knowledge import Entry

CONSISTENT_SPACES = ("E1", "E5", "E6", "E11", "E12", "E13")


@dataclass(frozen=True, slots=True)
class Learned:
    """What a memory as a whole adds (memory-model: Learning score)."""

    delta_s: float
    delta_c: float
    score: float
    emphasis: float
    angle: float
    quadrant: Quadrant


def quadrant_of(entry: Entry, judged: Judged, gates: Gates) -> Quadrant:
    """The quadrant of an entry as a whole."""
    return quadrant(*stand_as_whole(entry, judged), gates.of(entry.attributes.get("domain"))["johari"])


def stand_as_whole(entry: Entry, judged: Judged) -> tuple[float, float]:
    """ΔS and ΔC over the spaces that tell something of what it says (memory-model: Abstention)."""
    weights, counted = weights_for(entry.attributes.get("domain")), judged.counted
    return aggregate(judged.delta_s, weights, counted), aggregate(judged.delta_c, weights, counted)


def learn(entry: Entry, judged: Judged, interactions: int, gates: Gates) -> Learned:
    """Novelty and fit over all spaces, and the learning score at this age of the memory."""
    delta_s, delta_c = stand_as_whole(entry, judged)
    stressed = emphasis(text_of(entry))
    score = learning_score(delta_s, delta_c, weights=lambdas(interactions), emphasis=stressed)
    angle = phase_angle(delta_s, delta_c)
    return Learned(delta_s, delta_c, score, stressed, angle, quadrant_of(entry, judged, gates))


def consistency(disputed: Sequence[float]) -> dict[int, float]:
    """1 - the strongest contradiction, in the spaces that see what is said (memory-model: Fit)."""
    worst = max(disputed, default=0.0)
    return {IDS.index(space): 1 - worst for space in CONSISTENT_SPACES}


def dominant_space(judged: Judged) -> str:
    """The space in which something fits best among the others, of those that tell something of what it says."""
    fits = [fit if counts else -1.0 for fit, counts in zip(judged.delta_c, judged.counted, strict=True)]
    return IDS[fits.index(max(fits))]
