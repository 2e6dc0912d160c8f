"""Several collections behind one server, attacked: whoever may enter one learns nothing of another, not even whether
there is one."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest

from tests.server.raw import INITIALIZE, MEMOTHECA
from tests.server.sockets import ask, connect, spell
from tests.server.test_http import HttpServer
from tests.server.test_tokens import token
from tests.storage.postgres_server import environment_for

EVENTS = {"Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def data(database: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for each database."""
    assert database
    return tmp_path_factory.mktemp("served") / "data"


@pytest.fixture(scope="module")
def secrets(data: Path) -> dict[str, str]:
    words = {
        "ada": ("--for", "mine"),
        "bob": ("--for", "yours"),
        "both": ("--for", "mine", "--for", "yours"),
        "everywhere": (),
        "poet": ("--for", "odes/ünd mehr"),
    }
    return {name: token(data, "add", name, *said)["token"] for name, said in words.items()}


@pytest.fixture(scope="module")
def server(data: Path, secrets: dict[str, str]) -> Iterator[HttpServer]:
    assert secrets
    server = HttpServer(data, "--toolsets", "all", "--roots", str(data.parent))
    yield server
    server.close()


def post(server: HttpServer, path: str, secret: str, method: str, params: Any = None, **headers: str) -> Any:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}).encode()
    return ask(server.port, spell("POST", path, body, Authorization=f"Bearer {secret}", **headers))


def call(server: HttpServer, path: str, secret: str, name: str, **arguments: Any) -> dict[str, Any]:
    status, _, answer = post(server, path, secret, "tools/call", {"name": name, "arguments": arguments})
    assert status == 200, answer
    return answer["result"]["structuredContent"]


def seen(answer: tuple[int, dict[str, str], Any]) -> tuple[int, dict[str, str], Any]:
    """An answer without what differs between any two."""
    status, headers, body = answer
    return status, {name: value for name, value in headers.items() if name != "date"}, body


def test_a_path_or_a_token_chooses_the_collection(server: HttpServer, secrets: dict[str, str]) -> None:
    call(server, "/mcp", secrets["ada"], "store", topic="tide", content="High at noon.")
    assert call(server, "/c/mine/mcp", secrets["both"], "query", topic="tide")["items"]
    assert call(server, "/mcp", secrets["both"], "query", topic="tide")["items"]
    assert call(server, "/c/mine/mcp", secrets["everywhere"], "query", topic="tide")["items"]
    for path, who in (("/c/yours/mcp", "both"), ("/mcp", "bob"), ("/mcp", "everywhere")):
        assert call(server, path, secrets[who], "query", topic="tide")["items"] == []


def test_a_name_may_hold_what_an_address_spells_otherwise(server: HttpServer, secrets: dict[str, str]) -> None:
    call(server, "/mcp", secrets["poet"], "store", topic="sea", content="Wine-dark.")
    for spelled in (quote("odes/ünd mehr"), quote("odes/ünd mehr", safe="")):
        assert call(server, f"/c/{spelled}/mcp", secrets["poet"], "query", topic="sea")["items"]


