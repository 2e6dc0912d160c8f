"""Servers that share a PostgreSQL, replaced one after the other: without a pause where the format of the data stays,
and with a refusal that says so where a newer version has changed it."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memotheca.storage.migrations import STEPS
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
