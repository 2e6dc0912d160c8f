"""Word documents: paragraphs, headings, lists and tables in order, then notes, comments, headers and footers."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from memotheca.parsing.builder import DocumentBuilder
from memotheca.parsing.document import Document
from memotheca.parsing.office.docx_styles import Numbering, Styles
from memotheca.parsing.office.drawingml import chart_lines, diagram_lines
from memotheca.parsing.office.package import Package, attribute, child, core_properties, descend, local
from memotheca.parsing.source import Source
from memotheca.parsing.tables import MAX_SPAN, repeated

_TRANSPARENT = frozenset(
    {"sdt", "sdtContent", "ins", "smartTag", "customXml", "moveTo", "body", "Choice", "AlternateContent"}
)
_AFTERWARDS = ("footnotes", "endnotes", "comments", "header", "footer")
# Signs that stand for how a formula is set.
_MATH = {"oMath": " ", "sup": "^", "sub": "_", "den": "/"}
_DROPPED = frozenset({"del", "moveFrom", "Fallback", "instrText", "delText", "delInstrText", "pPr", "rPr"})


def read_docx(source: Source) -> Document:
    package = Package(source.name, source.content)
    main = _main_part(package)
    writer = _DocxWriter(package, main)
    body = child(package.need_xml(main), "body")
    if body is not None:
        writer.write_blocks(body)
    writer.end_list()
    said = core_properties(package)
    writer.write_afterwards()
    return writer.draft.finish("docx", **said)


def _main_part(package: Package) -> str:
    for kind, target in package.related("").values():
        if kind == "officeDocument":
            return target
    return "word/document.xml"


@dataclass(slots=True)
class _Paragraph:
    """The text of a paragraph, and blocks that hang on it: text boxes, charts, diagrams."""

    words: list[str] = field(default_factory=list[str])
    boxes: list[Element] = field(default_factory=list[Element])
    drawings: list[str] = field(default_factory=list[str])
    new_pages: int = 0


class _DocxWriter:
    """Writes the blocks of one document into a draft."""

    def __init__(self, package: Package, main: str) -> None:
        self.draft = DocumentBuilder()
        self._package = package
        self._related = package.related(main)
        folder = main.rpartition("/")[0]
        self._styles = Styles(package.xml(self._part("styles", f"{folder}/styles.xml")))
        self._numbering = Numbering(package.xml(self._part("numbering", f"{folder}/numbering.xml")))
        self._list: list[tuple[int, str]] = []
        self._page = 1

    def _part(self, kind: str, default: str) -> str:
        return next((target for known, target in self._related.values() if known == kind), default)

    def write_blocks(self, parent: Element) -> None:
        for element in parent:
            name = local(element)
            if name == "p":
                self._write_paragraph(element)
            elif name == "tbl":
                self._write_table(element)
            elif name in _TRANSPARENT:
                self.write_blocks(element)

    def write_afterwards(self) -> None:
        """Notes, comments, headers and footers, each text once."""
        seen: set[str] = set()
        for part in _AFTERWARDS:
            for kind, member in self._related.values():
                tree = self._package.xml(member) if kind == part else None
                for element in tree if tree is not None else ():
                    self._write_aside(part, element, seen)
        self.draft.move(part=None)

    def _write_aside(self, part: str, element: Element, seen: set[str]) -> None:
        if attribute(element, "type") in ("separator", "continuationSeparator", "continuationNotice"):
            return
        paragraphs = [element] if local(element) == "p" else list(descend(element, "p"))
        text = "\n".join(filter(None, (self._gather(one).strip() for one in paragraphs)))
        if text and text not in seen:
            seen.add(text)
            self.draft.leave_headings()
            self.draft.move(part={"footnotes": "notes", "endnotes": "notes"}.get(part, part), page=None)
            author = attribute(element, "author")
            self.draft.paragraph(f"{author}: {text}" if author else text)

    def _write_paragraph(self, element: Element) -> None:
        found = _Paragraph()
        self._collect(element, found)
        text = "".join(found.words).strip()
        settings = child(element, "pPr")
        level = self._styles.heading_level(settings)
        marker = self._numbering.marker(settings, self._styles) if text else None
        if level and text:
            self.end_list()
            self.draft.heading(level, f"{marker[1]} {text}" if marker and marker[1] != "-" else text)
        elif marker and text:
            depth, sign = marker
            self._list.append((depth, f"{sign} {text}"))
        elif text:
            self.end_list()
            self.draft.paragraph(text)
        for box in found.boxes:
            self.end_list()
            self.write_blocks(box)
        for drawing in found.drawings:
            self.end_list()
            self.draft.paragraph(drawing)
        self._turn_pages(found.new_pages)

    def end_list(self) -> None:
        lines, self._list = self._list, []
        self.draft.bullets(lines)

    def _turn_pages(self, count: int) -> None:
        if count:
            if self._page == 1:
                self.draft.page_before(1)
            self._page += count
            self.draft.move(page=self._page)

    def _gather(self, element: Element) -> str:
        """All text under an element, with boxes in place; for asides and cells."""
        found = _Paragraph()
        self._collect(element, found)
        boxes = [self._gather(one) for box in found.boxes for one in descend(box, "p")]
        return " ".join(filter(None, ["".join(found.words), *boxes, *found.drawings]))

    def _collect(self, element: Element, found: _Paragraph) -> None:
        for node in element:
            name = local(node)
            if name == "t":
                found.words.append(node.text or "")
            elif name in ("tab", "ptab"):
                found.words.append("\t")
            elif name in ("br", "cr"):
                found.new_pages += attribute(node, "type") == "page"
                found.words.append("\n")
            elif name == "lastRenderedPageBreak":
                found.new_pages += 1
            elif name == "noBreakHyphen":
                found.words.append("-")
            elif name == "txbxContent":
                found.boxes.append(node)
            elif name in ("docPr", "chart", "relIds"):
                self._collect_drawing(name, node, found)
            elif name not in _DROPPED:
                found.words.append(_MATH.get(name, ""))
                self._collect(node, found)

    def _collect_drawing(self, name: str, node: Element, found: _Paragraph) -> None:
        if name == "docPr":
            if description := attribute(node, "descr"):
                found.words.append(f" {description} ")
            return
        target = self._related.get(attribute(node, "id" if name == "chart" else "dm"), ("", ""))[1]
        tree = self._package.xml(target)
        if tree is not None:
            found.drawings.append("\n".join(chart_lines(tree) if name == "chart" else diagram_lines(tree)))

    def _write_table(self, table: Element) -> None:
        self.end_list()
        rows = [list(_cells(row)) for row in _inside(table, "tr")]
        if len(rows) == 1 and len(rows[0]) == 1:
            self.write_blocks(rows[0][0])
            return
        shown: list[list[str]] = []
        for row in rows:
            texts: list[str] = []
            for cell in row:
                texts += self._cell_texts(cell, shown[-1][len(texts) : len(texts) + 1] if shown else [])
            shown.append(texts)
        self.draft.table(shown)

    def _cell_texts(self, cell: Element, above: list[str]) -> list[str]:
        """A cell's text for every column it spans; one that continues the cell above it says the same."""
        settings = child(cell, "tcPr")
        span = child(settings, "gridSpan")
        merged = child(settings, "vMerge")
        width = attribute(span, "val") if span is not None else ""
        continued = merged is not None and attribute(merged, "val") != "restart"
        text = repeated("".join(above)) if continued else self._cell_text(cell)
        return [text, *[repeated(text)] * (min(int(width), MAX_SPAN) - 1 if width.isdecimal() else 0)]

    def _cell_text(self, cell: Element) -> str:
        texts: list[str] = []
        for element in cell:
            name = local(element)
            if name == "p":
                texts.append(self._gather(element))
            elif name == "tbl":
                rows = ((self._cell_text(one) for one in _cells(row)) for row in _inside(element, "tr"))
                texts.append("; ".join(", ".join(filter(None, row)) for row in rows))
            elif name in _TRANSPARENT:
                texts.append(self._cell_text(element))
        return " ".join(filter(None, texts))


def _inside(parent: Element, name: str) -> Iterator[Element]:
    """Children of this name, also those wrapped in content controls or insertions."""
    for element in parent:
        if local(element) == name:
            yield element
        elif local(element) in _TRANSPARENT:
            yield from _inside(element, name)


def _cells(row: Element) -> Iterator[Element]:
    return _inside(row, "tc")
