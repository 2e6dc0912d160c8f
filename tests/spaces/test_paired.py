"""Two models as one embedder: a question is heard by the English one, or by the one of many languages."""

from typing import Any, cast

import numpy as np
import pytest

from memotheca.model.errors import Failure, Refusal
from memotheca.vectors.embedders import MULTILINGUAL, PAIR_IDENTITY, folder_of, is_model_there, understand
from memotheca.vectors.load import load_embedder, settle
from memotheca.vectors.onnx_embedder import unit
from memotheca.vectors.paired import BESIDE_ENGLISH, SECOND, PairedModels

ENGLISH_WORDS = frozenset("how do we release a new version".split())
BOTH = all(is_model_there(folder_of(name)) for name in ("minilm", "use-multilingual"))


class Axis:
    """Puts every text on one axis, and a text of many words in windows of ten."""

    def __init__(self, place: int, width: int, words: frozenset[str]) -> None:
        self.width = width
        self._place, self._words = place, words

    def embed_question(self, text: str) -> Any:
        del text
        return np.eye(self.width, dtype=np.float32)[self._place]

    def embed_passage(self, title: str, text: str) -> list[Any]:
        return [self.embed_question(title)] * (1 + len(text.split()) // 10)

    def knows(self, word: str) -> bool:
        return word in self._words


@pytest.fixture
def pair() -> PairedModels:
    second = Axis(1, 3, ENGLISH_WORDS | {"wie", "veröffentlichen", "wir"})
    return PairedModels(cast(Any, Axis(0, 2, ENGLISH_WORDS)), cast(Any, second), "both/1")


def shares(vector: Any) -> tuple[float, float]:
    """How long the parts of both models are."""
    return float(np.linalg.norm(vector[:2])), float(np.linalg.norm(vector[2:]))


def test_an_english_question_is_heard_by_the_english_model_and_another_by_the_other_alone(pair):
    first, second = shares(pair.embed_question("how do we release a new version"))
    assert second * SECOND / first == pytest.approx(BESIDE_ENGLISH)
    for text in ("wie veröffentlichen wir", "我们怎样发布新版本", "", "?!"):
        first, second = shares(pair.embed_question(text))
        assert (first, second) == pytest.approx((0, 1))


def test_a_question_of_which_half_the_words_are_english_lies_between(pair):
    first, second = shares(pair.embed_question("how do we release version wie veröffentlichen wir"))
    assert first > 0
    assert second * SECOND / first > BESIDE_ENGLISH


def test_every_window_of_a_passage_has_both_and_unit_length(pair):
    found = pair.embed_passage("a title", "word " * 25)
    assert len(found) == 3
    for vector in found:
        assert vector.shape == (pair.width,) == (5,)
        assert float(np.linalg.norm(vector)) == pytest.approx(1)
        assert shares(vector)[1] / shares(vector)[0] == pytest.approx(SECOND)


def test_it_knows_the_words_of_all_its_languages(pair):
    assert pair.knows("wie")
    assert not pair.knows("qwxz")


def test_it_cannot_be_chosen_where_one_of_both_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr("memotheca.vectors.embedders.SHIPPED_FOLDER", tmp_path / "gte-small")
    with pytest.raises(Refusal) as refusal:
        settle(MULTILINGUAL)
    assert refusal.value.failure is Failure.INVALID
    with pytest.raises(Refusal) as refusal:
        load_embedder(understand(MULTILINGUAL))
    assert refusal.value.failure is Failure.UNAVAILABLE


@pytest.mark.skipif(not BOTH, reason="one of the models is not built")
def test_a_question_finds_its_answer_in_another_language():
    pair = load_embedder(understand(MULTILINGUAL))
    assert pair.identity == PAIR_IDENTITY
    texts = ("The cat sleeps on the sofa.", "Prices of houses rose again this spring.", "Our train leaves at nine.")
    passages = [pair.embed_passage("", text)[0] for text in texts]
    for question in ("Wo schläft die Katze?", "猫在哪里睡觉", "Où dort le chat ?", "where is the cat asleep"):
        asked = pair.embed_question(question)
        assert int(np.argmax([float(asked @ unit(passage)) for passage in passages])) == 0
