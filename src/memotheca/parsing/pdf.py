"""PDF: the text that PDFium finds, line by line with its type size, and recognised text where a page is a picture."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.builder import DocumentBuilder, one_line
from memotheca.parsing.document import HYBRID, OCR, TEXT_EXTRACTION, Document
from memotheca.parsing.ocr import Recognised, recognise
from memotheca.parsing.pdf_lines import PdfLine, mend_hyphens, read_lines
from memotheca.parsing.pdf_notes import read_notes
from memotheca.parsing.pdf_outline import find_headings, paragraphs
from memotheca.parsing.pdf_repair import is_cut_off, repairs
from memotheca.parsing.pdfium import Pdf, PdfiumError, PdfPage, pdfium, raw
from memotheca.parsing.source import Source

MAX_PAGES = 20_000  # chosen: far above any book; bounds the time
# Measured with the next: so all of 16 scanned pages, and none of 213 others (docs/decisions/reading.md).
# Measured with the next: so all of 16 scanned pages, and none of 213 others (docs/decisions/reading.md).
# Measured with the next: so all of 16 scanned pages, and none of 213 others (docs/decisions/reading.md).
FEW_CHARACTERS = 50
MUCH_PICTURE = 0.5  # measured: as above
MUCH_RUBBISH = 0.3  # chosen: a broken encoding gives letters of no alphabet nearly everywhere
RENDERED_DPI = 200  # measured: 300 reads nearly the same words at twice the cost
MAX_PIXELS = 25_000_000  # chosen: a poster is drawn smaller; a page at 200 dpi has four million

_RUBBISH = re.compile("[\ufffd\ue000-\uf8ff]")
_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:Z|([+-])(\d\d)'?(\d\d)?)?")


@dataclass(slots=True)
class _Page:
    lines: list[PdfLine] = field(default_factory=list[PdfLine])
    notes: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    recognised: Recognised | None = None


@dataclass(slots=True)
class _Pages:
    """All pages of one attempt to read the file, and what went wrong on the way."""

    pages: list[_Page] = field(default_factory=list[_Page])
    failed: list[int] = field(default_factory=list[int])
    warnings: list[str] = field(default_factory=list[str])
    unrecognised: Refusal | None = None

    def hold_text(self) -> bool:
        return any(page.lines or page.recognised for page in self.pages)


def read_pdf(source: Source) -> Document:
    best: tuple[Pdf, _Pages, bool] | None = None
    for attempt, content in enumerate(_attempts(source.content)):
        pdf = _open(source.name, content)
        if pdf is None:
            continue
        pages = _read_pages(pdf, source)
        if best is None or pages.hold_text():
            best = (pdf, pages, attempt > 0 or is_cut_off(content))
        if pages.hold_text():
            break
    if best is None:
        raise Refusal(
            Failure.CORRUPT,
            f"{source.name} is damaged: it is no readable PDF and could not be repaired. Get the file again",
        )
    pdf, pages, recovered = best
    if pages.unrecognised and not pages.hold_text():
        raise pages.unrecognised
    return _put_together(pdf, pages, recovered)


def open_pdf(source: Source) -> Pdf:
    """The first attempt that opens at all; for looking at pages one by one."""
    for content in _attempts(source.content):
        if (pdf := _open(source.name, content)) is not None:
            return pdf
    raise Refusal(
        Failure.CORRUPT,
        f"{source.name} is damaged: it is no readable PDF and could not be repaired. Get the file again",
    )


def _attempts(content: bytes) -> Iterator[bytes]:
    yield content
    yield from repairs(content)


def _open(name: str, content: bytes) -> Pdf | None:
    """The document, or nothing if it is damaged; one that is locked cannot be helped by a repair."""
    try:
        pdf = pdfium.PdfDocument(content)
    except PdfiumError as problem:
        if getattr(problem, "err_code", None) in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
            raise Refusal(
                Failure.ENCRYPTED, f"{name} is protected by a password. Save a copy without it and add that"
            ) from problem
        return None
    return pdf if len(pdf) else None


def _read_pages(pdf: Pdf, source: Source) -> _Pages:
    found = _Pages()
    total = len(pdf)
    if total > MAX_PAGES:
        found.warnings.append(f"Only the first {MAX_PAGES} of {total} pages were read")
        total = MAX_PAGES
    for number in range(1, total + 1):
        try:
            found.pages.append(_read_page(pdf, number, source, found))
        except PdfiumError:
            found.pages.append(_Page())
            found.failed.append(number)
        source.report(number, total, f"Reading page {number} of {total}")
    if found.failed:
        found.warnings.append(f"Pages that could not be read: {', '.join(map(str, found.failed))}")
    return found


def _read_page(pdf: Pdf, number: int, source: Source, found: _Pages) -> _Page:
    page = pdf[number - 1]
    try:
        textpage = page.get_textpage()
        read = _Page(read_lines(textpage), read_notes(page))
        textpage.close()
        if source.wishes.force_ocr or _is_picture(page, read.lines):
            _recognise(page, read, source, found)
            if found.unrecognised and not read.recognised:
                found.failed.append(number)
        return read
    finally:
        page.close()


def _recognise(page: PdfPage, read: _Page, source: Source, found: _Pages) -> None:
    """Put recognised text in place of the page's own, unless there is less of it."""
    try:
        recognised = recognise(lambda turn: _render(page, turn), source.wishes)
    except Refusal as refusal:
        found.unrecognised = refusal
        if refusal.message not in found.warnings:
            found.warnings.append(refusal.message)
        return
    if recognised.letters >= sum(len(line.text) for line in read.lines) or source.wishes.force_ocr:
        read.recognised = recognised if recognised.letters else None


