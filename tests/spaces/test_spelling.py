"""Spelling: a slip is put right where there is a word it was meant for, and nothing else is touched."""

from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memotheca.text.spelling import changed, respell, swapped
from memotheca.text.words import STOP_WORDS, query_words, words
from tests.engine.desk import Desk

letters = st.text("abcdefghijklmnopqrstuvwxyz", min_size=6, max_size=12)


class Texts:
    def __init__(self, *texts: str) -> None:
        self._held = [set(words(text)) for text in texts]

    def has(self, term: str) -> bool:
        return any(term in held for held in self._held)

    def count(self, terms: Sequence[str]) -> list[int]:
        return [sum(term in held for held in self._held) for term in terms]


LIBRARY = Texts("blue-green deployment of the reactor", "the reactor failed", "deployment rollback", "Verteidigung")


def nobody_knows(word: str) -> bool:
    del word
    return False


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("how did the deploymnet go", "how did the deployment go"),
        ("how did the deplyoment go", "how did the deployment go"),
        ("Reactro?", "reactor?"),
        ("deploymet", "deployment"),
        ("deploymenst", "deployments"),
        ("deploxment", "deployment"),
        ("Verteidgung", "verteidigung"),
        ("the deployment", "the deployment"),
        ('"deploymnet" of it', '"deploymnet" of it'),
        ("deploymnet.py", "deploymnet.py"),
        ("src/deploymnet", "src/deploymnet"),
        ("deploymnet2", "deploymnet2"),
        ("qwertzuiop", "qwertzuiop"),
        ("连接池", "连接池"),
        ("", ""),
    ],
)
def test_a_slip_is_read_as_the_word_that_was_meant(written, meant):
    assert respell(written, LIBRARY, nobody_knows) == meant


def test_a_word_that_the_model_knows_is_no_slip_though_nobody_has_written_it():
    texts = Texts("a mouse in the house", "the trial")
    assert respell("louse trail", texts, {"louse", "trail"}.__contains__) == "louse trail"
    assert respell("louse trail", texts, nobody_knows) == "house trial"


def test_where_nobody_knows_words_a_short_one_is_touched_only_if_letters_changed_places():
    assert respell("deploymnet louse", Texts("deployment", "house")) == "deployment louse"
    assert respell("deploymet huose", Texts("deployment", "house")) == "deployment house"


def test_of_several_words_that_may_be_meant_the_commonest_is_taken_then_the_first():
    assert respell("formm", Texts("form", "forms", "forum"), nobody_knows) == "form"
    assert respell("bxook", Texts("brook", "books"), nobody_knows) == "book"


@given(letters, st.data())
def test_any_two_letters_that_changed_places_are_put_back(word, data):
    at = data.draw(st.integers(0, len(word) - 2))
    slip = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    assume(slip != word and word not in STOP_WORDS and slip not in STOP_WORDS)
    assume(query_words(slip) != query_words(word))
    assert query_words(respell(slip, Texts(word))) == query_words(word)
    assert word in set(swapped(slip))


@given(letters)
def test_a_letter_too_few_too_many_or_wrong_is_one_change_away(word):
    assert word in set(changed(word[:2] + word[3:]))
    assert word in set(changed(word[:2] + "q" + word[2:]))
    assert word in set(changed(word[:2] + "q" + word[3:]))


def test_a_misspelled_question_finds_what_was_meant_and_says_how_it_was_read(agent):
    agent.store("ops", "Use blue-green deployment for releases without downtime.")
    agent.store("tea", "Ada takes it black.")
    reply = agent.reply("query", content="deploymnet")
    assert reply.structured["items"][0]["topic"] == "ops"
    assert reply.structured["items"][0]["passages"][0]["matched"]["words"] == ["deployment"]
    assert 'read as "deployment"' in reply.blocks[0]["text"]
    assert "read as" not in agent.reply("query", content="deployment").blocks[0]["text"]


def test_a_word_that_was_deleted_with_its_entry_is_no_longer_meant(tmp_path):
    desk = Desk(tmp_path)
    desk.put("the reactor")
    tx = desk.tx
    assert desk.ask("raector").read_as == "reactor"
    id = desk.put("the sensor")
    (sensor,) = [entry for entry in desk.entries() if entry.id == id]
    assert desk.ask("senosr").read_as == "sensor"
    assert desk.ask("senosr", as_of_tx_id=tx).read_as is None
    desk.kernel.write(lambda transaction: transaction.remove(sensor), actor="test")
    assert desk.ask("senosr").read_as is None
    desk.close()


def test_a_slip_is_put_right_without_an_embedder_too_and_the_answer_says_so(tmp_path):
    desk = Desk(tmp_path)
    id = desk.put("blue-green deployment")
    page = desk.ask("deploymet")
    assert ([hit.version.id for hit in page.hits], page.mode, page.read_as) == ([id], "lexical", "deployment")
    desk.close()
