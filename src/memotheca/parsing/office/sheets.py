"""Spreadsheets: every sheet as tables, parted at empty rows, each passage knowing its cells."""

import datetime
import io
import re
from collections.abc import Iterator, Sequence
from typing import Any

from python_calamine import CalamineError, CalamineWorkbook, PasswordError, ZipError

from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.builder import DocumentBuilder
from memotheca.parsing.document import Document
from memotheca.parsing.office.drawingml import chart_lines
from memotheca.parsing.office.package import Package, attribute, core_properties, descend
from memotheca.parsing.office.sparse_xlsx import is_sparse, read_sparsely
from memotheca.parsing.source import Source
from memotheca.parsing.tables import MAX_SPAN, repeated

Row = tuple[int, list[str]]


def read_xlsx(source: Source) -> Document:
    package = Package(source.name, source.content)
    if is_sparse(package):
        draft = _write_sheets(source, ((name, rows, 0) for name, rows in read_sparsely(package)))
    else:
        draft = _read_workbook(source)
    _write_charts(draft, package)
    _write_comments(draft, package)
    return draft.finish("xlsx", **core_properties(package))


def read_xls(source: Source) -> Document:
    return _read_workbook(source).finish("xls")


def read_ods(source: Source) -> Document:
    package = Package(source.name, source.content)
    if "META-INF/manifest.xml" in package and b"encryption-data" in package.read("META-INF/manifest.xml"):
        raise package.encrypted()
    return _read_workbook(source).finish("ods")


def _read_workbook(source: Source) -> DocumentBuilder:
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(source.content))
        return _write_sheets(source, _dense_sheets(workbook))
    except PasswordError as problem:
        raise Refusal(
            Failure.ENCRYPTED, f"{source.name} is protected by a password. Save a copy without it and add that"
        ) from problem
    except (CalamineError, ZipError, OSError, ValueError) as problem:
        if "assword" in str(problem):
            raise Refusal(
                Failure.ENCRYPTED, f"{source.name} is protected by a password. Save a copy without it"
            ) from problem
        raise Refusal(
            Failure.CORRUPT, f"{source.name} is damaged: {str(problem)[:200]}. Get the file again or save it anew"
        ) from problem


def _dense_sheets(workbook: CalamineWorkbook) -> Iterator[tuple[str, Iterator[Row], int]]:
    for name in workbook.sheet_names:
        sheet = workbook.get_sheet_by_name(name)
        row, column = sheet.start or (0, 0)
        values = [[show(cell) for cell in cells] for cells in sheet.to_python(skip_empty_area=True)]
        for corner, opposite in sheet.merged_cell_ranges or ():
            _repeat(values, (corner[0] - row, corner[1] - column), (opposite[0] - row, opposite[1] - column))
        yield name, ((row + place, cells) for place, cells in enumerate(values)), column


def _repeat(values: list[list[str]], corner: tuple[int, int], opposite: tuple[int, int]) -> None:
    """A merged cell says its text in every place it covers, so that every row has it."""
    (top, left), (bottom, right) = corner, opposite
    if (
        min(top, left) < 0
        or top >= len(values)
        or left >= len(values[top])
        or (bottom - top + 1) * (right - left + 1) > MAX_SPAN
    ):
        return
    text = repeated(values[top][left])
    for row in values[top : bottom + 1]:
        for column in range(left, min(right + 1, len(row))):
            row[column] = row[column] or text


def _write_sheets(source: Source, sheets: Iterator[tuple[str, Iterator[Row], int]]) -> DocumentBuilder:
    draft = DocumentBuilder()
    for number, (name, rows, column) in enumerate(sheets, 1):
        draft.leave_headings()
        draft.move(sheet=name, row=None, columns=None)
        draft.heading(1, name)
        write_rows(draft, rows, column)
        source.report(number, None, f"Reading sheet {name}")
    draft.move(sheet=None, row=None, columns=None)
    return draft


def write_rows(draft: DocumentBuilder, rows: Iterator[Row], column: int = 0) -> None:
    """Tables of the rows, a new one after every empty row."""
    held: list[Row] = []
    for number, cells in rows:
        if any(cells) and (not held or number == held[-1][0] + 1):
            held.append((number, cells))
            continue
        _write_table(draft, held, column)
        held = [(number, cells)] if any(cells) else []
    _write_table(draft, held, column)


def _write_table(draft: DocumentBuilder, rows: Sequence[Row], column: int) -> None:
    """One table, without the columns that are empty in all of it."""
    if not rows:
        return
    used = [
        place for place in range(max(len(cells) for _, cells in rows)) if any(_at(cells, place) for _, cells in rows)
    ]
    draft.move(row=rows[0][0] + 1, columns=[column_name(column + used[0]), column_name(column + used[-1])])
    draft.rows([[_at(cells, place) for place in used] for _, cells in rows])


def _at(cells: list[str], place: int) -> str:
    return cells[place] if place < len(cells) else ""


def column_name(number: int) -> str:
    """0 is A, 26 is AA."""
    name = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(65 + rest) + name
    return name


def show(value: Any) -> str:
    """A cell as a person sees it, as far as its value tells."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(" ")
    return str(value)


def _write_charts(draft: DocumentBuilder, package: Package) -> None:
    for member in package.names:
        if re.match(r"xl/charts/chart[^/]*\.xml$", member):
            draft.leave_headings()
            draft.move(part="charts")
            draft.paragraph("\n".join(chart_lines(package.need_xml(member))))


def _write_comments(draft: DocumentBuilder, package: Package) -> None:
    lines: list[str] = []
    for member in package.names:
        if not re.match(r"xl/(?:threadedComments/|comments)[^/]*\.xml$", member):
            continue
        for comment in descend(package.need_xml(member), "comment", "threadedComment"):
            text = "".join(one.text or "" for one in descend(comment, "t", "text"))
            lines.append(f"{attribute(comment, 'ref')}: {text}")
    if lines:
        draft.leave_headings()
        draft.move(part="comments")
        draft.paragraph("\n".join(dict.fromkeys(lines)))
