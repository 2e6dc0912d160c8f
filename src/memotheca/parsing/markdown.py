"""Markdown and plain text: read as they stand; only line ends and control characters change."""

import re

from memotheca.parsing.builder import close_sections, one_line
from memotheca.parsing.document import Document, Mark
from memotheca.parsing.source import Source
from memotheca.text.encoding import clean, decode
from memotheca.text.language import guess_language
from memotheca.text.markdown_lines import closes, fence_of, heading_of

_LINE = re.compile(r"[^\n]*\n?")
_UNDERLINE = re.compile(r" {0,3}(=++|-++)[ \t]*+$")
_FRONT = re.compile(r"---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_FIELD = re.compile(r"^(\w+):[ \t]*(.+?)[ \t]*$", re.MULTILINE)

Heading = tuple[str, int, int]


def read_markdown(source: Source) -> Document:
    text = clean(decode(source.content))
    front = _FRONT.match(text)
    fields = {name.lower(): value.strip("\"'") for name, value in _FIELD.findall(front[1])} if front else {}
    headings = find_headings(text, front.end() if front else 0)
    first = next((title for title, level, _ in headings if level == 1), None)
    return Document(
        format="md",
        text=text,
        marks=mark_headings(headings),
        sections=close_sections([(*heading, None) for heading in headings], len(text)),
        title=fields.get("title") or first,
        author=fields.get("author"),
        created=fields.get("date") or fields.get("created"),
        modified=fields.get("updated") or fields.get("modified"),
        language=fields.get("lang") or fields.get("language") or guess_language(text),
    )


def read_plain(source: Source) -> Document:
    return plain_document("txt", clean(decode(source.content)))


def plain_document(format: str, text: str) -> Document:
    return Document(format=format, text=text, marks=(Mark(0, {}),), language=guess_language(text))


def find_headings(text: str, start: int = 0) -> list[Heading]:
    """Headings outside of fenced code, as (title, level, offset)."""
    found: list[Heading] = []
    fence = ""
    before: tuple[str, int] | None = None
    for line in _LINE.finditer(text, start):
        content = line[0].rstrip("\n")
        if fence:
            if closes(content, fence):
                fence = ""
            continue
        if opening := fence_of(content):
            fence, before = opening.mark, None
        elif heading := heading_of(content):
            if title := one_line(heading[1]):
                found.append((title, heading[0], line.start()))
            before = None
        elif before and (underline := _UNDERLINE.match(content)):
            found.append((one_line(before[0]), 1 if underline[1][0] == "=" else 2, before[1]))
            before = None
        else:
            before = (content, line.start()) if _can_be_underlined(content) else None
    return found


def _can_be_underlined(line: str) -> bool:
    return bool(line.strip()) and not line.startswith(("    ", "\t", "|", ">", "- ", "* ", "<"))


def mark_headings(headings: list[Heading]) -> tuple[Mark, ...]:
    marks = [Mark(0, {})]
    path: list[tuple[int, str]] = []
    for title, level, offset in headings:
        path = [(above, name) for above, name in path if above < level] + [(level, title)]
        if offset == 0:
            marks.clear()
        marks.append(Mark(offset, {"headings": [name for _, name in path]}))
    return tuple(marks)
