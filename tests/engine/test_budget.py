"""Budgets: counted alike every time, never overrun, breadth before depth."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memotheca.model.errors import Refusal
from memotheca.text.tokens import count_at_least, count_tokens, fit

hits = st.lists(st.lists(st.integers(1, 50), min_size=1, max_size=4).map(sorted), max_size=12)


@given(hits, st.integers(50, 400))
def test_what_is_shown_never_takes_more_than_the_budget_and_is_a_run_of_the_best(forms, tokens):
    chosen, taken = fit(forms, tokens, lambda form: form)
    assert taken == sum(chosen) <= tokens
    assert all(form in hit for form, hit in zip(chosen, forms, strict=False))
    if len(chosen) < len(forms):
        assert sum(hit[0] for hit in forms[: len(chosen) + 1]) > tokens


@given(hits, st.integers(50, 400), st.integers(0, 100))
def test_a_larger_budget_shows_no_fewer_hits(forms, tokens, more):
    assert len(fit(forms, tokens, lambda form: form)[0]) <= len(fit(forms, tokens + more, lambda form: form)[0])


@given(hits)
def test_a_budget_for_everything_shows_the_longest_form_of_all(forms):
    assert fit(forms, 10**6, lambda form: form)[0] == [hit[-1] for hit in forms]


@given(hits, st.integers(50, 400), st.data())
def test_knowing_what_a_form_takes_at_the_least_changes_nothing_but_what_is_weighed(forms, tokens, data):
    lowered = {size: data.draw(st.integers(0, size)) for hit in forms for size in hit}
    weighed: list[int] = []

    def weigh(form: int) -> int:
        weighed.append(form)
        return form

    assert fit(forms, tokens, weigh, least=lowered.__getitem__) == fit(forms, tokens, lambda form: form)
    weighed.clear()
    fit(forms, tokens, weigh, least=lambda form: form)
    assert max(weighed, default=0) <= tokens


@given(st.text())
def test_a_text_takes_no_fewer_tokens_than_at_the_least(text):
    assert count_at_least(text) <= count_tokens(text)


def test_only_the_beginning_of_a_text_is_looked_at_for_the_least():
    text = "word " * 100_000
    assert 4000 <= count_at_least(text) < count_tokens(text) == 100_000


def test_a_hit_that_does_not_fit_at_all_is_refused_with_what_it_takes():
    with pytest.raises(Refusal, match="12"):
        fit([[12, 40]], 11, lambda form: form)


@given(st.text(), st.text())
def test_tokens_add_up_over_words(one, other):
    assert count_tokens(f"{one} {other}") == count_tokens(one) + count_tokens(other)


def test_tokens_are_guessed_high_for_every_script():
    assert count_tokens("The reactor failed at noon.") == 1 + 2 + 2 + 1 + 1 + 1
    assert count_tokens("连接池") == 3
    assert count_tokens("реактор") == 5
    assert count_tokens("") == 0
