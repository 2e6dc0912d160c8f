"""Texts and presentations in the open document format."""

import re
from xml.etree.ElementTree import Element

from memotheca.parsing.builder import DocumentBuilder
from memotheca.parsing.document import Document
from memotheca.parsing.office.package import Package, attribute, child, descend, local
from memotheca.parsing.source import Source
from memotheca.parsing.tables import Grid

_BLOCKS = frozenset({"p", "h", "list", "table", "page", "notes", "annotation"})
_DROPPED = frozenset({"tracked-changes", "sequence-decls", "forms", "annotation-end", "bookmark", "soft-page-break"})
_FURNITURE = frozenset({"date-time", "footer", "header", "page-number"})


def read_odt(source: Source) -> Document:
    return _read(source, "odt")


def read_odp(source: Source) -> Document:
    return _read(source, "odp")


def _read(source: Source, format: str) -> Document:
    package = Package(source.name, source.content)
    manifest = package.read("META-INF/manifest.xml") if "META-INF/manifest.xml" in package else b""
    if b"encryption-data" in manifest:
        raise package.encrypted()
    body = child(package.need_xml("content.xml"), "body")
    writer = _OdfWriter(format == "odp")
    if body is not None:
        writer.write(body)
    for member in package.names:
        if re.match(r"Object [^/]+/content\.xml$", member):
            writer.write_chart(package.need_xml(member))
    writer.write_notes()
    return writer.draft.finish(format, pages=writer.slides or None, **_said(package))


def _said(package: Package) -> dict[str, str | None]:
    tree = package.xml("meta.xml")
    said = (
        {
            local(one): one.text
            for one in descend(tree, "title", "creator", "initial-creator", "creation-date", "date", "language")
        }
        if tree is not None
        else {}
    )
    return {
        "title": said.get("title"),
        "author": said.get("initial-creator") or said.get("creator"),
        "created": said.get("creation-date"),
        "modified": said.get("date"),
        "language": (said.get("language") or "")[:2].lower() or None,
    }


class _OdfWriter:
    """Writes the blocks of a document into a draft; notes wait for the end."""

    def __init__(self, presentation: bool) -> None:
        self.draft = DocumentBuilder()
        self.slides = 0
        self._presentation = presentation
        self._notes: list[tuple[str, str]] = []

    def write(self, parent: Element) -> None:
        for element in parent:
            name = local(element)
            if name == "h":
                level = attribute(element, "outline-level")
                self.draft.heading(int(level) if level.isdecimal() else 1, self._text(element))
            elif name == "p":
                self._write_paragraph(element)
            elif name == "list":
                self.draft.bullets(self._list_lines(element, 0))
            elif name == "table":
                self.draft.table(self._rows(element))
            elif name == "page":
                self._write_slide(element)
            elif name == "frame" and attribute(element, "class") == "title":
                self.draft.heading(1, self._text(element))
            elif name not in _DROPPED and attribute(element, "class") not in _FURNITURE:
                self.write(element)

    def write_chart(self, tree: Element) -> None:
        """A chart's title, and the table it was drawn from."""
        for element in descend(tree, "title", "subtitle", "table"):
            if local(element) == "table":
                self.draft.table(self._rows(element))
            else:
                self.draft.paragraph(self._text(element))

    def write_notes(self) -> None:
        self.draft.leave_headings()
        for part, text in self._notes:
            self.draft.move(part=part)
            self.draft.paragraph(text)

    def _write_paragraph(self, element: Element) -> None:
        self.draft.paragraph(self._text(element))
        for box in descend(element, "text-box", "table"):
            if local(box) == "text-box":
                self.write(box)

    def _write_slide(self, element: Element) -> None:
        self.slides += 1
        self.draft.leave_headings()
        self.draft.move(slide=self.slides, part=None)
        notes = [one for one in element if local(one) == "notes"]
        titles = [one for one in element if attribute(one, "class") == "title"]
        for one in [*titles, *(one for one in element if one not in titles and one not in notes)]:
            holder = Element("holder")
            holder.append(one)
            self.write(holder)
        for one in notes:
            self.draft.move(part="notes")
            self.write(one)
        self.draft.move(part=None)

    def _list_lines(self, element: Element, depth: int) -> list[tuple[int, str]]:
        lines: list[tuple[int, str]] = []
        for entry in element:
            sign = "-"
            for part in entry:
                if local(part) == "list":
                    lines += self._list_lines(part, depth + 1)
                elif text := self._text(part).strip():
                    lines.append((depth if sign else depth + 1, f"{sign} {text}".strip()))
                    sign = ""
        return lines

    def _rows(self, table: Element) -> list[list[str]]:
        grid = Grid()
        for row in _inside(table, "table-row"):
            grid.next_row()
            for cell in row:
                if local(cell) == "table-cell":
                    grid.open_cell(attribute(cell, "number-columns-spanned"), attribute(cell, "number-rows-spanned"))
                    parts = [self._text(one) for one in descend(cell, "p", "h")]
                    grid.close_cell(" ".join(filter(None, parts)))
        return grid.rows

    def _text(self, element: Element) -> str:
        """The words of a paragraph; notes are kept for later, boxes are blocks of their own."""
        words = [element.text or ""]
        for node in element:
            name = local(node)
            if name == "s":
                words.append(" " * min(int(attribute(node, "c") or 1), 100))
            elif name in ("tab", "line-break"):
                words.append("\t" if name == "tab" else "\n")
            elif name in ("note", "annotation"):
                self._keep_note(node)
            elif name in ("text-box", "table"):
                if self._presentation or local(element) == "text-box":
                    words.append(self._text(node))
            elif name not in _DROPPED:
                words.append(self._text(node))
                words.append("\n" if name in ("p", "h") else "")
            words.append(node.tail or "")
        return "".join(words)

    def _keep_note(self, node: Element) -> None:
        body = next(descend(node, "note-body"), node)
        text = "\n".join(filter(None, (self._text(one) for one in descend(body, "p"))))
        if text:
            self._notes.append(("notes" if local(node) == "note" else "comments", text))


def _inside(parent: Element, name: str) -> list[Element]:
    """Rows of this table, also those in header or group elements, but not of tables within it."""
    found: list[Element] = []
    for element in parent:
        if local(element) == name:
            found.append(element)
        elif local(element) in ("table-header-rows", "table-rows", "table-row-group"):
            found += _inside(element, name)
    return found
