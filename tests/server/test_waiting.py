"""Calls that wait, as many as there are: others are answered meanwhile, and at the end each of them hears of it."""

import json

import pytest
from websockets.sync.client import connect as connect_socket

from memotheca.app import DATABASE
from tests.patience import PATIENCE
from tests.server.sockets import ask, connect, read_answer, spell
from tests.server.test_http import HttpServer
from tests.write_lock import nobody_can_write

WAITING = 300


def call(id, name, **arguments):
    params = {"name": name, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})


@pytest.fixture
def server(tmp_path):
    server = HttpServer(tmp_path / "data")
    assert (
        ask(server.port, spell("POST", "/mcp", call(1, "store", topic="tea", content="Ada takes it black.").encode()))[
            0
        ]
        == 200
    )
    yield server
    server.close()


@pytest.fixture
def held(server, tmp_path):
    """The write lock, which somebody else has, so that whoever writes waits."""
    with nobody_can_write(tmp_path / "data" / DATABASE) as other:
        yield other


def test_hundreds_of_calls_that_wait_keep_nobody_from_being_answered(server, held):
    with connect_socket(f"ws://127.0.0.1:{server.port}/mcp") as client:
        for number in range(WAITING):
            client.send(call(number, "store", topic=f"tea {number}", content="needed"))
        client.send(json.dumps({"jsonrpc": "2.0", "id": "last", "method": "ping"}))
        # By the time this is answered, all before it have been taken in.
        assert json.loads(client.recv(PATIENCE)) == {"jsonrpc": "2.0", "id": "last", "result": {}}
        status, _, said = ask(server.port, spell("POST", "/mcp", call(1, "query", content="tea").encode()))
        assert (status, said["result"]["isError"]) == (200, False)
        held.execute("ROLLBACK")
        answered = {json.loads(client.recv(PATIENCE))["id"] for _ in range(WAITING)}
    assert answered == set(range(WAITING))


def test_whoever_waits_while_the_server_ends_hears_of_it(server, held):
    with connect(server.port) as client:
        client.sendall(spell("POST", "/mcp", call(7, "store", topic="milk", content="needed").encode()))
        assert ask(server.port, spell("GET", "/health"))[0] == 200
        server.child.terminate()
        body = read_answer(client)[2]
    told = json.loads(body)
    assert told["id"] == 7
    failed = told["error"]["data"] if "error" in told else told["result"]["structuredContent"]["error"]
    assert failed["retryable"] is True