def _is_picture(page: PdfPage, lines: list[PdfLine]) -> bool:
    """Whether a page has hardly any text of its own but a large picture, or text in an unreadable encoding."""
    text = "".join(line.text for line in lines)
    visible = len(text) - text.count(" ")
    if visible >= FEW_CHARACTERS:
        return len(_RUBBISH.findall(text)) > MUCH_RUBBISH * visible
    area = page.get_width() * page.get_height()
    covered = 0.0
    for picture in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3):
        left, bottom, right, top = picture.get_bounds()
        covered += max(0.0, right - left) * max(0.0, top - bottom)
    return area > 0 and covered >= MUCH_PICTURE * area


def _render(page: PdfPage, turn: int) -> bytes:
    """The page in grey, as a portable graymap."""
    scale = RENDERED_DPI / 72
    pixels = page.get_width() * page.get_height() * scale * scale
    if pixels > MAX_PIXELS:
        scale *= (MAX_PIXELS / pixels) ** 0.5
    bitmap = page.render(scale=scale, rotation=turn, grayscale=True)
    try:
        width, height, stride = bitmap.width, bitmap.height, bitmap.stride
        rows = memoryview(bitmap.buffer).cast("B")
        grey = b"".join(rows[row * stride : row * stride + width] for row in range(height))
    finally:
        bitmap.close()
    return b"P5 %d %d 255\n" % (width, height) + grey


def _put_together(pdf: Pdf, found: _Pages, recovered: bool) -> Document:
    pages = [page.lines for page in found.pages]
    mend_hyphens(pages)
    headings = find_headings(pdf, pages)
    draft = DocumentBuilder()
    for number, page in enumerate(found.pages, 1):
        draft.move(page=number)
        if page.recognised:
            for paragraph in page.recognised.text.split("\n\n"):
                draft.paragraph(paragraph)
        else:
            for level, text in paragraphs(number - 1, page.lines, headings):
                if level:
                    draft.heading(level, text)
                else:
                    draft.paragraph(text)
        for part, text in page.notes:
            draft.move(part=part)
            draft.paragraph(text)
        draft.move(part=None)
    said = pdf.get_metadata_dict(skip_empty=True)
    warnings = [
        *found.warnings,
        *(["The file was damaged and has been repaired as far as possible"] if recovered else []),
    ]
    scanned = [page.recognised for page in found.pages if page.recognised]
    return draft.finish(
        "pdf",
        title=one_line(said.get("Title", "")) or None,
        author=one_line(said.get("Author", "")) or None,
        created=_iso(said.get("CreationDate", "")),
        modified=_iso(said.get("ModDate", "")),
        pages=len(pdf),
        processing_method=_method(found.pages),
        ocr_confidence=_confidence(scanned),
        recovered=recovered,
        failed_pages=tuple(dict.fromkeys(found.failed)),
        warnings=tuple(warnings),
    )


def _method(pages: list[_Page]) -> str:
    recognised = sum(1 for page in pages if page.recognised)
    if not recognised:
        return TEXT_EXTRACTION
    return HYBRID if any(page.lines and not page.recognised for page in pages) else OCR


def _confidence(scanned: list[Recognised]) -> float | None:
    letters = sum(one.letters for one in scanned)
    return round(sum(one.confidence * one.letters for one in scanned) / letters, 3) if letters else None


def _iso(date: str) -> str | None:
    """`D:20260102030405+01'00'` as ISO 8601."""
    found = _DATE.match(date)
    if not found:
        return None
    year, month, day, hour, minute, second, sign, zone_hour, zone_minute = found.groups()
    shown = f"{year}-{month or '01'}-{day or '01'}T{hour or '00'}:{minute or '00'}:{second or '00'}"
    return shown + (f"{sign}{zone_hour}:{zone_minute or '00'}" if sign else "Z")
