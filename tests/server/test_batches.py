"""Batches: the one revision that has them sends several messages as one array and is answered by one array."""

import http.client
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

import pytest
from websockets.sync.client import connect as connect_socket

from memotheca.app import DATABASE
from memotheca.server.batches import BATCHING, MOST_MEMBERS
from tests.patience import PATIENCE
from tests.server.raw import RawServer
from tests.server.sockets import connect, spell
from tests.server.test_http import HttpServer
from tests.write_lock import nobody_can_write

NEWER = "2025-06-18"
NOTICE = {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}
EVENTS = "application/json, text/event-stream"


class Speaker(Protocol):
    def say(self, message: Any) -> None: ...

    def hear(self) -> Any:
        """The next thing said that is no notification."""


class OverStdio:
    def __init__(self, server: RawServer) -> None:
        self._server = server

    def say(self, message: Any) -> None:
        self._server.write(json.dumps(message))

    def hear(self) -> Any:
        return _first(iter(self._server.read, None))


class OverSocket:
    def __init__(self, socket: Any) -> None:
        self._socket = socket

    def say(self, message: Any) -> None:
        self._socket.send(json.dumps(message))

    def hear(self) -> Any:
        return _first(iter(lambda: json.loads(self._socket.recv(PATIENCE)), None))


class OverEvents:
    """The older transport: a stream to hear by, an address to post to."""

    def __init__(self, server: HttpServer, stream: http.client.HTTPResponse) -> None:
        self._server, self._stream = server, stream
        self._path = next(_events(stream, "endpoint"))
        self._refusal: Any = None

    def say(self, message: Any) -> None:
        status, _, text = self._server.send("POST", self._path, json.dumps(message))
        self._refusal = None if status == 202 else json.loads(text)

    def hear(self) -> Any:
        return self._refusal or _first(json.loads(data) for data in _events(self._stream, "message"))


class OverPosts:
    """Streamable HTTP, in a session or without."""

    def __init__(self, server: HttpServer, **headers: str) -> None:
        self._server, self._headers = server, headers
        self.status = 0
        self.said: list[Any] = []

    def say(self, message: Any) -> None:
        self.status, shown, text = self._server.send("POST", "/mcp", json.dumps(message), **self._headers)
        if "mcp-session-id" in shown and "Mcp_Session_Id" not in self._headers:
            self._headers["Mcp_Session_Id"] = shown["mcp-session-id"]
        is_json = shown.get("content-type", "").startswith("application/json")
        lines = [text] if is_json else [line[6:] for line in text.splitlines() if line.startswith("data: ")]
        self.said = [json.loads(line) for line in lines if line]

    def hear(self) -> Any:
        return _first(iter(self.said))


def _first(messages: Iterator[Any]) -> Any:
    return next(message for message in messages if isinstance(message, list) or "id" in message)


def _events(stream: http.client.HTTPResponse, name: str) -> Iterator[str]:
    found = ""
    while line := stream.readline().decode():
        if line.startswith("event: "):
            found = line[7:].rstrip("\n")
        elif line.startswith("data: ") and found == name:
            yield line[6:].rstrip("\n")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("batches")
    server = HttpServer(folder / "data", "--roots", str(folder))
    yield server
    server.close()


@contextmanager
def _over_stdio(folder, server):
    child = RawServer(folder / "data")
    yield OverStdio(child)
    child.close()


@contextmanager
def _over_socket(folder, server):
    with connect_socket(f"ws://127.0.0.1:{server.port}/mcp") as socket:
        yield OverSocket(socket)


@contextmanager
def _over_events(folder, server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.request("GET", "/sse")
    with connection.getresponse() as stream:
        yield OverEvents(server, stream)
    connection.close()


@contextmanager
def _over_posts(folder, server):
    yield OverPosts(server)


WAYS = {"stdio": _over_stdio, "socket": _over_socket, "events": _over_events, "posts": _over_posts}


def greet(speaker: Speaker, revision: str) -> Speaker:
    params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "batcher", "version": "1"}}
    speaker.say({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params})
    assert speaker.hear()["result"]["protocolVersion"] == revision
    speaker.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return speaker


