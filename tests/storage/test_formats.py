"""Kept formats: what a program of any time wrote is opened by today's, whole, and goes on."""

import gzip
from pathlib import Path

import pytest

from memotheca import settings
from memotheca.app import BACKUPS, DATABASE, build, look_after
from memotheca.storage.migrations import STEPS
from memotheca.storage.store import recorded_format
from tests.conftest import Agent
from tests.durability.accounts import find_damage

KEPT = Path(__file__).parent / "formats"
FORMATS = range(1, len(STEPS) + 1)


@pytest.fixture(params=FORMATS)
def kept(request, tmp_path):
    """An agent of today's program over the data of a format."""
    data = tmp_path / "data"
    data.mkdir()
    (data / DATABASE).write_bytes(gzip.decompress((KEPT / f"{request.param}.db.gz").read_bytes()))
    app = build(settings.load({"data": str(data)}, {}))
    yield Agent(app)
    app.close()


def test_every_format_is_kept():
    assert {path.name for path in KEPT.glob("*.gz")} == {f"{number}.db.gz" for number in FORMATS}


def test_what_was_stored_related_updated_and_deleted_is_as_it_was_left(kept):
    (lamp,) = kept.call("query")["items"]
    assert (lamp["id"], lamp["topic"], lamp["tags"]) == ("e-1", "lamp", ["harbour", "light"])
    assert lamp["content"] == "The lamp on the pier is lit an hour before dusk."
    (triple,) = kept.call("query_graph")["items"]
    assert (triple["subject"], triple["predicate"], triple["object"]) == ("Ada", "works_at", "Analytical Engines")
    done = [(each["op"], each["entity_id"]) for each in kept.call("history")["items"]]
    assert done[::-1] == [
        ("CREATE", "e-1"),
        ("CREATE", "t-1"),
        ("UPDATE", "e-1"),
        ("CREATE", "e-2"),
        ("DELETE", "e-2"),
    ]


def test_it_is_of_the_newest_format_whole_and_backed_up_where_it_was_older(kept, request):
    number = request.node.callspec.params["kept"]
    with kept.kernel.store.database.read() as session:
        assert recorded_format(session) == len(STEPS)
    assert find_damage(kept.kernel.store) == []
    assert len(list(kept.app.data.glob(f"{BACKUPS}/*-before-format-{number + 1}.db"))) == (number < len(STEPS))


def test_it_is_found_by_words_and_after_upkeep_by_meaning(kept):
    (found,) = kept.call("query", content="the lamp on the pier")["items"]
    assert found["id"] == "e-1"
    look_after(kept.app, lambda: False)
    (found,) = kept.call("query", content="when is the pier light switched on")["items"]
    assert found["id"] == "e-1"
    assert found["score_lexical"] == 1.0
    assert found["score_semantic"] > 0.5


def test_it_is_undone_and_written_further(kept):
    kept.call("undo", count=3)
    (lamp,) = kept.call("query")["items"]
    assert lamp["content"] == "The lamp on the pier is lit at dusk."
    assert kept.store("milk") == "e-3"
    assert sorted(kept.topics()) == ["lamp", "milk"]
