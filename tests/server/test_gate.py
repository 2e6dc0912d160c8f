"""HTTP: who is let in by host, origin and token, and how those are told who are not."""

import json
import subprocess

import pytest

from tests.patience import PATIENCE
from tests.server.raw import INITIALIZE, MEMOTHECA
from tests.server.sockets import ask, connect, read_answer, spell
from tests.server.test_http import HttpServer

PAGE = "https://notes.example"
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
HELLO = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}).encode()
BOTH = "application/json, text/event-stream"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("gate")


@pytest.fixture(scope="module")
def server(folder):
    (folder / "token").write_text("s3cret\n")
    options = ["--allowed-origins", PAGE, "--allowed-hosts", "my-machine", "--log-level", "info"]
    with open(folder / "log", "wb") as log:
        server = HttpServer(folder / "data", *options, "--token-file", str(folder / "token"), errors=log)
        yield server
        server.close()


def post(server, body=PING, **headers):
    headers = {"Authorization": "Bearer s3cret", **headers}
    return ask(server.port, spell("POST", "/mcp", body, **{name: value for name, value in headers.items() if value}))


def test_a_wrong_host_is_told_the_setting(server):
    status, _, answer = post(server, Host="evil.example")
    assert status == 421
    assert "--allowed-hosts" in answer["error"]["data"]["details"]


@pytest.mark.parametrize(
    "host", ["my-machine", "my-machine:3000", "MY-machine:1", "localhost:8", "[::1]:9", "127.0.0.1"]
)
def test_a_named_host_is_answered_on_any_port(server, host):
    assert post(server, Host=host)[0] == 200


@pytest.mark.parametrize(
    "host", ["my-machine.evil.example", "evil:my-machine", "my-machine@evil", "127.0.0.1.nip.io:80"]
)
def test_what_only_looks_like_a_named_host_is_not(server, host):
    assert post(server, Host=host)[0] == 421


def test_a_wrong_origin_is_told_so_in_json(server):
    for origin in ("http://evil.example", "null", "http://localhost.evil.example:80", f"{PAGE}.evil.example"):
        status, headers, answer = post(server, Origin=origin)
        assert (status, answer["error"]["code"], answer["id"]) == (403, -32600, None)
        assert "access-control-allow-origin" not in headers


def test_a_page_of_another_site_that_names_no_origin_is_refused_and_takes_no_place(server):
    for path in ("/sse", "/mcp"):
        request = spell(
            "GET", path, Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors", Authorization="Bearer s3cret"
        )
        assert ask(server.port, request)[0] == 403
    request = spell("GET", "/sse", Sec_Fetch_Site="none", Authorization="Bearer s3cret")
    with connect(server.port) as client:
        client.sendall(request)
        assert read_answer(client)[0] == 200


def test_a_script_of_a_named_origin_may_ask_and_read(server):
    asked = "content-type, authorization, mcp-session-id, mcp-protocol-version, x-other"
    preflight = {"Origin": PAGE, "Access_Control_Request_Method": "POST", "Access_Control_Request_Headers": asked}
    status, headers, _ = ask(server.port, spell("OPTIONS", "/mcp", b"", **preflight))
    assert status == 204
    assert headers["access-control-allow-origin"] == PAGE
    assert "DELETE" in headers["access-control-allow-methods"]
    granted = headers["access-control-allow-headers"].split(", ")
    assert granted == ["content-type", "authorization", "mcp-session-id", "mcp-protocol-version"]
    assert "access-control-allow-credentials" not in headers
    status, headers, _ = post(server, Origin=PAGE)
    assert (status, headers["access-control-allow-origin"], headers["vary"]) == (200, PAGE, "Origin")
    assert "Mcp-Session-Id" in headers["access-control-expose-headers"]
    assert post(server, Origin=PAGE, Authorization=None)[1]["access-control-allow-origin"] == PAGE


def test_a_script_of_another_origin_is_not_granted_anything(server):
    for origin in ("http://evil.example", "http://localhost:5173"):
        preflight = {"Origin": origin, "Access_Control_Request_Method": "POST"}
        status, headers, _ = ask(server.port, spell("OPTIONS", "/mcp", b"", **preflight))
        assert status == 403
        assert "access-control-allow-origin" not in headers


def test_a_star_lets_nobody_in(tmp_path):
    command = [
        *MEMOTHECA,
        "serve",
        "--transport",
        "http",
        "--port",
        "0",
        "--data",
        str(tmp_path),
        "--allowed-origins",
        "*",
    ]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert refused.returncode != 0
    assert "*" in refused.stderr


def test_a_token_is_taken_from_its_header_alone(server):
    path = "/mcp?token=s3cret&access_token=s3cret"
    assert ask(server.port, spell("POST", path, PING))[0] == 401
    for given in ("Bearer", "Bearer ", "s3cret", "Basic s3cret", "Bearer s3cre", "Bearer s3cret2", "Bearer \xff"):
        assert post(server, Authorization=given)[0] == 401
    assert post(server, Authorization="bearer s3cret")[0] == 200


@pytest.mark.parametrize("content", ["", "\n", "   \ns3cret\n"])
def test_a_token_file_without_a_token_is_refused(tmp_path, content):
    (tmp_path / "token").write_text(content)
    command = [*MEMOTHECA, "serve", "--transport", "http", "--port", "0", "--data", str(tmp_path / "data")]
    command += ["--token-file", str(tmp_path / "token")]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert refused.returncode != 0
    assert "token" in refused.stderr


def test_the_log_tells_of_refusals_sparingly_and_without_secrets(server, folder):
    for _ in range(30):
        ask(server.port, spell("POST", "/mcp?token=hidden", PING, Authorization="Bearer gues5"))
    lines = [line for line in (folder / "log").read_text().splitlines() if "refused with" in line]
    assert lines
    assert len(lines) < 30
    assert not any(secret in line for line in lines for secret in ("hidden", "gues5", "s3cret"))


def test_an_open_address_says_at_its_start_which_name_is_answered(tmp_path):
    with open(tmp_path / "log", "wb") as log:
        (tmp_path / "token").write_text("s3cret")
        options = ["--host", "0.0.0.0", "--token-file", str(tmp_path / "token")]
        server = HttpServer(tmp_path / "data", *options, errors=log)
        assert ask(server.port, spell("GET", "/health"))[0] == 200
        server.close()
    said = (tmp_path / "log").read_text()
    assert "--allowed-hosts" in said
    assert f"127.0.0.1:{server.port}" in said