@pytest.fixture(scope="module", params=WAYS)
def speaker(request, server, tmp_path_factory):
    with WAYS[request.param](tmp_path_factory.mktemp(request.param), server) as speaker:
        yield greet(speaker, BATCHING)


def ask(id: int | str, method: str = "ping", **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def call(id: int | str, name: str, **arguments: Any) -> dict[str, Any]:
    return ask(id, "tools/call", name=name, arguments=arguments)


def why(answer: Any) -> str:
    assert answer["error"]["code"] == -32600
    return answer["error"]["data"]["details"]


def test_one_array_answers_the_requests_of_a_batch_in_their_order(speaker):
    stored = call(11, "store", topic="tea", content="Ada takes it black.")
    speaker.say([stored, NOTICE, ask("12"), ask(13, "no/such"), call(14, "store", topic="tea")])
    answers = speaker.hear()
    assert [answer["id"] for answer in answers] == [11, "12", 13, 14]
    assert answers[0]["result"]["structuredContent"]["topic"] == "tea"
    assert answers[1]["result"] == {}
    assert answers[2]["error"]["code"] == -32601
    assert answers[3]["result"]["isError"]


def test_what_is_no_message_is_answered_in_its_place(speaker):
    speaker.say([1, ask(21), {"jsonrpc": "2.0", "id": 22}, {"jsonrpc": "2.0", "id": 23, "method": "ping", "params": 1}])
    answers = speaker.hear()
    assert [answer["id"] for answer in answers] == [None, 21, 22, 23]
    assert [answer.get("error", {}).get("code") for answer in answers] == [-32600, None, -32600, -32602]


def test_a_batch_without_any_message_is_answered_by_errors(speaker):
    speaker.say([1, "two"])
    assert [answer["error"]["code"] for answer in speaker.hear()] == [-32600, -32600]


def test_a_batch_of_notifications_has_no_answer(speaker):
    speaker.say([NOTICE, NOTICE])
    if isinstance(speaker, OverPosts):
        assert (speaker.status, speaker.said) == (202, [])
    speaker.say(ask(31))
    assert speaker.hear()["id"] == 31


def test_a_batch_is_refused_whole_with_its_reason(speaker):
    for members, reason in (
        ([], "at least one"),
        ([ask(1), ask(2, "initialize")], "initialize"),
        ([ask(1), ask(1)], "id of its own"),
        ([ask(1), ask("1")], "id of its own"),
        ([ask(number) for number in range(MOST_MEMBERS + 1)], str(MOST_MEMBERS)),
    ):
        speaker.say(members)
        assert reason in why(speaker.hear())


def test_a_batch_may_have_as_many_messages_as_is_said(speaker):
    speaker.say([ask(number) for number in range(1000, 1000 + MOST_MEMBERS)])
    assert [answer["id"] for answer in speaker.hear()] == list(range(1000, 1000 + MOST_MEMBERS))


def test_a_request_that_its_own_batch_cancels_does_not_keep_the_others_waiting(speaker):
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 41}}
    speaker.say([call(41, "query", topic="tea"), cancel, ask(42)])
    # Where the answer was on its way already, it may come alone.
    heard = speaker.hear()
    heard = heard if isinstance(heard, list) else speaker.hear()
    assert {"jsonrpc": "2.0", "id": 42, "result": {}} in heard


@pytest.mark.parametrize("way", WAYS)
def test_other_revisions_are_told_that_they_have_no_batches(way, server, tmp_path):
    with WAYS[way](tmp_path, server) as speaker:
        speaker.say([ask(1, "initialize")])
        assert ("initialize" if way == "posts" else "no revision") in why(speaker.hear())
        greet(speaker, NEWER)
        speaker.say([ask(1)])
        reason = why(speaker.hear())
        assert NEWER in reason
        assert BATCHING in reason


