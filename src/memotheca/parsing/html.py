"""Web pages, as one stream of tags: everything a reader would see, with what is navigation called so."""

import re
from collections.abc import Callable
from html.parser import HTMLParser

from memotheca.parsing.builder import DocumentBuilder, one_line
from memotheca.parsing.document import Document
from memotheca.parsing.source import Source
from memotheca.parsing.tables import Grid
from memotheca.text.encoding import decode

MAX_LINK = 200  # chosen: a longer address is a payload, not a place to go

_SKIPPED = frozenset({"script", "style", "template", "annotation"})
_BLOCKS = frozenset(
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer "
    "form frameset header hr html legend main menu nav noscript ol optgroup option p section select summary tbody "
    "tfoot thead ul caption".split()
)
_PARTS = {"nav": "navigation", "footer": "footer", "aside": "aside"}
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_LISTS = ("ul", "ol", "menu", "dir")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLANKS = re.compile(r"\s+")
_AUTHORS = frozenset({"author", "dc.creator", "dcterms.creator", "article:author"})
_CREATED = frozenset({"date", "dc.date", "dcterms.created", "article:published_time", "datepublished"})
_MODIFIED = frozenset({"last-modified", "dcterms.modified", "article:modified_time", "datemodified"})


def read_html(source: Source) -> Document:
    page = HtmlStream(DocumentBuilder())
    page.feed(decode(source.content))
    page.close()
    return page.draft.finish("html", **page.said())


