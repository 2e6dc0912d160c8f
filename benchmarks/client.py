"""A raw client over stdio: it costs the server nothing, and sees what the server costs."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

LEGACY = "2025-11-25"
MODERN = "2026-07-28"
_META = "io.modelcontextprotocol"

ENVELOPE = {
    f"{_META}/protocolVersion": MODERN,
    f"{_META}/clientCapabilities": {},
    f"{_META}/clientInfo": {"name": "benchmark", "version": "1"},
}
HELLO = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}

BENCHMARKS = Path(__file__).parent


def memotheca(folder: Path, *flags: str) -> list[str]:
    return [sys.executable, "-m", "memotheca.cli.main", "serve", "--data", str(folder), *flags]


def script(name: str, *arguments: str) -> list[str]:
    return [sys.executable, str(BENCHMARKS / name), *arguments]


def cpu_of(process: int) -> float:
    """CPU seconds of a program so far, all its threads together."""
    if not sys.platform.startswith("linux"):
        return float("nan")
    # What clock_getcpuclockid(3) makes of a process id; Python does not offer the call.
    return time.clock_gettime((~process << 3) | 2)


class Client:
    """One server in a program of its own, from its start to its end."""

    def __init__(self, command: Sequence[str], **variables: str) -> None:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("MEMOTHECA_", "PYTHON"))}
        self.began = time.perf_counter()
        self._child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**inherited, "PYTHONDONTWRITEBYTECODE": "1", **variables},
        )
        self._asked = 0

    def tell(self, method: str) -> None:
        self._write({"jsonrpc": "2.0", "method": method})

    def ask(self, method: str, params: dict[str, Any] | None = None) -> bytes:
        """The line that answers; notifications before it are skipped."""
        self._asked += 1
        self._write({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params or {}})
        assert self._child.stdout is not None
        while line := self._child.stdout.readline():
            if json.loads(line).get("id") == self._asked:
                return line
        raise RuntimeError(f"the server ended before it answered {method}")

    def greet(self) -> bytes:
        """The handshake of the older protocol."""
        answer = self.ask("initialize", HELLO)
        self.tell("notifications/initialized")
        return answer

    def cpu(self) -> float:
        """CPU seconds of the server so far, all its threads together."""
        return cpu_of(self._child.pid)

    def peak_memory(self) -> float:
        """The most memory the server has held so far, in MB."""
        status = Path(f"/proc/{self._child.pid}/status")
        if not status.exists():
            return float("nan")
        held = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(held.split()[1]) / 1000

    def kill(self, number: int = signal.SIGKILL) -> None:
        self._child.send_signal(number)

    def close(self) -> resource.struct_rusage:
        """Close its input, wait for its end, and say what its whole life cost."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.close()
        _, status, usage = os.wait4(self._child.pid, 0)
        self._child.returncode = os.waitstatus_to_exitcode(status)
        self._child.stdout.close()
        return usage

    def _write(self, message: dict[str, Any]) -> None:
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps(message).encode() + b"\n")
        self._child.stdin.flush()
