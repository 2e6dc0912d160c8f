"""HTTP: whoever closes the connection before the answer, as a browser does at the next keystroke, is worked for no
longer."""

import http.client
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.patience import PATIENCE
from tests.server.test_http import MODERN

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "page", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture(name="port", scope="module")
def fixture_port(serve, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("hanging")
    command = [sys.executable, str(Path(__file__).parent / "conformance"), str(folder / "data"), "http"]
    with serve(command, folder) as endpoint:
        yield urlsplit(endpoint).port


def ask(port: int, tool: str) -> http.client.HTTPConnection:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    params = {"name": tool, "arguments": {}, "_meta": META}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    headers |= {name.replace("_", "-"): value for name, value in MODERN.items()}
    headers |= {"Mcp-Method": "tools/call", "Mcp-Name": tool}
    connection.request("POST", "/mcp", body, headers)
    return connection


def told(port: int, tool: str) -> str:
    connection = ask(port, tool)
    try:
        answer = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    return answer["result"]["content"][0]["text"]


def test_a_call_stops_in_the_server_when_whoever_asked_has_hung_up(port: int) -> None:
    for _ in range(3):
        left = ask(port, "test_waiting")
        assert told(port, "test_begun") == "begun"
        left.close()
        assert told(port, "test_stopped") == "stopped"