class HtmlStream(HTMLParser):
    """Turns tags into blocks of a draft as they come; keeps no tree, so that no nesting is too deep."""

    def __init__(self, draft: DocumentBuilder) -> None:
        super().__init__(convert_charrefs=True)
        self.draft = draft
        self.title = ""
        self.language = ""
        self._meta: dict[str, str] = {}
        self._inline: list[str] = []
        self._skipping = ""
        self._in_title = False
        self._code: list[str] | None = None
        self._lists: list[int | None] = []
        self._lines: list[tuple[int, str]] = []
        self._marker = ""
        self._tables: list[Grid] = []
        self._parts: list[str] = []
        self._links: list[tuple[str, int]] = []
        self._level = 0

    def feed(self, data: str) -> None:
        """Read a whole page. What no sign closes is text: the parser would look for its end again at every sign."""
        for opening, closing in (("<!--", "-->"), ("<", ">")):
            last = data.rfind(closing) + len(closing) if closing in data else 0
            data = data[:last] + data[last:].replace(opening, f"&lt;{opening[1:]}")
        super().feed(data)

    def said(self) -> dict[str, str | None]:
        def first(names: frozenset[str]) -> str | None:
            return next((value for name, value in self._meta.items() if name in names and value), None)

        return {
            "title": one_line(self.title) or self._meta.get("og:title"),
            "author": first(_AUTHORS),
            "created": first(_CREATED),
            "modified": first(_MODIFIED),
            "language": self.language[:2].lower() or None,
        }

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._skipping:
            return
        if tag in _SKIPPED:
            self._skipping = tag
            return
        given = {name: value or "" for name, value in attrs}
        if tag in _HEADINGS:
            self._break()
            self._level = _HEADINGS[tag]
        elif tag in _BLOCKS:
            self._open_block(tag, given)
        elif tag in ("li", "table", "tr", "td", "th", "pre"):
            self._open_structure(tag, given)
        else:
            self._open_inline(tag, given)

    def handle_endtag(self, tag: str) -> None:
        if self._skipping:
            if tag == self._skipping:
                self._skipping = ""
            return
        close: Callable[[], None] | None = {
            "title": self._end_title, "pre": self._end_code, "a": self._end_link, "li": self._break,
            "table": self._end_table, "td": self._end_cell, "th": self._end_cell,
        }.get(tag)  # fmt: skip
        if close:
            close()
        elif tag in _HEADINGS or tag in _BLOCKS:
            self._break()
            self._close_block(tag)

    def _add(self, data: str) -> None:
        if self._skipping:
            return
        if self._in_title:
            self.title += data
        elif self._code is not None:
            self._code.append(data)
        else:
            self._inline.append(_BLANKS.sub(" ", data))

    handle_data = _add

    def close(self) -> None:
        super().close()
        while self._tables:
            self._end_table()
        self._end_code()
        self._break()
        self._end_list()

    def _open_block(self, tag: str, given: dict[str, str]) -> None:
        self._break()
        if tag == "html":
            self.language = given.get("lang", "") or given.get("xml:lang", "")
        if tag in _LISTS and not self._tables:
            start = given.get("start", "1")
            self._lists.append((int(start) if start.isdecimal() else 1) if tag == "ol" else None)
        if tag in _PARTS:
            self._end_list()
            self._parts.append(_PARTS[tag])
            self.draft.move(part=self._parts[-1])

    def _close_block(self, tag: str) -> None:
        if tag in _LISTS and self._lists:
            self._lists.pop()
            if not self._lists:
                self._end_list()
        if tag in _PARTS and self._parts:
            self._end_list()
            self._parts.pop()
            self.draft.move(part=self._parts[-1] if self._parts else None)

    def _open_structure(self, tag: str, given: dict[str, str]) -> None:
        if tag == "table":
            if not self._tables:
                self._break()
                self._end_list()
            self._tables.append(Grid())
        elif tag == "li":
            self._break()
            self._marker = "-"
            if self._lists and (number := self._lists[-1]) is not None:
                self._marker = f"{number}."
                self._lists[-1] = number + 1
        elif tag == "pre":
            if not self._tables:
                self._break()
                self._end_list()
                self._code = []
        elif self._tables:
            self._end_cell()
            if tag == "tr":
                self._tables[-1].next_row()
            else:
                self._tables[-1].open_cell(given.get("colspan", ""), given.get("rowspan", ""))

    def _open_inline(self, tag: str, given: dict[str, str]) -> None:
        if tag == "title" and not self.title:
            self._in_title = True
        elif tag == "br":
            (self._inline if self._code is None else self._code).append("\n")
        elif tag == "meta":
            name = (given.get("name") or given.get("property") or given.get("itemprop") or "").lower()
            self._meta.setdefault(name, given.get("content", ""))
        elif tag == "img" and (alternative := one_line(given.get("alt", ""))):
            self._inline.append(f" {alternative} ")
        elif tag == "a":
            self._links.append((given.get("href", ""), len(self._inline)))
        elif tag == "input" and given.get("type", "text") not in ("hidden", "password"):
            self._inline.append(f" {given.get('value', '')} ")

    def _end_title(self) -> None:
        self._in_title = False

    def _end_code(self) -> None:
        if self._code is not None:
            self.draft.code("".join(self._code))
            self._code = None

    def _end_link(self) -> None:
        if not self._links:
            return
        target, start = self._links.pop()
        shown = one_line("".join(self._inline[start:]))
        target = target.strip()
        worth = (
            0 < len(target) <= MAX_LINK and not target.startswith(("#", "javascript:", "data:")) and self._code is None
        )
        if worth and shown and shown != target and " " not in target and start <= len(self._inline):
            self._inline[start:] = [f" [{shown}]({target}) "]

    def _end_cell(self) -> None:
        if self._tables and self._tables[-1].is_open:
            self._tables[-1].close_cell(self._take())

    def _end_table(self) -> None:
        if not self._tables:
            return
        self._end_cell()
        outside = self._take()
        grid = self._tables.pop()
        if self._tables:
            self._inline += [" ", outside, grid.as_text(), " "]
        else:
            self.draft.paragraph(outside)
            self.draft.table(grid.rows)

    def _take(self) -> str:
        text = "".join(self._inline)
        self._inline, self._links = [], []
        return text

    def _break(self) -> None:
        """The text since the last break is a block of its own, or a line of the list, or still part of a cell."""
        if self._tables:
            self._inline.append(" ")
            return
        text, level = self._take(), self._level
        self._level = 0
        if not text.strip():
            return
        if level:
            self._end_list()
            self.draft.heading(level, text)
        elif self._lists:
            depth = len(self._lists) - (1 if self._marker else 0)
            self._lines.append((depth, f"{self._marker} {one_line(text)}".strip()))
            self._marker = ""
        else:
            self._end_list()
            self.draft.paragraph(text)

    def _end_list(self) -> None:
        lines, self._lines = self._lines, []
        self.draft.bullets(lines)
