"""Sentences as vectors: any model in a folder, whole texts in windows, one text a run."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from memotheca.vectors.embedders import DEFAULT, is_shipped_model_there, understand
from memotheca.vectors.load import load_embedder, settle
from memotheca.vectors.onnx_embedder import OVERLAP, WINDOW, OnnxFolder, to_bytes, unit
from scripts.onnx_file import Graph

WIDTH = 8
WORDS = [f"w{number}" for number in range(1200)]

needs_model = pytest.mark.skipif(not is_shipped_model_there(), reason="the model's files are not built")


def make_model(folder: Path, *, pooled: bool) -> Path:
    """A model in which every word is a vector, and a text the mean of its words."""
    folder.mkdir()
    vocabulary = {word: place for place, word in enumerate(["[UNK]", *WORDS])}
    spoken: Any = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    spoken.pre_tokenizer = pre_tokenizers.Whitespace()
    spoken.save(str(folder / "tokenizer.json"))
    graph = Graph()
    table = np.random.default_rng(3).standard_normal((len(vocabulary), WIDTH)).astype(np.float32)
    output = graph.one("Gather", [graph.constant(table), "input_ids"])
    if pooled:
        output = graph.one("ReduceMean", [output, graph.constant(np.array([1], np.int64))], keepdims=0)
    (folder / "model.onnx").write_bytes(graph.to_model(tokens="input_ids", output=output, width=WIDTH))
    return folder


@pytest.fixture(params=[True, False], ids=["the graph pools", "we pool"])
def embedder(request, tmp_path, capfd) -> OnnxFolder:
    folder = make_model(tmp_path / "model", pooled=request.param)
    made = load_embedder(understand(f"onnx:{folder}"))
    capfd.readouterr()
    return made


def test_a_folders_vectors_have_its_width_and_unit_length(embedder):
    vector = embedder.embed_question("w1 w2")
    assert embedder.width == len(vector) == WIDTH
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)


def test_a_long_text_is_split_into_windows_that_cover_it_and_never_cut(embedder):
    text = " ".join(WORDS)
    vectors = embedder.embed_passage("", text)
    assert len(vectors) == -(-(len(WORDS) - OVERLAP) // (WINDOW - OVERLAP))
    last = embedder.embed_passage("", " ".join(WORDS[-(len(WORDS) - (len(vectors) - 1) * (WINDOW - OVERLAP)) :]))
    assert np.allclose(vectors[-1], last[0], atol=1e-6)


def test_a_title_is_embedded_with_its_text(embedder):
    assert np.allclose(embedder.embed_passage("w1", "w2")[0], embedder.embed_passage("", "w1 w2")[0])


def test_a_vector_does_not_depend_on_what_else_was_embedded(embedder):
    alone = embedder.embed_question("w5 w6 w7")
    embedder.embed_passage("w1", " ".join(WORDS))
    assert np.array_equal(embedder.embed_question("w5 w6 w7"), alone)


def test_an_empty_text_is_near_nothing(embedder):
    (vector,) = embedder.embed_passage("", "")
    assert np.isfinite(vector).all()


def test_choosing_a_folder_marks_it_by_its_model_and_listens_to_it(tmp_path):
    folder = make_model(tmp_path / "model", pooled=True)
    setting, voice = settle(f"onnx:{folder}")
    assert setting == f"onnx:{folder}#{understand(setting).mark}"
    assert understand(setting).identity == understand(f"onnx:{folder}").identity
    assert voice.spread > 0


def test_vectors_are_kept_in_two_bytes_a_number_and_near_what_they_were():
    vector = unit(np.arange(1, 9))
    kept = np.frombuffer(to_bytes(vector), np.float16)
    assert kept.nbytes == 2 * len(vector)
    assert float(kept.astype(np.float32) @ vector) == pytest.approx(1, abs=1e-3)


def test_nothing_becomes_a_vector_of_nothing_rather_than_a_failure():
    assert not unit(np.zeros(4)).any()


@needs_model
def test_the_shipped_model_knows_words_and_does_not_take_a_slip_for_one():
    model = load_embedder(understand(DEFAULT))
    assert [model.knows(word) for word in ("house", "mouse", "trail", "deploymnet", "hte")] == [True] * 3 + [False] * 2
