"""The pulse: entropy, coherence and the one thing to do next, whatever the two are (memory-model: Pulse)."""

from dataclasses import dataclass

from memotheca.memory.session.quadrants import Quadrant, quadrant
from memotheca.memory.tuning.thresholds import PRIORS, Decided, Gates
from memotheca.memory.verbs import Verb


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What besides entropy and coherence decides what to do next."""

    workspace_empty: bool = False
    has_conflict: bool = False
    has_urgent_task: bool = False
    is_looping: bool = False
    may_dream: bool = False


CALM = Situation()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """How unsettled the current material is, how well it fits, and what to do about it, if anything but to go on."""

    entropy: float
    coherence: float
    learning_score: float
    suggested: Verb | None
    quadrant: Quadrant


def suggest(entropy: float, coherence: float, situation: Situation = CALM, gates: Gates = PRIORS) -> Verb | None:
    """The first rule that holds, over the whole square (memory-model: Pulse); where no dream is to be had, conflicts
    are looked for instead."""
    is_high, is_low = entropy > gates["entropy_high"], entropy < gates["entropy_low"]
    is_loose = coherence < gates["coherence_low"]
    rules = (
        (situation.workspace_empty, Verb.ASK),
        (situation.has_conflict, Verb.CRITICISE),
        (situation.has_urgent_task, Verb.TEND),
        (is_high and coherence > gates["coherence_fair"], Verb.ASK),
        (is_high and is_loose and situation.may_dream, Verb.DREAM),
        (is_high, Verb.CRITICISE),
        (is_low and is_loose, Verb.SURROUND),
        (is_loose, Verb.TEND),
        (situation.is_looping, Verb.REFLECT),
    )
    return next((action for holds, action in rules if holds), None)


def take_pulse(
    entropy: float, coherence: float, learning: float, situation: Situation = CALM, *, gates: Gates = PRIORS
) -> Pulse:
    return Pulse(
        entropy=round(entropy, 4),
        coherence=round(coherence, 4),
        learning_score=round(learning, 4),
        suggested=suggest(entropy, coherence, situation, gates),
        quadrant=quadrant(entropy, coherence, gates["johari"]),
    )


def bars_of_pulse(entropy: float, coherence: float, gates: Gates) -> list[Decided]:
    """What the bars say of entropy and coherence, as far as the pulse asks them."""
    is_high, is_loose = entropy > gates["entropy_high"], coherence < gates["coherence_low"]
    decided = [Decided("entropy_high", entropy, is_high), Decided("coherence_low", coherence, is_loose)]
    if is_high:
        decided.append(Decided("coherence_fair", coherence, coherence > gates["coherence_fair"]))
    if is_loose:
        decided.append(Decided("entropy_low", entropy, entropy < gates["entropy_low"]))
    return decided
