"""HTTP: who may reach the server, and what it answers before any handler runs."""

import http.client
import json
import shlex
import subprocess
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.patience import PATIENCE
from tests.server.raw import INITIALIZE, MEMOTHECA
from tests.storage.postgres_server import environment_for


class HttpServer:
    """`memotheca serve --transport http` on a free port."""

    def __init__(self, data, *options, environment=None, errors: Any = subprocess.PIPE):
        self.data = data
        command = [*MEMOTHECA, "serve", "--transport", "http", "--port", "0", "--json", "--data", str(data), *options]
        self.child = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, env=environment_for(data, environment)
        )
        assert self.child.stdout is not None
        self.endpoint = json.loads(self.child.stdout.readline())["endpoint"]
        self.port = urlsplit(self.endpoint).port

    def send(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        shown = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        shown |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, shown)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, dict(response.getheaders()), text

    def post(self, message, **headers):
        body = message if isinstance(message, str) else json.dumps(message)
        status, _, text = self.send("POST", "/mcp", body, **headers)
        return status, text

    def close(self):
        self.child.terminate()
        code = self.child.wait(PATIENCE)
        for pipe in (self.child.stdout, self.child.stderr):
            if pipe is not None:
                pipe.close()
        return code


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = HttpServer(tmp_path_factory.mktemp("http") / "data")
    yield server
    server.close()


HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
MODERN = {"Mcp_Protocol_Version": "2026-07-28"}


def test_health_tells_version_and_newest_transaction(server):
    status, _, text = server.send("GET", "/health")
    assert status == 200
    assert json.loads(text)["status"] == "ok"
    assert json.loads(text)["tx_id"] == 0
    assert json.loads(text)["mcp_version"] == "2026-07-28"


def test_nobody_is_told_where_the_data_lies_on_the_machine(server):
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "knowledge-status", "arguments": {}}}
    _, text = server.post(call, Accept="application/json")
    held = json.loads(text)["result"]["structuredContent"]["knowledge_base"]
    assert (held["storage_path"], held["vector_db_path"]) == (".", "segments")
    assert str(server.data) not in text


def test_a_bare_request_may_accept_events(server):
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert server.post(ping, Accept="application/json, text/event-stream")[0] == 200
    status, text = server.post(ping, Accept="text/event-stream")
    assert (status, text) == (200, 'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n')


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream", "application/json, text/event-stream"])
def test_an_unknown_revision_is_refused_as_the_protocol_says(server, accept):
    meta = {"io.modelcontextprotocol/protocolVersion": "1999-01-01", "io.modelcontextprotocol/clientCapabilities": {}}
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"_meta": meta}}
    status, text = server.post(ping, Accept=accept, Mcp_Protocol_Version="1999-01-01", Mcp_Method="ping")
    assert status == 400
    assert json.loads(text)["error"]["data"]["requested"] == "1999-01-01"
    assert "2026-07-28" in json.loads(text)["error"]["data"]["supported"]


@pytest.mark.parametrize("accept", ["application/json", "application/json, text/event-stream"])
def test_an_unknown_revision_is_called_one_whatever_else_the_request_lacks(server, accept):
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    status, text = server.post(ping, Accept=accept, Mcp_Protocol_Version="1999-01-01")
    assert (status, json.loads(text)["error"]["data"]["requested"]) == (400, "1999-01-01")


def test_a_wrong_content_type_is_told_so_in_json(server):
    status, text = server.post('{"jsonrpc":"2.0","id":1,"method":"ping"}', Content_Type="text/plain")
    assert (status, json.loads(text)["error"]["code"]) == (400, -32600)


def test_every_error_of_the_transport_has_a_body_of_json(server):
    for method, headers in (("GET", {"Accept": "text/html"}), ("PUT", {}), ("DELETE", {}), ("GET", {**MODERN})):
        status, _, text = server.send(method, "/mcp", **headers)
        assert status >= 400
        assert json.loads(text)["error"]["message"]


