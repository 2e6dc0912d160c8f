"""A client with no manners: it writes lines to a real server process and reads what comes back."""

import json
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from tests.patience import PATIENCE
from tests.storage.postgres_server import environment_for

MEMOTHECA = [sys.executable, "-m", "memotheca.cli.main"]

INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "raw", "version": "1"},
}


class RawServer:
    """`memotheca serve` over stdio, spoken to in raw JSON-RPC."""

    def __init__(self, data: Path, *options: str) -> None:
        self.child = subprocess.Popen(
            [*MEMOTHECA, "serve", "--data", str(data), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment_for(data),
        )
        self._lines: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._early: list[dict[str, Any]] = []
        self._next = 0
        threading.Thread(target=self._pump, daemon=True).start()

    def _pump(self) -> None:
        assert self.child.stdout is not None
        for line in self.child.stdout:
            self._lines.put(json.loads(line))
        self._lines.put(None)

    def write(self, line: str) -> None:
        assert self.child.stdin is not None
        self.child.stdin.write(line.encode() + b"\n")
        self.child.stdin.flush()

    def read(self, timeout: float = PATIENCE) -> dict[str, Any]:
        """The next message, whatever it is."""
        if self._early:
            return self._early.pop(0)
        message = self._lines.get(timeout=timeout)
        assert message is not None, "the server has gone"
        return message

    def send(self, method: str, params: dict[str, Any] | None = None) -> int:
        self._next += 1
        self.write(json.dumps({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params or {}}))
        return self._next

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The answer to a request; notifications that come before it are kept for `notification`."""
        id = self.send(method, params)
        kept: list[dict[str, Any]] = []
        while True:
            message = self.read()
            if message.get("id") == id and "method" not in message:
                self._early = kept + self._early
                return message
            kept.append(message)

    def notification(self, timeout: float = PATIENCE) -> dict[str, Any]:
        message = self.read(timeout)
        assert "id" not in message
        return message

    def begin(self) -> "RawServer":
        assert "result" in self.request("initialize", INITIALIZE)
        self.write('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return self

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        return self.request("tools/call", {"name": name, "arguments": arguments})["result"]["structuredContent"]

    def read_resource(self, uri: str) -> dict[str, Any]:
        return json.loads(self.request("resources/read", {"uri": uri})["result"]["contents"][0]["text"])

    def close(self) -> int:
        assert self.child.stdin is not None
        self.child.stdin.close()
        try:
            return self.child.wait(PATIENCE)
        finally:
            self.child.kill()
            self.child.wait()
            for pipe in (self.child.stdout, self.child.stderr):
                assert pipe is not None
                pipe.close()
