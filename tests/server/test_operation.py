"""A server as whoever runs it sees it: lines about calls, readiness, metrics, traces, and its end."""

import http.server
import json
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.patience import PATIENCE, until
from tests.server.sockets import ask, connect, read_answer, spell
from tests.server.test_http import HttpServer
from tests.server.test_tokens import token

SECRET = "zanzibar"
EVENTS = {"Accept": "application/json, text/event-stream"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def post(server: HttpServer, secret: str, method: str, params: Any = None, path: str = "/mcp", **headers: str) -> Any:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}).encode()
    return ask(server.port, spell("POST", path, body, Authorization=f"Bearer {secret}", **headers))


def call(server: HttpServer, secret: str, name: str, **arguments: Any) -> Any:
    return post(server, secret, "tools/call", {"name": name, "arguments": arguments})[2]


def lines_of(server: HttpServer) -> list[str]:
    """All that a server has said on stderr, once it has ended."""
    server.child.terminate()
    said = server.child.communicate(timeout=PATIENCE)[1].decode()
    return said.splitlines()


def test_every_call_and_every_refusal_is_a_line_without_content(data: Path) -> None:
    secret = token(data, "add", "ada")["token"]
    server = HttpServer(data, "--log-calls", "json", "--toolsets", "entries,memories")
    stored = call(server, secret, "store", topic=SECRET, content=f"The {SECRET} plan.")
    assert "result" in stored
    call(server, secret, "query", topic=SECRET)
    call(server, secret, "update", id=f"{SECRET}-1", content=SECRET)
    call(server, secret, SECRET)
    post(server, secret, f"tools/{SECRET}")
    post(server, secret, "resources/read", {"uri": f"knowledge://entries/{SECRET}"})
    post(server, SECRET, "ping")
    post(server, secret, "ping", path="/c/elsewhere/mcp")
    ask(server.port, spell("POST", f"/mcp?x={SECRET}", b"{}", Host=SECRET))
    said = lines_of(server)
    assert SECRET not in "".join(line for line in said if f"Host '{SECRET}'" not in line)
    told = [json.loads(line) for line in said]
    calls = [line for line in told if line.get("event") == "call"]
    assert [(line["tool"], line["outcome"]) for line in calls] == [
        ("store", "ok"),
        ("query", "ok"),
        ("update", "not_found"),
        ("unknown", "invalid_params"),
        ("unknown", "method_not_found"),
        ("resources/read", "not_found"),
    ]
    assert {line["who"] for line in calls} == {"ada"}
    assert {line["collection"] for line in calls} == {"default"}
    assert all(line["ms"] > 0 for line in calls)
    assert calls[0]["bytes"] > 100
    assert calls[2]["bytes"] > 0
    assert calls[3]["bytes"] == 0
    refusals = [line for line in told if line.get("event") == "refusal"]
    assert [line["status"] for line in refusals] == [401, 404, 421]
    assert secret not in "".join(said)


def test_a_line_to_be_read_stays_one_whatever_a_client_calls_itself(data: Path) -> None:
    server = HttpServer(data, "--log-calls", "text")
    name = 'eve"\n2026-01-01T00:00:00Z call who=admin'
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": name, "version": "1"}}
    _, headers, _ = post(server, "", "initialize", hello, **EVENTS)
    post(server, "", "tools/list", Mcp_Session_Id=headers["mcp-session-id"], **EVENTS)
    said = lines_of(server)
    assert [line.split()[1] for line in said] == ["call", "call"]
    assert 'who="eve\\"\\n2026' in said[1]


def test_nothing_is_said_unless_it_was_asked_for(data: Path) -> None:
    server = HttpServer(data)
    call(server, "", "query", topic="tea")
    assert ask(server.port, spell("GET", "/metrics"))[0] == 404
    assert lines_of(server) == []


def test_metrics_are_for_those_who_watch(data: Path) -> None:
    secrets = {name: token(data, "add", name, "--role", name)["token"] for name in ("write", "watch", "admin")}
    # Metrics name every collection, so that they are not for who was let into one of them.
    secrets["guest"] = token(data, "add", "guest", "--role", "admin", "--for", "elsewhere")["token"]
    server = HttpServer(data, "--metrics")
    try:
        call(server, secrets["write"], "store", topic="tea", content="black")
        call(server, secrets["write"], "update", id="e-99", content="green")
        post(server, "wrong", "ping")
        told = {
            name: ask(server.port, spell("GET", "/metrics", b"", Authorization=f"Bearer {secret}"))
            for name, secret in secrets.items()
        }
        statuses = {name: answer[0] for name, answer in told.items()}
        assert statuses == {"write": 403, "watch": 200, "admin": 200, "guest": 403}
        assert "default" not in str(told["guest"])
        assert ask(server.port, spell("GET", "/metrics"))[0] == 401
        text = told["watch"][2]
        assert 'memotheca_calls_total{collection="default",outcome="ok",tool="store"} 1.0' in text
        assert 'memotheca_calls_total{collection="default",outcome="not_found",tool="update"} 1.0' in text
        assert 'memotheca_refusals_total{status="401"} 1.0' in text
        assert "memotheca_calls_running 0.0" in text
        assert post(server, secrets["watch"], "ping")[0] == 404
    finally:
        server.close()


