"""Consent: what the user allows to be done in their place. Apart from what needs it, so that starting loads nothing."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelConsent:
    """Whether the client's own model may be asked about open pairs, and its answers carried out."""

    is_given: bool = False


@dataclass(frozen=True, slots=True)
class IdleDreams:
    """Whether a server may let the memory dream by itself while nobody asks it anything."""

    is_on: bool = False
