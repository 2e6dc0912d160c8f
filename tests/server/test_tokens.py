"""Tokens with names: who is let in, as whom, to do what, where, and until when."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.raw import INITIALIZE, MEMOTHECA
from tests.server.sockets import ask, connect, spell
from tests.server.test_http import HttpServer
from tests.storage.postgres_server import environment_for

ENTRIES = "knowledge://entries"


def token(data: Path, *words: str) -> Any:
    """Run `memotheca token …` and return what it prints as JSON."""
    command = [*MEMOTHECA, "token", *words, "--data", str(data), "--json"]
    made = subprocess.run(command, capture_output=True, text=True, check=True, env=environment_for(data))
    return json.loads(made.stdout)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("team") / "data"


@pytest.fixture(scope="module")
def secrets(data: Path) -> dict[str, str]:
    made = {name: token(data, "add", name, "--role", name)["token"] for name in ("read", "write", "admin")}
    return made | {"elsewhere": token(data, "add", "elsewhere", "--for", "handbook")["token"]}


@pytest.fixture(scope="module")
def server(data: Path, secrets: dict[str, str]) -> Iterator[HttpServer]:
    assert secrets
    server = HttpServer(data, "--toolsets", "entries,documents")
    yield server
    server.close()


def send(server: HttpServer, secret: str, method: str, params: dict[str, Any], **headers: str) -> Any:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    return ask(server.port, spell("POST", "/mcp", body, Authorization=f"Bearer {secret}", **headers))


def call(server: HttpServer, secret: str, name: str, **arguments: Any) -> dict[str, Any]:
    status, _, answer = send(server, secret, "tools/call", {"name": name, "arguments": arguments})
    assert status == 200
    return answer["result"]


def test_nobody_is_let_in_without_a_token(server: HttpServer) -> None:
    for secret in ("", "mt_wrong", "mt_"):
        assert send(server, secret, "ping", {})[0] == 401


def test_the_name_of_a_token_is_the_actor_in_history(server: HttpServer, secrets: dict[str, str]) -> None:
    call(server, secrets["write"], "store", topic="tea", content="Ada takes it black.")
    newest = call(server, secrets["read"], "history", limit=1)["structuredContent"]["items"][0]
    assert newest["actor"] == "write"


def test_a_reader_sees_no_tool_that_writes_and_can_call_none(server: HttpServer, secrets: dict[str, str]) -> None:
    listed = {tool["name"] for tool in send(server, secrets["read"], "tools/list", {})[2]["result"]["tools"]}
    everything = {tool["name"] for tool in send(server, secrets["write"], "tools/list", {})[2]["result"]["tools"]}
    assert "query" in listed
    assert "store" in everything - listed
    refused = call(server, secrets["read"], "store", topic="tea", content="Ada takes it with milk.")
    assert refused["isError"]
    assert "may only read" in json.dumps(refused)
    status, _, _ = ask(
        server.port, spell("POST", "/uploads?name=a.txt", b"text", Authorization=f"Bearer {secrets['read']}")
    )
    assert status == 403


def test_a_reader_cancels_nothing(server: HttpServer, secrets: dict[str, str]) -> None:
    answer = send(server, secrets["read"], "tools/cancel", {"taskId": "none"})[2]
    assert "may only read" in json.dumps(answer)


def test_a_token_for_another_collection_works_there_alone(server: HttpServer, secrets: dict[str, str]) -> None:
    call(server, secrets["write"], "store", topic="harbour", content="Ships come at noon.")
    assert call(server, secrets["elsewhere"], "query", topic="harbour")["structuredContent"]["items"] == []
    stored = call(server, secrets["elsewhere"], "store", topic="chapter", content="How we write.")
    assert stored["structuredContent"]["tx_id"] == 1
    assert call(server, secrets["write"], "query", topic="chapter")["structuredContent"]["items"] == []


def test_a_session_is_its_own_holders_alone(server: HttpServer, secrets: dict[str, str]) -> None:
    accepts = {"Accept": "application/json, text/event-stream"}
    status, headers, _ = send(server, secrets["write"], "initialize", INITIALIZE, **accepts)
    assert status == 200
    session = {"Mcp-Session-Id": headers["mcp-session-id"], **accepts}
    assert send(server, secrets["write"], "ping", {}, **session)[0] == 200
    assert send(server, secrets["admin"], "ping", {}, **session)[0] == 404


def test_a_stream_of_events_is_its_own_holders_alone(server: HttpServer, secrets: dict[str, str]) -> None:
    with connect(server.port) as client:
        client.sendall(spell("GET", "/sse", Authorization=f"Bearer {secrets['write']}"))
        first = client.recv(4096).decode()
        session = first.lower().partition("mcp-session-id: ")[2].partition("\r\n")[0]
        ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
        path = f"/messages?session_id={session}"
        theirs = ask(server.port, spell("POST", path, ping, Authorization=f"Bearer {secrets['admin']}"))
        own = ask(server.port, spell("POST", path, ping, Authorization=f"Bearer {secrets['write']}"))
    assert (theirs[0], own[0]) == (404, 202)


def test_a_token_works_at_once_and_is_worth_nothing_once_revoked(server: HttpServer, data: Path) -> None:
    made = token(data, "add", "visitor", "--role", "read")
    assert send(server, made["token"], "ping", {})[0] == 200
    token(data, "revoke", "visitor")
    assert send(server, made["token"], "ping", {})[0] == 401


def test_who_has_no_file_of_tokens_any_more_is_not_open(data: Path, tmp_path: Path) -> None:
    copied = tmp_path / "data"
    secret = token(copied, "add", "ada")["token"]
    server = HttpServer(copied)
    try:
        assert send(server, secret, "ping", {})[0] == 200
        (copied / "tokens.json").unlink()
        assert send(server, secret, "ping", {})[0] == 401
        assert send(server, "", "ping", {})[0] == 401
    finally:
        server.close()


def test_only_a_digest_is_kept_and_listed_by_nobody(data: Path, secrets: dict[str, str]) -> None:
    kept = (data / "tokens.json").read_text()
    assert not any(secret in kept for secret in secrets.values())
    assert (data / "tokens.json").stat().st_mode & 0o077 == 0
    assert {each["name"] for each in token(data, "list")} >= set(secrets)
    assert all("digest" not in each for each in token(data, "list"))


@pytest.mark.parametrize(
    "words",
    [
        ("add", "write"),
        ("add", " "),
        ("add", "x" * 65),
        ("add", "scraper", "--role", "watch", "--for", "mine"),
        ("revoke", "nobody"),
    ],
)
def test_what_cannot_be_done_is_said(data: Path, secrets: dict[str, str], words: tuple[str, ...]) -> None:
    command = [*MEMOTHECA, "token", *words, "--data", str(data)]
    refused = subprocess.run(command, capture_output=True, text=True, check=False, env=environment_for(data))
    assert refused.returncode in (1, 2)
    assert not refused.stdout
    assert refused.stderr.startswith("memotheca: ")


def test_an_open_socket_is_not_answered_once_its_token_is_revoked(server: HttpServer, data: Path) -> None:
    websockets = pytest.importorskip("websockets.sync.client")
    made = token(data, "add", "guest")
    address = f"ws://127.0.0.1:{server.port}/mcp"
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE})
    with websockets.connect(
        address, subprotocols=["mcp"], additional_headers={"Authorization": f"Bearer {made['token']}"}
    ) as socket:
        socket.send(hello)
        assert "result" in json.loads(socket.recv(10))
        token(data, "revoke", "guest")
        socket.send('{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}')
        assert "revoked" in json.loads(socket.recv(10))["error"]["message"]


def test_who_follows_something_is_told_nothing_once_their_token_is_revoked(server: HttpServer, data: Path) -> None:
    websockets = pytest.importorskip("websockets.sync.client")

    def follow(name: str) -> Any:
        bearer = {"Authorization": f"Bearer {token(data, 'add', name)['token']}"}
        socket = websockets.connect(
            f"ws://127.0.0.1:{server.port}/mcp", subprotocols=["mcp"], additional_headers=bearer
        )
        for id, method, params in ((1, "initialize", INITIALIZE), (2, "resources/subscribe", {"uri": ENTRIES})):
            socket.send(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            assert "result" in json.loads(socket.recv(60))
        return socket

    def store(socket: Any, topic: str) -> None:
        params = {"name": "store", "arguments": {"topic": topic, "content": "It is so."}}
        socket.send(json.dumps({"jsonrpc": "2.0", "id": topic, "method": "tools/call", "params": params}))

    def heard(socket: Any) -> dict[str, Any]:
        """The next that nobody asked for."""
        while "method" not in (message := json.loads(socket.recv(60))):
            pass
        return message

    with follow("stays") as stays, follow("goes") as goes:
        store(stays, "before")
        assert heard(stays)["method"] == heard(goes)["method"] == "notifications/resources/updated"
        token(data, "revoke", "goes")
        store(stays, "after")
        assert heard(stays)["params"]["uri"] == ENTRIES
        goes.send('{"jsonrpc":"2.0","id":3,"method":"ping"}')
        assert "revoked" in json.loads(goes.recv(60))["error"]["message"]
