"""What tests of reading share: the sample files, and files made on the spot."""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from memotheca.parsing.document import Document
from memotheca.parsing.formats_table import read
from memotheca.parsing.isolation.resource_limits import ResourceLimits
from memotheca.parsing.isolation.sandbox import Sandbox
from memotheca.parsing.open_safely import open_file
from memotheca.parsing.source import Source, Wishes

FILES = Path(__file__).parent / "files"


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """One for all tests, as one server has one."""
    made = Sandbox()
    yield made
    made.close()


@pytest.fixture(scope="session")
def hasty() -> Iterator[Sandbox]:
    """For files that no limit can be too small for."""
    made = Sandbox(limits=ResourceLimits(memory_mb=1024, step_seconds=4))
    yield made
    made.close()


@cache
def read_sample(name: str, *, force_ocr: bool = False) -> Document:
    return read_bytes(name, (FILES / name).read_bytes(), force_ocr=force_ocr)


def read_bytes(name: str, content: bytes, *, force_ocr: bool = False) -> Document:
    """Without the sandbox: for content that is ours."""
    return read(Source(name=name, content=content, wishes=Wishes(force_ocr=force_ocr)))


def read_in(sandbox: Sandbox, path: Path, **options: object) -> Document:
    with open_file(str(path)) as opened:
        return sandbox.read(opened, **options)  # type: ignore[arg-type]


def archive(members: dict[str, str | bytes], *, first: str = "") -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name, content, zipfile.ZIP_STORED if name == first else zipfile.ZIP_DEFLATED)
    return made.getvalue()


def word_document(body: str, **parts: str) -> bytes:
    """A minimal Word file whose body is this XML."""
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    return archive(
        {
            "[Content_Types].xml": "<Types/>",
            "word/document.xml": f"<w:document {space}><w:body>{body}</w:body></w:document>",
            **{f"word/{name}.xml": content.replace("SPACE", space) for name, content in parts.items()},
        }
    )


def png(width: int, height: int, *, rows: bytes | None = None) -> bytes:
    """A grey picture; its declared size need not be true."""

    def part(kind: bytes, content: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + content))
        return struct.pack(">I", len(content)) + kind + content + check

    pixels = rows if rows is not None else (b"\x00" + b"\xff" * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", header) + part(b"IDAT", zlib.compress(pixels, 9)) + part(b"IEND", b"")


def pdf(*objects: bytes) -> bytes:
    """A PDF of these objects, numbered from 1; the first is the catalogue."""
    made = b"%PDF-1.4\n"
    offsets: list[int] = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    start = len(made)
    return made + b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        size, table, size, start,
    )  # fmt: skip


def pdf_stream(content: bytes, more: bytes = b"") -> bytes:
    return b"<</Length %d%s>>stream\n%s\nendstream" % (len(content), more, content)


def text_pdf(*pages: str) -> bytes:
    """A PDF with one line of text on every page."""
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"", b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    kids: list[bytes] = []
    for text in pages:
        number = len(objects) + 1
        kids.append(b"%d 0 R" % number)
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<</Font<</F 3 0 R>>>>>>"
            % (number + 1)
        )
        objects.append(pdf_stream(b"BT /F 12 Tf 72 700 Td (%s) Tj ET" % text.encode("latin-1")))
    objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), b" ".join(kids))
    return pdf(*objects)
