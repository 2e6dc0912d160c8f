"""Lexical nearness: words, pairs, phrases and identifiers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.spaces.lexical import Text, carries, scores
from pinakes.spaces.words import identifiers, pairs, query_words, quoted, stem, trace, words


def test_words_are_folded_stemmed_and_without_stop_words():
    assert words("The Deployments of Straße") == ["deploy", "strass"]


def test_cjk_runs_become_bigrams_and_split_from_other_letters():
    assert words("308分钟abc数") == ["308", "分钟", "abc", "数"]


def test_a_question_of_stop_words_only_keeps_them():
    assert query_words("to be or not") == ["to", "be", "or", "not"]
    assert query_words("to be deployed") == ["deploi"]


def test_pairs_are_neighbours_once_stop_words_are_gone():
    assert pairs(words("rate of error")) == [("rate", "error")]
    assert pairs(words("数据库")) == []


def test_identifiers_and_quotes_are_found_as_written():
    assert identifiers("see parse_config in src/app.py v1.2.3 and CVE-2024-1234.") == [
        "parse_config", "src/app.py", "v1.2.3", "cve-2024-1234",
    ]  # fmt: skip
    assert quoted('say "Error   Rate" twice') == ["error rate"]


def test_a_rare_word_weighs_more_than_a_common_one():
    texts = [Text("", "common rare")] + [Text("", "common thing")] * 9
    values = scores("common rare", texts)
    assert values[0] > 3 * values[1] > 0


def test_a_title_counts_more_than_a_body():
    one, two = scores("tea", [Text("tea", "something"), Text("something", "tea")])
    assert one > two > 0


def test_a_title_carries_words_in_any_form():
    assert carries("Deployment rollbacks", "deployments rollback")
    assert not carries("deployment", "deployment rollback")


@given(st.text(min_size=1, max_size=60))
def test_the_trace_of_a_term_is_in_every_text_that_has_it(text):
    from pinakes.model.knowledge import fold

    for word in words(text, keep_stop_words=True):
        assert trace(word) in fold(text)


@pytest.mark.parametrize("word", ["happy", "dying", "hoping", "relational", "skies", "ponies", "agreed", "controlling"])
def test_the_trace_survives_stemming(word):
    assert trace(stem(word)) in word


@given(st.lists(st.text(max_size=40), min_size=1, max_size=8), st.text(max_size=30))
def test_scores_are_never_negative_and_do_not_depend_on_order(bodies, question):
    texts = [Text("", body) for body in bodies]
    values = scores(question, texts)
    assert all(value >= 0 for value in values)
    assert scores(question, texts[::-1]) == pytest.approx(values[::-1])
