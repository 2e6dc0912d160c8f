"""The text, places and metadata of files that real programs made, against goldens."""

from typing import Any

import pytest

from memotheca.text.chunking import cut
from tests.reading.conftest import FILES, read_sample

SOURCES = {"talk.fodp", "scan.html", "turned.html", "scanned.html", "mixed.html", "README.md"}
SAMPLES = sorted(path.name for path in FILES.iterdir() if path.name not in SOURCES)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_real_file_gives_the_golden_text(name: str, golden: Any) -> None:
    document = read_sample(name)
    golden(
        f"reading/{name}", {**document.to_wire(), "ocr_confidence": None, "chunks": cut(document.text, document.marks)}
    )


@pytest.mark.parametrize("name", ["report.docx", "report.odt", "report.pdf", "browser.pdf", "report.html"])
def test_headings_become_sections_wherever_they_come_from(name: str) -> None:
    document = read_sample(name)
    assert [(section.level, section.title) for section in document.sections] == [
        (1, "The lamp and the tide"),
        (2, "Keeping the lamp"),
        (2, "Heights of the water"),
        (3, "What to do in a flood"),
    ]
    flood = document.sections[3]
    assert "Close the sluice" in document.text[flood.start : flood.stop]
    assert document.title == "The lamp and the tide"
    assert document.language == "en"


@pytest.mark.parametrize("name", ["scan.jpg", "scan.gif", "scan.webp", "turned.png", "scanned.pdf"])
def test_a_scan_is_recognised_however_it_lies(name: str) -> None:
    document = read_sample(name)
    assert "The supply boat came late again" in document.text
    assert document.processing_method == ("ocr" if name.endswith(".pdf") else "image_analysis")
    assert document.ocr_confidence is not None
    assert 0.8 < document.ocr_confidence <= 1


def test_a_picture_is_said_to_be_recognised_where_that_was_asked_for() -> None:
    assert read_sample("scan.jpg", force_ocr=True).processing_method == "ocr"


def test_only_the_pages_that_need_it_are_recognised() -> None:
    document = read_sample("mixed.pdf")
    assert document.processing_method == "hybrid"
    places = {document.text[mark.offset :].split("\n")[0]: mark.place["page"] for mark in document.marks}
    assert places["# Cover note"] == 1
    assert places["Letter from the lighthouse"] > 1


def test_force_ocr_recognises_pages_that_have_text() -> None:
    document = read_sample("browser.pdf", force_ocr=True)
    assert document.processing_method == "ocr"
    assert "northerly gale" in document.text
