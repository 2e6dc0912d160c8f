"""PostgreSQL as many servers share it: transactions of a collection are in order, readers never wait, a write that
failed for a passing reason is run again, and a database that is away is said to be and found again."""

import logging
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from memotheca.entries.entries import NewEntry, blank_entry, store_entry
from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import system_clock
from memotheca.model.errors import Failure, Refusal
from memotheca.search.prepared import LATER
from memotheca.storage.activity import read_state, write_state
from memotheca.storage.database import Session, TryAgain
from memotheca.storage.migrations import STEPS, Step, open_migrated
from memotheca.storage.postgres.postgres_database import PostgresDatabase
from memotheca.storage.postgres.postgres_dialect import from_stored, to_stored, translate
from memotheca.storage.store import Store, Transaction
from tests.patience import PATIENCE
from tests.storage.opener import add_colour
from tests.storage.postgres_server import USER, PostgresServer, needs_postgres, open_on_postgres, shared_server

pytestmark = needs_postgres


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    yield shared_server().for_data(tmp_path)
    shared_server().clear(tmp_path)


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    store = open_on_postgres(address)
    yield store
    store.close()


@pytest.fixture
def own_server() -> Iterator[PostgresServer]:
    """One that may be killed; what it says is durable is."""
    server = PostgresServer(fsync="on", full_page_writes="on")
    yield server
    server.remove()


def put(store: Store, topic: str = "tea", collection: str = "default") -> int:
    return store_entry(Kernel(store, collection), NewEntry(title=topic, body=""), actor="test").version.tx


def newest(store: Store, collection: str = "default") -> int:
    with store.read(collection) as snapshot:
        return snapshot.tx


def backends(session: Session) -> int:
    return session.rows("SELECT pg_backend_pid()")[0][0]


def end_connection(address: str, pid: int) -> None:
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s)", (pid,))


def test_a_reader_answers_while_a_write_is_under_way(store: Store) -> None:
    put(store)
    with ThreadPoolExecutor(1) as threads, store.database.write("default") as session:
        session.run("UPDATE collection SET tx = 100")
        assert threads.submit(newest, store).result(PATIENCE) == 1


def test_a_reader_keeps_its_snapshot_while_others_commit(store: Store) -> None:
    put(store)
    with store.read("default") as snapshot, ThreadPoolExecutor(1) as threads:
        assert threads.submit(put, store).result(PATIENCE) == 2
        assert [found.tx for found in snapshot.commits()] == [1]
    assert newest(store) == 2


def test_a_write_that_fails_leaves_nothing_and_frees_the_lock(store: Store) -> None:
    put(store)

    def fail(transaction: Transaction) -> None:
        transaction.put(blank_entry(transaction, "never"), LATER)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.write("default", fail, actor="test")
    assert newest(store) == 1
    assert put(store) == 2


def test_transactions_of_many_servers_have_no_gap_and_none_is_lost(address: str, store: Store) -> None:
    others = [open_on_postgres(address) for _ in range(3)]
    try:
        with ThreadPoolExecutor(4) as threads:
            everybody = [(turn, place, each) for turn in range(15) for place, each in enumerate([store, *others])]
            jobs = [threads.submit(put, each, f"{place}-{turn}") for turn, place, each in everybody]
            assert sorted(job.result(60) for job in jobs) == list(range(1, 61))
        with store.read("default") as snapshot:
            assert [found.tx for found in snapshot.commits(newest_first=False)] == list(range(1, 61))
            assert snapshot.count("entry") == 60
    finally:
        for each in others:
            each.close()


def test_counting_in_operational_state_loses_nothing(address: str, store: Store) -> None:
    other = open_on_postgres(address)

    def count(session: Session) -> None:
        write_state(session, "default", "count", (read_state(session, "default", "count") or 0) + 1, now=1)

    with ThreadPoolExecutor(4) as threads:
        for job in [threads.submit(each.operate, count) for _ in range(20) for each in (store, other)]:
            job.result(60)
    with store.database.read() as session:
        assert read_state(session, "default", "count") == 40
    other.close()


def test_a_writer_of_one_collection_does_not_wait_for_that_of_another(store: Store) -> None:
    put(store)
    put(store, collection="other")
    with ThreadPoolExecutor(1) as threads, store.database.write("default"):
        assert threads.submit(put, store, "milk", "other").result(PATIENCE) == 2


def test_who_waits_too_long_for_a_collection_is_told_so_and_may_try_again(address: str, store: Store) -> None:
    put(store)
    other = open_on_postgres(address, patience=0.2)
    with store.database.write("default"), pytest.raises(Refusal) as refused:
        put(other)
    assert refused.value.failure is Failure.BUSY
    assert refused.value.failure.retryable
    assert put(other) == 2
    other.close()


