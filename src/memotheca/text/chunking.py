"""Cutting a document into chunks: along its structure, never across a page, and never losing a letter."""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from memotheca.text.markdown_lines import closes_chunk, fence_of

CHUNK_SIZE = 500  # specification: the chunk size of the documents family
MAX_PREFIX = 300  # chosen: a path of headings; the passage itself keeps the greater part of a window

# Places that differ in one of these are never in one chunk.
_BORDERS = ("page", "slide", "sheet", "part")

_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_END = re.compile(r"\n")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_LISTED = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s")
_LINK = re.compile(r"\[([^\[\]\n]*)\]\([^()\s]{1,200}\)")
_BREAKS = (
    re.compile("\n\\s*\n\\s*"),
    re.compile("(?<=[.!?\u3002\uff01\uff1f])[\"'\u201d\u2019)\\]]*\\s+|(?<=[\u3002\uff01\uff1f])"),
    re.compile(r"\n"),
    re.compile("(?<=[,;:\uff0c\u3001])\\s+"),
    re.compile(r"\s+"),
)


class Chunk(NamedTuple):
    """A passage: shown as `text[start:stop]`, embedded after its prefix, which says what it stands under."""

    start: int
    stop: int
    place: Mapping[str, Any]
    prefix: str


def window(text: str, chunk: Chunk) -> str:
    """What is embedded of a chunk: its prefix and its words, without the addresses of links."""
    return chunk.prefix + _LINK.sub(r"\1", text[chunk.start : chunk.stop])


class _Block(NamedTuple):
    kind: str
    start: int
    stop: int


def cut(text: str, marks: Sequence[Sequence[Any]] = (), chunk_size: int = CHUNK_SIZE) -> list[Chunk]:
    """Chunks in order whose spans cover the text exactly; none is longer than the size, in characters."""
    return list(cut_slowly(text, marks, chunk_size))


def cut_slowly(text: str, marks: Sequence[Sequence[Any]] = (), chunk_size: int = CHUNK_SIZE) -> Iterator[Chunk]:
    """The same one by one, for who wants to look up meanwhile: a hundred megabytes take seconds."""
    if chunk_size < 1:
        raise ValueError("a chunk holds at least one character")
    for start, stop, places in _regions(len(text), marks):
        yield from _cut_region(text, (start, stop), places, chunk_size)


Places = list[tuple[int, Mapping[str, Any]]]


def _regions(length: int, marks: Sequence[Sequence[Any]]) -> Iterator[tuple[int, int, Places]]:
    """Stretches of the text on one page, slide, sheet or part, each with the marks in it."""
    known: Places = [(0, {}), *((min(int(mark[0]), length), mark[1]) for mark in marks)]
    start, places = 0, known[:1]
    for offset, place in known[1:]:
        if offset > start and _borders(place) != _borders(places[-1][1]):
            yield start, offset, places
            start, places = offset, []
        if places and places[-1][0] == offset:
            places.pop()
        places.append((offset, place))
    if length > start:
        yield start, length, places


def _borders(place: Mapping[str, Any]) -> list[Any]:
    return [place.get(name) for name in _BORDERS]


def _cut_region(text: str, span: tuple[int, int], places: Places, size: int) -> Iterator[Chunk]:
    edges = {offset for offset, place in places if len(place.get("headings", ())) <= 2 and "row" not in place}
    offsets = [offset for offset, _ in places]
    # Found once: counting them anew for every chunk takes time in the square of the table.
    has_cells = any("row" in place for _, place in places)
    ends = array("q", (found.start() for found in _END.finditer(text, *span)) if has_cells else ())
    for (start, stop), header in _pieces(text, span, edges, size):
        first = places[max(0, bisect_right(offsets, start) - 1)]
        last = places[max(0, bisect_right(offsets, stop - 1) - 1)]
        place = _with_cells(ends, (start, _stripped(text, start, stop)), first, last) if "row" in last[1] else first[1]
        # A heading begins a stretch of its own; what only looks like one is a comment in code.
        is_heading = _HEADING.match(text, start) is not None and offsets[bisect_right(offsets, start) - 1] == start
        yield Chunk(start, stop, place, _prefix(text, place, header, names_itself=is_heading))


Placed = tuple[int, Mapping[str, Any]]


def _stripped(text: str, start: int, stop: int) -> int:
    return start + len(text[start:stop].rstrip())


