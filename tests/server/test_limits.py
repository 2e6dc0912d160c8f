"""HTTP under clients that are slow, many or silent: they are cut off, and others are served."""

import json
import queue
import re
import resource
import select
import socket
import subprocess
import threading
from contextlib import ExitStack, suppress

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect as connect_socket

from tests.patience import PATIENCE
from tests.server.raw import MEMOTHECA
from tests.server.sockets import ask, connect, read_all, read_answer, spell
from tests.server.test_http import HttpServer

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def health(server):
    return ask(server.port, spell("GET", "/health"))[0]


PLACES = {"max-connections": 20, "max-connections-per-client": 10, "max-buffers": 1}


def started(folder, **more):
    options = PLACES | {name.replace("_", "-"): value for name, value in more.items()}
    return HttpServer(folder / "data", *(part for name, value in options.items() for part in (f"--{name}", str(value))))


@pytest.fixture
def strict(tmp_path):
    """A server that has little patience and few places."""
    server = started(tmp_path, header_timeout=1, body_timeout=1, stall_timeout=1)
    yield server
    server.close()


@pytest.fixture
def small(tmp_path):
    """A server that has few places, and all the patience that a slow client needs."""
    server = started(tmp_path, header_timeout=300, body_timeout=300, stall_timeout=300)
    yield server
    server.close()


def test_a_request_whose_headers_do_not_come_is_ended(strict):
    for said in (b"", b"GET /health HT", b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "):
        with connect(strict.port) as client:
            client.sendall(said)
            assert b" 408 " in read_all(client)


def test_blank_lines_between_requests_do_not_keep_a_connection(strict):
    with connect(strict.port) as client:
        client.sendall(spell("GET", "/health"))
        assert read_answer(client)[0] == 200
        client.sendall(b"\r\n")
        assert b" 408 " in read_all(client)


def test_a_body_that_does_not_come_is_ended(strict):
    with connect(strict.port) as client:
        client.sendall(spell("POST", "/mcp", PING, Content_Length="1000"))
        status, _, body = read_answer(client)
        assert (status, json.loads(body)["error"]) == (408, "request_timeout")


def test_headers_without_end_are_refused(small):
    with connect(small.port) as client:
        client.sendall(b"GET /health HTTP/1.1\r\n")
        try:
            for number in range(40):
                client.sendall(f"X-{number}: {'x' * 8000}\r\n".encode())
            said = read_all(client)
        except ConnectionError:
            said = b" 431 "
        assert b" 431 " in said


def test_those_who_have_asked_nothing_give_way_to_those_who_ask(small):
    silent = [connect(small.port) for _ in range(30)]
    try:
        for client in silent:
            client.sendall(b"GET /health HT")
        for _ in range(5):
            assert health(small) == 200
    finally:
        for client in silent:
            client.close()


def open_stream(server):
    """A stream of events, and the address that its client posts to."""
    client = connect(server.port)
    client.sendall(spell("GET", "/sse"))
    said = bytearray()
    while (found := re.search(rb"data: (/messages\S+)\s", said)) is None:
        piece = client.recv(4096)
        assert piece, bytes(said)
        said += piece
    return client, found[1].decode()


def is_open(client):
    client.setblocking(False)
    try:
        while client.recv(4096):
            pass
    except BlockingIOError:
        return True
    except ConnectionError:
        pass
    return False


def test_streams_of_those_who_ask_nothing_give_way_to_those_who_ask(small):
    with ExitStack() as stack:
        streams = [stack.enter_context(open_stream(small)[0]) for _ in range(15)]
        assert health(small) == 200
        assert [is_open(client) for client in streams[:5]] == [False] * 5


def test_streams_in_use_give_way_to_nobody(small):
    with ExitStack() as stack:
        used = []
        for _ in range(9):
            client, address = open_stream(small)
            used.append(stack.enter_context(client))
            assert ask(small.port, spell("POST", address, PING))[0] == 202
        for _ in range(3):
            stack.enter_context(open_stream(small)[0])
        assert all(is_open(client) for client in used)


def test_bodies_that_are_being_read_are_bounded_in_all(small):
    half = b"x" * (700 * 1024)
    with connect(small.port) as first, connect(small.port) as second:
        first.sendall(spell("POST", "/mcp", half, Content_Length=str(2 * len(half))))
        second.sendall(spell("POST", "/mcp", half, Content_Length=str(2 * len(half))))
        (told, *_), _, _ = select.select([first, second], [], [], PATIENCE)
        assert read_answer(told)[0] == 503
    assert health(small) == 200


def test_messages_that_websockets_do_not_finish_are_bounded_in_all(small):
    address, half = f"ws://127.0.0.1:{small.port}/mcp", "x" * (700 * 1024)
    go_on, ended = threading.Event(), queue.Queue()

    def halves():
        yield half
        go_on.wait(PATIENCE)
        yield ""

    def begin(client):
        with suppress(ConnectionClosed):
            client.send(halves())

    def hear(client):
        try:
            ended.put(json.loads(client.recv(PATIENCE))["error"]["code"])
        except ConnectionClosed as closed:
            ended.put(closed.rcvd.code if closed.rcvd else None)

    with connect_socket(address) as first, connect_socket(address) as second:
        threads = [threading.Thread(target=act, args=(each,)) for each in (first, second) for act in (begin, hear)]
        for thread in threads:
            thread.start()
        # There is room for one of them.
        assert ended.get(timeout=PATIENCE) == 1013
        assert ended.empty()
        go_on.set()
        assert ended.get(timeout=PATIENCE) == -32700
        for thread in threads:
            thread.join(PATIENCE)
    # What they held is free again.
    with connect_socket(address) as client:
        client.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"_meta": {"x": half}}}))
        assert json.loads(client.recv(PATIENCE))["result"] == {}


def test_a_refused_request_is_answered_before_its_body_has_come(small):
    for headers, status in (({"Origin": "http://evil.example"}, 403), ({"Host": "evil.example"}, 421)):
        with connect(small.port) as client:
            client.sendall(spell("POST", "/mcp", PING, Content_Length="1000000", **headers))
            assert read_answer(client)[0] == status


def test_a_request_is_answered_though_its_client_has_closed_its_half(small):
    for request in (spell("GET", "/health"), spell("POST", "/mcp", PING)):
        with connect(small.port) as client:
            client.sendall(request)
            client.shutdown(socket.SHUT_WR)
            assert b" 200 " in read_all(client)


def test_few_descriptors_do_not_stop_the_health_check_nor_fill_the_log(tmp_path):
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))

    command = [*MEMOTHECA, "serve", "--transport", "http", "--port", "0", "--json", "--data", str(tmp_path / "data")]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=few)  # noqa: PLW1509
    assert child.stdout is not None
    assert child.stderr is not None
    port = int(json.loads(child.stdout.readline())["endpoint"].split(":")[2].split("/")[0])
    silent = [connect(port) for _ in range(400)]
    try:
        assert ask(port, spell("GET", "/health"))[0] == 200
    finally:
        for client in silent:
            client.close()
        child.terminate()
        _, log = child.communicate(timeout=PATIENCE)
    assert len(log.splitlines()) < 60


@pytest.mark.parametrize("name", ["max-connections", "header-timeout", "max-buffer", "lease-seconds"])
def test_a_limit_of_nothing_is_refused(tmp_path, name):
    command = [*MEMOTHECA, "serve", "--transport", "http", "--port", "0", f"--{name}", "0", "--data", str(tmp_path)]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert refused.returncode == 2
    assert f"{name} must be at least 1" in refused.stderr
