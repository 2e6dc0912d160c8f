"""Every reader of a textual format takes any file, and the chunker any text, in time in proportion to it."""

import contextlib
from collections.abc import Callable
from typing import Any
from xml.sax.saxutils import escape

import pytest

from memotheca.model.errors import Refusal
from memotheca.parsing.formats_table import READERS
from memotheca.parsing.source import Source
from memotheca.text.chunking import cut_slowly
from tests.linear.growth import MOST, MOST_TENFOLD, growth_of, memory_growth_of, tenfold_growth_of
from tests.reading.conftest import archive, word_document

SIZE = 12_000
HEADS = {
    "md": "",
    "txt": "",
    "csv": "a,b\n",
    "code": "def f(a):\n",
    "json": '{"a": "',
    "html": "<html><body>",
    "eml": "From: a@b.c\nSubject: x\n\n",
    "rtf": "{\\rtf1 ",
}
UNITS = (
    "\n",
    " ",
    "a",
    "# ",
    "<a ",
    "<b>",
    "<table><tr>",
    "[",
    "{",
    '"',
    ",",
    "|a",
    "- a\n",
    "\\u8364?",
    "a: b\n",
    "=?x?",
    "&#",
    "`",
    "@a\n",
    "def f(",
    "public ",
    "// a\n def f():\n",
)
# Letters, brackets, hashes, slashes, digits, combining marks; none but the last two ends the one long line.
LONG = ("a", "[", "#", "/", "7", "\u0301", '"', "<b>", "\n", "a: b,\n")


def take(format: str, content: bytes) -> None:
    with contextlib.suppress(Refusal):
        document = READERS[format](Source(name=f"x.{format}", content=content))
        list(cut_slowly(document.text, [(mark.offset, mark.place) for mark in document.marks], 500))


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("format", HEADS)
def test_a_file_is_read_and_cut_in_proportion(format: str, unit: str) -> None:
    def make(size: int) -> str:
        return HEADS[format] + unit * (size // len(unit))

    assert growth_of(lambda text: take(format, text.encode()), make, SIZE) < MOST


@pytest.mark.parametrize("unit", LONG)
@pytest.mark.parametrize("format", HEADS)
def test_a_long_file_is_read_and_cut_in_proportion(format: str, unit: str) -> None:
    def make(size: int) -> bytes:
        return (HEADS[format] + unit * (size // len(unit))).encode()

    assert tenfold_growth_of(lambda content: take(format, content), make) < MOST_TENFOLD


@pytest.mark.parametrize("format", HEADS)
def test_a_long_file_is_held_in_proportion(format: str) -> None:
    def make(size: int) -> bytes:
        return (HEADS[format] + "[a #/7 " * (size // 7)).encode()

    assert memory_growth_of(lambda content: take(format, content), make, 30_000, factor=10) < MOST_TENFOLD


OPEN = "urn:oasis:names:tc:opendocument:xmlns"
OFFICE = "http://schemas.openxmlformats.org"
DRAWING = f'xmlns:a="{OFFICE}/drawingml/2006/main"'
RELATED = f'xmlns:r="{OFFICE}/officeDocument/2006/relationships"'


def open_document(kind: str, body: str) -> bytes:
    names = " ".join(f'xmlns:{name}="{OPEN}:{name}:1.0"' for name in ("office", "text", "table"))
    names += f' xmlns:draw="{OPEN}:drawing:1.0"'
    content = f"<office:document-content {names}><office:body>{body}</office:body></office:document-content>"
    mimetype = f"application/vnd.oasis.opendocument.{kind}"
    listed = f'<manifest:manifest xmlns:manifest="{OPEN}:manifest:1.0"/>'
    members: dict[str, str | bytes] = {"mimetype": mimetype, "content.xml": content, "META-INF/manifest.xml": listed}
    return archive(members, first="mimetype")


def related(*targets: tuple[str, str]) -> str:
    lines = "".join(
        f'<Relationship Id="r{number}" Type="{OFFICE}/officeDocument/2006/relationships/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{OFFICE}/package/2006/relationships">{lines}</Relationships>'


def presentation(text: str) -> bytes:
    slide = f"<p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
    space = f'xmlns:p="{OFFICE}/presentationml/2006/main" {DRAWING} {RELATED}'
    return archive(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": related(("officeDocument", "ppt/presentation.xml")),
            "ppt/presentation.xml": f'<p:presentation {space}><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst>'
            "</p:presentation>",
            "ppt/_rels/presentation.xml.rels": related(("slide", "slides/slide1.xml")),
            "ppt/slides/slide1.xml": f"<p:sld {space}><p:cSld><p:spTree>{slide}</p:spTree></p:cSld></p:sld>",
        }
    )


def workbook(text: str) -> bytes:
    space = f'xmlns="{OFFICE}/spreadsheetml/2006/main" {RELATED}'
    row = f'<row r="1"><c r="A1" t="inlineStr"><is><t>{text}</t></is></c></row>'
    return archive(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": related(("officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": f'<workbook {space}><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": related(("worksheet", "worksheets/sheet1.xml")),
            "xl/worksheets/sheet1.xml": f"<worksheet {space}><sheetData>{row}</sheetData></worksheet>",
        }
    )


def book(text: str) -> bytes:
    container = "urn:oasis:names:tc:opendocument:xmlns:container"
    return archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": f'<container xmlns="{container}"><rootfiles><rootfile full-path="b.opf"/>'
            "</rootfiles></container>",
            "b.opf": '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="c" href="c.xhtml" '
            'media-type="application/xhtml+xml"/></manifest><spine><itemref idref="c"/></spine></package>',
            "c.xhtml": f'<html xmlns="http://www.w3.org/1999/xhtml"><body><p>{text}</p></body></html>',
        },
        first="mimetype",
    )


def sheet(text: str) -> str:
    cell = f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'
    return f"<table:table-row>{cell}</table:table-row>"


PACKED: dict[str, Callable[[str], Any]] = {
    "docx": lambda text: word_document(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"),
    "pptx": presentation,
    "xlsx": workbook,
    "odt": lambda text: open_document("text", f"<office:text><text:p>{text}</text:p></office:text>"),
    "odp": lambda text: open_document(
        "presentation",
        "<office:presentation><draw:page><draw:frame><draw:text-box>"
        f"<text:p>{text}</text:p></draw:text-box></draw:frame></draw:page></office:presentation>",
    ),
    "ods": lambda text: open_document(
        "spreadsheet",
        f'<office:spreadsheet><table:table table:name="S">{sheet(text)}</table:table></office:spreadsheet>',
    ),
    "epub": book,
    "svg": lambda text: f'<svg xmlns="http://www.w3.org/2000/svg"><text>{text}</text></svg>'.encode(),
}


@pytest.mark.parametrize("format", PACKED)
def test_a_packed_text_is_found(format: str) -> None:
    assert "hostile" in READERS[format](Source(name=f"x.{format}", content=PACKED[format]("hostile"))).text


@pytest.mark.parametrize("unit", ["a", "[", "#", "/", "7", "\u0301", "\n", "a "])
@pytest.mark.parametrize("format", PACKED)
def test_a_long_packed_text_is_read_and_cut_in_proportion(format: str, unit: str) -> None:
    def make(size: int) -> bytes:
        return PACKED[format](escape(unit * (size // len(unit))))

    assert tenfold_growth_of(lambda content: take(format, content), make) < MOST_TENFOLD
