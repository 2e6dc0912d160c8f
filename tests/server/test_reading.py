"""Clients that ask and do not read: nothing is made for them beyond a bound, and others are served meanwhile."""

import json
import socket
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect as connect_socket

from tests.patience import PATIENCE
from tests.server.sockets import ask, connect, read_answer, spell
from tests.server.test_http import HttpServer

TEXT = "Deploys fail while the nightly job holds the migration lock. " * 800


def memory_of(server):
    """Megabytes that the server's process holds."""
    for line in Path(f"/proc/{server.child.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) // 1024
    raise AssertionError


def call(id, name, **arguments):
    params = {"name": name, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).encode()


def read_everything(id):
    """A question whose answer is a megabyte."""
    params = {"uri": "knowledge://entries"}
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": "resources/read", "params": params}).encode()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reading")
    options = ["--max-buffer", "1", "--stall-timeout", "2", "--max-connections-per-client", "60"]
    server = HttpServer(folder / "data", *options)
    for number in range(20):
        answer = ask(server.port, spell("POST", "/mcp", call(number, "store", topic=f"deploys {number}", content=TEXT)))
        assert not answer[2]["result"]["isError"]
    # Whatever is loaded once is loaded now.
    for message in (call(1, "query", limit=1), read_everything(2)):
        assert ask(server.port, spell("POST", "/mcp", message))[0] == 200
    yield server
    server.close()


def open_channel(server):
    """A stream by server-sent events that is read as far as its address to post to, with little room in the socket."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.settimeout(PATIENCE)
    client.connect(("127.0.0.1", server.port))
    client.sendall(spell("GET", "/sse"))
    said = b""
    while b"\n" not in said.partition(b"data: /messages")[2]:
        said += client.recv(4096)
    path = said.partition(b"data: /messages")[2].partition(b"\n")[0]
    return client, "/messages" + path.decode().strip()


def test_whoever_asks_by_events_and_never_reads_does_not_make_the_server_grow(server):
    before = memory_of(server)
    client, path = open_channel(server)
    statuses = set()
    for number in range(300):
        statuses.add(ask(server.port, spell("POST", path, read_everything(number)))[0])
    assert statuses <= {202, 404, 429}
    assert ask(server.port, spell("GET", "/health"))[0] == 200
    assert ask(server.port, spell("POST", "/mcp", call(1, "query", limit=1)))[0] == 200
    after = memory_of(server)
    client.close()
    assert after - before < 100


def test_a_web_page_cannot_take_every_place_for_streams(server):
    """What opens streams and cannot read them gives way to who speaks."""
    page = [connect(server.port) for _ in range(50)]
    for client in page:
        client.sendall(spell("GET", "/sse"))
        assert read_answer(client)[0] == 200
        client.close()
    for _ in range(20):
        client, path = open_channel(server)
        assert ask(server.port, spell("POST", path, b'{"jsonrpc":"2.0","id":1,"method":"ping"}'))[0] == 202
        client.close()


def test_whoever_asks_over_a_websocket_and_never_reads_does_not_make_the_server_grow(server):
    before = memory_of(server)
    with connect_socket(f"ws://127.0.0.1:{server.port}/mcp", max_queue=1, ping_interval=None) as client:
        for number in range(300):
            client.send(read_everything(number).decode())
        assert ask(server.port, spell("POST", "/mcp", call(1, "query", limit=1)))[0] == 200
        assert memory_of(server) - before < 100
        client.socket.close()


def test_a_binary_frame_ends_the_websocket_with_its_code(server):
    with connect_socket(f"ws://127.0.0.1:{server.port}/mcp") as client:
        client.send(b"\x00\x01")
        with pytest.raises(ConnectionClosed) as ended:
            client.recv(PATIENCE)
    assert ended.value.rcvd is not None
    assert ended.value.rcvd.code == 1003


def test_half_a_surrogate_pair_in_an_address_is_the_callers_fault_on_every_transport(server):
    message = r'{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"knowledge://entries/\ud800"}}'
    assert ask(server.port, spell("POST", "/mcp", message.encode()))[2]["error"]["code"] == -32602
    with connect_socket(f"ws://127.0.0.1:{server.port}/mcp") as client:
        client.send(message)
        assert json.loads(client.recv(PATIENCE))["error"]["code"] == -32602


@pytest.mark.parametrize(
    "asked",
    [
        r'"method":"\ud800"',
        r'"method":"tools/call","params":{"name":"\ud800"}',
        r'"method":"tools/call","params":{"name":"store","arguments":{"topic":"\ud800","content":"x"}}',
        r'"method":"resources/read","params":{"uri":"knowledge://\ud800"}',
        r'"method":"resources/subscribe","params":{"uri":"knowledge://\ud800"}',
        r'"method":"prompts/get","params":{"name":"\ud800"}',
    ],
)
def test_half_a_surrogate_pair_is_answered_wherever_it_stands(server, asked):
    message = f'{{"jsonrpc":"2.0","id":7,{asked}}}'
    with connect_socket(f"ws://127.0.0.1:{server.port}/mcp") as client:
        client.send(message)
        answers = [json.loads(client.recv(PATIENCE))]
    for accepted in ("application/json", "application/json, text/event-stream"):
        status, _, answer = ask(server.port, spell("POST", "/mcp", message.encode(), accept=accepted))
        assert status == 200
        answers.append(answer)
    for answer in answers:
        assert answer["id"] == 7
        code = answer["error"]["code"] if "error" in answer else answer["result"]["structuredContent"]["error"]["code"]
        assert code in {-32601, -32602, -32002, "validation"}


def test_no_id_of_a_client_is_taken_for_the_servers_own(server):
    with connect_socket(f"ws://127.0.0.1:{server.port}/mcp") as client:
        client.send('{"jsonrpc":"2.0","id":"memotheca/handshake","method":"ping"}')
        assert json.loads(client.recv(PATIENCE)) == {"jsonrpc": "2.0", "id": "memotheca/handshake", "result": {}}
