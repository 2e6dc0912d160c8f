"""Who speaks decides: what the user says of their own wishes is kept, what comes from outside and addresses the agent
is held (memory-model: Planted text)."""

from dataclasses import dataclass

from memotheca.memory.safety.addressee import address
from memotheca.memory.safety.adversarial import Threat, inspect

# How much has to speak for a text that addresses the agent before it is held, by who said it.
OUTSIDE = 0.5  # chosen on household and lab (memory-model: Planted text)
OWN = 6.0  # chosen on household and lab: people speak of their agents; only what was plainly pasted
BORDERS = {"web": OUTSIDE, "document": OUTSIDE, "tool": OUTSIDE, "agent": OUTSIDE, "colleague": OWN, "user": OWN}


@dataclass(frozen=True, slots=True)
class Hearing:
    """What a text is taken for, given who said it."""

    threat: Threat
    is_held: bool
    is_refused: bool


def hear(text: str, source: str | None) -> Hearing:
    """Held is what a source from outside asks of the agent, and, where nobody is named, what looks planted by its words
    alone. Refused is only what is kept from people's eyes, since that is dangerous whoever passes it on."""
    threat = inspect(text)
    is_refused = threat.is_blocked and threat.is_concealed
    is_held = threat.is_flagged if source is None else is_addressed(address(text), source)
    return Hearing(threat, is_held or is_refused, is_refused)


def is_addressed(odds: float, source: str) -> bool:
    return odds > BORDERS[source]
