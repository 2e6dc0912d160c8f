"""Sentences: where a text can be taken apart so that each part still says something alone.

Not for claims: `memory/claims/contradiction.py` and `memory/spaces/causal.py` look at clauses, line by line, and cut at
semicolons too; nor for chunks, whose borders are stored (`text/chunking.py`)."""

import re

# Longer than any abbreviation or list number, with the blanks before it.
_MARK = 12
_ENDS = re.compile(r"(?<=[.!?])\s++|(?<=[\u3002\uff01\uff1f])|\n{2,}+|\n(?=[^\S\n]*+(?:[-*#|]|\d++[.)]))")
_ABBREVIATED = re.compile(r"\b(?:[DMS]r|Mrs|Ms|St|Prof|e\.g|i\.e)\.$")
_NUMBERED = re.compile(r"\s*+\d{1,3}\.")


def split_sentences(text: str) -> list[str]:
    """The sentences of a text in their order. Neither an abbreviation nor the number of a list's item ends one; an
    item, a heading or a row of a table does not go on with the line before it; a full stop of Chinese or Japanese needs
    no blank after it."""
    found: list[str] = []
    start = 0
    for end in _ENDS.finditer(text):
        if _goes_on(text, start, end):
            continue
        found.append(text[start : end.start()].strip())
        start = end.end()
    found.append(text[start:].strip())
    return [sentence for sentence in found if sentence]


def _goes_on(text: str, start: int, end: re.Match[str]) -> bool:
    stop = end.start()
    if "\n" in end[0] or not text.endswith(".", start, stop):
        return False
    is_number = stop - start <= _MARK and _NUMBERED.fullmatch(text, start, stop) is not None
    return is_number or _ABBREVIATED.search(text, max(start, stop - _MARK), stop) is not None
