"""Sentences: what ends one, and what only looks like an end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memotheca.text.sentences import split_sentences
from tests.linear.growth import MOST, growth_of


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Tea is hot. Is it? Yes!", ["Tea is hot.", "Is it?", "Yes!"]),
        ("1. Fill the kettle. 2. Wait.", ["1. Fill the kettle.", "2. Wait."]),
        ("Do this:\n1. Fill it.\n2. Wait.", ["Do this:", "1. Fill it.", "2. Wait."]),
        ("Ask Dr. Reed or Mrs. Hill, e.g. today. Then go.", ["Ask Dr. Reed or Mrs. Hill, e.g. today.", "Then go."]),
        ("It costs 3.5 euros. Version 2.1 does not.", ["It costs 3.5 euros.", "Version 2.1 does not."]),
        ("\u8336\u662f\u70ed\u7684\u3002\u662f\u5417\uff1f", ["\u8336\u662f\u70ed\u7684\u3002", "\u662f\u5417\uff1f"]),
        ("A line\nthat goes on.\n\nAnother", ["A line\nthat goes on.", "Another"]),
        ("# Tea\n- green\n- black", ["# Tea", "- green", "- black"]),
        ("The answer is 42. So it is.", ["The answer is 42.", "So it is."]),
        ("", []),
    ],
)
def test_a_text_is_taken_apart_at_its_sentences(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@given(st.text(alphabet="ab1.!?;\n -#\u3002", max_size=80))
def test_no_letter_is_lost(text: str) -> None:
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


@pytest.mark.parametrize("unit", ["a. ", "1. ", "Dr. ", "\n", " ", ".", "\n- ", "\u3002", "e.g. "])
def test_time_is_in_proportion_to_the_text(unit: str) -> None:
    assert growth_of(split_sentences, lambda size: unit * (size // len(unit)), 30_000) < MOST
