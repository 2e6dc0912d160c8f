"""What single readers must not lose: parts of documents that are easily missed."""

import io
import zipfile

import pytest

from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.builder import DocumentBuilder
from memotheca.parsing.document import Document
from memotheca.parsing.formats import EXTENSIONS, FORMATS, PROMISED, promised_format
from memotheca.parsing.formats_table import READERS
from tests.reading.conftest import FILES, pdf, read_bytes, text_pdf, word_document

GERMAN = "Der Wärter hört den Sturm und läuft auf die Brücke, denn das Öl ist im Keller und die Tür ist nicht zu."


def run(text: str) -> str:
    return f"<w:r><w:t>{text}</w:t></w:r>"


def paragraph(text: str, settings: str = "") -> str:
    return f"<w:p>{f'<w:pPr>{settings}</w:pPr>' if settings else ''}{run(text)}</w:p>"


def cell(text: str, settings: str = "") -> str:
    return f"<w:tc><w:tcPr>{settings}</w:tcPr>{paragraph(text)}</w:tc>"


def places(document: Document) -> dict[str, dict[str, object]]:
    """The place at which each block begins."""
    found: dict[str, dict[str, object]] = {}
    for number, mark in enumerate(document.marks):
        stop = document.marks[number + 1].offset if number + 1 < len(document.marks) else len(document.text)
        found[document.text[mark.offset : stop].strip()] = dict(mark.place)
    return found


def test_the_eight_promised_formats_come_first_and_all_have_readers() -> None:
    assert FORMATS[:8] == PROMISED == ("pdf", "docx", "pptx", "xlsx", "html", "jpg", "png", "svg")
    assert set(FORMATS) == set(READERS)
    assert set(EXTENSIONS.values()) == set(FORMATS)


def test_an_unknown_name_is_refused_in_the_words_of_the_contract() -> None:
    with pytest.raises(Refusal) as refused:
        promised_format("/some/where/data.xyz")
    assert refused.value.failure is Failure.UNSUPPORTED
    assert refused.value.message == ("Unsupported file format: .xyz. Use PDF, DOCX, PPTX, XLSX, HTML, JPG, PNG, or SVG")
    assert refused.value.details["supported_formats"][:8] == list(PROMISED)


@pytest.mark.parametrize(
    ("name", "format"), [("A.HTM", "html"), ("b.jpeg", "jpg"), ("Makefile", "code"), ("x.tar.md", "md")]
)
def test_names_are_understood_in_any_case(name: str, format: str) -> None:
    assert promised_format(name) == format


def test_word_keeps_boxes_controls_insertions_and_drops_deletions() -> None:
    box = f"<w:p><w:r><w:drawing><w:txbxContent>{paragraph('in a box')}</w:txbxContent></w:drawing></w:r></w:p>"
    control = f"<w:sdt><w:sdtContent>{paragraph('in a control')}</w:sdtContent></w:sdt>"
    changes = f"<w:p><w:ins>{run('inserted')}</w:ins><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del></w:p>"
    both = f"<w:Choice>{run('chosen')}</w:Choice><w:Fallback>{run('fallback')}</w:Fallback>"
    twice = f"<w:p><w:AlternateContent>{both}</w:AlternateContent></w:p>"
    text = read_bytes("a.docx", word_document(box + control + changes + twice)).text
    assert text.split("\n\n") == ["in a box", "in a control", "inserted", "chosen"]


def test_word_tables_say_merged_cells_again_and_keep_tables_inside_cells() -> None:
    inner = f"<w:tbl><w:tr>{cell('x')}{cell('y')}</w:tr></w:tbl>"
    wide, tall = cell("wide", '<w:gridSpan w:val="2"/>'), cell("tall", '<w:vMerge w:val="restart"/>')
    rows = f"<w:tr>{wide}{tall}</w:tr><w:tr>{cell('a')}<w:tc>{inner}</w:tc>{cell('', '<w:vMerge/>')}</w:tr>"
    text = read_bytes("a.docx", word_document(f"<w:tbl>{rows}</w:tbl>")).text
    assert text == "| wide | wide | tall |\n| --- | --- | --- |\n| a | x, y | tall |"


