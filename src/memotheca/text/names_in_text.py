"""What a text names: people, places, products, identifiers, addresses and amounts, as they are written."""

import re

from memotheca.model.knowledge import fold
from memotheca.text.words import STOP_WORDS, identifiers

_CAPITALISED = re.compile(
    r"\b[A-Z\u00c0-\u00de][\w'\u2019&-]*(?:\s+(?:of|de|van|von|the|and)\s+(?=[A-Z]))?(?:\s+[A-Z\u00c0-\u00de][\w'\u2019&-]*)*"
)
_ACRONYM = re.compile(r"\b[A-Z][A-Z0-9]{1,}s?\b")


# Runs of letters without an address are found, too, so that none is looked through twice.
_ADDRESS = re.compile(r"https?://[^\s)>\]]++|(?:(?!https?://)[\w.+-])++(?:@[\w-]++\.[\w.]++)?")
_AMOUNT = re.compile(r"(?<![\w.])[$€£]?\d+(?:[.,]\d+)*\s?(?:%|[A-Za-z]{1,12}\b)?")
_NAME_LIKE = re.compile(r"\d|[A-Z].*[A-Z]")


# After a name comes what it is or does; after a request comes its object.
_PREDICATE = re.compile(
    r"(?:'s|\u2019s)\b|\s+(?:is|was|has|had|will|can|may|must|does|did|and|or|\w{2,}(?:es|ed|s))\b(?!\s*:)"
)
_COMMON = frozenset("this that these those there when where while after before if then also however today".split())


def find(text: str) -> list[str]:
    """The entities of a text in their order, as they are written."""
    found: list[str] = _ADDRESS.findall(text) if "@" in text or "://" in text else []
    found = [each for each in found if "@" in each or "://" in each]
    for match in _CAPITALISED.finditer(text):
        name = _without_opening(text, match)
        if name:
            found.append(name)
    found += _ACRONYM.findall(text)
    found += identifiers(text)
    return list(dict.fromkeys(found))


def amounts(text: str) -> list[str]:
    return [" ".join(fold(found).split()) for found in _AMOUNT.findall(text)]


def _without_opening(text: str, match: re.Match[str]) -> str:
    """A capital at the start of a sentence names nothing by itself, unless it goes on as a name does."""
    name = match.group().strip(" '\u2019-")
    if _opens_sentence(text[max(0, match.start() - 12) : match.start()]):
        first, _, rest = name.partition(" ")
        if fold(first) in STOP_WORDS or fold(first) in _COMMON:
            return rest
        if not rest and not _NAME_LIKE.search(first) and not _PREDICATE.match(text, match.end()):
            return ""
    return name if fold(name) not in STOP_WORDS else ""


def _opens_sentence(before: str) -> bool:
    """Whether what stands before a word ends a sentence or begins a line, a list item or a quotation."""
    last = before.rstrip()
    gap = before[len(last) :]
    return not before or "\n" in gap or last.endswith((*'.!?:;"“(',)) or (bool(gap) and last.endswith(("-", "*", "•")))
