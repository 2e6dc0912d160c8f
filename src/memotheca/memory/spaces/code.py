"""Nearness of code (E7): names as they are written and as they are made of parts, and their letters in threes."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from numpy.typing import NDArray

from memotheca.memory.spaces.space import Hung, SparseSpace
from memotheca.memory.spaces.sparse import Sparse, count, saturated
from memotheca.model.knowledge import fold
from memotheca.text.markdown_lines import MARKS
from memotheca.text.words import identifiers

Array = NDArray[Any]

_SPAN = re.compile(r"`([^`\n]++)`")
_CAMEL = re.compile(
    r"\b(?:(?=[A-Za-z]+[a-z0-9][A-Z])|(?=[A-Z]{2,}+[a-z0-9]))[A-Za-z][A-Za-z0-9]*+\b",
)
# What is called may have a number before its name, which is none of it.
_CALLS = re.compile(r"(?<![\w.])([\w.]++)\s*+\(")
_NAME = re.compile(r"\b[A-Za-z_].+")
_NAMES = re.compile(r"[A-Za-z_]\w+")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TERMS = 256  # chosen: the names of a long file; bounds a row


def names(text: str) -> list[str]:
    """The identifiers of a text: in code fences every name, in prose those that no sentence would write."""
    found = [name for piece in _fenced(text) for name in _NAMES.findall(piece)]
    found += _CAMEL.findall(text)
    found += [name[0] for called in _CALLS.findall(text) if (name := _NAME.search(called))]
    return found + identifiers(text)


def _fenced(text: str) -> Iterator[str]:
    """What stands in fences and between ticks; once a fence stays open, no later one can close."""
    can_close = True
    at = text.find("`")
    while at >= 0:
        following = at + 1
        if can_close and text.startswith(MARKS, at):
            first = text.find("\n", at + len(MARKS)) + 1
            stop = text.find(MARKS, first) if first else -1
            can_close = stop >= 0
            if can_close:
                yield text[first:stop]
                following = stop + len(MARKS)
        elif span := _SPAN.match(text, at):
            yield span[1]
            following = span.end()
        at = text.find("`", following)


class CodeSpace(SparseSpace):
    """Names of code."""

    id, name, purpose = "E7", "Code", "correctness"
    representation = "identifiers, their parts and letters"
    silence = "there is no code and no identifier in it"

    @staticmethod
    def represent(text: str, modality: str = "text") -> Sparse:
        """Whole names count double, their parts once, their letters in threes as one shared third."""
        terms = Counter[str]()
        for name in names(text):
            spelled = fold(name)
            terms[f"={spelled}"] += 2
            for part in _PARTS.findall(name):
                if len(part) > 1:
                    terms[f"-{part.lower()}"] += 1
            letters = re.sub(r"\W|_", "", spelled)
            for start in range(0, max(len(letters) - 2, 0), 3):
                terms[f"~{letters[start : start + 3]}"] += 1
        return count("c", terms, _TERMS)

    def nearness(self, probes: Sequence[Hung]) -> Array:
        return self.columns.cosines_of(self.parts(probes))

    def between(self, ones: Sequence[Hung], others: Sequence[Hung]) -> Array:
        return self.columns.cosines_between(self.parts(ones), self.parts(others))

    def weights(self, probe: Hung) -> tuple[Sparse, Array]:
        (terms,) = self.parts([probe])
        return terms, saturated(terms.counts) * self.columns.rarities(terms)
