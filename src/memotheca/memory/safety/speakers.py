"""Who speaks decides: what the user says of their own wishes is kept, what comes from outside and addresses the agent
is held (memory-model: Planted text)."""

from collections.abc import Callable
from dataclasses import dataclass

from memotheca.memory.safety.addressee import address
from memotheca.memory.safety.adversarial import Threat, inspect
from memotheca.memory.safety.pasted import passed_on
from memotheca.memory.tuning.thresholds import PRIORS, Decided, Gates

# Who speaks from outside; of the others more is needed before a text that addresses the agent is held.
OUTSIDE = frozenset({"web", "document", "tool", "agent"})


@dataclass(frozen=True, slots=True)
class Hearing:
    """What a text is taken for, given who said it, and which bars decided that."""

    threat: Threat
    is_held: bool
    is_refused: bool
    decided: tuple[Decided, ...] = ()
    gates: Gates = PRIORS


def hear(text: str, source: str | None, gates: Gates = PRIORS) -> Hearing:
    """Held is what a source from outside asks of the agent, or what surely looks planted by its words alone; where
    nobody is named, what looks so at all. Refused is only what is kept from people's eyes, since that is dangerous
    whoever passes it on."""
    threat = inspect(text, gates)
    is_refused = threat.is_blocked and threat.is_concealed
    decided: list[Decided] = []
    if threat.is_concealed:
        decided.append(Decided("planted_hidden", threat.score, threat.is_blocked))
    if source is None:
        decided.append(Decided("planted", threat.score, threat.is_flagged))
    else:
        if source in OUTSIDE:
            decided.append(Decided("planted_sure", threat.score, threat.score >= gates["planted_sure"]))
        decided += weigh_address(text, source, gates=gates)
    # What is hidden is held where it is refused; the other bars hold by themselves.
    is_held = any(each.is_reached for each in decided if each.name != "planted_hidden")
    return Hearing(threat, is_held or is_refused, is_refused, tuple(decided), gates)


def weigh_address(
    text: str, source: str, weigh: Callable[[str, str], float] = address, gates: Gates = PRIORS
) -> list[Decided]:
    """Whether a text, or what somebody passes on in it, addresses the agent more than its source may."""
    if source in OUTSIDE:
        said = weigh(text, source)
        return [Decided("planted_outside", said, said > gates["planted_outside"])]
    said = weigh(text, source)
    decided = [Decided("planted_own", said, said > gates["planted_own"])]
    pasted = passed_on(text)
    if pasted and not decided[0].is_reached:
        odds = weigh(pasted, "document")
        decided.append(Decided("planted_pasted", odds, odds > gates["planted_pasted"]))
    return decided
