"""Vectors: late for a long text, made once for the same text, made anew for another embedder, never in the way."""

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from memotheca.admin.erasure import erase
from memotheca.entries.entries import EntryChange, delete_entry, update_entry
from memotheca.model.errors import Failure, Refusal
from memotheca.search.embed import AT_ONCE, BATCH
from memotheca.search.passages import LIMIT
from memotheca.storage import chunks
from memotheca.vectors import load
from memotheca.vectors.embedders import understand
from memotheca.vectors.load import Endpoint, load_embedder
from tests.durability.accounts import find_damage
from tests.engine.desk import Desk, Loader
from tests.patience import PATIENCE, until

A, B, NONE = "openai:a@http://nowhere", "openai:b@http://nowhere", "none"
LONG = "tea. " * (LIMIT * (AT_ONCE + 1) // 5)


@pytest.fixture
def desk(tmp_path):
    desk = Desk(tmp_path, A)
    yield desk
    desk.close()


def vectors_of(desk: Desk) -> dict[str, int]:
    with desk.store.database.read() as session:
        return chunks.count_models(session, "default")


def test_a_short_text_has_its_vector_as_soon_as_it_is_stored(desk):
    id = desk.put("tea")
    page = desk.ask("note tea")
    assert (page.mode, page.waiting) == ("hybrid", 0)
    assert page.hits[0].version.id == id
    assert page.hits[0].cosine == pytest.approx(1, abs=1e-3)


def test_a_long_text_is_found_by_its_words_at_once_and_by_its_meaning_once_it_is_embedded(desk):
    id = desk.put(LONG)
    page = desk.ask("tea")
    assert page.mode == "hybrid"
    assert page.waiting > AT_ONCE
    assert [(hit.version.id, hit.cosine) for hit in page.hits] == [(id, None)]
    assert desk.embed() == page.waiting
    page = desk.ask("tea")
    assert page.waiting == 0
    assert page.hits[0].cosine is not None
    assert page.hits[0].cosine > 0.5


def test_what_was_deleted_before_it_was_embedded_waits_for_nothing(desk):
    id = desk.put(LONG)
    desk.put(LONG + " And more of it.")
    with desk.store.database.read() as session:
        waiting = chunks.count_waiting(session, "default")
    delete_entry(desk.kernel, id, actor="test")
    with desk.store.database.read() as session:
        assert 0 < chunks.count_waiting(session, "default") < waiting
    assert desk.ask("tea").waiting == desk.embed()


def test_what_waits_is_embedded_by_whichever_process_comes(tmp_path, desk):
    desk.put(LONG)
    other = Desk(tmp_path, A)
    assert other.embed() > AT_ONCE
    assert desk.embed() == 0
    assert desk.ask("tea").hits[0].cosine is not None
    other.close()


def test_a_text_that_an_update_leaves_as_it_was_is_not_embedded_again(desk, tmp_path):
    id = desk.put("tea")
    desk.put(LONG)
    desk.embed()
    before = desk.load.embedded
    desk.reopen()
    update_entry(desk.kernel, id, EntryChange(tags=("hot",)), actor="test")
    other = desk.put("x")
    desk.embed()
    assert [text for each in desk.load.made.values() for text in each.passages][before:] == ["x"]
    assert desk.ids("tea", tags=("hot",)) == [id]
    assert other != id
    assert all(hit.cosine is not None for hit in desk.ask("tea").hits)


def test_a_long_text_keeps_its_vectors_when_only_its_tags_change(desk):
    id = desk.put(LONG)
    desk.embed()
    before = desk.load.embedded
    update_entry(desk.kernel, id, EntryChange(tags=("hot",)), actor="test")
    assert desk.ask("tea").waiting == 0
    assert desk.embed() == 0
    assert desk.load.embedded == before
    assert desk.ask("tea").hits[0].cosine is not None


def test_another_embedder_embeds_only_what_it_has_no_vectors_for_and_search_answers_throughout(desk):
    first = [desk.put(f"tea {number}") for number in range(BATCH + 4)]
    desk.choose(B)
    page = desk.ask("tea")
    assert {hit.version.id for hit in page.hits} == set(first)
    assert page.waiting == len(first)
    assert all(hit.cosine is None for hit in page.hits)
    assert desk.embed() == len(first)
    assert all(hit.cosine is not None for hit in desk.ask("tea").hits)

    second = [desk.put(f"tea late {number}") for number in range(3)]
    desk.choose(A)
    assert desk.ask("tea").waiting == len(second)
    assert desk.embed() == len(second)
    assert desk.ask("tea").waiting == 0
    assert set(desk.ids("tea")) == {*first, *second}

    desk.choose(NONE)
    page = desk.ask("tea")
    assert (page.mode, page.waiting) == ("lexical", 0)
    assert set(desk.ids("tea")) == {*first, *second}
    assert desk.embed() == 0


def test_another_process_follows_a_new_choice_of_embedder(tmp_path, desk):
    other = Desk(tmp_path, A)
    desk.put("tea")
    assert other.ask("tea").hits[0].cosine is not None
    desk.choose(B)
    assert other.ask("tea").hits[0].cosine is None
    desk.embed()
    assert other.ask("tea").hits[0].cosine is not None
    assert set(other.load.made) == {understand(A).identity, understand(B).identity}
    other.close()


def test_vectors_of_an_embedder_that_was_given_up_meanwhile_are_thrown_away(desk):
    desk.put(LONG)
    embedder = desk.load(understand(A))
    original = embedder.embed_passage

    def embed_passage(title: str, text: str) -> list[Any]:
        desk.choose(NONE) if desk.setting == A else None
        return original(title, text)

    embedder.embed_passage = embed_passage
    desk.embed()
    assert vectors_of(desk) == {}


def test_what_is_erased_while_it_is_embedded_gets_no_vector(desk):
    id = desk.put(LONG)
    embedder = desk.load(understand(A))
    original = embedder.embed_passage

    def embed_passage(title: str, text: str) -> list[Any]:
        with suppress(Refusal):
            erase(desk.kernel, id, actor="test")
        return original(title, text)

    embedder.embed_passage = embed_passage
    desk.embed()
    with desk.store.database.read() as session:
        assert chunks.living_numbers(session, "default") == ([], [])
        assert chunks.count_waiting(session, "default") == 0


def test_an_embedder_that_cannot_be_loaded_hinders_neither_storing_nor_searching(tmp_path):
    def refuse(choice: object) -> Any:
        raise Refusal(Failure.UNAVAILABLE, "Install it.")

    desk = Desk(tmp_path, A, refuse)
    id = desk.put("tea")
    page = desk.ask("tea")
    assert [hit.version.id for hit in page.hits] == [id]
    assert page.mode == "lexical"
    desk.load = Loader()
    desk.reopen()
    assert desk.embed() == 1
    assert desk.ask("tea").hits[0].cosine is not None
    desk.close()


class Answers(BaseHTTPRequestHandler):
    """An endpoint: counts letters, or fails as it is told to."""

    def __init__(self, told: dict[str, Any], *rest: Any) -> None:
        self.told = told
        super().__init__(*rest)

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.told["asked"].append((self.path, asked, self.headers.get("Authorization")))
        failures: list[Any] = self.told["failures"]
        failure = failures.pop(0) if failures else None
        vectors = [[float(text.count(letter) + 0.1) for letter in "teaxyzmn"] for text in asked["input"]]
        data = [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]
        body = json.dumps({"data": data}).encode() if failure is None or isinstance(failure, int) else failure
        self.send_response(failure if isinstance(failure, int) else 200)
        if failure in (301, 302, 307, 308):
            self.send_header("Location", self.told["elsewhere"])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def endpoint(monkeypatch):
    """An endpoint in a thread, with no waiting between tries."""
    told: dict[str, Any] = {"asked": [], "failures": []}
    monkeypatch.setattr(load.time, "sleep", lambda seconds: None)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Answers, told)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        told["setting"] = f"openai:letters@http://127.0.0.1:{server.server_port}/v1"
        yield told
        server.shutdown()
        thread.join()