def test_word_headings_come_from_styles_and_outline_levels_and_count() -> None:
    styles = (
        '<w:styles SPACE><w:style w:styleId="H"><w:name w:val="heading 2"/></w:style>'
        '<w:style w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="H"/></w:style></w:styles>'
    )
    body = paragraph("Inherited", '<w:pStyle w:val="Mine"/>') + paragraph("Outlined", '<w:outlineLvl w:val="0"/>')
    document = read_bytes("a.docx", word_document(body, styles=styles))
    assert [(section.level, section.title) for section in document.sections] == [(2, "Inherited"), (1, "Outlined")]


def test_word_lists_count_as_word_does() -> None:
    numbering = (
        '<w:numbering SPACE><w:abstractNum w:abstractNumId="0">'
        '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
        '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl>'
        '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
    )
    levels = [0, 1, 1, 0, 1]
    body = "".join(
        paragraph(f"p{n}", f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr>')
        for n, level in enumerate(levels)
    )
    text = read_bytes("a.docx", word_document(body, numbering=numbering)).text
    assert text.split("\n") == ["1. p0", "  1.a) p1", "  1.b) p2", "2. p3", "  2.a) p4"]


def test_pages_of_html_are_kept_whole_and_their_parts_are_named() -> None:
    page = (
        "<html lang=de><head><title>T</title><style>no</style></head><body><nav>Menu</nav><h1>Head</h1>"
        "<p>One<br>two <a href='/far'>link</a> <img alt='a ship'></p><script>no()</script>"
        "<table><tr><td rowspan=2>both</td><td>1</td></tr><tr><td>2</td></tr></table>"
        "<ol start=3><li>three<ul><li>inner</li></ul></li><li>four</li></ol><pre>a\n  b</pre><footer>End</footer>"
    )
    document = read_bytes("a.html", page.encode())
    assert document.title == "T"
    assert document.language == "de"
    found = places(document)
    assert found["Menu"] == {"part": "navigation"}
    assert found["End"]["part"] == "footer"
    assert "One\ntwo [link](/far) a ship" in document.text
    assert "| both | 1 |\n| --- | --- |\n| both | 2 |" in document.text
    assert "3. three\n  - inner\n4. four" in document.text
    assert "```\na\n  b\n```" in document.text
    assert "no" not in document.text.split()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("naïve".encode(), "naïve"),
        ("naïve".encode("utf-16"), "naïve"),
        (b"\xef\xbb\xbfmarked", "marked"),
        (GERMAN.encode("cp1252"), GERMAN),
        (b"one\r\ntwo\rthree\x0cfour", "one\ntwo\nthree\nfour"),
    ],
)
def test_text_in_any_encoding_is_read(content: bytes, expected: str) -> None:
    assert read_bytes("a.txt", content).text == expected


def test_an_encoding_that_a_page_declares_is_believed() -> None:
    page = '<meta charset="iso-8859-2"><p>Zażółć gęślą jaźń'.encode("iso-8859-2")
    assert "Zażółć gęślą jaźń" in read_bytes("a.html", page).text


def test_markdown_stays_as_it_is_and_its_headings_are_known() -> None:
    text = "---\ntitle: Notes\nauthor: Agnes\n---\n# One\n\n```\n# no heading\n```\n\nTwo\n---\n\ntext"
    document = read_bytes("a.md", text.encode())
    assert document.text == text
    assert (document.title, document.author) == ("Notes", "Agnes")
    assert [(section.level, section.title) for section in document.sections] == [(1, "One"), (2, "Two")]


def test_json_says_where_each_value_stands() -> None:
    text = read_bytes("a.json", b'{"a": {"b": [1, "two", null]}, "c": {}}').text
    assert text.split("\n") == ["a.b[0]: 1", "a.b[1]: two", "a.b[2]: null", "c: {}"]


def test_lines_of_json_are_read_too() -> None:
    assert read_bytes("a.jsonl", b'{"n": 1}\n{"n": 2}\n').text == "[0].n: 1\n[1].n: 2"
    # A line of JSON may hold other separators of lines than the one that ends it.
    held = '{"n": "one\u2028two"}\r\n{"n": "three\u0085four"}\r\n'.encode()
    assert read_bytes("b.jsonl", held).text == "[0].n: one two\n[1].n: three four"


def test_csv_finds_its_sign_and_its_cells() -> None:
    document = read_bytes("a.csv", b'name;price\n"pear; ripe";2\n')
    assert document.text == "| name | price |\n| --- | --- |\n| pear; ripe | 2 |"
    assert document.marks[0].place == {"row": 1, "columns": ["A", "B"]}


