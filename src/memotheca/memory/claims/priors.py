"""Priors: the assumptions a memory rests on, and whether two memories share them (memory-model: Priors)."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from memotheca.memory.traits import text_of
from memotheca.model.clock import to_iso
from memotheca.model.knowledge import Entry, fold
from memotheca.text.terms import number_of
from memotheca.text.words import words

WIDTH = 128  # specification (memory-model: Priors)
DOMAIN, QUALIFIER, ROLE, PERIOD, RATIONALE = 4.0, 4.0, 1.0, 1.0, 2.0  # chosen (memory-model: Priors)
UNSTATED = "domain="
LONG_ENOUGH = 20  # chosen: three words, fewer give no reason (memory-model: Priors)

_QUALIFIERS = re.compile(
    r"\b(?:v|ver|version|release)\.?\s?(\d+(?:\.\d+)*)\b|\b((?-i:[A-Z])[a-z]{1,11})\s(\d+(?:\.\d+)+)(?=[.,;:)]?(?:\s|$))"
    r"|\b(production|staging|testing|windows|linux|macos|android|ios)\b",
    re.IGNORECASE,
)
_PLACES = re.compile(r"\b(EU|UK|US|USA|GDPR|HIPAA|California|Germany|France|Japan|China|India|Canada|Brazil)\b")
_COUNTED = frozenset(
    "the a an of in on at to by for is was are has had and or with from than about after before under over only "
    "page chapter step section figure table item line day days hour hours minute minutes second seconds week month "
    "year years january february march april may june july august september october november december".split()
)


@dataclass(frozen=True, slots=True)
class Priors:
    """The slots an assumption can stand in, each with its weight, and how sure they are."""

    slots: Mapping[str, float]
    confidence: float

    def vector(self) -> list[float]:
        """The exported 128 numbers: slots signed and hashed, of length 1. Compatibility is never decided on them."""
        values = [0.0] * WIDTH
        for slot, weight in self.slots.items():
            hashed = number_of("a", slot)
            values[hashed % WIDTH] += weight if hashed >> 63 else -weight
        length = math.sqrt(sum(value**2 for value in values)) or 1.0
        return [value / length for value in values]


def qualifiers(text: str) -> set[str]:
    """Versions, environments and jurisdictions that a text is limited to."""
    found: set[str] = set()
    for version, product, number, environment in _QUALIFIERS.findall(text):
        if version:
            found.add(f"v{version}")
        elif environment:
            found.add(fold(environment))
        elif fold(product) not in _COUNTED:
            found.add(f"{fold(product)} {number}")
    return found | {fold(place) for place in _PLACES.findall(text)}


def assume(entry: Entry) -> Priors:
    """The exact slots: domain, qualifiers, role, period, and the words of the rationale (memory-model: Priors)."""
    attributes: Mapping[str, Any] = entry.attributes
    domain, rationale = attributes.get("domain"), str(attributes.get("rationale") or "")
    slots = {f"domain={domain or ''}": DOMAIN}
    slots |= {f"qualifier={found}": QUALIFIER for found in qualifiers(text_of(entry))}
    slots[f"role={attributes.get('agent_id') or ''}"] = ROLE
    year, month = to_iso(entry.created_at)[:7].split("-")
    slots[f"period={year}Q{(int(month) + 2) // 3}"] = PERIOD
    terms = sorted(set(words(rationale)))
    slots |= {f"rationale={term}": RATIONALE / math.sqrt(len(terms)) for term in terms}
    return Priors(slots, 1 - len(missing_grounds(entry)) / 3)


def missing_grounds(entry: Entry) -> tuple[Literal["rationale", "domain", "source"], ...]:
    """Which of the three are missing that its assumptions are known by, what is easiest to say first (memory-model:
    Priors)."""
    attributes: Mapping[str, Any] = entry.attributes
    found: list[Literal["rationale", "domain", "source"]] = []
    if len(str(attributes.get("rationale") or "")) < LONG_ENOUGH:
        found.append("rationale")
    if not attributes.get("source"):
        found.append("source")
    if attributes.get("domain") is None:
        found.append("domain")
    return tuple(found)


def _beside(one: Priors, other: Priors) -> Priors:
    """With the other's domain where this one states none."""
    if UNSTATED not in one.slots:
        return one
    stated = {slot: weight for slot, weight in other.slots.items() if slot.startswith("domain=")}
    return Priors(
        {**{slot: weight for slot, weight in one.slots.items() if slot != UNSTATED}, **stated}, one.confidence
    )


def similarity(one: Priors, other: Priors) -> float:
    """The cosine of the exact slots (memory-model: Priors); a domain that one does not state clashes with nothing."""
    one, other = _beside(one, other), _beside(other, one)
    shared = sum(weight * other.slots.get(slot, 0.0) for slot, weight in one.slots.items())
    lengths = sum(w**2 for w in one.slots.values()) * sum(w**2 for w in other.slots.values())
    return shared / math.sqrt(lengths) if lengths else 0.0


def differing(one: Priors, other: Priors) -> list[str]:
    """In which assumptions two differ, those that weigh most first."""
    one, other = _beside(one, other), _beside(other, one)
    apart = {slot: {**one.slots, **other.slots}[slot] for slot in one.slots.keys() ^ other.slots.keys()}
    weights: dict[str, float] = {}
    for slot, weight in apart.items():
        name = slot.partition("=")[0]
        weights[name] = weights.get(name, 0.0) + weight**2
    return sorted(weights, key=lambda name: (-weights[name], name))


def differing_values(one: Priors, other: Priors) -> str:
    """The same in words, with what either assumes of what was stated: domain Code against Legal."""
    one, other = _beside(one, other), _beside(other, one)
    told: list[str] = []
    for name in differing(one, other):
        sides = [
            sorted(
                slot.partition("=")[2] for slot in side.slots.keys() - rival.slots.keys() if slot.startswith(f"{name}=")
            )
            for side, rival in ((one, other), (other, one))
        ]
        told.append(f"{name} {' against '.join(' '.join(side) or 'none' for side in sides)}")
    return "; ".join(told)
