"""Every reader of a textual format takes any file, and the chunker any text, in time in proportion to it."""

import contextlib

import pytest

from pinakes.model.errors import Refusal
from pinakes.reading.chunking import cut_slowly
from pinakes.reading.reader import READERS
from pinakes.reading.source import Source
from tests.linear.growth import MOST, growth_of

SIZE = 12_000
HEADS = {
    "md": "",
    "txt": "",
    "csv": "a,b\n",
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
)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("format", HEADS)
def test_a_file_is_read_and_cut_in_proportion(format: str, unit: str) -> None:
    def take(text: str) -> None:
        with contextlib.suppress(Refusal):
            document = READERS[format](Source(name=f"x.{format}", content=text.encode()))
            list(cut_slowly(document.text, [(mark.offset, mark.place) for mark in document.marks], 500))

    assert growth_of(take, lambda size: HEADS[format] + unit * (size // len(unit)), SIZE) < MOST
