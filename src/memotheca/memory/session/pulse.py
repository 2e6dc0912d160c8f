"""The pulse: entropy, coherence and the one thing to do next, whatever the two are (memory-model: Pulse)."""

from dataclasses import dataclass

from memotheca.memory.session.quadrants import Quadrant, quadrant
from memotheca.memory.verbs import Verb

HIGH, LOW, FAIR = 0.7, 0.4, 0.5  # specification (memory-model: Pulse)


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What besides entropy and coherence decides what to do next."""

    workspace_empty: bool = False
    has_conflict: bool = False
    has_urgent_task: bool = False
    is_looping: bool = False


CALM = Situation()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """How unsettled the current material is, how well it fits, and what to do about it, if anything but to go on."""

    entropy: float
    coherence: float
    learning_score: float
    suggested: Verb | None
    quadrant: Quadrant


def suggest(entropy: float, coherence: float, situation: Situation = CALM) -> Verb | None:
    """The first rule that holds, over the whole square (memory-model: Pulse); dreams are not offered here, so conflicts
    are looked for instead."""
    rules = (
        (situation.workspace_empty, Verb.ASK),
        (situation.has_conflict, Verb.CRITICISE),
        (situation.has_urgent_task, Verb.TEND),
        (entropy > HIGH and coherence > FAIR, Verb.ASK),
        (entropy > HIGH, Verb.CRITICISE),
        (entropy < LOW and coherence < LOW, Verb.SURROUND),
        (coherence < LOW, Verb.TEND),
        (situation.is_looping, Verb.REFLECT),
    )
    return next((action for holds, action in rules if holds), None)


def take_pulse(entropy: float, coherence: float, learning: float, situation: Situation = CALM) -> Pulse:
    return Pulse(
        entropy=round(entropy, 4),
        coherence=round(coherence, 4),
        learning_score=round(learning, 4),
        suggested=suggest(entropy, coherence, situation),
        quadrant=quadrant(entropy, coherence),
    )
