"""What a call costs over HTTP on a kept connection, beside the SDK's bare server: python benchmarks/web.py [--quick]
[--write-docs] [--scratch DIR]."""

import argparse
import json
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from client import HELLO, LEGACY, pinakes, script
from machine import describe
from report import Line, Table, Target, to_text
from section import write_section
from timing import median

RATIO = "p50 x bare"
ENTRIES = 200


class WebClient:
    """A server in a program of its own, and one connection to it that is kept, in a session of the older protocol."""

    def __init__(self, command: Sequence[str]) -> None:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PINAKES_", "PYTHON"))}
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


Ask = Callable[[], bytes]


def measure(*, quick: bool, scratch: Path) -> Table:
    rounds = 100 if quick else 400
    bare = WebClient(script("web_bare_server.py"))
    ours = WebClient(pinakes(scratch / "data", "--transport", "http", "--port", "0", "--json", "--toolsets", "all"))
    try:
        for number in range(ENTRIES):
            ours.call(
                "store", topic=f"deploys {number}", content=f"Deploy number {number} waited for the migration lock."
            )
        idle = lambda: bare.call("idle")  # noqa: E731
        pairs: list[tuple[str, Ask, Ask]] = [
            ("ping", lambda: ours.ask("ping"), lambda: bare.ask("ping")),
            ("knowledge-status", lambda: ours.call("knowledge-status"), idle),
            ("utl_status", lambda: ours.call("utl_status"), idle),
            ("query, 5 of 200 entries", lambda: ours.call("query", content="migration lock", limit=5), idle),
        ]
        lines = [line for pair in pairs for line in _compare(pair, rounds)]
    finally:
        ours.close()
        bare.close()
    return Table(
        name="web",
        title="A call over HTTP on a kept connection, in milliseconds",
        lines=lines,
        notes=[
            f"{rounds} interleaved calls each, by a raw client that is in no hurry to acknowledge.",
            "A session of the older protocol, answers as events; the bare server's tool does nothing.",
        ],
    )


def _compare(pair: tuple[str, Ask, Ask], rounds: int) -> list[Line]:
    label, ours, bare = pair
    took: tuple[list[float], list[float]] = ([], [])
    for turn in range(rounds + 10):
        for ask, kept in zip((ours, bare), took, strict=True):
            began = time.perf_counter()
            answer = ask()
            elapsed = (time.perf_counter() - began) * 1000
            assert b" 200 OK" in answer[:20], answer[:200]
            assert b'"isError":true' not in answer, answer[:2000]
            if turn >= 10:
                kept.append(elapsed)
    against = median(took[1])
    return [
        Line(label=f"{label}, pinakes", numbers=_numbers(took[0], against), target=Target(column=RATIO, bound=2)),
        Line(label=f"{label}, bare", numbers=_numbers(took[1], against)),
    ]


def _numbers(took: list[float], against: float) -> dict[str, float]:
    p95 = sorted(took)[int(len(took) * 0.95)]
    return {"min ms": min(took), "p50 ms": median(took), "p95 ms": p95, RATIO: median(took) / against}


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks/web.py", description="Measure calls over HTTP.")
    parser.add_argument("--quick", action="store_true", help="fewer calls")
    parser.add_argument("--write-docs", action="store_true", help="put the results into docs/benchmarks.md")
    parser.add_argument("--scratch", type=Path, metavar="DIR", help="where to write; a real disk, not memory")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pinakes-bench-", dir=parsed.scratch, ignore_cleanup_errors=True) as folder:
        machine = describe(Path(folder))
        machine["command"] = "python benchmarks/web.py" + (" --quick" if parsed.quick else "")
        table = measure(quick=parsed.quick, scratch=Path(folder))
    print(to_text(table))
    if parsed.write_docs:
        write_section("web", machine, [table])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
