"""`memotheca collections`: listed, called another name, removed with everything, on both databases."""

import json
import os

import pytest

from memotheca.app import SEGMENTS
from memotheca.cli.commands import collections_command
from memotheca.model.errors import Failure, Refusal
from memotheca.search.index import seal
from tests.server.test_http import HttpServer
from tests.storage.postgres_server import UNSAFE, needs_postgres, not_well, shared_server

SECRET = "xyzzy-plugh-0918"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=needs_postgres)])
def place(request, tmp_path):
    """What names the data."""
    if request.param == "sqlite":
        yield ["--data", tmp_path / "data"]
    else:
        yield ["--data", tmp_path / "data", "--database", shared_server().for_data(tmp_path)]
        shared_server().clear(tmp_path)


@pytest.fixture
def memotheca(invoke, place):
    def run(*words):
        code, out, err = invoke(*words, *place, "--json")
        assert code == 0, out + err
        return json.loads(out)

    return run


def is_well(invoke, place):
    """But that the tests' own PostgreSQL does not wait for its disk."""
    return not_well(invoke("doctor", *place, "--json")[1]) == (UNSAFE if "--database" in place else [])


@pytest.fixture
def refused(invoke, place):
    def run(*words):
        code, out, _ = invoke(*words, *place, "--json")
        assert code != 0
        return json.loads(out)["error"]["code"]

    return run


@pytest.fixture
def handbook(memotheca, invoke, place, monkeypatch):
    """A collection with a history, an index and a token of its own, and another beside it."""
    monkeypatch.setitem(seal.maintain.__kwdefaults__, "seal_at", 1)
    for name in ("handbook", "other"):
        for number in range(3):
            told = {"topic": f"{name} {number}", "content": f"{SECRET} of {name}"}
            memotheca("call", "store", json.dumps(told), "--collection", name)
    memotheca("call", "undo", "{}", "--collection", "handbook")
    memotheca("reindex", "--collection", "handbook", "--embedder", "none")
    invoke("token", "add", "editor", "--for", "handbook", "--for", "other", *place)
    return "handbook"


def topics(memotheca, name):
    found = memotheca("call", "query", json.dumps({"content": SECRET, "limit": 50}), "--collection", name)
    return sorted(item["topic"] for item in found["items"])


def listed(memotheca):
    return {each["collection"]: each for each in memotheca("collections")}


def test_a_collection_is_called_another_name_with_its_history_index_and_tokens(memotheca, invoke, place, handbook):
    before = listed(memotheca)["handbook"]
    history = memotheca("history", "--collection", handbook)
    assert memotheca("collections", "rename", "handbook", "the guide")["tokens"] == 1
    after = listed(memotheca)
    assert "handbook" not in after
    assert after["the guide"] == before | {"collection": "the guide"}
    assert memotheca("history", "--collection", "the guide") == history
    assert topics(memotheca, "the guide") == ["handbook 0", "handbook 1"]
    assert topics(memotheca, "other") == ["other 0", "other 1", "other 2"]
    assert memotheca("token", "list")[0]["collections"] == ["the guide", "other"]
    memotheca("call", "store", '{"topic": "more", "content": "goes on"}', "--collection", "the guide")
    assert is_well(invoke, place)


def test_tokens_hear_of_a_new_name_also_where_the_command_was_cut_off_before(
    memotheca, handbook, invoke, place, monkeypatch
):
    def cut_off(*_, **__):
        raise Refusal(Failure.DISK_FULL, "There is no space.")

    with monkeypatch.context() as patched:
        patched.setattr(collections_command, "rename_in_tokens", cut_off)
        assert invoke("collections", "rename", handbook, "guide", *place)[0] != 0
    assert memotheca("token", "list")[0]["collections"] == ["handbook", "other"]
    assert "guide" in listed(memotheca)
    assert memotheca("token", "list")[0]["collections"] == ["guide", "other"]
    assert memotheca("collections", "rename", "guide", "handbook")["tokens"] == 1


def test_a_removed_collection_is_gone_with_everything_and_the_others_stay(memotheca, invoke, handbook, place, tmp_path):
    segments = set((tmp_path / "data" / SEGMENTS).glob("*.seg"))
    assert segments
    assert memotheca("collections", "remove", handbook, "--yes")["rows"] > 10
    assert list(listed(memotheca)) == ["other"]
    assert topics(memotheca, "other") == ["other 0", "other 1", "other 2"]
    assert topics(memotheca, "handbook") == []
    assert not any(path.exists() for path in segments)
    if "--database" not in place:
        holding = [
            path
            for path in (tmp_path / "data").rglob("*")
            if path.is_file() and f"{SECRET} of handbook".encode() in path.read_bytes()
        ]
        assert holding == []
    memotheca("call", "store", '{"topic": "anew", "content": "from the beginning"}', "--collection", "handbook")
    assert listed(memotheca)["handbook"]["transactions"] == 1
    assert is_well(invoke, place)


def test_what_cannot_be_done_is_refused_and_changes_nothing(memotheca, refused, handbook):
    before = listed(memotheca)
    assert refused("collections", "remove", handbook) == "confirmation_required"
    assert refused("collections", "remove", "nothing", "--yes") == "not_found"
    assert refused("collections", "remove", "starter", "--yes") == "not_found"
    assert refused("collections", "rename", "nothing", "x") == "not_found"
    assert refused("collections", "rename", handbook, "other") == "already_exists"
    assert refused("collections", "rename", handbook, "a\nb") == "invalid"
    assert refused("collections", "rename", handbook) == "invalid"
    assert listed(memotheca) == before


def test_nothing_is_renamed_or_removed_while_a_server_runs(memotheca, refused, handbook, place, tmp_path):
    """On PostgreSQL also one of another machine."""
    data = tmp_path / "data" if "--database" not in place else tmp_path / "elsewhere"
    server = HttpServer(data, *map(str, place[2:]), environment=dict(os.environ))
    try:
        assert refused("collections", "rename", handbook, "guide") == "busy"
        assert refused("collections", "remove", handbook, "--yes") == "busy"
    finally:
        server.close()
    assert memotheca("collections", "rename", handbook, "guide")["collection"] == "guide"


def test_a_collection_whose_files_wait_to_be_read_is_left_alone(refused, handbook, invoke, place, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<p>Waiting.</p>")
    code, _, err = invoke("add", page, "--no-wait", "--collection", handbook, *place)
    assert code == 0, err
    assert refused("collections", "remove", handbook, "--yes") == "busy"
    assert refused("collections", "rename", handbook, "guide") == "busy"
