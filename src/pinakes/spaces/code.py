"""Nearness of code (E7): names as they are written and as they are made of parts, and their letters in threes."""

import re
from collections import Counter

from pinakes.model.knowledge import fold
from pinakes.spaces.sparse import Sparse, count
from pinakes.spaces.words import identifiers

_FENCES = re.compile(r"```.*?\n(.*?)```|`([^`\n]+)`", re.DOTALL)
_CAMEL = re.compile(r"\b[A-Za-z]+(?:[a-z0-9][A-Z][A-Za-z0-9]*)+\b|\b[A-Z]{2,}[a-z0-9]+[A-Za-z0-9]*\b")
_CALLS = re.compile(r"\b([A-Za-z_][\w.]*)\s*\(")
_NAMES = re.compile(r"[A-Za-z_]\w+")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TERMS = 256


def names(text: str) -> list[str]:
    """The identifiers of a text: in code fences every name, in prose those that no sentence would write."""
    fenced = [one or other for one, other in _FENCES.findall(text)]
    found = [name for piece in fenced for name in _NAMES.findall(piece)]
    found += _CAMEL.findall(text) + [name for name in _CALLS.findall(text) if len(name) > 1]
    return found + identifiers(text)


def represent(text: str) -> Sparse:
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