def test_a_write_whose_connection_is_lost_is_run_again_and_done_once(address: str, store: Store) -> None:
    put(store)
    runs: list[int] = []

    def act(transaction: Transaction) -> None:
        transaction.put(blank_entry(transaction, "once"), LATER)
        runs.append(backends(transaction.session))
        if len(runs) == 1:
            end_connection(address, runs[0])

    store.write("default", act, actor="test")
    assert len(runs) == 2
    assert newest(store) == 2


def test_a_write_whose_answer_is_lost_is_not_done_twice(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    import psycopg

    put(store)
    commit = psycopg.Connection.execute
    lost: list[int] = []

    def lose(connection: Any, query: Any, *given: Any, **options: Any) -> Any:
        result = commit(connection, query, *given, **options)
        if query == b"COMMIT" and not lost and threading.current_thread().name == "writer":
            lost.append(1)
            connection.pgconn.finish()
            raise psycopg.OperationalError("the connection is lost")
        return result

    monkeypatch.setattr(psycopg.Connection, "execute", lose)
    writer = threading.Thread(target=put, args=(store, "milk"), name="writer")
    writer.start()
    writer.join(PATIENCE)
    assert lost == [1]
    assert newest(store) == 2


def test_what_conflicts_is_run_again(store: Store) -> None:
    import psycopg.errors

    runs: list[int] = []

    def act(session: Session) -> str:
        runs.append(1)
        if len(runs) < 3:
            raise psycopg.errors.SerializationFailure
        return "done"

    assert store.operate(act) == "done"
    assert len(runs) == 3


def test_what_keeps_failing_is_refused(store: Store) -> None:
    import psycopg.errors

    def act(session: Session) -> None:
        raise psycopg.errors.DeadlockDetected

    with pytest.raises(TryAgain):
        store.operate(act)


def test_a_database_that_is_away_is_said_to_be_and_is_found_again(own_server: PostgresServer) -> None:
    store = open_on_postgres(own_server.address(), away=0.3)
    assert put(store) == 1
    own_server.kill()
    for attempt in (put, newest):
        with pytest.raises(Refusal) as refused:
            attempt(store)
        assert refused.value.failure is Failure.UNAVAILABLE
        assert refused.value.failure.retryable
        assert str(own_server.folder) not in refused.value.message
    own_server.start()
    assert newest(store) == 1
    assert put(store) == 2
    store.close()


def test_an_outage_that_is_short_is_not_noticed(own_server: PostgresServer) -> None:
    store = open_on_postgres(own_server.address(), away=30)
    assert put(store) == 1
    own_server.kill()
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(put, store)
        own_server.start()
        assert waiting.result(60) == 2
    store.close()


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ada:hunter2@127.0.0.1:1/x",
        "host=127.0.0.1 port=1 user=ada password=hunter2 dbname=x",
        "postgresql://ada:hunter2@[broken/x",
        "postgresql://ada:hunter2@127.0.0.1:1/x?sslmode=nonsense",
    ],
)
def test_a_password_is_never_told(address: str, caplog: pytest.LogCaptureFixture) -> None:
    from memotheca.storage.postgres.postgres_database import PostgresDatabase
    from memotheca.storage.postgres.postgres_errors import describe_address

    with caplog.at_level(logging.DEBUG), pytest.raises(Refusal) as refused:
        PostgresDatabase(address, away=0.0)
    told = "".join(str(each) for each in (refused.value, refused.value.__cause__, refused.value.details, caplog.text))
    assert "hunter2" not in told
    assert "hunter2" not in describe_address(address)


def test_the_health_of_it_is_told(store: Store) -> None:
    put(store)
    assert store.database.check() == []
    assert store.database.size() > 0
    assert set(store.database.pragmas()) == {"fsync", "full_page_writes", "synchronous_commit"}


def test_what_is_acknowledged_is_on_the_disk_and_a_server_that_does_not_wait_for_it_is_told_of(
    store: Store, own_server: PostgresServer
) -> None:
    import psycopg

    assert "fsync" in store.database.may_lose()
    with psycopg.connect(own_server.address(), autocommit=True) as connection:
        connection.execute(f"ALTER ROLE {USER} SET synchronous_commit = off".encode())
    careful = open_on_postgres(own_server.address())
    with careful.database.read() as session:
        assert session.rows("SHOW synchronous_commit") == [("off",)]
    for transaction in (careful.database.write("default"), careful.database.write(), careful.database.write_apart()):
        with transaction as session:
            assert session.rows("SHOW synchronous_commit") == [("on",)]
    assert careful.database.may_lose() == ""
    assert careful.database.pragmas()["synchronous_commit"] == "on"
    careful.close()


