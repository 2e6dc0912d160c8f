"""XLSX straight from its XML, for sheets whose few cells lie so far apart that a full grid would not fit in memory."""

import io
import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element, iterparse

from memotheca.parsing.office.package import Package, attribute, child, children, descend, local

MAX_GRID = 20_000_000  # chosen: cells that a reader allocates for, within a parser's memory

_CELL = re.compile(rb'<(?:\w+:)?c [^>]*?r="([A-Z]{1,4})(\d{1,8})"')
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml$")


def is_sparse(package: Package) -> bool:
    """Whether a grid over all cells would be huge and almost empty."""
    for member in filter(_SHEET.match, package.names):
        content = package.read_checked(member)
        columns: set[bytes] = set()
        count = rows = 0
        for cell in _CELL.finditer(content):
            columns.add(cell[1])
            rows = max(rows, int(cell[2]))
            count += 1
        widest = max((column_number(one.decode()) for one in columns), default=0) + 1
        if rows * widest > max(MAX_GRID, 20 * count):
            return True
    return False


def read_sparsely(package: Package) -> Iterator[tuple[str, Iterator[tuple[int, list[str]]]]]:
    """Sheets in order, each as rows of their filled cells alone."""
    shared = [
        "".join(text.text or "" for text in descend(one, "t"))
        for one in children(package.xml("xl/sharedStrings.xml"), "si")
    ]
    related = package.related("xl/workbook.xml")
    for sheet in children(child(package.need_xml("xl/workbook.xml"), "sheets"), "sheet"):
        id = next((value for key, value in sheet.items() if key.endswith("}id")), "")
        member = related.get(id, ("", ""))[1]
        if member in package:
            yield attribute(sheet, "name"), _rows(package, member, shared)


def _rows(package: Package, member: str, shared: list[str]) -> Iterator[tuple[int, list[str]]]:
    content = package.read_checked(member)
    number = -1
    for _, element in iterparse(io.BytesIO(content)):  # noqa: S314 — checked above: it declares no entities
        if local(element) == "row":
            given = attribute(element, "r")
            number = int(given) - 1 if given.isdecimal() else number + 1
            cells = [text for cell in children(element, "c") if (text := _text(cell, shared))]
            element.clear()
            if cells:
                yield number, cells


def _text(cell: Element, shared: list[str]) -> str:
    kind = attribute(cell, "t")
    if kind == "inlineStr":
        return "".join(text.text or "" for text in descend(cell, "t"))
    value = child(cell, "v")
    text = (value.text or "") if value is not None else ""
    if kind == "s" and text.isdecimal():
        return shared[int(text)] if int(text) < len(shared) else ""
    return text


def column_number(name: str) -> int:
    number = 0
    for letter in name:
        number = number * 26 + ord(letter) - 64
    return number - 1
