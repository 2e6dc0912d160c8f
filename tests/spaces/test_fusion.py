"""Fusing two voices: each is heard as much as it knows, misspelled words are found, equal scores have one order."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memotheca.vectors.embedders import DEFAULT, is_shipped_model_there
from memotheca.vectors.fusion import (
    AMONG_CODE,
    DENSE_WEIGHT,
    DENSE_WEIGHT_UNKNOWN,
    FOREIGN,
    LOUDEST,
    WordEvidence,
    balance,
    known_share,
    latin_share,
    trigram_values,
)
from memotheca.vectors.load import load_embedder
from memotheca.vectors.profile import DEFAULT_VOICE, Voice
from tests.engine.desk import Desk, FakeEmbedder

LOUD = DEFAULT_VOICE.worth / DEFAULT_VOICE.spread
FAKE = "openai:fake@http://nowhere"
positive = st.floats(0.01, 50)
cosines = st.floats(-1, 1)


def weighed(question: str = "tea", /, **said: Any) -> Any:
    settled: dict[str, Any] = {"best_lexical": 4.0, "idf_sum": 5.0, "has_unknown": False, **said}
    known, code = settled.pop("known", None), settled.pop("code", 0.0)
    return balance(question, WordEvidence(**settled), known=known, code=code)


@given(positive, positive, st.floats(0, 1), st.floats(0, 1), cosines)
def test_more_matching_words_never_score_less(best, idf_sum, one, other, cosine):
    fused = weighed(best_lexical=best, idf_sum=idf_sum)
    less, more = sorted((one * best, other * best))
    assert fused.fuse(less, cosine) <= fused.fuse(more, cosine)


@given(positive, positive, st.floats(0, 1), cosines, cosines)
def test_a_nearer_vector_never_scores_less(best, idf_sum, share, one, other):
    fused = weighed(best_lexical=best, idf_sum=idf_sum)
    assert fused.fuse(share * best, min(one, other)) <= fused.fuse(share * best, max(one, other))


@given(positive, positive, positive)
def test_the_better_the_best_match_explains_the_question_the_louder_are_its_words(one, other, idf_sum):
    less, more = sorted((one, other))
    assert weighed(best_lexical=less, idf_sum=idf_sum).fuse(less, None) <= weighed(
        best_lexical=more, idf_sum=idf_sum
    ).fuse(more, None) * (1 + 1e-9)


def test_a_chunk_without_a_vector_is_scored_by_its_words_and_one_without_words_by_its_vector():
    fused = weighed()
    assert fused.fuse(4.0, None) == fused.fuse(4.0, 0.0) > 0
    assert fused.fuse(0.0, 0.5) == pytest.approx(0.5 * DENSE_WEIGHT * LOUD)


def test_a_question_that_no_word_answers_is_left_to_the_vectors():
    fused = weighed(best_lexical=0.0, idf_sum=0.0, has_unknown=True)
    assert fused.fuse(0.0, 0.5) == pytest.approx(0.5 * DENSE_WEIGHT_UNKNOWN * LOUD)
    assert fused.fuse(0.0, None) == 0.0


def test_an_unknown_word_makes_the_vectors_louder():
    assert weighed(has_unknown=True).fuse(1.0, 0.5) > weighed().fuse(1.0, 0.5)


WEAK: dict[str, Any] = {"best_lexical": 4.0, "words": 4, "texts": 1000, "known": 1.0}
PLAIN = DENSE_WEIGHT * LOUD


def test_vectors_are_heard_more_the_weaker_the_words_of_a_question_are_and_never_less():
    weights = [weighed(**{**WEAK, "best_lexical": best}).dense_weight for best in (60.0, 20.0, 12.0, 4.0, 1.0)]
    assert weights == sorted(weights)
    assert weights[0] == pytest.approx(PLAIN)
    assert weights[-1] == pytest.approx(LOUDEST * PLAIN)


def test_as_many_words_are_as_strong_in_a_large_collection_as_in_a_small_one():
    small = weighed(**{**WEAK, "best_lexical": 14.0, "texts": 100})
    large = weighed(**{**WEAK, "best_lexical": 28.0, "texts": 10_000})
    assert small.dense_weight == pytest.approx(large.dense_weight)


def test_a_model_that_hardly_knows_the_words_of_a_question_is_heard_less_and_one_that_cannot_tell_as_usual():
    heard = [weighed(**{**WEAK, "known": known}).dense_weight for known in (0.0, 0.5, 0.65, 0.8, 1.0)]
    assert heard[:2] == pytest.approx([FOREIGN * PLAIN, FOREIGN * PLAIN])
    assert weighed(**{**WEAK, "known": None}).dense_weight == pytest.approx(PLAIN)
    assert heard[3:] == pytest.approx([LOUDEST * PLAIN, LOUDEST * PLAIN])
    assert heard[1] < heard[2] < heard[3]


@pytest.mark.parametrize("question", ["where is config.yaml read", 'who said "never again" first', "what did v1.2 fix"])
def test_names_and_phrases_as_they_are_written_are_left_to_the_words(question):
    assert weighed(question, **WEAK).dense_weight == pytest.approx(PLAIN)


def test_a_single_word_is_looked_up_and_not_asked_about():
    assert weighed(**{**WEAK, "words": 1}).dense_weight == pytest.approx(PLAIN)


def test_vectors_are_heard_more_the_more_of_what_is_nearest_is_code():
    heard = [weighed(**WEAK, code=code).dense_weight for code in (0.0, 1 / 3, 1.0)]
    assert heard[0] < heard[1] < heard[2] == pytest.approx(AMONG_CODE * heard[0])


@pytest.mark.parametrize(
    ("question", "said"),
    [("where is parse_config read", {}), ("gather", {"words": 1}), ("Kolbenfresser", {"known": 0.0})],
)
def test_names_in_code_are_looked_up_and_words_that_the_model_cannot_read_stay_as_they_were(question, said):
    settled = {**WEAK, **said}
    assert weighed(question, **settled, code=1.0) == weighed(question, **settled)


def test_a_long_question_about_code_may_name_something():
    settled = {**WEAK, "words": 8}
    named = "what does parse_config return for files whose encoding nobody said"
    assert weighed(named, **settled, code=1.0).dense_weight == pytest.approx(AMONG_CODE * PLAIN)


class Reader(FakeEmbedder):
    """An embedder that knows every word."""

    def knows(self, word: str) -> bool:
        return True


def test_whether_a_question_is_about_code_is_told_by_what_is_nearest(tmp_path):
    desk = Desk(tmp_path, FAKE, lambda choice: Reader(choice.identity))
    for number in range(9):
        desk.put(f"Room number {number} is on the floor above the hall.", "")
    prose = desk.find("which room is above the hall").ceiling
    for number in range(9):
        desk.put(f"def parse_{number}(text):\n    return [each.strip() for each in text.split(',')]", "")
    assert desk.find("which room is above the hall").ceiling == pytest.approx(prose, rel=0.2)
    assert desk.find("def parse return each strip for text").ceiling > 1.5 * prose
    desk.close()


def test_words_are_known_where_the_embedder_says_so_or_reads_every_script():
    assert known_share("the Kolbenfresser returns", {"the", "returns"}.__contains__, DEFAULT_VOICE) == pytest.approx(
        2 / 3
    )
    assert known_share("the piston", None, DEFAULT_VOICE) is None
    assert known_share("the piston", None, Voice(reads_cjk=True)) == 1.0
    assert known_share("?!", {"the"}.__contains__, DEFAULT_VOICE) == 0.0


@pytest.mark.skipif(not is_shipped_model_there(), reason="the model's files are not built")
def test_what_is_meant_comes_before_a_word_in_passing_and_a_rare_word_before_all(tmp_path):
    desk = Desk(tmp_path, DEFAULT, load_embedder)
    for number in range(200):
        desk.put(f"Room number {number} is on floor {number * 3}.", "")
    stopping = desk.put("Kill a frozen process by sending it a signal.", "")
    desk.put("The theatre's program for May.", "")
    deleting = desk.put("Delete big outdated documents from the disk.", "")
    desk.put("A large old oak stands in the garden.", "")
    named = desk.put("Kolbenfresser", "")
    assert desk.ids("how do I stop a program that hangs")[0] == stopping
    assert desk.ids("how do I get rid of a large old file")[0] == deleting
    assert desk.ids("Kolbenfresser")[0] == named
    desk.close()


@pytest.mark.parametrize(
    ("text", "share"),
    [
        *(("", 1), ("tea", 1), ("数据库", 0), ("かな", 0), ("한국", 0), ("ab数据", 0.5), ("!?", 1), ("é1", 1)),
        *(("чай", 1), ("τσάι", 1), ("trà Việt", 1), ("شاي", 0), ("תה", 0), ("चाय", 0), ("ชา", 0), ("\uff54ea", 1)),
    ],
)
def test_the_share_of_letters_a_latin_model_can_read(text, share):
    assert latin_share(text) == share


def test_vectors_have_no_voice_in_a_question_of_cjk_alone_and_half_a_voice_in_a_mixed_one():
    assert weighed("数据库").fuse(0.0, 1.0) == 0
    assert weighed("ab数据").fuse(0.0, 1.0) == pytest.approx(DENSE_WEIGHT * LOUD / 2)


class Deaf(FakeEmbedder):
    """Finds everything alike, as a model does that cannot read a script."""

    def embed_question(self, text: str) -> Any:
        return np.eye(1, 64, dtype=np.float32)[0]


def test_a_question_of_cjk_alone_finds_what_has_its_letters_and_nothing_else(tmp_path):
    desk = Desk(tmp_path, FAKE, lambda choice: Deaf(choice.identity))
    desk.put("tea")
    assert desk.ids("猫") == []
    wanted = desk.put("数据库 is a database")
    desk.put("something else")
    assert desk.ids("数据库") == [wanted]
    assert desk.ids("据库") == [wanted]
    desk.close()


class Contrary(FakeEmbedder):
    """Holds every passage for the opposite of every question."""

    def embed_passage(self, title: str, text: str) -> list[Any]:
        return [-self.embed_question(title)]

    def embed_question(self, text: str) -> Any:
        return np.eye(1, 64, dtype=np.float32)[0]


def test_scores_stay_between_0_and_1_where_words_and_vectors_contradict_each_other(tmp_path):
    desk = Desk(tmp_path, FAKE, lambda choice: Contrary(choice.identity))
    ids = {desk.put("tea" + " more" * number) for number in range(5)}
    page = desk.ask("tea " + " ".join(f"unknown{number}" for number in range(30)))
    assert {hit.version.id for hit in page.hits} == ids
    assert all(hit.score is not None and 0 <= hit.score <= 1 for hit in page.hits)
    desk.close()


@pytest.mark.parametrize("misspelled", ["deploymnet", "deployement", "deplyment", "depolyment"])
def test_a_misspelled_word_looks_most_like_the_word_that_was_meant(misspelled):
    texts = ["the employees of the department", "a deployment without downtime", "tea and biscuits", "deep play"]
    values = trigram_values(misspelled, texts)
    assert values.index(max(values)) == 1
    assert max(values) == 1
    assert all(0 <= value <= 1 for value in values)


def test_a_misspelled_word_beside_a_right_one_brings_what_was_meant_to_the_top(tmp_path):
    desk = Desk(tmp_path)
    for number in range(20):
        desk.put(f"tea number{number}")
    wanted = desk.put("tea ceremony")
    desk.put("tea harmony")
    assert desk.ids("tea ceremnoy")[0] == wanted
    desk.close()


@pytest.mark.skipif(not is_shipped_model_there(), reason="the model's files are not built")
def test_a_misspelled_word_alone_is_found(tmp_path):
    desk = Desk(tmp_path, DEFAULT, load_embedder)
    for text in ("tea and biscuits", "the departments of the company", "a walk along the river"):
        desk.put(text, "")
    wanted = desk.put("rolling back a deployment", "")
    assert desk.ids("deploymnet")[0] == wanted
    desk.close()


def test_nothing_to_compare_is_no_error():
    assert trigram_values("tea", []) == []
    assert trigram_values("", ["tea"]) == [0.0]
    assert trigram_values("tea", ["", ""]) == [0.0, 0.0]


@pytest.mark.parametrize("setting", ["none", FAKE])
def test_equal_scores_are_in_the_order_of_their_making_however_the_index_is_sealed(tmp_path, setting):
    desk = Desk(tmp_path, setting)
    ids: list[str] = []
    for number in range(30):
        ids.append(desk.put("the same tea"))
        if number % 4 == 0:
            desk.seal()
        assert desk.ids("tea") == ids
    desk.reopen()
    assert desk.ids("tea") == ids
    assert desk.ids("tea", limit=7) == ids[:7]
    desk.close()
