"""Cutting a text into chunks: everything is covered, nothing is lost, nothing is too long."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memotheca.model.kinds import ENTRY, NOTE
from memotheca.model.knowledge import Entry
from memotheca.search.passages import LIMIT, cut, passages_of

LETTERS = st.text(alphabet="ab .!?\n\t。数\u2003é", max_size=300)


@given(LETTERS | st.text(max_size=300), st.integers(1, 60))
@example("", 1)
@example("\n\n\n\n", 2)
@example("a. " * 30, 7)
def test_spans_follow_each_other_from_the_first_letter_to_the_last(text, limit):
    spans = cut(text, limit)
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    assert all(one[1] == other[0] for one, other in pairwise(spans))
    assert "".join(text[start:stop] for start, stop in spans) == text


@given(LETTERS, st.integers(1, 60))
def test_no_span_is_longer_than_the_limit_and_none_is_empty_but_that_of_an_empty_text(text, limit):
    spans = cut(text, limit)
    assert all(stop - start <= limit for start, stop in spans)
    assert all(start < stop for start, stop in spans) or spans == [(0, 0)]


@given(LETTERS, st.integers(1, 60))
def test_every_span_but_the_last_fills_more_than_half_of_the_limit(text, limit):
    assert all(stop - start > limit // 2 for start, stop in cut(text, limit)[:-1])


def test_a_text_that_fits_is_one_span():
    assert cut("x" * LIMIT) == [(0, LIMIT)]
    assert len(cut("x" * (LIMIT + 1))) == 2


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("one two three.\n\nfour five six seven eight", "one two three.\n\n"),
        ("one two three four.\nfive six seven eight nine", "one two three four.\n"),
        ("one two three four. five six seven eight nine", "one two three four. "),
        ("one two three four five six seven", "one two three four five "),
        ("数" * 13 + "。" + "据" * 20, "数" * 13 + "。"),
        ("x" * 60, "x" * 25),
    ],
    ids=["at a paragraph", "at a line", "at a sentence", "at a blank", "at a CJK sentence", "anywhere, if it must"],
)
def test_a_long_text_is_cut_where_it_breaks_best(text, first):
    start, stop = cut(text, 25)[0]
    assert text[start:stop] == first


def entry_of(kind: str, body: str) -> Entry:
    return Entry(id="1", kind=kind, title="t", body=body, created_at=0, updated_at=0)


def test_a_part_of_a_note_knows_the_headings_it_stands_under():
    filler = "word " * 500
    body = f"# Tea\n{filler}\n```\n# no heading\n{filler}\n```\n## Black ##\n{filler}\n# Milk\n{filler}"
    found = [(passage.start, passage.place) for passage in passages_of(entry_of(NOTE, body))]
    assert [place for _, place in found][:2] == ['{"heading":["Tea"]}'] * 2
    for start, place in found:
        expected = (
            ["Milk"] if start >= body.index("# Milk") else ["Tea", "Black"] if start >= body.index("## B") else ["Tea"]
        )
        assert place == '{"heading":[' + ",".join(f'"{title}"' for title in expected) + "]}"


def test_what_stands_before_the_first_heading_or_is_no_note_has_no_heading():
    assert [passage.place for passage in passages_of(entry_of(NOTE, "tea\n# Milk"))] == [None]
    assert [passage.place for passage in passages_of(entry_of(ENTRY, "# Milk\ntea"))] == [None]
