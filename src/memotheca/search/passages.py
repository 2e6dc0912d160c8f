"""Cutting an entry's text into chunks: at paragraphs, else at sentences, else at blanks, and never losing a letter."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from memotheca.model import kinds
from memotheca.model.clock import to_iso
from memotheca.model.knowledge import Entry
from memotheca.storage.database import Session
from memotheca.storage.store import read_settings
from memotheca.text import chunking
from memotheca.text.markdown_lines import fence_of, heading_of

LIMIT = 2000  # chosen: most entries are one chunk (docs/decisions/search.md)
CHUNK_SIZE = 500  # specification: the chunk size of the documents family

_LINES = re.compile(r"[^\n]+")
_BREAKS = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile("(?<=[.!?\u3002\uff01\uff1f])\\s+|(?<=[\u3002\uff01\uff1f])"),
    re.compile(r"\s+"),
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk before it is born: its span, its place as JSON, and the text that is embedded for it."""

    start: int
    stop: int
    place: str | None
    said: str


def chunk_size_of(session: Session, collection: str, kind: str = kinds.DOCUMENT) -> int:
    """The collection's setting; only documents are cut by it, so for others it is not looked up."""
    return (
        int(read_settings(session, collection).get("chunk_size", CHUNK_SIZE)) if kind == kinds.DOCUMENT else CHUNK_SIZE
    )


def passages_of(entry: Entry, chunk_size: int = CHUNK_SIZE) -> list[Passage]:
    """The chunks of an entry, a function of what is stored of it alone. A section's text is its document's, so it has
    none of its own."""
    if entry.kind == kinds.SECTION:
        return []
    if entry.kind == kinds.DOCUMENT:
        return list(passages_of_document(entry, chunk_size))
    if entry.kind == kinds.CONVERSATION:
        return list(_turns(entry))
    body = entry.body
    if entry.kind == kinds.NOTE:
        spans = cut(body)
        places = _under_headings(body, spans) if "#" in body else [None] * len(spans)
        return [Passage(*span, place, body[slice(*span)]) for span, place in zip(spans, places, strict=True)]
    return [Passage(start, stop, None, body[start:stop]) for start, stop in cut(body)]


def passages_of_document(entry: Entry, chunk_size: int) -> Iterator[Passage]:
    """The chunks of a document one by one: it may be very long."""
    for chunk in chunking.cut_slowly(entry.body, entry.attributes.get("marks", ()), chunk_size):
        yield Passage(chunk.start, chunk.stop, _spelled(chunk.place), chunking.window(entry.body, chunk))


def _turns(entry: Entry) -> Iterator[Passage]:
    """A chunk for each turn, several for a long one; its place is the turn's number, who said it, and when."""
    for number, mark in enumerate(entry.attributes.get("turns", ()), start=1):
        place = {"turn": number, "speaker": mark["speaker"]}
        place |= {"at": to_iso(mark["at"])} if "at" in mark else {}
        said = entry.body[mark["start"] : mark["stop"]]
        for start, stop in cut(said):
            yield Passage(mark["start"] + start, mark["start"] + stop, _spelled(place), said[start:stop])


def _under_headings(text: str, spans: list[tuple[int, int]]) -> list[str | None]:
    """For each part of a markdown text, the headings that its beginning stands under, as a place."""
    places: list[str | None] = []
    path: list[tuple[int, str]] = []
    starts = iter(spans)
    start = next(starts)[0]
    for offset, level, title in _headings(text):
        while offset > start and len(places) < len(spans):
            places.append(_spelled({"heading": [above for _, above in path]} if path else None))
            start = next(starts, (len(text) + 1, 0))[0]
        path = [above for above in path if above[0] < level] + [(level, title)]
    rest = _spelled({"heading": [above for _, above in path]} if path else None)
    return places + [rest] * (len(spans) - len(places))


def _headings(text: str) -> Iterator[tuple[int, int, str]]:
    """Where each heading begins, its level and its words; what stands in fences is code."""
    fence = ""
    for line in _LINES.finditer(text):
        mark = fence_of(line.group())
        if mark is not None and (not fence or mark.mark.startswith(fence)):
            fence = "" if fence else mark.mark
        heading = None if fence else heading_of(line.group())
        if heading is not None and heading[1]:
            yield line.start(), *heading


def _spelled(place: object) -> str | None:
    return json.dumps(place, ensure_ascii=False, separators=(",", ":"), sort_keys=True) if place else None


def cut(text: str, limit: int = LIMIT) -> list[tuple[int, int]]:
    """Spans that cover the text in order; a short text is one span, an empty one too."""
    spans: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > limit:
        stop = chunking.best_break(text, start, start + limit, _BREAKS)
        spans.append((start, stop))
        start = stop
    spans.append((start, len(text)))
    return spans
