"""Budgets: counted alike every time, never overrun, breadth before depth."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.engine.budget import count_tokens, fit
from pinakes.model.errors import Refusal

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
