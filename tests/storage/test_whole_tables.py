"""What goes through whole tables of a PostgreSQL is not ended for the time it takes, and killed in the middle it has
done nothing."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memotheca.admin.collections import remove_collection, rename_collection
from memotheca.entries.entries import NewEntry, store_entry
from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from memotheca.storage.postgres import postgres_database
from memotheca.storage.store import Store
from tests.storage.postgres_server import needs_postgres, open_on_postgres, shared_server

pytestmark = needs_postgres

SHORT, LONG = 3, 5  # seconds a statement may take, and seconds it takes
RENAMER = """
import sys
from memotheca.admin.collections import rename_collection
from tests.storage.postgres_server import open_on_postgres
rename_collection(open_on_postgres(sys.argv[1]), "handbook", "guide")
"""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    yield shared_server().for_data(tmp_path)
    shared_server().clear(tmp_path)


def connect(address: str) -> Any:
    import psycopg

    return psycopg.connect(address, autocommit=True)


@pytest.fixture
def slow(address: str) -> Iterator[None]:
    """A table that takes its time, as one of many millions of rows does."""
    with connect(address) as connection:
        connection.execute(
            "CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN PERFORM pg_sleep({LONG}); RETURN NULL; END $$"
        )
        connection.execute(
            "CREATE TRIGGER dawdle BEFORE UPDATE OR DELETE ON version FOR EACH STATEMENT EXECUTE FUNCTION dawdle()"
        )
    yield
    with connect(address) as connection:
        connection.execute("DROP FUNCTION dawdle CASCADE")


@pytest.fixture
def store(address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """Whose statements may take a short while."""
    monkeypatch.setattr(postgres_database, "_STATEMENT", SHORT * 1000)
    store = open_on_postgres(address, patience=SHORT, answer=SHORT + 0.5)
    for name in ("handbook", "other"):
        store_entry(Kernel(store, name), NewEntry(title=name, body=""), actor="test")
    yield store
    store.close()


def test_what_takes_long_without_need_is_ended(store: Store, slow: None) -> None:
    with pytest.raises(Refusal) as refused:
        store.operate(lambda session: session.run("UPDATE version SET kind = kind"))
    assert refused.value.failure is Failure.TIMEOUT


def test_a_large_collection_is_renamed_and_removed(store: Store, slow: None) -> None:
    rename_collection(store, "handbook", "guide")
    assert store.collections() == ["guide", "other"]
    remove_collection(store, "guide")
    assert store.collections() == ["other"]


def test_a_table_is_written_anew_however_long_it_takes(store: Store, address: str) -> None:
    with connect(address) as connection:
        connection.execute("BEGIN; SELECT * FROM version LIMIT 1")
        done: list[bool] = []
        writing = threading.Thread(target=lambda: done.append(store.database.forget_log()))
        store.database._patience = 60.0  # type: ignore[attr-defined]
        writing.start()
        writing.join(LONG)
        connection.execute("ROLLBACK")
        writing.join(60)
    assert done == [True]


def names_in_rows(address: str) -> dict[str, set[str]]:
    with connect(address) as connection:
        return {
            table: {name for (name,) in connection.execute(f"SELECT DISTINCT collection FROM {table}").fetchall()}
            for table in ("version", "tx", "entry_head")
        }


def test_who_is_killed_while_renaming_has_renamed_nothing(store: Store, address: str, slow: None) -> None:
    store.close()
    before = names_in_rows(address)
    running = subprocess.Popen([sys.executable, "-c", RENAMER, address], cwd=Path(__file__).parents[2])
    with connect(address) as connection:

        def at_work() -> int:
            found = (
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'UPDATE version%' AND wait_event = 'PgSleep'"
            )
            return connection.execute(found).fetchone()[0]

        deadline = time.monotonic() + 60
        while not at_work():
            assert running.poll() is None
            assert time.monotonic() < deadline
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
        while at_work():
            assert time.monotonic() < deadline + 60
    assert names_in_rows(address) == before
    again = open_on_postgres(address)
    assert again.collections() == ["handbook", "other"]
    rename_collection(again, "handbook", "guide")
    again.close()
    assert all("guide" in names and "handbook" not in names for names in names_in_rows(address).values())