class Collector(http.server.BaseHTTPRequestHandler):
    """Keeps the bodies of what is posted to it."""

    bodies: ClassVar[list[bytes]] = []

    def do_POST(self) -> None:
        self.bodies.append(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Quietly."""


@pytest.fixture
def collector() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector) as listener:
        thread = threading.Thread(target=listener.serve_forever)
        thread.start()
        Collector.bodies.clear()
        yield f"http://127.0.0.1:{listener.server_port}/v1/traces"
        listener.shutdown()
        thread.join()


def test_a_trace_has_a_span_for_each_call_below_its_clients(data: Path, collector: str) -> None:
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    server = HttpServer(data, "--traces", collector)
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    asked = {"name": "query", "arguments": {"topic": SECRET}, "_meta": {"traceparent": parent}}
    assert "result" in post(server, "", "tools/call", asked)[2]
    call(server, "", "update", id=SECRET, content="x")
    server.close()
    spans = [
        span
        for body in Collector.bodies
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
    assert [span.name for span in spans] == ["query", "update"]
    assert spans[0].trace_id.hex() == parent.split("-")[1]
    assert spans[0].parent_span_id.hex() == parent.split("-")[2]
    assert [span.status.code for span in spans] == [0, 2]
    assert SECRET.encode() not in b"".join(Collector.bodies)


def test_a_collector_that_is_away_disturbs_no_call(data: Path) -> None:
    server = HttpServer(data, "--traces", "http://127.0.0.1:9/v1/traces")
    assert "result" in call(server, "", "query", topic="tea")
    assert server.close() == 0


def test_ready_is_where_calls_should_go(data: Path) -> None:
    server = HttpServer(data)
    try:
        assert ask(server.port, spell("GET", "/ready"))[::2] == (
            200,
            {"status": "ready", "version": ask(server.port, spell("GET", "/health"))[2]["version"]},
        )
    finally:
        server.close()


@pytest.fixture
def waiting(data: Path) -> Iterator[HttpServer]:
    """A server that has a call under way: it asks its client something, and waits for the answer."""
    server = HttpServer(data, "--toolsets", "all", "--drain-timeout", "300")
    yield server
    server.child.kill()
    server.child.communicate()


def begin_upload(server: HttpServer) -> Any:
    """A call that lasts as long as its client likes: a file of which the last byte is missing."""
    client = connect(server.port)
    client.sendall(spell("POST", "/uploads?name=a.txt", b"text")[:-1])
    client.settimeout(PATIENCE)
    until(lambda: any(server.data.glob("uploads/*/*/a.txt")))
    return client


def wait_until(server: HttpServer, status: int) -> None:
    until(lambda: ask(server.port, spell("GET", "/ready"))[0] == status)


def test_what_runs_comes_to_its_end_and_what_is_new_is_asked_to_come_again(waiting: HttpServer) -> None:
    client = begin_upload(waiting)
    assert call(waiting, "", "query", topic="tea")["result"]
    waiting.child.send_signal(signal.SIGTERM)
    wait_until(waiting, 503)
    assert ask(waiting.port, spell("GET", "/ready"))[2]["reason"] == "draining"
    assert ask(waiting.port, spell("GET", "/health"))[0] == 200
    refused = call(waiting, "", "store", topic="tea", content="black")["error"]
    assert (refused["data"]["code"], refused["data"]["retryable"]) == ("unavailable", True)
    status, _, answer = ask(waiting.port, spell("POST", "/uploads?name=b.txt", b"text"))
    assert (status, answer["error"]) == (503, "unavailable")
    client.sendall(b"t")
    assert read_answer(client)[0] == 201
    client.close()
    assert waiting.child.wait(PATIENCE) == 0


def test_what_does_not_end_is_left_after_its_time(data: Path) -> None:
    server = HttpServer(data, "--toolsets", "all", "--drain-timeout", "1")
    client = begin_upload(server)
    server.child.send_signal(signal.SIGTERM)
    said = server.child.communicate(timeout=PATIENCE)[1].decode()
    client.close()
    assert "did not end in time" in said


def test_a_second_signal_ends_it_at_once(waiting: HttpServer) -> None:
    client = begin_upload(waiting)
    waiting.child.send_signal(signal.SIGTERM)
    wait_until(waiting, 503)
    waiting.child.send_signal(signal.SIGTERM)
    waiting.child.wait(PATIENCE)
    client.close()


def test_without_the_extra_it_is_said_what_to_install(data: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked" / "prometheus_client"
    blocked.mkdir(parents=True)
    (blocked / "__init__.py").write_text("raise ImportError")
    from tests.server.raw import MEMOTHECA

    ended = subprocess.run(
        [*MEMOTHECA, "serve", "--transport", "http", "--port", "0", "--metrics", "--data", str(data)],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(blocked.parent)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert ended.returncode != 0
    assert "memotheca[metrics]" in ended.stderr