def _with_cells(ends: Sequence[int], span: tuple[int, int], first: Placed, last: Placed) -> Mapping[str, Any]:
    """A place in a table, with the cells that its lines hold; the lines end at these offsets."""
    begin = first if "row" in first[1] else last
    top = begin[1]["row"] + _count(ends, begin[0], span[0])
    bottom = max(top, last[1]["row"] + _count(ends, last[0], span[1]))
    left, right = begin[1]["columns"]
    cells = f"{left}{top}:{max(right, last[1]['columns'][1], key=lambda name: (len(name), name))}{bottom}"
    return {name: value for name, value in first[1].items() if name not in ("row", "columns")} | {"cells": cells}


def _count(ends: Sequence[int], start: int, stop: int) -> int:
    return max(0, bisect_left(ends, stop) - bisect_left(ends, start))


def _pieces(
    text: str, span: tuple[int, int], edges: set[int], size: int
) -> Iterator[tuple[tuple[int, int], tuple[int, int] | None]]:
    """Spans of chunks, each with the span of the table head that stands above it in another chunk."""
    start = stop = span[0]
    kind = ""
    for block in _blocks(text, span):
        fits = block.stop - start <= size
        new_section = block.start in edges or (block.kind == "heading" and stop - start >= size // 2)
        stranded = kind == "heading" and stop - start < size // 2
        if (
            stop > start
            and (not fits or new_section)
            and not (stranded and not fits and block.stop - block.start > size)
        ):
            yield (start, stop), None
            start = stop
        if block.stop - start > size:
            pieces = _split(text, start, block, size)
            last = next(pieces)
            for following in pieces:
                yield last
                last = following
            start = last[0][0]
            if last[1]:
                yield last
                start = block.stop
        stop, kind = block.stop, block.kind
    if stop > start:
        yield (start, stop), None


def _split(text: str, start: int, block: _Block, size: int) -> Iterator[tuple[tuple[int, int], tuple[int, int] | None]]:
    """A block that is too long, with what stands before it, in parts of the size."""
    head = _table_head(text, block) if block.kind == "table" else None
    first = start
    while block.stop - start > size:
        stop = _row_break(text, start, start + size) if block.kind in ("table", "code", "list") else 0
        stop = stop or best_break(text, start, start + size)
        yield (start, stop), head if start > first else None
        start = stop
    yield (start, block.stop), head if start > first else None


def _blocks(text: str, span: tuple[int, int]) -> Iterator[_Block]:
    """Paragraphs, headings, tables, lists and code; empty lines belong to the block above them."""
    kind, start, stop = "", span[0], span[0]
    fence, blank = "", False
    for line in _LINE.finditer(text, *span):
        content = line[0]
        if fence:
            now, ends = "code", closes_chunk(content, fence)
            fence = "" if ends else fence
        elif opening := fence_of(content):
            now, fence = "code", opening.mark
            if kind == "code":
                blank = True
        else:
            now = _kind_of(content)
        if now == "blank":
            blank = True
        else:
            continues = (
                now == kind
                and now != "heading"
                and (not blank or now == "list" or (now == "code" and not opening_now(content, fence)))
            )
            if kind and not continues:
                yield _Block(kind, start, stop)
                start = stop
            kind, blank = now, False
        stop = line.end()
    if stop > start:
        yield _Block(kind or "blank", start, stop)


def opening_now(content: str, fence: str) -> bool:
    return bool(fence) and closes_chunk(content, fence)


def _kind_of(line: str) -> str:
    if not line.strip():
        return "blank"
    if line.lstrip().startswith("|"):
        return "table"
    if _HEADING.match(line):
        return "heading"
    return "list" if _LISTED.match(line) else "paragraph"


def _table_head(text: str, block: _Block) -> tuple[int, int] | None:
    """The first row of a markdown table, if a rule follows it."""
    lines = text[block.start : block.stop].split("\n", 2)
    if len(lines) > 1 and set(lines[1].strip()) <= set("|-: ") and "-" in lines[1]:
        return block.start, block.start + len(lines[0])
    return None


def _row_break(text: str, start: int, end: int) -> int:
    """After the last whole line that fits."""
    return max(0, text.rfind("\n", start, end) + 1)


def best_break(text: str, start: int, end: int, breaks: Sequence[re.Pattern[str]] = _BREAKS) -> int:
    """The last natural break in the second half of what fits, else the end of it."""
    window = text[start:end]
    for pattern in breaks:
        found = [match.end() for match in pattern.finditer(window) if match.end() > len(window) // 2]
        if found:
            return start + found[-1]
    return end


def _prefix(text: str, place: Mapping[str, Any], header: tuple[int, int] | None, *, names_itself: bool) -> str:
    lines: list[str] = []
    path = " > ".join(place.get("headings", ()))
    if path and not names_itself:
        lines.append(path[-MAX_PREFIX:])
    if header:
        lines.append(text[header[0] : min(header[1], header[0] + MAX_PREFIX)])
    return "".join(f"{line}\n" for line in lines)
