"""A document being put together: blocks of markdown one after the other, each knowing where it came from."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from memotheca.parsing.document import Document, Mark, Section
from memotheca.text.encoding import clean
from memotheca.text.language import guess_language
from memotheca.text.markdown_lines import MARKS

_BLANKS = re.compile(r"[^\S\n]+")
_LINE_EDGES = re.compile(r" ?\n ?")
_MANY_LINES = re.compile(r"\n{3,}")


class DocumentBuilder:
    """Collects text, marks and sections; blocks are parted by an empty line."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._place: dict[str, Any] = {}
        self._path: list[tuple[int, str]] = []
        self._marks: list[Mark] = []
        self._marked: dict[str, Any] = {}
        self._headings: list[tuple[str, int, int, int | None]] = []

    def __len__(self) -> int:
        return self._length

    def move(self, **place: Any) -> None:
        """What follows stands at this page, slide, sheet or part; a part named None has ended."""
        self._place = {name: value for name, value in (self._place | place).items() if value is not None}

    def page_before(self, page: int) -> None:
        """All that was written so far stands on this page, which only shows where the next one begins."""
        self._marks = [Mark(offset, {"page": page, **place}) for offset, place in self._marks]
        self._headings = [(title, level, start, page) for title, level, start, _ in self._headings]

    def leave_headings(self) -> None:
        """What follows stands under no heading, as a new slide or sheet."""
        self._path = []

    def heading(self, level: int, title: str) -> None:
        title = one_line(title)
        if not title:
            return
        level = max(1, min(level, 6))
        self._path = [(above, name) for above, name in self._path if above < level] + [(level, title)]
        start = self.block(f"{'#' * level} {title}")
        self._headings.append((title, level, start, self._place.get("page")))

    def paragraph(self, text: str) -> None:
        if tidy := tidied(text):
            self.block(tidy)

    def bullets(self, lines: Sequence[tuple[int, str]]) -> None:
        """A list, as (depth, line); a line has its own bullet or number, unless it continues the one above."""
        shown = [f"{'  ' * depth}{text}" for depth, text in _tidy_lines(lines)]
        if shown:
            self.block("\n".join(shown))

    def table(self, rows: Iterable[Sequence[str]]) -> None:
        if shown := markdown_table(rows):
            self.block(shown)

    def rows(self, rows: Sequence[Sequence[str]]) -> None:
        """A table whose every row is one line, so that a line tells its row: the place counts on from its first."""
        lines = markdown_table(rows, drop_empty=False).split("\n")
        first = self._place["row"]
        ruled = len(lines) > len(rows)
        self.block(lines[0])
        if len(lines) > 1:
            self._append("\n")
            if ruled:
                self._append(lines[1] + "\n")
            self.move(row=first + 1)
            self._mark()
            self._append("\n".join(lines[2 if ruled else 1 :]))

    def include(self, document: Document) -> None:
        """All of another document, with its own places under the present one."""
        if not document.text:
            return
        start = self.block(document.text)
        around = self._marked
        for offset, place in document.marks:
            self._marked = {**around, **place}
            self._marks.append(Mark(start + offset, self._marked))
        for title, level, begin, _, page in document.sections:
            self._headings.append((title, level, start + begin, page))

    def code(self, text: str) -> None:
        if text.strip():
            fence = f"{MARKS}`" if MARKS in text else MARKS
            self.block(f"{fence}\n{clean(text).strip(chr(10))}\n{fence}")

    def block(self, text: str) -> int:
        """Add text as it is, after an empty line; answers where it begins."""
        if self._parts:
            self._append("\n\n")
        self._mark()
        start = self._length
        self._append(text)
        return start

    def finish(self, format: str, **said: Any) -> Document:
        text = "".join(self._parts)
        said = {name: value for name, value in said.items() if value is not None}
        said.setdefault("language", guess_language(text))
        return Document(
            format=format,
            text=text,
            marks=tuple(self._marks),
            sections=close_sections(self._headings, len(text)),
            **said,
        )

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def _mark(self) -> None:
        place = dict(self._place)
        if self._path:
            place["headings"] = [title for _, title in self._path]
        if place != self._marked or not self._marks:
            self._marks.append(Mark(self._length, place))
            self._marked = place


def close_sections(headings: Sequence[tuple[str, int, int, int | None]], length: int) -> tuple[Section, ...]:
    """Sections from headings in order, as (title, level, start, page): each ends where one of its rank begins."""
    stops = [length] * len(headings)
    open_ones: list[int] = []
    for number, (_, level, start, _) in enumerate(headings):
        while open_ones and headings[open_ones[-1]][1] >= level:
            stops[open_ones.pop()] = start
        open_ones.append(number)
    return tuple(
        Section(title, level, start, stop, page)
        for (title, level, start, page), stop in zip(headings, stops, strict=True)
    )


def markdown_table(rows: Iterable[Sequence[str]], *, drop_empty: bool = True) -> str:
    """Rows as a markdown table whose first row is its head; one that is a single cell is plain text."""
    cells = [[cell_text(cell) for cell in row] for row in rows]
    cells = [row for row in cells if any(row) or not drop_empty]
    width = max((len(row) for row in cells), default=0)
    if width == 0:
        return ""
    if width == 1:
        return "\n".join(row[0] for row in cells)
    lines = [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in cells]
    return "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]])


def cell_text(text: str) -> str:
    return one_line(text).replace("|", "\\|")


def one_line(text: str) -> str:
    return " ".join(clean(text).split())


def tidied(text: str) -> str:
    """A paragraph with single blanks, keeping its line ends."""
    return _MANY_LINES.sub("\n\n", _LINE_EDGES.sub("\n", _BLANKS.sub(" ", clean(text)))).strip()


def _tidy_lines(lines: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    return [(depth, tidy) for depth, text in lines if (tidy := one_line(text))]
