"""Who a text speaks to: how likely one from outside addresses the machine that reads it (memory-model: Planted text).

A page, a document or the output of a tool has readers; where it turns to a machine among them (by a label, a call, a
condition, a duty, as the one that reads this) and asks it for something, it is not the user who asks. Each sentence is
looked at with the two after it; the text is what its worst sentence is. What is quoted in the middle of a sentence is
reported, not said. Where no machine is named, some signs tell by themselves: an order for a memory, what is to happen
when the user asks, somebody who claims to be the user. The weights were learned by `benchmarks/planted.py --learn`;
each sign can only add, but for talk about such texts."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.memory.safety.addressee_forms import CLEAR, FAINT, FORMS, VAGUE, Look, look_at, sentences_of
from memotheca.memory.safety.adversarial import share_of_code, weight_of
from memotheca.memory.safety.disguises import hidden_texts, undisguise
from memotheca.memory.safety.learned_weights import Features, read_weights
from memotheca.memory.safety.planted_forms import has_form
from memotheca.model.knowledge import fold

Array = NDArray[Any]

WEIGHTS = Path(__file__).parent / "addressee.npz"
FOLLOWING = 2  # chosen: sentences in which the request may follow the address
SHORT = 8  # chosen: in a text of more sentences one is likelier to look like it by chance
UNNAMED = 0.25  # chosen: what a request counts where a machine is named but not turned to
FURTHEST = 6.0  # chosen: the voice of the other detector, within bounds

REQUESTS = (
    "say",
    "deed",
    "send",
    "memory",
    "hide",
    "ignore",
    "reveal",
    "rules",
    "refuse",
    "secret",
    "obey",
    "tool",
    "user",
    "without",
    "always",
    "only",
    "now",
    "asked",
)
_ASKED = frozenset(REQUESTS)
_DONE = frozenset({"say", "deed", "send", "ignore", "reveal", "obey", "always"})
# What a sentence says with an address, and what of it tells something without one.
ADDRESSED = ("principal", "secrecy", "hush", "this", "consent", "your own", "trigger", "duty", "asked you")
ALONE = ("trigger", "asked you", "your own", "consent", "maker", "processes this", "it is me", "memory")
DIRECT = ("label", "call", "greeting", "reader", "towards", "bracket", "you are one")
_NAMING = frozenset({"user", "your own"})
_HIDING = frozenset({"secrecy", "hush", "consent"})
_TELLING_SIGNS = frozenset({"secrecy", "hush", "user", "consent", "trigger"})
LOOKS = ("role markup", "border", "unseen", "comment", "note to", "you are", "destination", "exfiltration")
TELLING = ("told of", "text told of", "refused", "script", "code", "long")
TURNING = ("label", "call", "greeting", "reader", "towards", "bracket", "duty", "condition", "will", "you are one")
NAMES = (
    *FORMS,
    "several forms",
    "addressed clearly",
    "addressed vaguely",
    "addressed faintly",
    "duty and a sign",
    "machine named",
    "order follows",
    *(f"asked to {act}" for act in REQUESTS),
    "much asked",
    *(f"addressed, {sign}" for sign in ADDRESSED),
    *ALONE,
    "secrecy about this",
    "user and requests",
    "user and memory",
    "addressed from now on",
    "named from now on",
    "me from another address",
    "another address from now on",
    "taken over as a rule",
    "taken over in secret",
    "several signs",
    "role markup and a machine",
    *LOOKS,
    "threat",
    *TELLING,
    "always",
)
_ADDRESS = re.compile(r"\w@\w|\d{5}")
# Who speaks in a play.
_PART = re.compile(r"(?:^|(?<=[.!?)] )|(?<=\n))([A-Z]{3,20})(?: \([^)\n]{1,40}\))?:")
FEATURES = Features(NAMES, 0)
LOWERING = np.array([name in TELLING for name in NAMES])


def address(text: str, source: str) -> float:
    """How much speaks for a text that addresses its machine reader, as log odds; what lies hidden in it counts too."""
    (named, _) = _weights()
    return float(np.max(signs(text, source) @ named))


def signs(text: str, source: str) -> Array:
    """The signs of each sentence, a row each, in the order of `NAMES`."""
    shown = undisguise(text)
    threat = min(FURTHEST, max(0.0, weight_of(text))) / FURTHEST
    rows = [row for each in (shown, *hidden_texts(shown)) for row in _rows(each, threat, source)]
    return np.array(rows or [[*[0.0] * (len(NAMES) - 1), 1.0]])


@cache
def _weights() -> tuple[Array, Array]:
    return read_weights(WEIGHTS, FEATURES)


@dataclass(frozen=True, slots=True)
class _Whole:
    """What a text shows as a whole: its looks, how much it tells of such texts, and who says it."""

    looks: dict[str, float]
    told: tuple[float, ...]
    threat: float
    is_lasting: bool
    gives_address: bool
    is_agents: bool


def _rows(shown: str, threat: float, source: str) -> Iterator[list[float]]:
    folded = fold(shown)
    looks = [look_at(sentence, folded, shown) for sentence in sentences_of(folded)]
    told = (
        sum("discuss" in look.requests for look in looks) / max(1, len(looks)),
        float(any("text told of" in look.signs for look in looks)),
        float(any("refused" in look.signs for look in looks)),
        float(len({*_PART.findall(shown)}) > 1),
        share_of_code(shown),
        math.log(max(1.0, len(looks) / SHORT)),
    )
    whole = _Whole(
        looks={form: float(has_form(form, folded)) for form in LOOKS},
        told=told,
        threat=threat,
        is_lasting=has_form("from now on", folded),
        gives_address=_ADDRESS.search(folded) is not None,
        is_agents=source == "agent",
    )
    for place, look in enumerate(looks):
        yield _row(look, looks[place : place + 1 + FOLLOWING], whole)


def _row(look: Look, followed: Sequence[Look], whole: _Whole) -> list[float]:
    asked = frozenset[str]().union(*(each.requests for each in followed))
    met = frozenset[str]().union(*(each.signs for each in followed))
    turned = _surest(look, TURNING)
    directly = _surest(look, DIRECT)
    share = turned or (UNNAMED if look.machine else 0.0)
    return [
        *(look.forms.get(form, 0.0) for form in FORMS),
        max(0, min(3, len(look.forms)) - 1) / 2 * turned,
        *(float(directly == grade) for grade in (CLEAR, VAGUE, FAINT)),
        look.forms.get("duty", 0.0) * bool(_TELLING_SIGNS & met),
        look.machine,
        turned * look.is_order,
        *(share * (act in asked) for act in REQUESTS),
        turned * min(4, len(asked & _ASKED)) / 4,
        *((turned or UNNAMED * look.machine) * (sign in met) for sign in ADDRESSED),
        *_unaddressed(look, followed, whole, turned),
        whole.looks["role markup"] * look.machine,
        *whole.looks.values(),
        whole.threat,
        *whole.told,
        1.0,
    ]


def _surest(look: Look, forms: Sequence[str]) -> float:
    return max((look.forms.get(form, 0.0) for form in forms), default=0.0)


def _unaddressed(look: Look, followed: Sequence[Look], whole: _Whole, turned: float) -> Iterator[float]:
    """What tells something of a sentence even where nobody is named."""
    asked = frozenset[str]().union(*(each.requests for each in followed))
    met = frozenset[str]().union(*(each.signs for each in followed))
    alone = [float(sign in look.signs) for sign in ALONE]
    hidden = any({"secrecy", "hush"} & each.signs and "this" in each.signs for each in followed)
    is_named = max(look.machine, float(not _NAMING.isdisjoint(look.signs)))
    is_taken = whole.is_agents and "taken over" in look.signs
    yield from alone
    yield hidden * (VAGUE + turned / 2)
    yield ("user" in look.signs) * min(3, len(look.requests & _DONE)) / 3
    yield float("user" in look.signs and "memory" in look.requests)
    yield turned * whole.is_lasting
    yield is_named * whole.is_lasting
    yield float("it is me" in met and (whole.is_lasting or "other account" in met) and whole.gives_address)
    yield float("other account" in met and whole.is_lasting and whole.gives_address)
    yield float(is_taken and "rule" in met)
    yield float(is_taken and not (_HIDING.isdisjoint(met) and {"ignore", "send"}.isdisjoint(asked)))
    yield max(0, min(4, sum(alone) + hidden + ("consent" in met) + ("secrecy" in met)) - 1) / 3
