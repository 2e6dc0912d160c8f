"""Tables of comma-separated values: which column is the title, which the text, which the tags."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memotheca.admin.imports.foreign_content import BrokenFile, ForeignContent, ForeignRecord
from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.open_safely import MAX_SIZE
from memotheca.text.encoding import clean, decode, looks_binary

CSV = "csv"
COLUMNS = ("title", "text", "tags", "id")
_USUAL = {
    "title": ("title", "name", "topic", "subject", "question"),
    "text": ("text", "content", "body", "note", "notes", "description", "answer"),
    "tags": ("tags", "tag", "labels", "categories", "category"),
    "id": ("id", "_id", "uuid"),
}
_DELIMITERS = ",;\t|"
_LONGEST_HEADING = 40  # chosen: letters; what is no table has a whole file there
_MOST_HEADINGS = 30  # chosen: more are no help in a message
_LIMIT = MAX_SIZE  # chosen: a cell may be as long as the largest file


@dataclass(frozen=True, slots=True)
class TableMap:
    """Which column of a table is what, by its heading."""

    columns: tuple[tuple[str, str], ...] = ()

    def named(self, meaning: str) -> str | None:
        return dict(self.columns).get(meaning)


def read_map(spelled: str) -> TableMap:
    """A mapping as it is written: `title=Name,text=Notes`."""
    columns: list[tuple[str, str]] = []
    for pair in filter(None, (each.strip() for each in spelled.split(","))):
        meaning, sign, column = (part.strip() for part in pair.partition("="))
        if not sign or meaning not in COLUMNS or not column:
            raise Refusal(
                Failure.INVALID,
                f"--map takes pairs as title=Name,text=Notes,tags=Labels,id=Key with names of columns, not {pair!r}.",
                field="map",
            )
        columns.append((meaning, column))
    return TableMap(tuple(columns))


def read_table(raw: bytes, mapping: TableMap, content: ForeignContent, *, name: str) -> None:
    """Each row becomes a record; a column that is not mapped is told below the text."""
    rows = read_rows(raw, where=name)
    header = [cell.strip() for cell in next(rows, (1, list[str]()))[1]]
    places = {meaning: _place(header, meaning, mapping) for meaning in COLUMNS}
    if places["text"] is None:
        raise Refusal(
            Failure.INVALID,
            f"{name}: no column is called text; it has {_headings(header)}. Say which it is, as --map text=COLUMN. "
            "Nothing was imported.",
            field="map",
        )
    for number, cells in rows:
        record = _record(header, places, cells, origin=f"{CSV}/{name}")
        if record is None:
            content.leave_out("rows without text")
        elif len(cells) > len(header):
            raise BrokenFile(f"it has {len(cells)} cells, the heading {len(header)}.", where=f"{name}, line {number}")
        else:
            content.records.append(record)


def read_rows(raw: bytes, *, where: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a table with the line each ends on, blank ones aside."""
    if looks_binary(raw):
        raise BrokenFile("it is no text.", where=where)
    text = clean(decode(raw))
    csv.field_size_limit(_LIMIT)
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(_DELIMITERS, key=first.count), strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, cells
    except csv.Error as problem:
        raise BrokenFile(f"{problem}.", where=f"{where}, line {reader.line_num}") from None


def _place(header: Sequence[str], meaning: str, mapping: TableMap) -> int | None:
    folded = [cell.casefold() for cell in header]
    column = mapping.named(meaning)
    if column is not None:
        if column.casefold() not in folded:
            raise Refusal(
                Failure.INVALID, f"There is no column {column!r}; there are {_headings(header)}.", field="map"
            )
        return folded.index(column.casefold())
    return next((folded.index(name) for name in _USUAL[meaning] if name in folded), None)


def _headings(header: Sequence[str]) -> str:
    """What the columns are called, as far as a person reads it."""
    named = [cell if len(cell) <= _LONGEST_HEADING else f"{cell[:_LONGEST_HEADING]}…" for cell in header if cell]
    more = [f"{len(named) - _MOST_HEADINGS} more"] if len(named) > _MOST_HEADINGS else []
    return ", ".join([*named[:_MOST_HEADINGS], *more]) or "none"


def _record(
    header: Sequence[str], places: dict[str, int | None], cells: Sequence[str], *, origin: str
) -> ForeignRecord | None:
    def cell(meaning: str) -> str:
        place = places[meaning]
        return cells[place].strip() if place is not None and place < len(cells) else ""

    text = cell("text")
    if not text:
        return None
    rest = [
        f"{label}: {value.strip()}"
        for place, (label, value) in enumerate(zip(header, cells, strict=False))
        if place not in places.values() and value.strip()
    ]
    title = cell("title") or " ".join(text.split())[:80]
    tags = tuple(filter(None, (tag.strip() for tag in cell("tags").replace(";", ",").split(","))))
    known = cell("id") or f"{title}/{text}"
    return ForeignRecord(origin=f"{origin}/{known}", title=title, body="\n".join([text, *rest]), tags=tags)
