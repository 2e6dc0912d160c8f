"""Which lines of a PDF are headings, and which belong to one paragraph: by bookmarks, then by how they are set."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from memotheca.parsing.pdf_lines import PdfLine
from memotheca.parsing.pdfium import Pdf

MAX_HEADING = 150  # chosen: two lines of type; longer is a paragraph
MAX_BOOKMARKS = 5_000  # chosen: bounds the time; far above any book
FURNITURE = 3  # chosen: what repeats on three pages is no heading (docs/decisions/reading.md)

_NUMBERED = re.compile(r"(?:(?:\d+\.)+\d*|\d+|[A-Z]\.|[IVX]+\.)\s+[^\W\d_]")
# It goes on in the next line, or is a point of a list.
_NO_HEADING = re.compile(r"[,;-]$|^[-*\u2010-\u2015\u2022\u2023\u25a0-\u25ff\u00b7\uf0b7]")
_LETTER = re.compile(r"[^\W\d_]")
_NUMBER = re.compile(r"^[\d.]+")
_DIGITS = re.compile(r"\d+")

Headings = dict[tuple[int, int], int]


@dataclass(slots=True)
class _Print:
    """How a document is set: the size of its running text, the larger sizes, and whether bold type is rare."""

    body: float
    sizes: list[float] = field(default_factory=list[float])
    bold_is_rare: bool = False

    def level(self, line: PdfLine, below: PdfLine | None) -> int:
        """How deep a heading a line looks like, 0 for none."""
        if len(line.text) > MAX_HEADING or len(_LETTER.findall(line.text)) < 3 or _NO_HEADING.search(line.text):
            return 0
        if line.size in self.sizes:
            return self.sizes.index(line.size) + 1
        if not (line.bold and self.bold_is_rare and line.size >= self.body * 0.95) or line.text.endswith("."):
            return 0
        deep = len(self.sizes) + 1
        if _NUMBERED.match(line.text):
            return min(deep + line.text.split()[0].rstrip(".").count("."), 6)
        opens = below is not None and not below.bold and len(below.text) > 30 and below.height < line.height
        return deep if opens and len(line.text) <= 80 else 0


def find_headings(pdf: Pdf, pages: list[list[PdfLine]]) -> Headings:
    """How deep the lines that are headings stand, by the index of their page and their own."""
    marked = _bookmarks(pdf, pages)
    if len(marked) >= 3:
        return marked
    printed = _look_at(pages)
    found: Headings = {}
    for index, lines in enumerate(pages):
        for place, line in enumerate(lines):
            below = lines[place + 1] if place + 1 < len(lines) else None
            if level := printed.level(line, below):
                found[index, place] = level
    furniture = _furniture(pages, found)
    kept = {
        (index, place): level for (index, place), level in found.items() if _bare(pages[index][place]) not in furniture
    }
    return kept | marked


def _furniture(pages: list[list[PdfLine]], found: Headings) -> set[str]:
    """What stands on page after page, as a running title: on three, or on two with another number."""
    seen: dict[str, dict[int, str]] = {}
    for index, place in found:
        line = pages[index][place]
        seen.setdefault(_bare(line), {})[index] = line.text
    return {words for words, texts in seen.items() if len(texts) >= FURNITURE or len(set(texts.values())) > 1}


def _bare(line: PdfLine) -> str:
    return _DIGITS.sub("", _key(line.text))


def _look_at(pages: list[list[PdfLine]]) -> _Print:
    letters = Counter[float]()
    bold = 0
    for lines in pages:
        for line in lines:
            letters[line.size] += len(line.text)
            bold += len(line.text) if line.bold else 0
    if not letters:
        return _Print(0.0)
    body = letters.most_common(1)[0][0]
    total = sum(letters.values())
    large = sorted((size for size in letters if size >= body * 1.15 and letters[size] < 0.2 * total), reverse=True)
    return _Print(body, large[:5], bold < 0.3 * total)


def _bookmarks(pdf: Pdf, pages: list[list[PdfLine]]) -> Headings:
    """Bookmarks whose words stand as a line on the page they point to."""
    found: Headings = {}
    places: dict[int, dict[str, tuple[int, ...]]] = {}
    for number, bookmark in enumerate(pdf.get_toc(max_depth=6)):
        if number >= MAX_BOOKMARKS:
            break
        target = bookmark.get_dest()
        index: int | None = target.get_index() if target else None
        title = _key(bookmark.get_title())
        if index is None or not title or not 0 <= index < len(pages):
            continue
        if index not in places:
            places[index] = _lines_by_words(pages[index])
        for place in places[index].get(title, ()):
            found[index, place] = min(bookmark.level + 1, 6)
    return found


def _lines_by_words(lines: list[PdfLine]) -> dict[str, tuple[int, ...]]:
    """The first line, or two lines, with these words, also without a number before them."""
    known: dict[str, tuple[int, ...]] = {}
    keys = [_key(line.text) for line in lines]
    for place, key in enumerate(keys):
        known.setdefault(key, (place,))
        known.setdefault(_NUMBER.sub("", key), (place,))
    for place, (key, below) in enumerate(pairwise(keys)):
        known.setdefault(key + below, (place, place + 1))
        known.setdefault(_NUMBER.sub("", key + below), (place, place + 1))
    return known


def _key(text: str) -> str:
    return "".join(text.casefold().split())


def paragraphs(index: int, lines: list[PdfLine], headings: Headings) -> Iterator[tuple[int, str]]:
    """Lines of a page put together to paragraphs and headings, as (level or 0, text)."""
    pitch = _usual_pitch(lines)
    held = ""
    depth = 0
    above: PdfLine | None = None
    for place, line in enumerate(lines):
        level = headings.get((index, place), 0)
        beside = above is not None and _is_beside(above, line)
        if above is not None and (beside or (level == depth and _is_under(above, line, pitch))):
            held += (_gap(above, line) if beside else "\n") + line.text
        else:
            if held:
                yield depth, held
            held, depth = line.text, level
        above = line
    if held:
        yield depth, held


def _usual_pitch(lines: list[PdfLine]) -> float:
    """The distance from line to line that is met most, in sizes of type."""
    steps = Counter(
        round((above.foot - below.height) / above.size, 1) for above, below in pairwise(lines) if above.size > 0
    )
    usual = [step for step, _ in steps.most_common() if 0.8 <= step <= 2.5]
    return usual[0] if usual else 1.2


def _is_beside(above: PdfLine, below: PdfLine) -> bool:
    """Whether a line goes on in the same row, as after a raised number."""
    size = max(above.size, below.size)
    return abs(above.foot - below.height) < 0.6 * size and -0.5 * size < below.left - above.right < 1.5 * size


def _gap(above: PdfLine, below: PdfLine) -> str:
    """Between two pieces of a row; a raised number is parted from its word, so that the word can still be found."""
    near = below.left - above.right < 0.15 * max(above.size, below.size)
    same_type = abs(above.size - below.size) <= 0.15 * above.size
    return "" if near and (same_type or not below.text[0].isalnum()) else " "


def _is_under(above: PdfLine, below: PdfLine, pitch: float) -> bool:
    """Whether a line stands right under the one before, in type of the same size."""
    step = above.foot - below.height
    same_type = abs(above.size - below.size) <= 0.2 * max(above.size, below.size)
    return same_type and 0 < step <= (pitch + 0.25) * above.size
