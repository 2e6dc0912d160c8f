"""SQLite as many threads and processes share it: the settings hold, readers never wait, nobody is left in the dark."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import apsw
import pytest

from memotheca.app import DATABASE, open_store
from memotheca.entries.entries import NewEntry, blank_entry, store_entry
from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import system_clock
from memotheca.model.errors import Failure, Refusal
from memotheca.search.prepared import LATER
from memotheca.storage.migrations import open_migrated
from memotheca.storage.sqlite import PRAGMAS, SQLiteDatabase, refuse_unsafe, to_refusal
from memotheca.storage.store import Store, Transaction
from tests.durability.processes import ask
from tests.patience import PATIENCE
from tests.storage.openers import opener


@pytest.fixture
def store(tmp_path):
    store = open_store(tmp_path)
    yield store
    store.close()


def put(store: Store, topic: str = "tea", content: str = "") -> int:
    return store_entry(Kernel(store, "default"), NewEntry(title=topic, body=content), actor="test").version.tx


def newest(store: Store) -> int:
    with store.read("default") as snapshot:
        return snapshot.tx


def test_every_connection_reports_the_settings_that_make_it_durable(store):
    assert PRAGMAS == {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1}
    assert store.database.pragmas() == PRAGMAS


def test_connections_opened_later_by_many_threads_report_them_too(tmp_path, monkeypatch):
    reported = list[dict[str, object]]()
    meeting = threading.Barrier(12, timeout=PATIENCE)
    connections = list[apsw.Connection]()
    monkeypatch.setattr(apsw, "connection_hooks", [connections.append])
    database = SQLiteDatabase(tmp_path / DATABASE)

    def look(number: int) -> None:
        with database.read() as session:
            meeting.wait()
            reported.append({name: session.rows(f"PRAGMA {name}")[0][0] for name in PRAGMAS})
            meeting.wait()

    with ThreadPoolExecutor(12) as threads:
        list(threads.map(look, range(12)))
    assert reported == [PRAGMAS] * 12
    assert len(connections) >= 12, "threads that read at once have a connection each"
    assert database.pragmas() == PRAGMAS
    database.close()


def test_a_setting_that_one_connection_lacks_is_reported(store):
    with store.database.read(), store.database.read():
        pass
    store.database._idle[0].execute("PRAGMA synchronous=OFF").fetchall()
    assert store.database.pragmas() == {**PRAGMAS, "synchronous": {0, 2}}


@pytest.mark.parametrize("version", ["3.51.2", "3.50.99", "3.7.0", "2.8.17"])
def test_a_version_of_sqlite_that_loses_commits_is_refused(version):
    with pytest.raises(Refusal) as refused:
        refuse_unsafe(version)
    assert refused.value.failure is Failure.INCOMPATIBLE
    assert version in refused.value.message


@pytest.mark.parametrize("version", ["3.51.3", "3.52.0", "3.100.0", "4.0.0"])
def test_a_safe_version_of_sqlite_is_accepted(version):
    refuse_unsafe(version)


def test_a_database_is_not_opened_by_an_unsafe_version(tmp_path, monkeypatch):
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: "3.40.1")
    with pytest.raises(Refusal, match=r"3\.40\.1"):
        SQLiteDatabase(tmp_path / DATABASE)
    assert not (tmp_path / DATABASE).exists()


def test_a_reader_answers_while_a_write_is_under_way(store):
    put(store)
    with ThreadPoolExecutor(1) as threads, store.database.write() as session:
        session.run("UPDATE collection SET tx = 100")
        assert threads.submit(newest, store).result(PATIENCE) == 1


def test_a_reader_keeps_its_snapshot_while_others_commit(store):
    put(store)
    with store.read("default") as snapshot, ThreadPoolExecutor(1) as threads:
        assert threads.submit(put, store).result(PATIENCE) == 2
        assert [found.tx for found in snapshot.commits()] == [1]
    assert newest(store) == 2


def test_a_write_that_fails_leaves_nothing_and_frees_the_lock(store):
    put(store)

    def fail(transaction: Transaction) -> None:
        transaction.put(blank_entry(transaction, "never"), LATER)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.write("default", fail, actor="test")
    assert newest(store) == 1
    assert put(store) == 2


def test_two_stores_on_one_directory_see_each_others_commits_at_once(tmp_path, store):
    other = open_store(tmp_path)
    for number in range(1, 20, 2):
        assert put(store) == number
        assert newest(other) == number
        assert put(other) == number + 1
        assert newest(store) == number + 1
    other.close()


def test_two_processes_see_each_others_commits_at_once(tmp_path, store):
    with opener(tmp_path) as child:
        for number in range(1, 10, 2):
            assert put(store) == number
            assert ask(child, "read") == f"sees {number}"
            assert ask(child, "write tea") == f"stored {number + 1}"
            assert newest(store) == number + 1
        child.hang_up()
        assert child.finish() == 0, child.complaint


def test_a_writer_waits_for_a_writer_in_another_process(tmp_path, store):
    put(store)
    with opener(tmp_path) as child, ThreadPoolExecutor(1) as threads:
        assert ask(child, "hold") == "holding"
        waiting = threads.submit(put, store)
        assert newest(store) == 1
        assert not waiting.done()
        child.tell("let go")
        assert waiting.result(PATIENCE) == 2
        child.kill()


def test_a_lock_is_free_at_once_when_its_holder_is_killed(tmp_path, store):
    put(store)
    with opener(tmp_path) as child:
        assert ask(child, "hold") == "holding"
        child.kill()
    impatient = open_migrated(SQLiteDatabase(tmp_path / DATABASE, patience=0.0), clock=system_clock)
    assert put(impatient) == 2
    impatient.close()


def test_a_writer_whose_patience_ends_is_told_that_others_are_busy(tmp_path, store):
    put(store)
    impatient = open_migrated(SQLiteDatabase(tmp_path / DATABASE, patience=0.05), clock=system_clock)
    with store.database.write(), pytest.raises(Refusal) as refused:
        put(impatient)
    assert refused.value.failure is Failure.BUSY
    assert refused.value.failure.retryable
    assert "database is locked" not in refused.value.message
    assert put(impatient) == 2
    impatient.close()


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (apsw.BusyError, Failure.BUSY),
        (apsw.LockedError, Failure.BUSY),
        (apsw.FullError, Failure.DISK_FULL),
        (apsw.ReadOnlyError, Failure.UNAVAILABLE),
        (apsw.CantOpenError, Failure.UNAVAILABLE),
        (apsw.PermissionsError, Failure.UNAVAILABLE),
        (apsw.IOError, Failure.UNAVAILABLE),
        (apsw.CorruptError, Failure.CORRUPT),
        (apsw.NotADBError, Failure.CORRUPT),
        (apsw.SQLError, Failure.INTERNAL),
    ],
)
def test_an_error_of_sqlite_becomes_a_refusal_without_its_words(error, failure):
    refusal = to_refusal(error("near /home/ada/memotheca.db: SELECT secret"))
    assert refusal.failure is failure
    assert "secret" not in refusal.message
    assert "/home" not in refusal.message


def test_a_file_that_is_no_database_is_refused_as_damaged(tmp_path):
    (tmp_path / DATABASE).write_bytes(b"This is a shopping list, not a database. " * 100)
    with pytest.raises(Refusal) as refused:
        open_store(tmp_path)
    assert refused.value.failure is Failure.CORRUPT


def put_many(transaction: Transaction) -> None:
    transaction.describe("IMPORT")
    for number in range(4000):
        transaction.put(blank_entry(transaction, f"number {number}", "x" * 7000), LATER)


def test_a_copy_is_made_while_others_write_without_end(tmp_path, store):
    """Each commit of another connection makes a copy without a snapshot start again."""
    store.write("default", put_many, actor="test")
    stop = threading.Event()

    def keep_writing() -> None:
        while not stop.is_set():
            put(store)

    with ThreadPoolExecutor(3) as threads, ExitStack() as stack:
        stack.callback(stop.set)
        writers = [threads.submit(keep_writing) for _ in range(2)]
        threads.submit(store.database.copy_to, tmp_path / "copy.db").result(PATIENCE)
        stop.set()
        for writer in writers:
            writer.result(PATIENCE)
    copy = open_migrated(SQLiteDatabase(tmp_path / "copy.db"), clock=system_clock)
    assert newest(copy) >= 1
    assert copy.database.check() == []
    copy.close()


def test_more_readers_than_are_kept_idle_leave_no_connection_behind(store):
    with ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(store.database.read())
        assert len(store.database._everyone) == 20
    assert len(store.database._everyone) == len(store.database._idle) == 8
