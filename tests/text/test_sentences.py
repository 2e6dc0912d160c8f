"""Sentences: what ends one, and what only looks like an end."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memotheca.text.sentences import sentence_spans, split_sentences, split_statements
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
        ("1. Capacity: 5 litres.\n2. Colour: red.", ["1. Capacity: 5 litres.", "2. Colour: red."]),
        ("Steps: 1. Fill the kettle. 2. Wait.", ["Steps: 1. Fill the kettle.", "2. Wait."]),
        ("2.1. Scope of it. 2.2. Terms.", ["2.1. Scope of it.", "2.2. Terms."]),
        ("a. Fill it.\nb) Wait.\n(c) Pour.", ["a. Fill it.", "b) Wait.", "(c) Pour."]),
        ("Wir trinken z. B. Tee, d. h. Gutes. Er ist heiss.", ["Wir trinken z. B. Tee, d. h. Gutes.", "Er ist heiss."]),
        ("Man nimmt z.B. die Kanne, ca. Nr. 3. Gut.", ["Man nimmt z.B. die Kanne, ca. Nr. 3.", "Gut."]),
        (
            "See No. 5 on p. 7, Fig. 3. Is it? No. It is not.",
            ["See No. 5 on p. 7, Fig. 3.", "Is it?", "No.", "It is not."],
        ),
        ("Am 3. Oktober kam er. Es waren 3. Mehr nicht.", ["Am 3. Oktober kam er.", "Es waren 3.", "Mehr nicht."]),
        ("At 10.30 or 5 p.m. we meet. At 6 p.m. The end.", ["At 10.30 or 5 p.m. we meet.", "At 6 p.m.", "The end."]),
        (
            "J. R. Reed of the U.S. Army came. It was plan B. The rest waits.",
            ["J. R. Reed of the U.S. Army came.", "It was plan B.", "The rest waits."],
        ),
        ("A leads to B. B leads to C. It is so.", ["A leads to B.", "B leads to C.", "It is so."]),
        ("Tea, milk etc. and sugar. Milk etc. They left.", ["Tea, milk etc. and sugar.", "Milk etc.", "They left."]),
        ("Reed et al. (2020) deny it. St. Peter does not.", ["Reed et al. (2020) deny it.", "St. Peter does not."]),
        ("She lives in Main St. The house is old.", ["She lives in Main St.", "The house is old."]),
        ("It is in main.c. Look there.", ["It is in main.c.", "Look there."]),
        ("It isn't. We know it.", ["It isn't.", "We know it."]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ('"Is it hot?" she asked. "Yes."', ['"Is it hot?" she asked.', '"Yes."']),
        ("Go (see p. 5). **Stop.** Wait.", ["Go (see p. 5).", "**Stop.**", "Wait."]),
        ("Well... maybe. Wait... Then go.", ["Well... maybe.", "Wait...", "Then go."]),
        ("tea is hot. it is good.", ["tea is hot.", "it is good."]),
        ("\u2022 green \u2022 black", ["\u2022 green", "\u2022 black"]),
        ("It is hot, e.g.\ntea. Good.", ["It is hot, e.g.\ntea.", "Good."]),
        ("We like tea etc.\n- green", ["We like tea etc.", "- green"]),
        (
            "\u300c\u884c\u3053\u3046\u3002\u300d\u3068\u8a00\u3063\u305f\u3002\u5e30\u308b\u3002",
            ["\u300c\u884c\u3053\u3046\u3002\u300d\u3068\u8a00\u3063\u305f\u3002", "\u5e30\u308b\u3002"],
        ),
        ("\u8d70\u5427\u3002\u201d\u4ed6\u8bf4\uff01", ["\u8d70\u5427\u3002\u201d", "\u4ed6\u8bf4\uff01"]),
        ("\u091a\u093e\u092f\u0964 \u0939\u093e\u0901\u0964", ["\u091a\u093e\u092f\u0964", "\u0939\u093e\u0901\u0964"]),
        ("", []),
    ],
)
def test_a_text_is_taken_apart_at_its_sentences(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("Tea is hot; milk is cold. Go", ["Tea is hot;", "milk is cold.", "Go"]),
        ("Tea is\nhot", ["Tea is", "hot"]),
        ("1. Capacity: 5\n2. See Dr. Reed, e.g. today", ["Capacity: 5", "See Dr. Reed, e.g. today"]),
        ("- a) Tea\n- 3.5 litres\n- (2) Milk", ["Tea", "- 3.5 litres", "Milk"]),
        ("Ask Dr.\nTea is hot", ["Ask Dr.", "Tea is hot"]),
        ("\u8336\u70ed\u3002\u6c34\u51b7\u3002", ["\u8336\u70ed\u3002", "\u6c34\u51b7\u3002"]),
    ],
)
def test_claims_end_with_their_line_and_at_a_semicolon_too(text: str, statements: list[str]) -> None:
    assert list(split_statements(text)) == statements


TEXTS = st.text(alphabet="abTD1.!?;:\n -#()'\"\u2022\u2026\u3002\u300d\u3068", max_size=80)


@given(text=TEXTS)
def test_no_letter_is_lost(text: str) -> None:
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


@given(text=TEXTS.map(lambda text: text.replace("1", "").replace(")", "")))
def test_of_claims_nothing_but_the_numbers_of_items_is_lost(text: str) -> None:
    assert "".join("".join(split_statements(text)).split()) == "".join(text.split())


@given(text=TEXTS)
def test_spans_are_those_of_the_sentences(text: str) -> None:
    spans = list(sentence_spans(text))
    assert [text[start:stop] for start, stop in spans] == split_sentences(text)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))


@pytest.mark.parametrize(
    "unit", ["a. ", "1. ", "Dr. ", "\n", " ", ".", "\n- ", "\u3002", "e.g. ", ".'", "a.", "\u2022 "]
)
def test_time_is_in_proportion_to_the_text(unit: str) -> None:
    for split in (split_sentences, lambda text: list(split_statements(text))):
        assert growth_of(split, lambda size: unit * (size // len(unit)), 30_000) < MOST


def test_the_number_of_a_day_ends_no_sentence_before_another_day() -> None:
    assert split_sentences("Ilse fehlt vom 2. bis 13. November. Uwe kommt.") == [
        "Ilse fehlt vom 2. bis 13. November.",
        "Uwe kommt.",
    ]
    assert split_sentences("Am 14.08. wurde getauscht. Sonst nichts.") == [
        "Am 14.08. wurde getauscht.",
        "Sonst nichts.",
    ]
