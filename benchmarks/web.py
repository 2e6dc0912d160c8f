"""What a call costs over HTTP on a kept connection, beside the same call through the SDK's own server and in process:
python benchmarks/web.py [--quick] [--write-docs] [--scratch DIR]."""

import argparse
import json
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from client import HELLO, LEGACY, cpu_of, memotheca, script
from machine import describe
from memotheca import settings
from memotheca.app import App, build
from memotheca.toolkit.contract import Reply
from memotheca.toolkit.tool import Call
from report import Line, Table, Target, to_text
from section import write_section
from timing import median, percentile

RATIO = "p50 x bare"
INSIDE = "in process p50 ms"
ENTRIES = 200


class WebClient:
    """A server in a program of its own, and one connection to it that is kept, in a session of the older protocol."""

    def __init__(self, command: Sequence[str]) -> None:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("MEMOTHECA_", "PYTHON"))}
        self._child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=inherited)
        assert self._child.stdout is not None
        port = urlsplit(json.loads(self._child.stdout.readline())["endpoint"]).port
        self._host = f"127.0.0.1:{port}"
        self._socket = socket.create_connection(("127.0.0.1", port or 0))
        self._session = ""
        self._asked = 0
        self._session = self._header(self.ask("initialize", HELLO), b"mcp-session-id")
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self._read()

    def ask(self, method: str, params: dict[str, Any] | None = None) -> bytes:
        self._asked += 1
        self._send({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params or {}})
        return self._read()

    def call(self, name: str, **arguments: Any) -> bytes:
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    def cpu(self) -> float:
        return cpu_of(self._child.pid)

    def close(self) -> None:
        self._socket.close()
        self._child.terminate()
        self._child.wait(20)
        assert self._child.stdout is not None
        self._child.stdout.close()

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        session = f"Mcp-Session-Id: {self._session}\r\nMcp-Protocol-Version: {LEGACY}\r\n" if self._session else ""
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: {self._host}\r\nContent-Type: application/json\r\n{session}"
            f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self._socket.sendall(head.encode() + body)

    def _read(self) -> bytes:
        """One answer, by its length or to its last chunk."""
        said = b""
        while b"\r\n\r\n" not in said:
            said += self._more()
        head, _, body = said.partition(b"\r\n\r\n")
        length = self._header(head + b"\r\n\r\n", b"content-length")
        while not body.endswith(b"0\r\n\r\n") if not length else len(body) < int(length):
            body += self._more()
        return head + b"\r\n\r\n" + body

    def _more(self) -> bytes:
        piece = self._socket.recv(1 << 20)
        if not piece:
            raise RuntimeError("the server has closed the connection")
        return piece

    @staticmethod
    def _header(answer: bytes, name: bytes) -> str:
        for line in answer.partition(b"\r\n\r\n")[0].split(b"\r\n"):
            key, _, value = line.partition(b": ")
            if key.lower() == name:
                return value.decode()
        return ""


@dataclass(frozen=True, slots=True)
class Ways:
    """The same call by three ways: through our server, through the SDK's, and in process; each in data of its own that
    was filled alike."""

    ours: WebClient
    bare: WebClient
    app: App

    def fill(self) -> None:
        for number in range(ENTRIES):
            for call in (self.ours.call, self.bare.call, self._call):
                call("store", topic=f"deploys {number}", content=f"Deploy {number} waited for the migration lock.")

    def ping(self) -> list[Callable[[], Any]]:
        return [lambda: self.ours.ask("ping"), lambda: self.bare.ask("ping")]

    def tool(self, name: str, **arguments: Any) -> list[Callable[[], Any]]:
        return [partial(call, name, **arguments) for call in (self.ours.call, self.bare.call, self._call)]

    def close(self) -> None:
        self.ours.close()
        self.bare.close()
        self.app.close()

    def _call(self, name: str, **arguments: Any) -> Reply:
        return self.app.dispatcher.run(name, arguments, Call(kernel=self.app.kernel, actor="benchmark"))


def measure(*, quick: bool, scratch: Path) -> Table:
    rounds = 100 if quick else 400
    ways = Ways(
        WebClient(memotheca(scratch / "ours", "--transport", "http", "--port", "0", "--json", "--toolsets", "all")),
        WebClient(script("web_bare_server.py", str(scratch / "bare"))),
        build(settings.load({"data": str(scratch / "here"), "toolsets": "all"}, {})),
    )
    try:
        ways.fill()
        calls = {
            "ping": ways.ping(),
            "knowledge-status": ways.tool("knowledge-status"),
            "utl_status": ways.tool("utl_status"),
            f"query, 5 of {ENTRIES} entries": ways.tool("query", content="migration lock", limit=5),
            f"query, 20 of {ENTRIES} entries": ways.tool("query", content="migration lock", limit=20),
        }
        lines = [line for label, asked in calls.items() for line in _compare(label, asked, rounds)]
    finally:
        ways.close()
    return Table(
        name="web",
        title="A call over HTTP on a kept connection, in milliseconds",
        lines=lines,
        notes=[
            f"{rounds} interleaved calls each, by a raw client that is in no hurry to acknowledge.",
            "A session of the older protocol, answers as events. The SDK's own server and transport do the same work:",
            "the same tools, in process, on data that was filled alike. In process is the call without any transport.",
        ],
    )


def _compare(label: str, asked: list[Callable[[], Any]], rounds: int) -> list[Line]:
    took: list[list[float]] = [[] for _ in asked]
    for turn in range(rounds + 10):
        for ask, kept in zip(asked, took, strict=True):
            began = time.perf_counter()
            answer = ask()
            elapsed = (time.perf_counter() - began) * 1000
            _check(answer)
            if turn >= 10:
                kept.append(elapsed)
    numbers = [_numbers(each) for each in took]
    if len(took) > 2:
        numbers = [{**each, INSIDE: median(took[2])} for each in numbers]
    ratio = {RATIO: median(took[0]) / median(took[1])}
    return [
        Line(label=f"{label}, memotheca", numbers={**numbers[0], **ratio}, target=Target(column=RATIO, bound=2)),
        Line(label=f"{label}, bare", numbers={**numbers[1], RATIO: 1}),
    ]


def _check(answer: bytes | Reply) -> None:
    if isinstance(answer, Reply):
        assert not answer.failed, answer.structured
    else:
        assert b" 200 OK" in answer[:20], answer[:200]
        assert b'"isError":true' not in answer, answer[:2000]


def _numbers(took: list[float]) -> dict[str, float]:
    return {"min ms": min(took), "p50 ms": median(took), "p95 ms": percentile(took, 0.95)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks/web.py", description="Measure calls over HTTP.")
    parser.add_argument("--quick", action="store_true", help="fewer calls")
    parser.add_argument("--write-docs", action="store_true", help="put the results into docs/benchmarks.md")
    parser.add_argument("--scratch", type=Path, metavar="DIR", help="where to write; a real disk, not memory")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory(
        prefix="memotheca-bench-", dir=parsed.scratch, ignore_cleanup_errors=True
    ) as folder:
        machine = describe(Path(folder))
        machine["command"] = "python benchmarks/web.py" + (" --quick" if parsed.quick else "")
        table = measure(quick=parsed.quick, scratch=Path(folder))
    print(to_text(table))
    if parsed.write_docs:
        write_section("web", machine, [table])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