@pytest.mark.parametrize(
    "door", ["mcp", "sse", "messages", "messages?session_id=0", "uploads?name=a.txt", "health", "x"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS"])
def test_a_forbidden_collection_is_answered_as_one_that_is_not_there(
    server: HttpServer, secrets: dict[str, str], door: str, method: str
) -> None:
    call(server, "/mcp", secrets["ada"], "store", topic="tide", content="High at noon.")

    def told(name: str) -> Any:
        body = b"{}" if method == "POST" else b""
        request = spell(method, f"/c/{name}/{door}", body, Authorization=f"Bearer {secrets['bob']}", **EVENTS)
        return seen(ask(server.port, request))

    unknown = told("none")
    assert unknown[0] == 404
    assert [told(name) for name in ("mine", "default", "starter-patterns", "..", "mine%00", "MINE")] == [unknown] * 6


def test_a_socket_is_refused_alike(server: HttpServer, secrets: dict[str, str]) -> None:
    def told(name: str) -> Any:
        upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
        key = {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Authorization": f"Bearer {secrets['bob']}"}
        return seen(ask(server.port, spell("GET", f"/c/{name}/mcp", b"", **upgrade, **key)))

    assert told("mine") == told("none")
    assert told("mine")[0] == 404


def test_nobody_reaches_the_shipped_patterns_own_collection(server: HttpServer, secrets: dict[str, str]) -> None:
    call(server, "/mcp", secrets["everywhere"], "search_patterns", query="summary")
    assert post(server, "/c/starter-patterns/mcp", secrets["everywhere"], "ping")[0] == 404
    assert post(server, "/c/nowhere/mcp", secrets["everywhere"], "ping")[0] == 404


def begin(server: HttpServer, path: str, secret: str) -> str:
    status, headers, _ = post(server, path, secret, "initialize", INITIALIZE, **EVENTS)
    assert status == 200
    return headers["mcp-session-id"]


@pytest.mark.parametrize(("path", "who"), [("/c/yours/mcp", "both"), ("/mcp", "bob"), ("/c/mine/mcp", "both")])
def test_a_session_of_another_is_none(server: HttpServer, secrets: dict[str, str], path: str, who: str) -> None:
    session = begin(server, "/mcp", secrets["ada"])
    for method, params in (("ping", {}), ("tools/list", {}), ("initialize", INITIALIZE)):
        answers = [
            seen(post(server, path, secrets[who], method, params, Mcp_Session_Id=each, **EVENTS))
            for each in (session, uuid4().hex)
        ]
        assert answers[0][0] == 404
        assert answers[0] == answers[1]
    for method in ("GET", "DELETE"):
        told = [
            seen(
                ask(
                    server.port,
                    spell(method, path, b"", Authorization=f"Bearer {secrets[who]}", Mcp_Session_Id=each, **EVENTS),
                )
            )
            for each in (session, uuid4().hex)
        ]
        assert told[0] == told[1]
    assert post(server, "/mcp", secrets["ada"], "ping", Mcp_Session_Id=session, **EVENTS)[0] == 200


@pytest.mark.parametrize(("place", "who"), [("/c/yours", "both"), ("", "bob"), ("/c/mine", "both")])
def test_a_stream_of_another_is_none(server: HttpServer, secrets: dict[str, str], place: str, who: str) -> None:
    with connect(server.port) as client:
        client.sendall(spell("GET", "/sse", Authorization=f"Bearer {secrets['ada']}"))
        session = client.recv(4096).decode().lower().partition("mcp-session-id: ")[2].partition("\r\n")[0]
        bearer = {"Authorization": f"Bearer {secrets[who]}"}
        ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'

        def told(id: str) -> list[Any]:
            requests = [
                spell("POST", f"{place}/messages?session_id={id}", ping, **bearer),
                spell("POST", f"{place}/messages?session%5Fid={id}", ping, **bearer),
                spell("GET", f"{place}/sse?session_id={id}", b"", **bearer),
                spell("GET", f"{place}/sse", b"", Last_Event_Id=f"{id}-1", **bearer),
            ]
            return [seen(ask(server.port, each)) for each in requests]

        assert len(session) == 32
        assert told(session) == told(uuid4().hex)
        assert {status for status, _, _ in told(session)} == {404}


def test_a_stream_names_the_address_of_its_own_collection(server: HttpServer, secrets: dict[str, str]) -> None:
    with connect(server.port) as client:
        client.sendall(spell("GET", "/c/yours/sse", Authorization=f"Bearer {secrets['both']}"))
        said = b""
        while b"event: endpoint" not in said or not said.endswith(b"\n\n\r\n"):
            said += client.recv(4096)
        path = said.partition(b"data: /c/yours/messages?")[2].partition(b"\n")[0].decode().strip()
        stored = {"name": "store", "arguments": {"topic": "stream", "content": "Said by events."}}
        message = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": stored}).encode()
        bearer = {"Authorization": f"Bearer {secrets['both']}"}
        assert ask(server.port, spell("POST", f"/c/yours/messages?{path}", message, **bearer))[0] == 202
        while b'"tx_id"' not in said:
            said += client.recv(4096)
    assert call(server, "/mcp", secrets["bob"], "query", topic="stream")["items"]
    assert call(server, "/mcp", secrets["ada"], "query", topic="stream")["items"] == []


def test_a_task_of_another_collection_is_none(server: HttpServer, secrets: dict[str, str]) -> None:
    bearer = {"Authorization": f"Bearer {secrets['ada']}"}
    sent = ask(server.port, spell("POST", "/uploads?name=plan.txt", b"The plan of the quagga.", **bearer))[2]
    task = call(server, "/mcp", secrets["ada"], "knowledge-add", file_path=sent["file_path"])["task_id"]
    tasks: dict[str, str] = {"mine": task, "none": str(uuid4())}

    def told(id: str) -> list[str]:
        said = [
            post(server, "/mcp", secrets["bob"], method, {"taskId": id})
            for method in ("tasks/get", "tasks/cancel", "tasks/result", "tools/cancel")
        ]
        said.append(post(server, "/mcp", secrets["bob"], "tasks/list"))
        status = {"name": "knowledge-task-status", "arguments": {"task_id": id}}
        said.append(post(server, "/mcp", secrets["bob"], "tools/call", status))
        return [json.dumps(each[2]).replace(id, "ID") for each in said]

    assert told(tasks["mine"]) == told(tasks["none"])
    assert call(server, "/mcp", secrets["ada"], "knowledge-task-status", task_id=task)["status"] != "cancelled"


def test_a_file_that_was_sent_to_one_collection_is_not_there_for_another(
    server: HttpServer, secrets: dict[str, str]
) -> None:
    bearer = {"Authorization": f"Bearer {secrets['ada']}"}
    sent = ask(server.port, spell("POST", "/uploads?name=plan.txt", b"The plan of the quagga.", **bearer))[2]
    other = f"upload:{uuid4()}/plan.txt"
    answers = [
        json.dumps(call(server, "/mcp", secrets["bob"], "knowledge-add", file_path=each)).replace(each, "FILE")
        for each in (sent["file_path"], other)
    ]
    assert answers[0] == answers[1]
    assert "file_not_found" in answers[0]
    taken = call(server, "/mcp", secrets["ada"], "knowledge-add", file_path=sent["file_path"])
    assert taken["success"]


def test_a_resource_and_a_subscription_of_another_are_none(server: HttpServer, secrets: dict[str, str]) -> None:
    stored = call(server, "/mcp", secrets["ada"], "store", topic="hold", content="The quagga leaves at two.")
    listed = post(server, "/mcp", secrets["bob"], "resources/list")[2]["result"]["resources"]
    for resource in listed:
        for method in ("resources/read", "resources/subscribe"):
            answers = [
                str(post(server, "/mcp", secrets["bob"], method, {"uri": uri})[2])
                for uri in (f"{resource['uri']}/{stored['id']}", f"{resource['uri']}/e-999999")
            ]
            assert "quagga" not in answers[0]
            assert answers[0].replace(stored["id"], "ID") == answers[1].replace("e-999999", "ID")


@pytest.mark.parametrize("secret", ["", "hush"])
@pytest.mark.parametrize(
    ("options", "reached"),
    [((), []), (("--collections", "begun,planned"), ["begun", "planned"]), (("--collections", "all"), ["begun"])],
)
def test_without_names_only_what_is_shared_is_reached(
    tmp_path: Path, secret: str, options: tuple[str, ...], reached: list[str]
) -> None:
    data = tmp_path / "data"
    stored = [*MEMOTHECA, "call", "store", "topic=x", "content=y", "--data", str(data), "--collection", "begun"]
    subprocess.run(stored, check=True, capture_output=True, env=environment_for(data))
    environment = {"PATH": "/usr/bin:/bin", **({"MEMOTHECA_TOKEN": secret} if secret else {})}
    server = HttpServer(data, *options, environment=environment)
    try:
        names = ("begun", "planned", "unknown")
        assert [name for name in names if post(server, f"/c/{name}/mcp", secret, "ping")[0] == 200] == reached
        assert ("tx_id" in ask(server.port, spell("GET", "/health"))[2]) is not bool(secret)
    finally:
        server.close()


def offered(server: HttpServer, path: str, secret: str, extensions: dict[str, Any]) -> Any:
    """What stands beside the tools that whoever shows pages is told of."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "page", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"extensions": extensions},
    }
    said = {"Mcp_Protocol_Version": "2026-07-28", "Mcp_Method": "tools/list", **EVENTS}
    headers = {name.replace("_", "-"): value for name, value in said.items()}
    status, _, answer = post(server, path, secret, "tools/list", {"_meta": meta}, **headers)
    assert status == 200, answer
    return answer["result"].get("_meta", {}).get("memotheca/collections")


def test_a_page_is_told_of_the_collections_that_are_open_to_whoever_looks(
    server: HttpServer, secrets: dict[str, str]
) -> None:
    pages = {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}
    call(server, "/c/odes/%C3%BCnd%20mehr/mcp", secrets["poet"], "store", topic="ode", content="To joy.")
    assert offered(server, "/mcp", secrets["ada"], pages) == {"usual": "mine", "names": ["mine"]}
    assert offered(server, "/c/yours/mcp", secrets["both"], pages) == {"usual": "mine", "names": ["mine", "yours"]}
    assert offered(server, "/mcp", secrets["poet"], pages)["names"] == ["odes/ünd mehr"]
    assert {"default", "odes/ünd mehr"} <= set(offered(server, "/mcp", secrets["everywhere"], pages)["names"])
    assert offered(server, "/mcp", secrets["both"], {}) is None
