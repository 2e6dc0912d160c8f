"""Evidence: excerpts keep their offsets, stand between words, and say why they match."""

import json
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memotheca.search.excerpts import Excerpt, ExcerptQuery, describe
from tests.engine.desk import Desk

words = st.text(alphabet="abcdefgé ü\n.,接池连", max_size=400)


@given(words, words, st.integers(20, 120))
def test_a_narrower_excerpt_is_the_text_at_its_offsets(question, text, size):
    body = f"before {text}"
    excerpt = Excerpt(start=7, stop=7 + len(text), text=text)
    narrow = ExcerptQuery(question).narrow(excerpt, size)
    assert narrow.text == body[narrow.start : narrow.stop]
    assert len(narrow.text) <= size
    assert narrow.text or not text


@given(words, words)
def test_highlights_lie_apart_and_in_order(question, text):
    spans = ExcerptQuery(question).highlights(text)
    assert all(0 <= start < stop <= len(text) for start, stop in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))


def test_the_part_with_the_most_words_of_the_question_is_shown_whole():
    text = "far away reactor " + "filler " * 200 + "here the reactor failed at noon " + "filler " * 200
    narrow = ExcerptQuery("why did reactors fail").narrow(Excerpt(start=0, stop=len(text), text=text), 80)
    assert "the reactor failed at noon" in narrow.text
    assert narrow.text == narrow.text.strip() or not narrow.text[0].isspace()


def test_words_are_told_as_they_were_asked_and_found_in_any_form():
    matched = ExcerptQuery('Where do "Two  Reactors" fail? see src/app.py').explain(
        "Failing", "two reactors: SRC/app.py"
    )
    assert matched.words == ("two", "reactors", "fail", "src", "app", "py")
    assert matched.phrases == ("two reactors",)
    assert matched.names == ("src/app.py",)


def test_what_is_highlighted_is_the_word_in_the_text():
    text = "Failing reactors, 连接池配置"
    spans = ExcerptQuery("fail 连接池").highlights(text)
    assert [text[start:stop] for start, stop in spans] == ["Failing", "连接池"]


def test_a_place_is_carried_from_the_chunk_to_the_result(tmp_path):
    desk = Desk(tmp_path)
    desk.put("The reactor failed.")
    place = {"page": 12, "heading": ["Report", "Causes"]}

    def act(session: Any) -> None:
        session.run("UPDATE chunk SET place = ?", json.dumps(place))

    desk.store.operate(act)
    (hit,) = desk.ask("reactor").hits
    assert hit.excerpts[0].place == place
    assert describe(hit.excerpts[0]) == {
        "start": 0,
        "stop": 19,
        "page": 12,
        "heading": ["Report", "Causes"],
        "matched": {"words": ("reactor",)},
    }
    desk.close()


def test_a_word_within_a_name_is_told_and_marked_with_the_name():
    question = ExcerptQuery("where is the configuration file parsed")
    assert question.explain("", "run parseConfigFile(path)").words == ("file", "parsed")
    text = "run parseConfigFile(path)"
    assert [text[start:stop] for start, stop in question.highlights(text)] == ["parseConfigFile"]
    assert ExcerptQuery("parseConfig").explain("", "a file to parse").words == ("parse",)


def test_what_is_asked_in_words_is_found_in_names_and_the_other_way_round(tmp_path):
    desk = Desk(tmp_path)
    named = desk.put("Everything starts in openLedgerBook, whatever comes.")
    spoken = desk.put("Close the ledger when the day ends.")
    assert desk.ids("who opens the ledger book") == [named, spoken]
    assert set(desk.ids("closeLedger")) == {named, spoken}
    desk.close()
