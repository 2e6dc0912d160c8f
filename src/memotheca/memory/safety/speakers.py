"""Who speaks decides: what the user says of their own wishes is kept, what comes from outside and addresses the agent
is held (memory-model: Planted text)."""

from collections.abc import Callable
from dataclasses import dataclass

from memotheca.memory.safety.addressee import address
from memotheca.memory.safety.adversarial import Threat, inspect
from memotheca.memory.safety.pasted import passed_on

# How much has to speak for a text that addresses the agent before it is held, by who said it (log odds).
OUTSIDE = 0.0  # chosen: as likely as not (memory-model: Planted text)
OWN = 6.0  # chosen on household and lab: people speak of their agents
PASTED = 1.5  # chosen on household and lab: what they pass on is not theirs, but they chose it
SURE = 0.95  # measured: costs one honest text of 425 from outside, and holds the attacks that name no machine
BORDERS = {"web": OUTSIDE, "document": OUTSIDE, "tool": OUTSIDE, "agent": OUTSIDE, "colleague": OWN, "user": OWN}


@dataclass(frozen=True, slots=True)
class Hearing:
    """What a text is taken for, given who said it."""

    threat: Threat
    is_held: bool
    is_refused: bool


def hear(text: str, source: str | None) -> Hearing:
    """Held is what a source from outside asks of the agent, or what surely looks planted by its words alone; where
    nobody is named, what looks so at all. Refused is only what is kept from people's eyes, since that is dangerous
    whoever passes it on."""
    threat = inspect(text)
    is_refused = threat.is_blocked and threat.is_concealed
    if source is None:
        is_held = threat.is_flagged
    else:
        is_sure = BORDERS[source] == OUTSIDE and threat.score >= SURE
        is_held = is_sure or speaks_to_agent(text, source)
    return Hearing(threat, is_held or is_refused, is_refused)


def speaks_to_agent(text: str, source: str, weigh: Callable[[str, str], float] = address) -> bool:
    """Whether a text, or what somebody passes on in it, addresses the agent more than its source may."""
    if weigh(text, source) > BORDERS[source]:
        return True
    pasted = passed_on(text) if BORDERS[source] == OWN else ""
    return bool(pasted) and weigh(pasted, "document") > PASTED
