"""Likeness: the share of what either has that both have."""

from hypothesis import given
from hypothesis import strategies as st

from memotheca.text.likeness import likeness

WORDS = st.lists(st.sampled_from("abcdef"), max_size=8)


@given(WORDS, WORDS)
def test_likeness_is_symmetric_and_bounded(one: list[str], other: list[str]) -> None:
    assert 0 <= likeness(one, other) == likeness(other, one) <= 1


@given(WORDS)
def test_how_often_a_word_is_said_does_not_matter(one: list[str]) -> None:
    assert likeness(one, [*one, *one]) == 1


def test_half_of_what_either_has_is_shared() -> None:
    assert likeness("abc", "bcd") == 0.5


def test_nothing_and_nothing_are_as_alike_as_the_caller_says() -> None:
    assert (likeness("", ""), likeness("", "", of_nothing=0.0), likeness("a", "")) == (1, 0, 0)
