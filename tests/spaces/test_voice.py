"""Voices: what cosines mean is found out for each embedder, and heard accordingly."""

import hashlib
from functools import cache
from typing import Any

import numpy as np
import pytest

from memotheca.vectors.embedders import DEFAULT, is_shipped_model_there, understand
from memotheca.vectors.fusion import WordEvidence, balance
from memotheca.vectors.load import load_embedder
from memotheca.vectors.onnx_embedder import unit
from memotheca.vectors.profile import CHINESE, DEFAULT_VOICE, ENGLISH, Voice, listen

NOTHING_FOUND = WordEvidence(best_lexical=0.0, idf_sum=0.0, has_unknown=False)


class Narrow:
    """Every text lies near one direction, as with models whose cosines are all high; answers lie near questions."""

    def __init__(self, *, reads: bool) -> None:
        self._pairs = {text: place for place, pair in enumerate((*ENGLISH, *CHINESE)) for text in pair}
        self._unread = set[str]() if reads else {passage for _, passage in CHINESE}

    def embed_question(self, text: str) -> Any:
        about = "nothing" if text in self._unread else self._pairs[text]
        return unit(5 * self._direction("all") + self._direction(about) + self._direction(text))

    def embed_passage(self, title: str, text: str) -> list[Any]:
        del title
        return [self.embed_question(text)]

    @cache  # noqa: B019
    def _direction(self, word: object) -> Any:
        digest = hashlib.blake2b(str(word).encode(), digest_size=8).digest()
        return np.random.default_rng(int.from_bytes(digest, "little")).standard_normal(256)


def test_an_embedder_whose_cosines_are_all_high_is_heard_by_how_far_they_rise():
    voice = listen(Narrow(reads=True))
    assert voice.centre > 0.8
    assert voice.near > voice.centre
    assert voice.spread < 0.05
    fused = balance("tea", NOTHING_FOUND, voice=voice)
    assert fused.fuse(0.0, voice.centre) == pytest.approx(0.0)
    assert fused.fuse(0.0, voice.near) == pytest.approx(0.24, rel=0.01)


def test_a_script_counts_as_read_where_answers_in_it_are_found():
    assert listen(Narrow(reads=True)).reads_cjk
    assert not listen(Narrow(reads=False)).reads_cjk
    question = "连接池"
    heard = [balance(question, NOTHING_FOUND, voice=Voice(reads_cjk=reads)).dense_weight for reads in (False, True)]
    assert heard[0] == 0.0 < heard[1]


@pytest.mark.skipif(not is_shipped_model_there(), reason="the model is not built")
def test_the_voice_of_the_shipped_model_is_as_it_is_written_down():
    voice = listen(load_embedder(understand(DEFAULT)))
    assert voice.spread == pytest.approx(DEFAULT_VOICE.spread, abs=0.04)
    assert voice.near == pytest.approx(DEFAULT_VOICE.near, abs=0.06)
    assert voice.reads_cjk == DEFAULT_VOICE.reads_cjk
