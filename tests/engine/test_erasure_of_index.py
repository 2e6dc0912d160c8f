"""Erasing reaches the index: afterwards no file holds a term, a vector or a letter of it, and the rest is found."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from memotheca.admin.erasure import erase
from memotheca.admin.upkeep import index_everything
from memotheca.entries.entries import EntryChange, NewEntry, delete_entry, store_entry, update_entry
from memotheca.model.knowledge import Entry
from memotheca.search.hits import Hit
from memotheca.search.index.seal import MERGE_AT, maintain
from memotheca.search.search import Question, find_entries
from memotheca.storage.store import Transaction
from memotheca.text.terms import filter_number, identifier_number, pair_number, word_number
from memotheca.text.words import stem
from memotheca.vectors.embedders import understand
from memotheca.vectors.onnx_embedder import to_bytes
from tests.engine.desk import Desk

A, B = "openai:a@http://nowhere", "openai:b@http://nowhere"
SECRET = "xyzzyplugh"
NAME = "plugh_0451"
TAG = "secrettag"
SEARCH = """
import pathlib, sys
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*")):
    content = path.read_bytes() if path.is_file() else b""
    for number, wanted in enumerate(sys.argv[2:]):
        if bytes.fromhex(wanted) in content:
            print(number, path.name)
"""


@pytest.fixture
def desk(tmp_path):
    desk = Desk(tmp_path, A)
    yield desk
    desk.close()


def traces(desk: Desk, *settings: str) -> list[bytes]:
    """Everything the secret leaves behind: letters, numbers of its terms, its vectors."""
    numbers = [
        word_number(stem(SECRET)),
        pair_number((stem(SECRET), "tea")),
        identifier_number(NAME),
        filter_number("tag", TAG),
        filter_number("title", stem(SECRET)),
    ]
    vectors = [desk.load(understand(each)).embed_passage(SECRET, content())[0] for each in settings or (A,)]
    spelled = [SECRET.encode(), NAME.encode(), TAG.encode(), *(number.to_bytes(8, "little") for number in numbers)]
    bits = [np.packbits(vector > 0, bitorder="little").tobytes() for vector in vectors]
    return [*spelled, *(to_bytes(vector) for vector in vectors), *bits]


def content() -> str:
    return f"{SECRET} tea {NAME}"


def holders(desk: Desk, wanted: list[bytes]) -> list[str]:
    """Which traces are in which files; in a process of its own, because closing a file drops our locks on it."""
    command = [sys.executable, "-S", "-c", SEARCH, str(desk.data), *(each.hex() for each in wanted)]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.splitlines()


def hide(desk: Desk) -> str:
    return desk.put(content(), SECRET, tags=[TAG])


def body_of(hit: Hit) -> str:
    assert isinstance(hit.version.thing, Entry)
    return hit.version.thing.body


def assert_gone(desk: Desk, wanted: list[bytes]) -> None:
    assert holders(desk, wanted) == []
    assert desk.find(SECRET).best_lexical == 0
    other = Desk(desk.data, desk.setting)
    assert {entry.body for entry in desk.entries()} == {body_of(hit) for hit in other.ask("tea").hits}
    assert other.ids(SECRET, tags=(TAG,)) == []
    other.close()


@pytest.mark.only_sqlite(reason="elsewhere the rows are not in the directory")
def test_every_trace_is_there_before(desk):
    hide(desk)
    desk.seal()
    found = {int(line.split()[0]) for line in holders(desk, traces(desk))}
    assert found == set(range(len(traces(desk))))


@pytest.mark.parametrize("sealed", [False, True])
def test_nothing_is_left_of_an_erased_entry(desk, sealed):
    kept = desk.put("tea for two")
    id = hide(desk)
    desk.put("tea for three")
    if sealed:
        desk.seal()
    erase(desk.kernel, id, actor="test")
    assert_gone(desk, traces(desk))
    assert kept in desk.ids("tea")


def test_the_next_upkeep_ends_an_erasure_that_got_no_further_than_the_rows(desk):
    id = hide(desk)
    desk.put("tea for two")
    desk.seal()

    def erase_rows(transaction: Transaction) -> None:
        transaction.describe("ERASE")
        transaction.erase(id)

    desk.kernel.write(erase_rows, actor="test")
    assert any("seg" in line for line in holders(desk, traces(desk)))
    index_everything(desk.kernel, lambda done, total, message: None)
    assert not any("seg" in line for line in holders(desk, traces(desk)))
    files = {path.name for path in desk.segments}
    index_everything(desk.kernel, lambda done, total, message: None)
    assert {path.name for path in desk.segments} == files


def test_nothing_is_left_of_earlier_versions_and_of_what_was_deleted(desk):
    id = hide(desk)
    desk.seal()
    update_entry(desk.kernel, id, EntryChange(body="harmless tea", title="harmless", tags=()), actor="test")
    desk.seal()
    delete_entry(desk.kernel, id, actor="test")
    desk.seal()
    erase(desk.kernel, id, actor="test")
    assert_gone(desk, traces(desk))


def test_nothing_is_left_in_segments_that_were_merged_away_a_moment_ago(desk):
    id = hide(desk)
    for number in range(MERGE_AT):
        desk.put(f"tea {number}")
        desk.seal()
    assert len(desk.segments) > 2, "they have a time of grace"
    erase(desk.kernel, id, actor="test")
    assert_gone(desk, traces(desk))


def test_nothing_is_left_in_what_a_killed_process_left(desk):
    id = hide(desk)
    desk.seal()
    for name in ("text-killed.seg", ".text-killed.1.part"):
        (desk.finder.folder / name).write_bytes(b"".join(traces(desk)))
    erase(desk.kernel, id, actor="test")
    assert_gone(desk, traces(desk))


def test_nothing_is_left_of_the_vectors_of_an_embedder_that_was_used_before(desk):
    id = hide(desk)
    desk.seal()
    desk.choose(B)
    desk.embed()
    desk.seal()
    erase(desk.kernel, id, actor="test")
    assert_gone(desk, traces(desk, A, B))


def test_nothing_is_left_by_a_process_that_was_sealing_meanwhile(desk, monkeypatch):
    """Its file is written, but does not count yet; it must not come to count after the erasure."""
    id = hide(desk)
    kept = desk.put("tea for two")
    other = Desk(desk.data, A)
    original = other.store.operate
    erased: list[object] = []

    def operate(act):
        if not erased:
            erased.append(erase(desk.kernel, id, actor="test"))
        return original(act)

    monkeypatch.setattr(other.store, "operate", operate)
    other.seal()
    monkeypatch.undo()
    assert_gone(desk, traces(desk))
    assert other.ids("tea") == [kept]
    other.close()


def test_other_entries_with_the_same_words_keep_them(desk):
    one, other = hide(desk), hide(desk)
    desk.seal()
    erase(desk.kernel, one, actor="test")
    assert desk.ids(SECRET) == [other]
    assert desk.ids("tea", tags=(TAG,)) == [other]
    assert desk.ask(SECRET).hits[0].cosine is not None
    assert desk.embed() == 0


def test_erasing_in_one_collection_leaves_the_segments_of_another_alone(desk):
    id = hide(desk)
    desk.seal()
    other = replace(desk.kernel, collection="other")
    store_entry(other, NewEntry(title="note", body="tea elsewhere"), actor="test")
    maintain(desk.store, desk.finder.index_of("other", ""), seal_at=1)
    erase(desk.kernel, id, actor="test")
    desk.reopen()
    other = replace(desk.kernel, collection="other")
    assert len(find_entries(other, Question(content="elsewhere"), limit=5).hits) == 1