def test_an_endpoint_is_asked_for_all_pieces_of_a_text_at_once(endpoint):
    embedder = Endpoint(understand(endpoint["setting"]), key="secret")
    vectors = embedder.embed_passage("title", "tea " * 700)
    assert len(endpoint["asked"]) == 1
    path, asked, key = endpoint["asked"][0]
    assert (path, key, asked["model"]) == ("/v1/embeddings", "Bearer secret", "letters")
    assert len(asked["input"]) == len(vectors) > 2
    assert all(abs(float((vector**2).sum()) - 1) < 1e-5 for vector in vectors)
    assert len(embedder.embed_question("x" * 3000)) == 8


@pytest.mark.parametrize("moved", [301, 302, 307, 308])
def test_an_endpoint_that_points_elsewhere_is_not_followed(endpoint, moved):
    found: list[Any] = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.append(dict(self.headers))
            self.send_response(200)
            self.end_headers()

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as other:
        thread = threading.Thread(target=other.serve_forever, args=(0.01,))
        thread.start()
        endpoint["elsewhere"] = f"http://127.0.0.1:{other.server_port}/v1/embeddings"
        endpoint["failures"] += [moved] * 3
        with pytest.raises(Refusal):
            Endpoint(understand(endpoint["setting"]), key="secret").embed_question("tea")
        other.shutdown()
        thread.join()
    assert found == []


