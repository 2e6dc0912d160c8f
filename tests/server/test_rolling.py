"""Servers that share a PostgreSQL, replaced one after the other: without a pause where the format of the data stays,
and with a refusal that says so where a newer version has changed it."""

import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memotheca.entries.entries import NewEntry, store_entry
from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import system_clock
from memotheca.model.errors import Failure, Refusal
from memotheca.storage.migrations import STEPS, open_migrated
from memotheca.storage.store import recorded_format
from tests.server.test_http import HttpServer
from tests.storage.postgres_server import needs_postgres, shared_server

pytestmark = needs_postgres


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    yield shared_server().for_data(tmp_path)
    shared_server().clear(tmp_path)


def start(tmp_path: Path, address: str, name: str) -> HttpServer:
    environment = {**os.environ, "MEMOTHECA_DATABASE": address}
    return HttpServer(tmp_path / name, "--toolsets", "entries", environment=environment)


def call(server: HttpServer, name: str, **arguments: Any) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    status, text = server.post(message)
    assert status == 200
    return json.loads(text)["result"]


def ready(server: HttpServer) -> tuple[int, Any]:
    status, _, text = server.send("GET", "/ready")
    return status, json.loads(text).get("reason")


def put(kernel: Kernel, title: str) -> None:
    store_entry(kernel, NewEntry(title=title, body="It is so."), actor="old")


def set_format(address: str, format: int) -> None:
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("UPDATE meta SET value = %s WHERE name = 'format'", (str(format),))


def test_servers_are_replaced_one_by_one_while_the_others_answer(tmp_path: Path, address: str) -> None:
    serving = [start(tmp_path, address, "one"), start(tmp_path, address, "two")]
    try:
        for number in range(2):
            assert not call(serving[0], "store", topic=f"before {number}", content="Kept.")["isError"]
            assert serving.pop(0).close() == 0
            assert not call(serving[0], "store", topic=f"meanwhile {number}", content="Kept.")["isError"]
            serving.append(start(tmp_path, address, f"new {number}"))
        told = call(serving[1], "history", limit=10)["structuredContent"]["items"]
        assert [each["tx_id"] for each in told] == [4, 3, 2, 1]
    finally:
        for server in serving:
            server.close()


def test_a_server_of_the_older_format_reads_and_says_why_it_writes_nothing(tmp_path: Path, address: str) -> None:
    old = start(tmp_path, address, "old")
    try:
        call(old, "store", topic="tea", content="Ada takes it black.")
        assert ready(old) == (200, None)
        set_format(address, len(STEPS) + 1)
        refused = call(old, "store", topic="coffee", content="Not kept.")
        assert refused["isError"]
        assert f"format {len(STEPS) + 1} by a newer Memotheca" in json.dumps(refused)
        assert ready(old) == (503, "incompatible")
        assert old.send("GET", "/health")[0] == 200
        assert [item["topic"] for item in call(old, "query", topic="tea")["structuredContent"]["items"]] == ["tea"]
        set_format(address, len(STEPS))
        assert ready(old) == (200, None)
        assert call(old, "query", topic="coffee")["structuredContent"]["items"] == []
    finally:
        set_format(address, len(STEPS))
        old.close()


@pytest.mark.parametrize("before", range(10, len(STEPS)))
def test_new_servers_bring_the_data_of_old_ones_over_while_those_read(tmp_path: Path, before: int) -> None:
    """Step by step from the formats of the last release."""
    from memotheca.storage.postgres.postgres_database import PostgresDatabase

    with shared_server().another_database(f"format{before}") as address:
        store = open_migrated(PostgresDatabase(address), clock=system_clock, steps=STEPS[:before])
        old = Kernel(store, "default")
        for number in range(3):
            put(old, f"parseConfigFile {number}")
        serving: list[HttpServer] = []
        try:
            serving += [start(tmp_path, address, name) for name in ("one", "two")]
            with store.database.read() as session:
                assert recorded_format(session) == len(STEPS)
            with pytest.raises(Refusal) as refused:
                put(old, "too late")
            assert refused.value.failure is Failure.INCOMPATIBLE
            with old.read() as snapshot:
                assert len(snapshot.entries(("entry",))) == 3
            assert not call(serving[1], "store", topic="after", content="Kept.")["isError"]
            for server in serving:
                assert ready(server) == (200, None)
                deadline = time.monotonic() + 60
                # By a word of the name that capitals part; the index is made anew first.
                while len(call(server, "query", content="config")["structuredContent"]["items"]) < 3:
                    assert time.monotonic() < deadline
                    threading.Event().wait(0.2)
                told = call(server, "history", limit=10)["structuredContent"]["items"]
                assert [each["tx_id"] for each in told] == [4, 3, 2, 1]
        finally:
            for server in serving:
                server.close()
            store.close()