@pytest.mark.parametrize("headers", [{}, MODERN], ids=["older", "modern"])
@pytest.mark.parametrize(
    ("body", "code", "error_type"),
    [
        ("{broken", -32700, "parse_error"),
        ("[" * 100_000, -32700, "parse_error"),
        ("[]", -32600, "invalid_request"),
        ('{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600, "invalid_request"),
        ('{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, "invalid_request"),
        (r'{"jsonrpc":"1.0","id":"\ud800","method":"ping"}', -32600, "invalid_request"),
        ('{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', -32602, "invalid_params"),
    ],
)
def test_what_is_no_message_is_answered_with_its_code(server, headers, body, code, error_type):
    status, text = server.post(body, **headers)
    error = json.loads(text)["error"]
    assert status == 400
    assert error["code"] == code
    assert error["data"]["error_type"] == error_type
    assert error["data"]["details"]
    assert "pydantic" not in text


def test_an_unknown_method_of_the_modern_era_is_not_found(server):
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "no/such", "params": {"_meta": meta}}
    status, text = server.post(message, **MODERN, Mcp_Method="no/such")
    error = json.loads(text)["error"]
    assert (status, error["code"], error["data"]["error_type"]) == (404, -32601, "method_not_found")


def test_a_foreign_host_or_origin_is_turned_away(server):
    assert server.post(HELLO, Host="evil.example")[0] == 421
    assert server.post(HELLO, Origin="http://evil.example")[0] == 403
    assert server.post(HELLO, Origin=f"http://localhost:{server.port}")[0] == 200


def test_a_body_that_is_too_large_is_refused(server):
    assert server.post('"' + "x" * (17 * 1024 * 1024) + '"')[0] == 413


def test_the_announcement_says_how_to_connect(tmp_path):
    data = tmp_path / "data"
    command = [*MEMOTHECA, "serve", "--transport", "http", "--port", "0", "--data", str(data)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    first = ""
    try:
        first = child.stdout.readline()
        endpoint = next(word for word in first.split() if word.startswith("http://"))
        connection = http.client.HTTPConnection("127.0.0.1", urlsplit(endpoint).port, timeout=PATIENCE)
        connection.request("GET", "/health")
        assert connection.getresponse().status == 200
        connection.close()
    finally:
        child.terminate()
        # Not `communicate`, which does not know what was read ahead of the first line.
        said = first + child.stdout.read()
        child.stdout.close()
        child.wait(PATIENCE)
    assert f"Its data is in {data}\n" in said
    for client in ("Claude Code", "Codex", "Gemini CLI", "VS Code"):
        told = said.partition(f"  {client}\n")[2].splitlines()[0]
        assert endpoint in told
    assert "Claude Desktop" in said
    assert "cursor" in said
    # What it says to run for the others is a command that runs, and that tells of this server.
    (line,) = (line for line in said.splitlines() if "--url" in line and " connect " in line)
    shown = subprocess.run(shlex.split(line), capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert endpoint in shown.stdout


def test_an_open_address_needs_a_token(tmp_path):
    command = [*MEMOTHECA, "serve", "--transport", "http", "--host", "0.0.0.0", "--port", "0", "--data", str(tmp_path)]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert refused.returncode == 1
    assert "token" in refused.stderr


def test_a_token_is_asked_for_and_nothing_else_will_do(tmp_path):
    (tmp_path / "token").write_text("s3cret\n")
    server = HttpServer(tmp_path / "data", "--token-file", str(tmp_path / "token"))
    try:
        status, headers, _ = server.send("POST", "/mcp", json.dumps(HELLO))
        assert status == 401
        assert headers["www-authenticate"].startswith("Bearer")
        assert server.post(HELLO, Authorization="Bearer wrong")[0] == 401
        assert server.post(HELLO, Authorization="Bearer s3cret")[0] == 200
        assert server.send("GET", "/health")[0] == 200
    finally:
        server.close()


def test_a_port_in_use_is_said_before_anything_starts(server, tmp_path):
    command = [*MEMOTHECA, "serve", "--transport", "http", "--port", str(server.port), "--data", str(tmp_path)]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert refused.returncode == 1
    assert "--port" in refused.stderr


def test_an_http_server_does_not_leave_when_its_stdin_closes(tmp_path):
    server = HttpServer(tmp_path / "data")
    assert server.send("GET", "/health")[0] == 200
    assert server.child.poll() is None
    assert server.close() in (0, -15)
