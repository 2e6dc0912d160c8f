"""The lines of a PDF page, each with the size and weight of its type and where it stands."""

import ctypes
import math
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from memotheca.parsing.pdfium import PdfTextPage, raw

HYPHEN = "\ufffe"

_LIGATURES = str.maketrans(
    {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st", "\ufb06": "st"}
    | {"\x02": HYPHEN, "\u00a0": " ", "\u00ad": None, "\x00": None}
)
_BOLD = re.compile(rb"bold|black|heavy|semib|demi|cmbx|[-,]bd|(?:sfbx|ecbx)\d", re.IGNORECASE)
_ALEF_LAM = re.compile("[\u0627\u0622\u0623\u0625]\u0644")
_BROKEN = re.compile(f"(?<![^\\W\\d_])([^\\W\\d_]++){HYPHEN}([^\\W\\d_]++)")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


class PdfLine(NamedTuple):
    """A line of text; lengths in points, from the lower left corner of the page; foot is the height of its end."""

    text: str
    size: float
    bold: bool
    left: float
    right: float
    height: float
    foot: float


def read_lines(page: PdfTextPage) -> list[PdfLine]:
    """In the order in which PDFium gives them."""
    ruler = _Ruler(page.raw)
    lines: list[PdfLine] = []
    start = 0
    for piece in page.get_text_range().split("\r\n"):
        text = piece.strip()
        if text:
            first = start + len(piece) - len(piece.lstrip())
            lines.append(ruler.measure(text, first))
        start += len(piece) + 2
    return lines


def mend_hyphens(pages: Iterable[list[PdfLine]]) -> None:
    """Put words together that were broken at a line's end; one that has a hyphen elsewhere too keeps it."""
    known: set[str] | None = None
    held = list(pages)
    for lines in held:
        for place, line in enumerate(lines):
            if HYPHEN not in line.text:
                continue
            if known is None:
                known = {word.casefold() for page in held for one in page for word in _WORD.findall(one.text)}
            lines[place] = line._replace(text=_join(line.text, known))


def _join(text: str, known: set[str]) -> str:
    def mended(broken: re.Match[str]) -> str:
        left, right = broken.groups()
        apart, together = f"{left}-{right}", left + right
        hyphened = apart.casefold() in known and together.casefold() not in known
        return apart if right[0].isupper() or hyphened else together

    return _BROKEN.sub(mended, text).replace(HYPHEN, "-")


class _Ruler:
    """Asks PDFium about single characters; what it writes its answers to is made once."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._matrix = raw.FS_MATRIX()
        self._edges = [ctypes.c_double() for _ in range(4)]
        self._name = ctypes.create_string_buffer(64)

    def measure(self, text: str, start: int) -> PdfLine:
        first, last = self._place(start), self._place(start + len(text) - 1)
        half = len(text) // 2
        middle = self._place(start + half + (text[half] == " "))  # a blank may be PDFium's own, with no size
        size = raw.FPDFText_GetFontSize(self._page, middle)
        if raw.FPDFText_GetMatrix(self._page, middle, self._matrix):
            size *= math.hypot(self._matrix.b, self._matrix.d)
        left, height = self._origin(first)
        right = self._box(last)[1]
        bold = self._is_bold(first) and self._is_bold(last)
        plain = text.isascii() and text.isprintable()
        shown = text if plain else self._mend_arabic(text, start).translate(_LIGATURES)
        return PdfLine(shown, round(size, 1), bold, left, right, height, self._origin(last)[1])

    def _place(self, text_index: int) -> int:
        return max(0, raw.FPDFText_GetCharIndexFromTextIndex(self._page, text_index))

    def _is_bold(self, index: int) -> bool:
        if raw.FPDFText_GetFontWeight(self._page, index) >= 600:
            return True
        raw.FPDFText_GetFontInfo(self._page, index, self._name, 64, None)
        return _BOLD.search(self._name.value) is not None

    def _origin(self, index: int) -> tuple[float, float]:
        across, up = self._edges[:2]
        found = raw.FPDFText_GetCharOrigin(self._page, index, across, up)
        return (across.value, up.value) if found else (0.0, 0.0)

    def _box(self, index: int) -> tuple[float, float]:
        left, right, bottom, top = self._edges
        found = raw.FPDFText_GetCharBox(self._page, index, left, right, bottom, top)
        return (left.value, right.value) if found else (0.0, 0.0)

    def _mend_arabic(self, text: str, start: int) -> str:
        """One sign for lam and alef comes out as alef and lam: they share a box, which two signs never do."""
        for pair in _ALEF_LAM.finditer(text):
            place = pair.start()
            if self._box(self._place(start + place)) == self._box(self._place(start + place + 1)):
                text = f"{text[:place]}{pair[0][1]}{pair[0][0]}{text[place + 2 :]}"
        return text
