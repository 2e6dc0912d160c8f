"""Presentations: slide by slide in the order they are shown, titles first, with tables, charts, notes and comments."""

from collections.abc import Iterator
from typing import NamedTuple
from xml.etree.ElementTree import Element

from memotheca.parsing.builder import DocumentBuilder
from memotheca.parsing.document import Document
from memotheca.parsing.office.drawingml import chart_lines, diagram_lines, paragraph_text, text_of
from memotheca.parsing.office.package import Package, attribute, child, children, core_properties, descend, local
from memotheca.parsing.source import Source
from memotheca.parsing.tables import repeated

_TITLES = frozenset({"title", "ctrTitle"})
_FURNITURE = frozenset({"sldNum", "dt", "ftr", "hdr", "sldImg"})
_LISTED = frozenset({"body", "obj", ""})

Related = dict[str, tuple[str, str]]


class _Shape(NamedTuple):
    element: Element
    role: str | None
    top: int
    left: int


def read_pptx(source: Source) -> Document:
    package = Package(source.name, source.content)
    main = next((target for kind, target in package.related("").values() if kind == "officeDocument"), "")
    main = main or "ppt/presentation.xml"
    slides = list(_slides(package, main))
    draft = DocumentBuilder()
    for number, member in enumerate(slides, 1):
        draft.move(slide=number, part=None)
        draft.leave_headings()
        _write_slide(draft, package, member)
        source.report(number, len(slides), f"Reading slide {number} of {len(slides)}")
    return draft.finish("pptx", pages=len(slides), **core_properties(package))


def _slides(package: Package, main: str) -> Iterator[str]:
    related = package.related(main)
    for id in children(child(package.need_xml(main), "sldIdLst"), "sldId"):
        target = related.get(_relation(id), ("", ""))[1]
        if target in package:
            yield target


def _relation(element: Element) -> str:
    """The `r:id` of an element that also has a plain `id`."""
    return next((value for key, value in element.items() if key.endswith("}id")), "")


def _write_slide(draft: DocumentBuilder, package: Package, member: str) -> None:
    related = package.related(member)
    tree = child(package.need_xml(member), "cSld", "spTree")
    shapes = list(_shapes(tree)) if tree is not None else []
    for shape in sorted(shapes, key=lambda one: (one.role not in _TITLES, one.top, one.left)):
        _write_shape(draft, shape, package, related)
    for kind, target in related.values():
        notes = package.xml(target) if kind in ("notesSlide", "comments") else None
        if notes is not None:
            draft.move(part="notes" if kind == "notesSlide" else "comments")
            draft.paragraph("\n".join(_notes(notes) if kind == "notesSlide" else _comments(notes)))


def _shapes(tree: Element, above: tuple[int, int] = (0, 0)) -> Iterator[_Shape]:
    """Every shape, those in groups too; one without a position stands where the one before it does."""
    last = above
    for element in tree:
        name = local(element)
        if name == "AlternateContent":
            choice = child(element, "Choice")
            yield from _shapes(choice, last) if choice is not None else ()
        elif name == "grpSp":
            yield from _shapes(element, _position(element) or last)
        elif name in ("sp", "pic", "graphicFrame", "cxnSp"):
            last = _position(element) or last
            place = next(descend(element, "ph"), None)
            yield _Shape(element, attribute(place, "type") if place is not None else None, *last)


def _position(element: Element) -> tuple[int, int] | None:
    for frame in ("spPr", "grpSpPr"):
        offset = child(element, frame, "xfrm", "off")
        if offset is not None:
            break
    else:
        offset = child(element, "xfrm", "off")
    if offset is None:
        return None
    left, top = attribute(offset, "x"), attribute(offset, "y")
    return (int(top), int(left)) if left.lstrip("-").isdecimal() and top.lstrip("-").isdecimal() else None


def _write_shape(draft: DocumentBuilder, shape: _Shape, package: Package, related: Related) -> None:
    if shape.role in _FURNITURE:
        return
    described = next(descend(shape.element, "cNvPr"), None)
    if described is not None and (words := attribute(described, "descr")):
        draft.paragraph(words)
    body = child(shape.element, "txBody")
    if body is not None:
        _write_text(draft, body, shape.role)
    for table in descend(shape.element, "tbl"):
        draft.table(_rows(table))
    for node in descend(shape.element, "chart", "relIds"):
        target = related.get(_relation(node) if local(node) == "chart" else attribute(node, "dm"), ("", ""))[1]
        tree = package.xml(target)
        if tree is not None:
            draft.paragraph("\n".join(chart_lines(tree) if local(node) == "chart" else diagram_lines(tree)))


def _rows(table: Element) -> list[list[str]]:
    """Cell texts; a merged place says what the cell it belongs to says."""
    rows: list[list[str]] = []
    for row in children(table, "tr"):
        texts: list[str] = []
        for cell in children(row, "tc"):
            if attribute(cell, "hMerge") in ("1", "true") and texts:
                texts.append(repeated(texts[-1]))
            elif attribute(cell, "vMerge") in ("1", "true") and rows and len(texts) < len(rows[-1]):
                texts.append(repeated(rows[-1][len(texts)]))
            else:
                texts.append(text_of(cell).replace("\n", " "))
        rows.append(texts)
    return rows


def _write_text(draft: DocumentBuilder, body: Element, role: str | None) -> None:
    if role in _TITLES:
        draft.heading(1, text_of(body))
    elif role in _LISTED:
        draft.bullets(list(_bullets(body)))
    elif role == "subTitle":
        draft.paragraph(text_of(body))
    else:
        for paragraph in children(body, "p"):
            draft.paragraph(paragraph_text(paragraph))


def _bullets(body: Element) -> Iterator[tuple[int, str]]:
    count = 0
    for paragraph in children(body, "p"):
        settings = child(paragraph, "pPr")
        level = attribute(settings, "lvl") if settings is not None else ""
        depth = min(int(level), 8) if level.isdecimal() else 0
        text = paragraph_text(paragraph).strip()
        if not text:
            continue
        count = count + 1 if child(settings, "buAutoNum") is not None else 0
        sign = "" if child(settings, "buNone") is not None else f"{count}." if count else "-"
        yield depth, f"{sign} {text}".strip()


def _notes(tree: Element) -> Iterator[str]:
    for shape in descend(tree, "sp"):
        place = next(descend(shape, "ph"), None)
        if place is None or attribute(place, "type") not in _FURNITURE:
            yield text_of(shape)


def _comments(tree: Element) -> Iterator[str]:
    for text in descend(tree, "text", "t"):
        yield text.text or ""