def test_what_is_erased_is_on_no_page_any_more(own_server: PostgresServer) -> None:
    store = open_on_postgres(own_server.address())
    secret = "xylophonic-secret"
    made = store_entry(Kernel(store, "default"), NewEntry(title=secret, body=secret), actor="test").version
    store.write("default", lambda transaction: transaction.erase(made.id), actor="test")
    assert pages_with(own_server, secret), "it takes writing the tables anew"
    assert store.database.forget_log()
    assert not pages_with(own_server, secret)
    store.close()


def pages_with(server: PostgresServer, text: str) -> list[str]:
    """The files of tables and indexes that hold a text, once all is written to them."""
    import psycopg

    with psycopg.connect(server.address(), autocommit=True) as connection:
        connection.execute("CHECKPOINT")
    return [
        path.name for path in (server.data / "base").rglob("*") if path.is_file() and text.encode() in path.read_bytes()
    ]


@pytest.mark.parametrize("text", ["a\0b", "\1", "\1\1", "\0\1\2\0", "\2", "plain", "é\0"])
def test_letters_that_no_text_may_have_come_back(store: Store, text: str) -> None:
    assert from_stored([(to_stored(text), 1, None, b"\0")]) == [(text, 1, None, b"\0")]
    store.operate(lambda session: session.run("INSERT INTO meta (name, value) VALUES (?, ?)", f"x{text}", text))
    with store.database.read() as session:
        assert session.rows("SELECT name, value FROM meta WHERE name = ?", f"x{text}") == [(f"x{text}", text)]


def test_texts_are_in_the_order_of_their_bytes(store: Store) -> None:
    words = ["b", "a", "B", "é", "_", "Z", "-", "\U0001f600", "￮"]

    def act(session: Session) -> None:
        session.run_many("INSERT INTO meta (name, value) VALUES (?, 'x')", [(f"word {each}",) for each in words])

    store.operate(act)
    with store.database.read() as session:
        rows = session.rows("SELECT name FROM meta WHERE name > 'word' AND value = 'x' ORDER BY name")
    assert [row[0].removeprefix("word ") for row in rows] == sorted(words, key=str.encode)


def test_a_statement_differs_only_where_it_has_to() -> None:
    assert translate("SELECT a FROM t WHERE b = ? AND c > ?") == b"SELECT a FROM t WHERE b = $1 AND c > $2"
    assert b"JOIN t x ON x.id = w.value" in translate("SELECT 1 FROM json_each(?) w CROSS JOIN t x ON x.id = w.value")
    assert b"CROSS" not in translate("SELECT 1 FROM json_each(?) w CROSS JOIN t x ON x.id = w.value")
    assert translate("CREATE TABLE t (a TEXT, b BLOB, c REAL)") == (
        b'CREATE TABLE t (a TEXT COLLATE "C", b BYTEA, c DOUBLE PRECISION)'
    )


def test_servers_that_begin_at_once_make_the_tables_once(own_server: PostgresServer) -> None:
    with ThreadPoolExecutor(4) as threads:
        stores = list(threads.map(open_on_postgres, [own_server.address()] * 4))
    assert sorted(put(store) for store in stores) == [1, 2, 3, 4]
    for store in stores:
        store.close()


def open_with(address: str, *more: Step) -> Store:
    """By a program whose format has further steps."""
    database = PostgresDatabase(address)
    try:
        return open_migrated(database, clock=system_clock, steps=(*STEPS, *more))
    except BaseException:
        database.close()
        raise


def break_off(session: Session) -> None:
    session.run("ALTER TABLE edge_head ADD COLUMN colour TEXT")
    raise ValueError("a bug in a step")


def test_a_step_that_fails_leaves_the_old_format_and_what_is_there(address: str, store: Store) -> None:
    put(store)
    with pytest.raises(ValueError, match="a bug"):
        open_with(address, add_colour, break_off)
    assert store.newer_format() is None
    assert put(store) == 2
    # Neither step has left a column, else it could not be run.
    open_with(address, add_colour, lambda session: session.run("ALTER TABLE edge_head ADD COLUMN colour TEXT")).close()


def test_servers_that_migrate_at_once_run_each_step_once_and_the_older_writes_no_more(
    address: str, store: Store
) -> None:
    put(store)
    with ThreadPoolExecutor(4) as threads:
        newer = list(threads.map(lambda _: open_with(address, add_colour), range(4)))
    assert sorted(put(each) for each in newer) == [2, 3, 4, 5]
    with pytest.raises(Refusal) as refused:
        put(store)
    assert refused.value.failure is Failure.INCOMPATIBLE
    assert newest(store) == 5
    for each in newer:
        each.close()


def test_a_collection_that_many_begin_at_once_is_begun_once(address: str, store: Store) -> None:
    others = [open_on_postgres(address) for _ in range(3)]
    meeting = threading.Barrier(4, timeout=PATIENCE)

    def begin(each: Store) -> int:
        meeting.wait()
        return put(each, collection="new")

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(begin, [store, *others])) == [1, 2, 3, 4]
    for each in others:
        each.close()
