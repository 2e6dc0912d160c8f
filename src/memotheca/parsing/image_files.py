"""Pictures: measured before anything decodes them, then recognised; one without text is described in a line."""

import base64
import struct
from collections.abc import Callable
from functools import partial

import resvg_py

from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.builder import DocumentBuilder
from memotheca.parsing.document import IMAGE_ANALYSIS, OCR, Document
from memotheca.parsing.formats import magic_of
from memotheca.parsing.ocr import SURE, Recognised, recognise, recognise_pages
from memotheca.parsing.source import Source

MAX_PIXELS = 100_000_000  # chosen: 400 MB at four bytes each, within a parser's memory
SMALL = 1_000  # measured on 21 pictures: small ones are read better at twice their size
TURNABLE = {"png": "image/png", "jpg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}

Size = tuple[int, int]


def read_image(source: Source) -> Document:
    format = magic_of(source.content) or ""
    width, height = measure(source.name, source.content)
    try:
        pages = _recognise(source, format, (width, height))
    except Refusal as refusal:
        raise _broken(source.name) if "pixRead" in refusal.message else refusal from refusal
    draft = DocumentBuilder()
    for number, page in enumerate(pages, 1):
        draft.move(page=number if len(pages) > 1 else None)
        for paragraph in page.text.split("\n\n"):
            draft.paragraph(paragraph)
        source.report(number, len(pages), f"Recognising page {number} of {len(pages)}")
    found = len(draft) > 0
    if not found:
        draft.paragraph(f"Image {source.name} ({format.upper()}, {width} x {height} pixels)")
    return draft.finish(
        format,
        pages=len(pages),
        processing_method=OCR if found and source.wishes.force_ocr else IMAGE_ANALYSIS,
        ocr_confidence=confidence(pages),
        warnings=tuple(_warnings(source.name, pages)),
    )


def _recognise(source: Source, format: str, size: Size) -> list[Recognised]:
    if format in TURNABLE:
        return [recognise(partial(turned, source.content, format, size), source.wishes)]
    return recognise_pages(source.content, source.wishes)


def _warnings(name: str, pages: list[Recognised]) -> list[str]:
    sure = confidence(pages)
    if sure is None:
        return [f"No text was recognised in {name}"]
    return [f"The text in {name} was recognised with little confidence ({sure:.0%})"] if sure < SURE else []


def confidence(pages: list[Recognised]) -> float | None:
    """Of all pages, weighted by how much each holds."""
    letters = sum(page.letters for page in pages)
    return round(sum(page.confidence * page.letters for page in pages) / letters, 3) if letters else None


def turned(content: bytes, format: str, size: Size, turn: int) -> bytes | None:
    """The picture turned, and enlarged if it is small; as it is where Tesseract can take it so."""
    width, height = size
    factor = 2 if max(size) < SMALL else 1
    if turn == 0 and factor == 1 and format in ("png", "jpg"):
        return content
    across, down = (height, width) if turn in (90, 270) else (width, height)
    shift = {0: "", 90: f"translate({height} 0) rotate(90)", 180: f"translate({width} {height}) rotate(180)"}
    move = shift.get(turn, f"translate(0 {width}) rotate(270)")
    image = f'<image transform="{move}" width="{width}" height="{height}" {linked(content, format)}/>'
    return draw(framed(image, (across, down)), (across * factor, down * factor), with_fonts=False)


def linked(content: bytes, format: str) -> str:
    """The attribute by which a drawing has a picture in it."""
    return f'xlink:href="data:{TURNABLE[format]};base64,{base64.b64encode(content).decode("ascii")}"'


def framed(image: str, size: Size) -> str:
    """A drawing of this size around what is drawn."""
    width, height = size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}">{image}</svg>'
    )


def draw(svg: str, size: Size, *, with_fonts: bool = True) -> bytes | None:
    """An SVG as a PNG on white of exactly this size; nothing if it cannot be drawn."""
    try:
        drawn = resvg_py.svg_to_bytes(
            svg_string=svg, width=size[0], height=size[1], background="#ffffff", skip_system_fonts=not with_fonts
        )
    except ValueError:
        return None
    return bytes(drawn)


def measure(name: str, content: bytes) -> Size:
    """Width and height from the picture's own header, or a refusal if they are missing or absurd."""
    kind = magic_of(content) or ""
    try:
        size = _MEASURES[kind](content)
    except (struct.error, IndexError, KeyError) as problem:
        raise _broken(name) from problem
    if size is None or not all(size):
        raise _broken(name)
    if size[0] * size[1] > MAX_PIXELS:
        raise Refusal(
            Failure.TOO_LARGE,
            f"{name} measures {size[0]} x {size[1]} pixels, more than {MAX_PIXELS // 1_000_000} million. Shrink it",
        )
    return size


def _broken(name: str) -> Refusal:
    return Refusal(Failure.CORRUPT, f"{name} is damaged: its picture cannot be decoded. Get the file again")


def _png(content: bytes) -> Size:
    if b"IEND" not in content:
        raise IndexError
    return struct.unpack_from(">II", content, 16)


def _gif(content: bytes) -> Size:
    if not content.rstrip(b"\x00").endswith(b";"):
        raise IndexError
    return struct.unpack_from("<HH", content, 6)


def _bmp(content: bytes) -> Size:
    width, height = struct.unpack_from("<ii", content, 18)
    return abs(width), abs(height)


def _jpg(content: bytes) -> Size | None:
    """From the frame header, past segments that are skipped by their lengths."""
    place = 2
    while place + 9 < len(content):
        if content[place] != 0xFF:
            return None
        marker = content[place + 1]
        if marker in (0xFF, 0x01) or 0xD0 <= marker <= 0xD7:
            place += 1 if marker == 0xFF else 2
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", content, place + 5)
            return width, height
        place += 2 + struct.unpack_from(">H", content, place + 2)[0]
    return None


def _webp(content: bytes) -> Size | None:
    if int.from_bytes(content[4:8], "little") > len(content) - 8:
        return None
    kind = content[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(content[24:27], "little"), 1 + int.from_bytes(content[27:30], "little")
    if kind == b"VP8L":
        bits = struct.unpack_from("<I", content, 21)[0]
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", content, 26)
        return width & 0x3FFF, height & 0x3FFF
    return None


def _tiff(content: bytes) -> Size | None:
    """The largest width and height of all pages."""
    order = "<" if content.startswith(b"II") else ">"
    if struct.unpack_from(order + "H", content, 2)[0] != 42:
        return None
    (place,) = struct.unpack_from(order + "I", content, 4)
    sizes: list[Size] = []
    while place and len(sizes) < 10_000:
        (count,) = struct.unpack_from(order + "H", content, place)
        found = {256: 0, 257: 0}
        for entry in range(count):
            tag, kind = struct.unpack_from(order + "HH", content, place + 2 + 12 * entry)
            if tag in found:
                at = place + 10 + 12 * entry
                (found[tag],) = struct.unpack_from(order + ("H" if kind == 3 else "I"), content, at)
        sizes.append((found[256], found[257]))
        (place,) = struct.unpack_from(order + "I", content, place + 2 + 12 * count)
    return max(sizes, key=lambda size: size[0] * size[1], default=None)


_MEASURES: dict[str, Callable[[bytes], Size | None]] = {
    "png": _png, "jpg": _jpg, "gif": _gif, "bmp": _bmp, "webp": _webp, "tiff": _tiff,
}  # fmt: skip