def test_a_batch_may_come_without_a_session(server):
    for headers in (
        {},
        {"Mcp_Protocol_Version": BATCHING},
        {"Accept": "application/json"},
        {"Accept": "text/event-stream"},
    ):
        bare = OverPosts(server, **headers)
        bare.say([ask(1), NOTICE, call("two", "query", topic="tea")])
        assert bare.status == 200
        assert [answer["id"] for answer in bare.hear()] == [1, "two"]
    for revision in (NEWER, "2025-11-25", "2024-11-05", "2026-07-28"):
        bare = OverPosts(server, Mcp_Protocol_Version=revision)
        bare.say([ask(1)])
        assert bare.status == 400
        assert revision in why(bare.hear())


def test_what_keeps_a_message_out_keeps_a_batch_out(server):
    lost = OverPosts(server, Mcp_Session_Id="0" * 32)
    lost.say([ask(1), ask(2)])
    assert lost.status == 404
    assert lost.said[0]["error"]


def test_what_is_told_before_the_answers_is_told_at_once(server):
    (server.data.parent / "tea.txt").write_text("Green tea wants water of seventy degrees.")
    client = OverPosts(server)
    greet(client, BATCHING)
    reported = call(1, "knowledge-add", file_path=str(server.data.parent / "tea.txt"), **{"async": False})
    reported["params"]["_meta"] = {"progressToken": "t"}
    client.say([reported, ask(2)])
    *before, answers = client.said
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[0]["result"]["structuredContent"]["success"]
    assert before
    assert {message["method"] for message in before} == {"notifications/progress"}
    assert {message["params"]["progressToken"] for message in before} == {"t"}


def _connections(child: Any) -> int:
    """How many sockets a process has open; one that is closed while we look counts for nothing."""
    held = 0
    for link in Path(f"/proc/{child.pid}/fd").iterdir():
        with suppress(OSError):
            held += str(link.readlink()).startswith("socket:")
    return held


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="descriptors are counted as Linux shows them")
@pytest.mark.parametrize("way", ["socket", "events", "posts"])
def test_who_leaves_in_the_middle_of_a_batch_leaves_nothing_behind(way, tmp_path):
    server = HttpServer(tmp_path / "data")
    server.send("GET", "/health")
    before = _connections(server.child)
    with nobody_can_write(server.data / DATABASE), WAYS[way](tmp_path, server) as speaker:
        greet(speaker, BATCHING)
        batch = [call(1, "store", topic="tea", content="black"), ask(2)]
        if way == "posts":
            sent = json.dumps(batch).encode()
            with connect(server.port) as client:
                client.sendall(spell("POST", "/mcp", sent, Accept=EVENTS, Mcp_Protocol_Version=BATCHING))
                server.send("GET", "/health")
        else:
            speaker.say(batch)
    while _connections(server.child) > before:
        assert server.send("GET", "/health")[0] == 200
    assert server.close() == 0


def test_a_client_that_closes_its_end_in_the_middle_of_a_batch_lets_the_server_end(tmp_path):
    server = RawServer(tmp_path / "data")
    speaker = OverStdio(server)
    greet(speaker, BATCHING)
    with nobody_can_write(tmp_path / "data" / DATABASE):
        speaker.say([call(1, "store", topic="tea", content="black"), ask(2)])
        assert server.child.stdin is not None
        server.child.stdin.close()
    assert server.close() == 0


@pytest.mark.parametrize("way", ["socket", "events", "posts"])
def test_a_server_that_is_stopped_in_the_middle_of_a_batch_ends_and_keeps_nobody_waiting(way, tmp_path):
    server = HttpServer(tmp_path / "data")
    with (
        nobody_can_write(server.data / DATABASE),
        WAYS[way](tmp_path, server) as speaker,
        ThreadPoolExecutor(1) as pool,
    ):
        greet(speaker, BATCHING)
        said = pool.submit(speaker.say, [call(1, "store", topic="tea", content="black"), ask(2)])
        server.send("GET", "/health")
        server.child.terminate()
        heard = pool.submit(speaker.hear)
        heard.exception(PATIENCE)
        said.exception(PATIENCE)
    assert server.close() in (0, 1)
