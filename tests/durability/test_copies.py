"""A data file that was copied without its log is known for what it is, and is never taken for an empty store."""

import shutil

import apsw
import pytest

from memotheca.app import DATABASE, open_store
from memotheca.entries.entries import NewEntry, store_entry
from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from memotheca.storage import sqlite
from memotheca.storage.sqlite import SQLiteDatabase


def store_some(store, topics):
    for topic in topics:
        store_entry(Kernel(store, "default"), NewEntry(title=topic, body="needed"), actor="test")


def copy_alone(data, target):
    target.mkdir()
    shutil.copy(data / DATABASE, target)
    return target


def newest(data):
    store = open_store(data)
    try:
        with store.read("default") as snapshot:
            return snapshot.tx
    finally:
        store.close()


@pytest.mark.parametrize("fold_at", [1, 15, 1000])
@pytest.mark.parametrize("stored", [0, 1, 40])
def test_a_file_copied_while_it_is_open_is_refused_as_incomplete(tmp_path, monkeypatch, fold_at, stored):
    monkeypatch.setattr(sqlite, "FOLD_AT", fold_at)
    store = open_store(tmp_path / "data")
    store_some(store, map(str, range(stored)))
    copy = copy_alone(tmp_path / "data", tmp_path / "copy")
    for _ in range(2):
        with pytest.raises(Refusal) as refused:
            open_store(copy)
        assert refused.value.failure is Failure.CORRUPT
        assert "incomplete" in refused.value.message
    store.close()
    assert newest(tmp_path / "data") == stored


def test_a_file_says_that_it_is_a_part_also_where_somebody_read_when_the_log_was_begun(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite, "_FOLD_AGAIN", 0.0)
    store = open_store(tmp_path / "data")
    store_some(store, ["bread"])
    store.close()
    store, other = open_store(tmp_path / "data"), open_store(tmp_path / "data")
    with other.read("default") as snapshot:
        assert snapshot.tx == 1
        store_some(store, ["tea"])
    store_some(store, ["milk"])
    copy = copy_alone(tmp_path / "data", tmp_path / "copy")
    with pytest.raises(Refusal) as refused:
        open_store(copy)
    assert "incomplete" in refused.value.message
    for each in (store, other):
        each.close()


def test_a_file_copied_after_it_was_closed_is_whole(tmp_path):
    for round in range(3):
        store = open_store(tmp_path / "data")
        store_some(store, [f"{round}"])
        store.close()
        assert newest(copy_alone(tmp_path / "data", tmp_path / f"copy {round}")) == round + 1


def test_a_file_copied_with_its_log_is_whole(tmp_path):
    store = open_store(tmp_path / "data")
    store_some(store, ["tea", "milk"])
    copy = copy_alone(tmp_path / "data", tmp_path / "copy")
    shutil.copy(tmp_path / "data" / f"{DATABASE}-wal", copy)
    assert newest(copy) == 2
    store.close()


def test_a_file_is_still_known_as_a_part_after_something_was_erased(tmp_path):
    store = open_store(tmp_path / "data")
    store_some(store, ["tea"])
    assert store.database.forget_log()
    store_some(store, ["milk"])
    copy = copy_alone(tmp_path / "data", tmp_path / "copy")
    with pytest.raises(Refusal):
        open_store(copy)
    store.close()


def test_a_log_that_another_program_moved_into_the_file_is_not_missed(tmp_path):
    """Whoever looks at a killed server's file with another tool moves the log and removes it; nothing is lost."""
    store = open_store(tmp_path / "data")
    store_some(store, ["tea", "milk"])
    left = copy_alone(tmp_path / "data", tmp_path / "left")
    shutil.copy(tmp_path / "data" / f"{DATABASE}-wal", left)
    other = apsw.Connection(str(left / DATABASE))
    assert other.execute("SELECT count(*) FROM tx").fetchall() == [(2,)]
    other.close()
    assert not (left / f"{DATABASE}-wal").exists()
    assert newest(left) == 2
    store.close()


def test_what_earlier_programs_left_of_a_file_whose_log_was_forgotten_is_no_empty_store(tmp_path):
    bare = apsw.Connection(str(tmp_path / DATABASE))
    bare.execute("PRAGMA journal_mode=WAL").fetchall()
    bare.close()
    assert (tmp_path / DATABASE).stat().st_size == 4096
    with pytest.raises(Refusal) as refused:
        open_store(tmp_path)
    assert "incomplete" in refused.value.message


def test_a_start_that_was_cut_off_before_anything_was_stored_is_no_incomplete_file(tmp_path):
    SQLiteDatabase(tmp_path / DATABASE).close()
    assert (tmp_path / DATABASE).stat().st_size == 4096
    assert newest(tmp_path) == 0
