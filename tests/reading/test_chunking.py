"""Chunks cover the text exactly, stay on their page, and know what they stand under."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memotheca.text.chunking import Chunk, cut, window

LINES = st.sampled_from(
    [
        "# One",
        "## Two",
        "### Three",
        "",
        "words and words. More words!",
        "| a | b |",
        "| --- | --- |",
        "| 1 | 2 |",
        "- point",
        "1. first",
        "```",
        "code()",
        "x" * 700,
        "あ。" * 20,
        "    ",
        "\t",
        "é 😀",
        "\xa0",
    ]
)
TEXTS = st.one_of(st.text(max_size=2000), st.lists(LINES, max_size=60).map("\n".join))


PLACES = (
    {"page": 1},
    {"page": 2},
    {"page": 1, "headings": ["A", "B"]},
    {"sheet": "S", "row": 3, "columns": ["A", "C"]},
    {},
)


@st.composite
def marked_texts(draw: st.DrawFn) -> tuple[str, list[tuple[int, dict[str, Any]]]]:
    text = draw(TEXTS)
    offsets = sorted(set(draw(st.lists(st.integers(0, max(len(text), 1)), max_size=12))))
    return text, [(offset, draw(st.sampled_from(PLACES))) for offset in offsets]


def page_at(marks: list[tuple[int, dict[str, Any]]], offset: int) -> Any:
    place: dict[str, Any] = {}
    for start, known in marks:
        if start <= offset:
            place = known
    return [place.get(name) for name in ("page", "sheet")]


@settings(max_examples=150, deadline=None)
@given(marked_texts(), st.integers(1, 900))
def test_no_character_is_lost_and_no_chunk_crosses_a_page(marked: Any, size: int) -> None:
    text, marks = marked
    chunks = cut(text, marks, size)
    assert "".join(text[chunk.start : chunk.stop] for chunk in chunks) == text
    assert all(0 < chunk.stop - chunk.start <= size for chunk in chunks)
    for chunk in chunks:
        assert page_at(marks, chunk.start) == page_at(marks, chunk.stop - 1)
    assert cut(text, json.loads(json.dumps(marks)), size) == chunks, "the same again from what was stored"


def test_a_heading_stays_with_what_follows_it() -> None:
    text = "Before. " * 50 + "\n\n## Tides\n\n" + "The water rises. " * 20
    marks = [(0, {}), (text.index("## Tides"), {"headings": ["Tides"]})]
    chunks = cut(text, marks, 500)
    tides = next(chunk for chunk in chunks if "## Tides" in text[chunk.start : chunk.stop])
    assert text[tides.start :].startswith("## Tides")
    assert tides.place == {"headings": ["Tides"]}
    assert tides.prefix == "", "its heading is in its text"


def test_a_passage_is_embedded_under_its_headings() -> None:
    text = "# Log\n\n## Tides\n\n" + "The water rises in the bay. " * 60
    marks = [(0, {"headings": ["Log"]}), (7, {"headings": ["Log", "Tides"]})]
    last = cut(text, marks, 400)[-1]
    assert last.prefix == "Log > Tides\n"
    assert window(text, last).startswith("Log > Tides\nThe water")


def test_a_long_table_repeats_its_head_for_the_embedder_only() -> None:
    rows = [f"| day {n} | {n} m |" for n in range(100)]
    text = "\n".join(["| Day | Height |", "| --- | --- |", *rows])
    chunks = cut(text, [], 300)
    assert len(chunks) > 5
    assert all(chunk.prefix == "| Day | Height |\n" for chunk in chunks[1:])
    assert all(text[chunk.start] == "|" and text[chunk.stop - 1] in "|\n" for chunk in chunks), "rows stay whole"


def test_a_passage_of_a_sheet_knows_its_cells() -> None:
    rows = [f"| {n} | value {n} |" for n in range(2, 60)]
    text = "\n".join(["| id | name |", "| --- | --- |", *rows])
    start = text.index("| 2 |")
    marks = [
        (0, {"sheet": "S", "row": 1, "columns": ["B", "C"]}),
        (start, {"sheet": "S", "row": 2, "columns": ["B", "C"]}),
    ]
    chunks = cut(text, marks, 200)
    assert chunks[0].place["cells"].startswith("B1:C")
    row = 2
    for chunk in chunks:
        shown = [line for line in text[chunk.start : chunk.stop].split("\n") if "value" in line]
        last = row + len(shown) - 1
        assert chunk.place == {"sheet": "S", "cells": f"B{1 if chunk.start == 0 else row}:C{last}"}
        row = last + 1
    assert row == 60


def test_addresses_of_links_are_not_embedded() -> None:
    text = "See [the tide tables](https://example.org/tides?a=1) for more."
    assert window(text, Chunk(0, len(text), {}, "")) == "See the tide tables for more."


def test_a_long_word_and_a_long_text_are_cut_in_no_time() -> None:
    assert len(cut("x" * 3_000_000)) == 6000


def test_a_chunk_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        cut("words", [], 0)
