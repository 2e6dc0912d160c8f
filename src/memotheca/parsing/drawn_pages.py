"""Drawing: a page of a PDF as it looks, or a picture made anew from its pixels; within bounds."""

import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.formats import magic_of
from memotheca.parsing.image_files import TURNABLE, draw, framed, linked, measure
from memotheca.parsing.page_picture import PagePicture
from memotheca.parsing.pdf import open_pdf
from memotheca.parsing.pdfium import PdfiumError, PdfPage
from memotheca.parsing.source import Source
from memotheca.parsing.svg import harmless_drawing

MAX_PIXELS = 4_000_000  # chosen: a page at 150 dpi has two million
MAX_BYTES = 1_500_000  # chosen: what a slow line brings in a few seconds; a page of type has a tenth of it
TALLEST = 10_000  # chosen: what every browser shows
SMALLEST = 100  # chosen: below, nothing on a page can be told apart
SHRINK = 0.7  # chosen: half of the pixels
DEFLATE = 6  # chosen: what zlib takes by itself

Size = tuple[int, int]


def draw_page(source: Source, page: int, width: int) -> PagePicture:
    """A page so many pixels wide, or narrower where that would be too much; with no width nothing is drawn."""
    if source.content[:1024].lstrip().startswith(b"%PDF") or magic_of(source.content) == "pdf":
        return _draw_pdf(source, page, width)
    if page != 1:
        raise _no_page(source.name, page, 1)
    size, paint = _painter(source)
    if not width:
        return PagePicture(page=1, pages=1)
    return _fit(size, width, paint, PagePicture(page=1, pages=1))


def _draw_pdf(source: Source, number: int, width: int) -> PagePicture:
    pdf = open_pdf(source)
    total = len(pdf)
    if not 1 <= number <= total:
        raise _no_page(source.name, number, total)
    if not width:
        return PagePicture(page=number, pages=total)
    try:
        page = pdf[number - 1]
        size = page.get_width(), page.get_height()
        if min(size) <= 0:
            raise PdfiumError
        return _fit(size, width, partial(_paint, page), PagePicture(page=number, pages=total))
    except PdfiumError as problem:
        raise Refusal(Failure.CORRUPT, f"Page {number} of {source.name} is damaged and cannot be drawn.") from problem


def _painter(source: Source) -> tuple[tuple[float, float], Callable[[Size], bytes | None]]:
    """How large a picture is, and how it is drawn at another size."""
    format = magic_of(source.content) or ""
    if format in TURNABLE:
        width, height = measure(source.name, source.content)
        image = f'<image width="{width}" height="{height}" {linked(source.content, format)}/>'
        drawing = framed(image, (width, height))
        return (width, height), lambda size: draw(drawing, size, with_fonts=False)
    if source.name.lower().endswith(".svg"):
        tamed, size = harmless_drawing(source)
        return size, lambda wanted: draw(tamed, wanted)
    raise Refusal(Failure.UNSUPPORTED, f"{source.name} has no pages that can be drawn: only PDF and pictures have.")


def _fit(
    size: tuple[float, float], width: int, paint: Callable[[Size], bytes | None], found: PagePicture
) -> PagePicture:
    """Drawn as large as was asked for, or as is allowed."""
    scale = min(width / size[0], TALLEST / size[1], (MAX_PIXELS / (size[0] * size[1])) ** 0.5)
    while True:
        wanted = max(1, round(size[0] * scale)), max(1, round(size[1] * scale))
        drawn = paint(wanted)
        if drawn is None:
            raise Refusal(Failure.CORRUPT, "The picture is damaged and cannot be drawn. Get the file again.")
        if len(drawn) <= MAX_BYTES or max(wanted) <= SMALLEST:
            across, down = struct.unpack_from(">II", drawn, 16)
            return replace(found, width=across, height=down, content=drawn)
        scale *= SHRINK


def _paint(page: PdfPage, size: Size) -> bytes:
    scale = min(size[0] / page.get_width(), size[1] / page.get_height())
    bitmap = page.render(scale=scale, rev_byteorder=True)
    try:
        width, height, stride = bitmap.width, bitmap.height, bitmap.stride
        rows = memoryview(bitmap.buffer).cast("B")
        # Before each row stands how it was made smaller: not at all.
        raw = b"".join(b"\0" + bytes(rows[row * stride : row * stride + 3 * width]) for row in range(height))
    finally:
        bitmap.close()
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pieces = (b"IHDR", head), (b"IDAT", zlib.compress(raw, DEFLATE)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, content) for name, content in pieces)


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def _no_page(name: str, number: int, total: int) -> Refusal:
    return Refusal(Failure.NOT_FOUND, f"{name} has no page {number}: it has {total}.", field="page")
