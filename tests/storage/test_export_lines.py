"""A file that was changed by hand, or is somebody else's: it is refused and leaves nothing, or it does no harm."""

import copy
import io
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memotheca.admin.corpus import Moved
from memotheca.admin.transfer import check_lines, export_collection, import_lines
from memotheca.entries.edges import Claim, relate
from memotheca.entries.entries import EntryChange, NewEntry, delete_entry, store_entry, update_entry
from memotheca.kernel.kernel import Kernel
from memotheca.memory.tuning.tunings import change_tunings
from memotheca.memory.verbs import Verb
from memotheca.model.errors import Refusal
from memotheca.storage import sqlite
from memotheca.storage.journal import compare_heads, describe
from tests.conftest import open_store
from tests.storage.players import fresh_kernel, newest, things

often = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])

ODD: list[Any] = [
    None, True, -1, 0, 7, 2**70, 1e400, "", "x", "\ud800", "9" * 5000, [], {}, [[]], {"a": [1]}, "e-1", ["a"],
    [1, 2, 3], [["entry", "e-2"]], [["entry", "e-999"]], [["else", 5]],
]  # fmt: skip
PLACES = st.lists(st.integers(0, 30), min_size=1, max_size=8)


@pytest.fixture(scope="module")
def store(tmp_path_factory, database):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite, "_SETTINGS", (*sqlite._SETTINGS, "PRAGMA synchronous=OFF"))
        store = open_store(tmp_path_factory.mktemp("data"))
        yield store
        store.close()


@pytest.fixture(scope="module")
def lines(store) -> list[Any]:
    kernel = fresh_kernel(store)
    for number in range(3):
        told(kernel, f"text {number}")
    update_entry(kernel, "e-1", EntryChange(body="later"), actor="test")
    relate(kernel, Claim(subject="Ada", predicate="knows", object="Bob", confidence=0.5), actor="test")
    delete_entry(kernel, "e-2", actor="test")
    return [json.loads(line) for line in exported(kernel).splitlines()]


def told(kernel: Kernel, text: str) -> str:
    return store_entry(kernel, NewEntry(title="Tea", body=text), actor="test").version.id


def exported(kernel: Kernel) -> str:
    written = io.StringIO()
    export_collection(kernel, written, lambda *_: None)
    return written.getvalue()


def brought_in(kernel: Kernel, lines: list[Any]) -> Moved:
    return import_lines(kernel, map(json.dumps, lines), actor="test", report=lambda *_: None)


def changed(lines: list[Any], place: list[int], value: Any) -> list[Any]:
    """The same with another value somewhere."""
    found = copy.deepcopy(lines)
    within: Any = found
    for step in place[:-1]:
        below = within[_key(within, step)]
        if not isinstance(below, dict | list) or not below:
            break
        within = below
    within[_key(within, place[-1])] = value
    return found


def _key(within: Any, step: int) -> Any:
    return list(within)[step % len(within)] if isinstance(within, dict) else step % len(within)


@pytest.mark.parametrize("holds", [0, 1], ids=["empty", "holding something"])
@often
@given(place=PLACES, value=st.sampled_from(ODD))
@example(place=[0, 5], value={})
@example(place=[4, 7, 0, 3, 3], value="\ud800")
def test_an_export_that_was_changed_is_refused_whole_or_leaves_a_sound_collection(store, lines, holds, place, value):
    kernel = fresh_kernel(store)
    for number in range(holds):
        told(kernel, f"own {number}")
    before = newest(kernel) if holds else None
    try:
        brought_in(kernel, changed(lines, place, value))
    except Refusal:
        with kernel.read() as snapshot:
            assert (newest(kernel) if holds else describe(snapshot.session, kernel.collection)) == before
        return
    with kernel.read() as snapshot:
        assert compare_heads(snapshot.session, kernel.collection) == []
    later = told(kernel, "later")
    relate(kernel, Claim(subject="Ada", predicate="likes", object="Cid"), actor="test")
    assert later in things(kernel)
    assert brought_in(fresh_kernel(store), [json.loads(line) for line in exported(kernel).splitlines()]).transactions


