"""Cutting an entry's text into chunks: at paragraphs, else at sentences, else at blanks, and never losing a letter."""

import re

LIMIT = 2000

_BREAKS = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile("(?<=[.!?\u3002\uff01\uff1f])\\s+|(?<=[\u3002\uff01\uff1f])"),
    re.compile(r"\s+"),
)


def cut(text: str, limit: int = LIMIT) -> list[tuple[int, int]]:
    """Spans that cover the text in order; a short text is one span, an empty one too."""
    spans: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > limit:
        stop = _best_break(text, start, start + limit)
        spans.append((start, stop))
        start = stop
    spans.append((start, len(text)))
    return spans


def _best_break(text: str, start: int, end: int) -> int:
    """The last natural break in the second half of what fits, else the end of it."""
    window = text[start:end]
    for pattern in _BREAKS:
        found = [match.end() for match in pattern.finditer(window) if match.end() > len(window) // 2]
        if found:
            return start + found[-1]
    return end
