"""What reading a file gives: its text, where each passage stands, its sections and what it says of itself."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

Report = Callable[[float, float | None, str], None]

TEXT_EXTRACTION = "text_extraction"
OCR = "ocr"
HYBRID = "hybrid"
IMAGE_ANALYSIS = "image_analysis"


class Mark(NamedTuple):
    """From this offset on, up to the next mark, the text stands at this place.

    A place is plain JSON; it has, of these keys, those that hold: `page`, `slide`, `sheet`, `row` and `columns` (of the
    first line, from which the lines of a table count on), `part` (as `notes`, `comments`, `footer`), `headings` (the
    path of headings above). A chunk has `cells` (as `A1:C9`) in place of the row and columns.
    """

    offset: int
    place: Mapping[str, Any]


class Section(NamedTuple):
    """A heading with all that stands under it, down to the next heading of its level or above."""

    title: str
    level: int
    start: int
    stop: int
    page: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file that has been read. Text is markdown with offsets in code points; times are ISO 8601 as the file says."""

    format: str
    text: str
    marks: tuple[Mark, ...] = ()
    sections: tuple[Section, ...] = ()
    title: str | None = None
    author: str | None = None
    created: str | None = None
    modified: str | None = None
    language: str | None = None
    pages: int | None = None
    processing_method: str = TEXT_EXTRACTION
    ocr_confidence: float | None = None
    recovered: bool = False
    failed_pages: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()

    def to_wire(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> "Document":
        given = dict(wire)
        given["marks"] = tuple(Mark(*mark) for mark in wire["marks"])
        given["sections"] = tuple(Section(*section) for section in wire["sections"])
        for name in ("failed_pages", "warnings"):
            given[name] = tuple(wire[name])
        return cls(**given)


def say_nothing(done: float, total: float | None, message: str) -> None:
    """For reading that nobody watches."""