def test_a_bad_line_is_named(store, lines):
    bad = copy.deepcopy(lines)
    bad[4]["versions"][0]["image"]["body"] = 7
    with pytest.raises(Refusal, match=r"Line 5 is not as an export has it \(text\); nothing was imported"):
        brought_in(fresh_kernel(store), bad)


@pytest.mark.parametrize("embedder", ["openai:x@https://example.org", "onnx:/elsewhere", "nonsense", 7])
def test_no_file_decides_where_texts_are_sent_or_what_is_loaded(store, lines, embedder):
    kernel = fresh_kernel(store)
    header = {**lines[0], "settings": {"embedder": embedder, "voice": {"x": 1}, "chunk_size": 300}}
    moved = brought_in(kernel, [header, *lines[1:]])
    assert [(each.reason, each.handle) for each in moved.listed or ()] == [("embedder", str(embedder))]
    with kernel.read() as snapshot:
        described = describe(snapshot.session, kernel.collection)
    assert described is not None
    assert described["settings"] == {"chunk_size": 300}


def test_an_embedder_of_ours_comes_along(store, lines):
    kernel = fresh_kernel(store)
    moved = brought_in(kernel, [{**lines[0], "settings": {"embedder": "none"}}, *lines[1:]])
    assert moved.listed is None
    with kernel.read() as snapshot:
        described = describe(snapshot.session, kernel.collection)
    assert described is not None
    assert described["settings"] == {"embedder": "none"}


def test_merged_with_itself_nothing_is_listed_also_not_what_it_learned(store):
    kernel = fresh_kernel(store)
    told(kernel, "one")
    change_tunings(kernel, {"topic:1": {"name": "Tea"}}, verb=Verb.ANNOTATE, actor="test", rationale="tried")
    moved = brought_in(kernel, [json.loads(line) for line in exported(kernel).splitlines()])
    assert (moved.transactions, moved.entries, moved.skipped, moved.listed) == (0, 0, 2, ())


NO_TEXTS = "has 'observations' that are no list of texts"
GRAPH = [
    {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["likes tea"]},
    {"type": "relation", "from": "Ada", "to": "Tea", "relationType": "likes"},
]


@pytest.mark.parametrize(
    ("bad", "where"),
    [
        ({"type": "entity", "observations": ["nobody"]}, "Line 3 lacks 'name'"),
        ({"type": "entity", "name": "Bob", "observations": "tea"}, f"Line 3 {NO_TEXTS}"),
        ({"type": "entity", "name": "Bob", "observations": [5]}, f"Line 3 {NO_TEXTS}"),
        ({"type": "relation", "from": "Ada", "to": 5, "relationType": "is"}, "Line 3 lacks 'to'"),
        ({"type": "else"}, "Line 3 is neither an entity nor a relation"),
        (5, "Line 3 is not a JSON object"),
    ],
)  # fmt: skip
def test_a_bad_memory_json_leaves_nothing_and_says_where_it_is_bad(store, bad, where):
    kernel = fresh_kernel(store)
    with pytest.raises(Refusal) as refused:
        brought_in(kernel, [*GRAPH, bad])
    assert str(refused.value) == f"{where}; nothing was imported."
    assert things(kernel) == {}


@pytest.mark.parametrize(
    "bad", ['{"_id": "x"}', '{"text": "x"}', '{"_id": "x", "text": null}', "nonsense", "[" * 100_000]
)
def test_a_bad_corpus_is_seen_before_any_of_it_is_brought_in(bad):
    texts = [json.dumps({"_id": f"{number}", "text": "tea"}) for number in range(1200)]
    with pytest.raises(Refusal, match=r"^Line 1201 .*; nothing was imported"):
        check_lines([*texts, bad])


def test_of_lines_that_come_through_a_pipe_it_is_told_how_many_are_in(store):
    kernel = fresh_kernel(store)
    texts = [{"_id": f"{number}", "text": "tea"} for number in range(600)]
    with pytest.raises(Refusal, match=r"^Line 601 lacks text; the first 500 are in, and skipped next time"):
        brought_in(kernel, [*texts, {"_id": "x"}])
    assert len(things(kernel)) == 500
    moved = brought_in(kernel, texts)
    assert (moved.entries, moved.skipped) == (100, 500)