@pytest.mark.parametrize("setting", ["openai:m@file:///etc/passwd", "openai:m@ftp://one", "openai:m@gopher://one"])
def test_an_endpoint_is_reached_by_http_alone(setting):
    with pytest.raises(Refusal):
        understand(setting)


@pytest.mark.parametrize(
    "failure", [500, 429, b"no json", b"[]", b'{"data": null}', b'{"data": []}', b"{}", b'{"data": [{}]}']
)
def test_an_endpoint_that_stumbles_is_asked_again(endpoint, failure):
    endpoint["failures"] += [failure, failure]
    assert len(Endpoint(understand(endpoint["setting"])).embed_passage("", "tea")) == 1
    assert len(endpoint["asked"]) == 3


@pytest.mark.parametrize("failure", [500, b"no json", b'{"data": []}'])
def test_while_an_endpoint_fails_search_goes_by_words_and_storing_works(tmp_path, endpoint, failure):
    desk = Desk(tmp_path, endpoint["setting"], load_embedder)
    endpoint["failures"] += [failure] * 6
    id = desk.put("tea")
    page = desk.ask("tea")
    assert (page.mode, [hit.version.id for hit in page.hits]) == ("lexical", [id])
    assert endpoint["failures"] == []
    page = desk.ask("tea")
    assert (page.mode, page.waiting) == ("hybrid", 1)
    assert desk.embed() == 1
    assert desk.ask("tea").hits[0].cosine is not None
    desk.close()


def corpus_of(count: int) -> bytes:
    lines = [{"_id": f"line-{number}", "title": f"t{number}", "text": f"tea number{number}"} for number in range(count)]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


STUTTER = """
import sys
from memotheca.admin import corpus
corpus.BATCH = 10
from memotheca.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def run_import(data: Path) -> "subprocess.Popen[bytes]":
    """The command with small batches, reading a pipe, so that there is something to interrupt."""
    command = [sys.executable, "-c", STUTTER, "import", "-", "--data", str(data), "--json"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_an_import_that_is_killed_again_and_again_brings_in_every_line_once(tmp_path):
    data, count = tmp_path / "data", 300
    desk = Desk(data, NONE)
    for wanted in (20, 90, 200):
        with run_import(data) as running:
            assert running.stdin is not None
            running.stdin.write(corpus_of(wanted + 50))
            running.stdin.flush()
            until(lambda: len(desk.entries()) >= wanted or running.poll() is not None)  # noqa: B023
            assert running.poll() is None, running.communicate()[1]
            os.kill(running.pid, signal.SIGKILL)
    assert 200 <= len(desk.entries()) <= 250
    with run_import(data) as running:
        out, complaint = running.communicate(corpus_of(count), timeout=PATIENCE)
    assert running.returncode == 0, complaint
    moved = json.loads(out)
    assert moved["entries"] + moved["skipped"] == count
    assert moved["skipped"] >= 200
    assert sorted(entry.title for entry in desk.entries()) == sorted(f"t{number}" for number in range(count))
    assert all(len(desk.find(f"number{number}").passages) == 1 for number in range(0, count, 7))
    assert find_damage(desk.store) == []
    command = [sys.executable, "-c", STUTTER, "doctor", "--data", str(data), "--json"]
    doctor = subprocess.run(command, capture_output=True, check=False, text=True)
    assert json.loads(doctor.stdout)["ok"], doctor.stdout
    desk.close()