def test_source_code_is_read_as_it_stands() -> None:
    document = read_bytes("a.py", b"def f():\n    return 1\n")
    assert document.format == "code"
    assert document.text == "def f():\n    return 1\n"


def test_a_pdf_knows_its_pages_and_joins_broken_words() -> None:
    document = read_bytes("a.pdf", text_pdf("First page here", "Second page here"))
    assert {text: place["page"] for text, place in places(document).items()} == {
        "First page here": 1,
        "Second page here": 2,
    }
    assert document.pages == 2


def test_rich_text_is_stripped_to_words_and_tables() -> None:
    rich = rb"{\rtf1\ansi{\info{\title The log}{\author Agnes}}Plain \b bold\b0  words.\par Caf\'e9.}"
    document = read_bytes("a.rtf", rich)
    assert document.text == "Plain bold words.\n\nCafé."
    assert (document.title, document.author) == ("The log", "Agnes")


def test_a_notebook_gives_its_cells() -> None:
    words = b'{"cell_type": "markdown", "source": ["# Title"]}'
    notebook = b'{"nbformat": 4, "cells": [%s, {"cell_type": "code", "source": "x = 1"}]}' % words
    document = read_bytes("a.ipynb", notebook)
    assert document.text == "# Title\n\n```\nx = 1\n```"
    assert [section.title for section in document.sections] == ["Title"]


def test_the_words_of_a_drawing_are_read_without_recognition() -> None:
    drawing = (
        b'<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x"><svg xmlns="http://www.w3.org/2000/svg">'
        b"<title>Plan</title><text>North <tspan>pier</tspan><tspan dy='12'>South pier</tspan></text></svg>"
    )
    document = read_bytes("a.svg", drawing)
    assert document.text == "Plan\n\nNorth pier\nSouth pier"
    assert (document.title, document.processing_method) == ("Plan", "text_extraction")


def test_a_file_without_words_says_so() -> None:
    assert read_bytes("a.html", b"<html><body></body></html>").warnings == ("a.html holds no text",)


def test_a_pdf_gives_its_comments_and_what_was_filled_in() -> None:
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Annots[4 0 R 5 0 R 6 0 R]>>"
    document = read_bytes(
        "form.pdf",
        pdf(
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
            page,
            b"<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/Contents(Please check this)>>",
            b"<</Type/Annot/Subtype/Widget/FT/Tx/Rect[0 0 9 9]/T(Keeper)/V(Agnes)>>",
            b"<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/Contents(not this)>>",
        ),
    )
    assert places(document) == {
        "Please check this": {"page": 1, "part": "comments"},
        "Keeper: Agnes": {"page": 1, "part": "form"},
    }


def test_what_follows_an_included_document_has_its_own_place() -> None:
    draft = DocumentBuilder()
    draft.move(part="letter")
    draft.include(read_bytes("a.pdf", text_pdf("On a page")))
    draft.paragraph("After it")
    document = draft.finish("eml")
    assert places(document)["On a page"] == {"part": "letter", "page": 1}
    assert places(document)["After it"] == {"part": "letter"}


def scanned_word(body: str) -> bytes:
    """A Word file with a scan in it."""
    made = io.BytesIO(word_document(body))
    with zipfile.ZipFile(made, "a") as package:
        package.write(FILES / "scan.jpg", "word/media/image1.jpg")
    return made.getvalue()


@pytest.mark.starts_process
def test_a_scan_pasted_into_word_is_recognised() -> None:
    document = read_bytes("a.docx", scanned_word(""))
    assert "supply boat" in document.text
    assert document.processing_method == "ocr"
    assert document.marks[-1].place == {"part": "pictures"}


@pytest.mark.starts_process
def test_force_ocr_recognises_the_pictures_of_a_document_with_text() -> None:
    typed = paragraph("This document has enough words of its own, so that its pictures are left alone.")
    assert "supply boat" not in read_bytes("a.docx", scanned_word(typed)).text
    forced = read_bytes("a.docx", scanned_word(typed), force_ocr=True)
    assert "supply boat" in forced.text
    assert forced.processing_method == "hybrid"


def test_force_ocr_says_so_where_there_is_nothing_to_recognise() -> None:
    document = read_bytes("a.txt", b"only words", force_ocr=True)
    assert document.text == "only words"
    assert any("nothing to recognise" in warning for warning in document.warnings)
