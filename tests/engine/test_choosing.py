"""Choosing an embedder: it is recognised again by a mark, and one that is gone hinders nothing but its vectors."""

import io
import itertools
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from memotheca.admin.health import examine
from memotheca.model.errors import Failure, Refusal
from memotheca.vectors.embedders import SHIPPED_FOLDER, is_shipped_model_there, understand
from memotheca.vectors.load import Endpoint, load_embedder, settle
from tests.engine.desk import Desk

needs_model = pytest.mark.skipif(not is_shipped_model_there(), reason="the model is not built")


def test_endpoints_at_other_addresses_or_with_other_widths_are_other_embedders():
    settings = [
        "openai:m@http://one/v1",
        "openai:m@http://two/v1",
        "openai:m@http://one/v1#3",
        "openai:n@http://one/v1",
    ]
    assert len({understand(setting).identity for setting in settings}) == len(settings)
    assert understand("openai:m@http://one/v1/").identity == understand("openai:m@http://one/v1").identity


def answer_with(monkeypatch, embedding):
    """Have every endpoint give this for a text."""
    body = f'{{"data": [{{"embedding": {embedding}}}]}}'.encode()
    monkeypatch.setattr("urllib.request.OpenerDirector.open", lambda *_, **__: io.BytesIO(body))


NO_VECTORS = ("[NaN, 0]", "[Infinity, 1]", "[1e300, 1]", "[1e30, 1e30]", "[]", "[[1, 0]]", "1", '"text"', "null")


@pytest.mark.parametrize("embedding", NO_VECTORS)
def test_what_is_no_vector_is_neither_chosen_nor_kept(monkeypatch, embedding):
    answer_with(monkeypatch, embedding)
    with pytest.raises(Refusal):
        settle("openai:m@http://one")
    for ask in (Endpoint.embed_question, lambda endpoint, text: endpoint.embed_passage("", text)):
        with pytest.raises(Refusal) as refusal:
            ask(Endpoint(understand("openai:m@http://one#2"), tries=1), "tea")
        assert refusal.value.failure is Failure.UNAVAILABLE


def test_an_embedder_that_tells_nothing_apart_cannot_be_chosen(monkeypatch):
    answer_with(monkeypatch, "[0, 0, 0]")
    with pytest.raises(Refusal, match="no vectors"):
        settle("openai:m@http://one")


def test_an_endpoint_that_answers_a_byte_at_a_time_is_waited_for_as_long_as_one_that_is_silent(monkeypatch):
    now = itertools.count(step=10.0)
    monkeypatch.setattr("memotheca.vectors.load.time", SimpleNamespace(monotonic=lambda: next(now), sleep=pytest.fail))

    class Dripping(io.BytesIO):
        def read1(self, size: int | None = -1, /) -> bytes:
            del size
            return super().read1(1)

    body = b'{"data": [{"embedding": [1, 0, 0]}]}'
    monkeypatch.setattr("urllib.request.OpenerDirector.open", lambda *_, **__: Dripping(body))
    with pytest.raises(Refusal, match="does not answer"):
        Endpoint(understand("openai:m@http://one")).embed_question("tea")


def test_an_endpoint_that_gives_another_width_than_when_it_was_chosen_is_refused(monkeypatch):
    answer_with(monkeypatch, "[1, 0, 0]")
    assert len(Endpoint(understand("openai:m@http://one#3")).embed_question("tea")) == 3
    with pytest.raises(Refusal, match="another model") as refusal:
        Endpoint(understand("openai:m@http://one#4")).embed_question("tea")
    assert refusal.value.failure is Failure.UNAVAILABLE


def test_what_does_not_work_cannot_be_chosen(tmp_path):
    with pytest.raises(Refusal) as refusal:
        settle(f"onnx:{tmp_path}")
    assert refusal.value.failure is Failure.INVALID


def test_a_model_that_is_not_installed_cannot_be_chosen_and_hinders_nothing_once_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr("memotheca.vectors.embedders.SHIPPED_FOLDER", tmp_path / "gte-small")
    with pytest.raises(Refusal, match="pip install memotheca-granite-30m") as refusal:
        settle("granite-30m")
    assert refusal.value.failure is Failure.INVALID
    desk = Desk(tmp_path / "data", "granite-30m", load=load_embedder)
    id = desk.put("The reactor failed.")
    page = desk.ask("reactor")
    assert [hit.version.id for hit in page.hits] == [id]
    assert (page.mode, page.waiting) == ("lexical", 1)
    found = {finding.name: finding for finding in examine(desk.kernel)}["embedder of default"]
    assert not found.well
    assert "make model EMBEDDER=granite-30m" in found.detail
    desk.close()


def test_a_folder_that_has_vanished_refuses_no_entry_and_doctor_says_what_to_do(tmp_path):
    desk = Desk(tmp_path / "data", f"onnx:{tmp_path / 'gone'}#0123456789abcdef", load=load_embedder)
    id = desk.put("The reactor failed.")
    page = desk.ask("reactor")
    assert [hit.version.id for hit in page.hits] == [id]
    assert (page.mode, page.waiting) == ("lexical", 1)
    found = {finding.name: finding for finding in examine(desk.kernel)}["embedder of default"]
    assert not found.well
    assert "is gone" in found.detail
    assert "memotheca reindex --embedder" in found.fix
    desk.close()


@needs_model
def test_a_folder_is_recognised_by_its_model_and_found_again_when_it_comes_back(tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(SHIPPED_FOLDER, folder)
    setting = f"onnx:{folder}"
    marked = f"{setting}#{understand(setting).identity.partition('/')[2]}"
    assert understand(marked).identity == understand(setting).identity
    shutil.rmtree(folder)
    assert understand(marked).identity.startswith("onnx/")
    with pytest.raises(Refusal, match="is gone"):
        load_embedder(understand(marked))
    folder.mkdir()
    (folder / "model.onnx").write_bytes(b"another")
    shutil.copy(Path(SHIPPED_FOLDER) / "tokenizer.json", folder)
    with pytest.raises(Refusal, match="another model"):
        load_embedder(understand(marked))
