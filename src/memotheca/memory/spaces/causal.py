"""Causal nearness (E5): what a text says brings about what, and in which direction two texts fit together."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.memory.spaces.space import Hung, KeptSpace, Members
from memotheca.memory.spaces.sparse import Columns, Sparse, count_words, join, saturated
from memotheca.model.knowledge import fold
from memotheca.text.sentences import split_statements
from memotheca.text.words import spoken

Array = NDArray[Any]

ALONG, AGAINST, SAME = 1.2, 0.8, 1.0  # specification (memory-model: Spaces)
CLAUSE_TERMS = 128  # chosen: more words than a clause has

# Each connective with whether the cause stands before it.
_CONNECTIVES: tuple[tuple[str, bool], ...] = (
    (r"because of|because|due to|owing to|thanks to|as a result of|caused by|triggered by|on account of", False),
    (r"therefore|thus|hence|consequently|as a result|so that|which is why|that is why", True),
    (r"leads? to|led to|leading to|caus(?:e[sd]?|ing)|results? in|resulted in|resulting in", True),
    (r"brings? about|brought about|triggers?|triggered|produces?|produced|makes?|made|prevents?|prevented", True),
    (r"depends? on|stems? from|arises? from|results? from|resulted from|comes? from", False),
)
_SPLITS = tuple((re.compile(rf"\b(?:{words_})\b", re.IGNORECASE), before) for words_, before in _CONNECTIVES)
_CONDITION = re.compile(r"\b(?:if|when|whenever)\b", re.IGNORECASE)
_SINCE = re.compile(r"\s*+since\b", re.IGNORECASE)
_SO = re.compile(r",\s*+so\b", re.IGNORECASE)
_THEN = re.compile(r",|\bthen\b", re.IGNORECASE)
_COMMA = re.compile(",")
# Without one of these words a sentence states no cause.
TELLING = frozenset(
    "because due owing thanks result results resulted resulting caused triggered account therefore thus hence "
    "consequently so which that lead leads led leading cause causes causing bring brings brought trigger triggers "
    "produce produces produced make makes made prevent prevents prevented depend depends stem stems arise arises come "
    "comes if when whenever since".split()
)


@dataclass(frozen=True, slots=True)
class Causes:
    """The cause clauses and effect clauses of a text; without a connective, the whole text is both."""

    cause: Sparse
    effect: Sparse
    is_said: bool


def clauses(text: str) -> list[tuple[str, str]]:
    """Every (cause, effect) a text states, sentence by sentence."""
    return [found for sentence in split_statements(text) if (found := _split(sentence)) is not None]


def _split(sentence: str) -> tuple[str, str] | None:
    if TELLING.isdisjoint(spoken(fold(sentence))):
        return None
    for pattern, before in _SPLITS:
        found = pattern.search(sentence)
        if found:
            left, right = sentence[: found.start()].strip(" ,.;:"), sentence[found.end() :].strip(" ,.;:")
            if left and right:
                return (left, right) if before else (right, left)
    condition, since = _CONDITION.search(sentence), _SINCE.match(sentence)
    return (
        (_parted(sentence, condition.end(), _THEN) if condition else None)
        or (_parted(sentence, since.end(), _COMMA) if since else None)
        or _parted(sentence, 0, _SO)
    )


def _parted(sentence: str, start: int, middle: re.Pattern[str]) -> tuple[str, str] | None:
    """What stands on both sides of the first place that parts it; none further on would leave more."""
    found = middle.search(sentence, start + 1)
    if found is None or found.end() == len(sentence):
        return None
    left, right = sentence[start : found.start()].strip(" ,.;:"), sentence[found.end() :].strip(" ,.;:")
    return (left, right) if left and right else None


def fit(along: tuple[Any, Any, Any], *, directed: Any) -> Array:
    """The best of same direction, along it and against it; where a side states no cause, only the same direction."""
    same, forward, backward = along[0] * SAME, along[1] * ALONG, along[2] * AGAINST
    best: Array = np.maximum(same, np.maximum(forward, backward))
    return np.minimum(best * directed + same * (1 - np.asarray(directed)), 1.0)


class CausalSpace(KeptSpace[Causes]):
    """Causes and effects."""

    id, name, purpose = "E5", "Causal", "causality"
    representation = "words of cause clauses and of effect clauses, directed"
    marks = "?"
    silence = "no cause or effect is stated in it"

    def __init__(self, members: Members) -> None:
        super().__init__(members)
        parts = self.parts(members.hung)
        self._cause = Columns([part.cause for part in parts])
        self._effect = Columns([part.effect for part in parts])
        self._said = np.array([part.is_said for part in parts], bool)

    @staticmethod
    def represent(text: str, modality: str = "text") -> Causes:
        found = clauses(text)
        if not found:
            (whole,) = count_words([text], CLAUSE_TERMS)
            return Causes(whole, whole, False)
        said = ["\n".join(cause for cause, _ in found), "\n".join(effect for _, effect in found)]
        cause, effect = count_words(said, CLAUSE_TERMS)
        return Causes(cause, effect, True)

    @staticmethod
    def to_marks(part: Causes) -> tuple[int, ...]:
        return (part.is_said,)

    @staticmethod
    def to_bytes(part: Causes) -> bytes:
        return part.cause.to_bytes() + (part.effect.to_bytes() if part.is_said else b"")

    @staticmethod
    def from_bytes(marks: tuple[int, ...], packed: bytes, start: int) -> tuple[Causes, int]:
        is_said = bool(marks[0])
        cause, middle = Sparse.from_bytes(packed, start)
        effect, end = Sparse.from_bytes(packed, middle) if is_said else (cause, middle)
        return Causes(cause, effect, is_said), end

    def speaks(self, probes: Sequence[Hung]) -> Array:
        return np.array([part.is_said for part in self.parts(probes)], bool)

    def nearness(self, probes: Sequence[Hung]) -> Array:
        """Along means that the probe's effect is their cause."""
        parts = self.parts(probes)
        both = _causes_and_effects(parts)
        cause, forward = self._cause.cosines_of(both).reshape(2, len(parts), -1)
        backward, effect = self._effect.cosines_of(both).reshape(2, len(parts), -1)
        is_said = np.array([part.is_said for part in parts], bool)[:, None]
        return fit(((cause + effect) / 2, forward, backward), directed=self._said & is_said)

    def between(self, ones: Sequence[Hung], others: Sequence[Hung]) -> Array:
        mine, theirs = self.parts(ones), self.parts(others)
        both = _causes_and_effects(mine)
        causes, effects = [each.cause for each in theirs], [each.effect for each in theirs]
        cause, forward = self._cause.cosines_between(both, causes * 2).reshape(2, len(mine))
        backward, effect = self._effect.cosines_between(both, effects * 2).reshape(2, len(mine))
        is_said = np.array([one.is_said and other.is_said for one, other in zip(mine, theirs, strict=True)], bool)
        return fit(((cause + effect) / 2, forward, backward), directed=is_said)

    def weights(self, probe: Hung) -> tuple[Sparse, Array]:
        (causes,) = self.parts([probe])
        both = join(causes.cause, causes.effect)
        return both, saturated(both.counts)


def _causes_and_effects(parts: Sequence[Causes]) -> list[Sparse]:
    return [*(part.cause for part in parts), *(part.effect for part in parts)]
