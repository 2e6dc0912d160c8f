"""How long others wait: /health over HTTP while a server works at texts of a megabyte that are made to be
hard: python benchmarks/yielding.py [--quick] [--only WORK] [UNIT …]."""

import argparse
import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

from client import ENVELOPE, MODERN, memotheca
from machine import describe, load
from memotheca.vectors.embedders import DEFAULT
from report import Line, Table, Target, to_text
from section import write_section

MEGABYTE = 1_000_000
# Making vectors of a megabyte takes minutes and is the same all the time; a part of it shows as much.
PART = 50_000
PATIENCE = 120.0
LONGEST = "longest ms"
UNITS = {
    "repeated letters": "a",
    "one long line": "word and ",
    "blanks": " ",
    "newlines": "\n",
    "brackets": "[",
    "open links": "[[a",
    "headings": "# a\n",
    "combining marks": "\u0301",
}


class Server:
    """One server over HTTP with a vault, in a program of its own; `embedder` is that of its collection."""

    def __init__(self, folder: Path, embedder: str = DEFAULT) -> None:
        folder.mkdir()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        self.vault = folder / "vault"
        self.vault.mkdir()
        flags = ("--transport", "http", "--port", str(self._port), "--vault", str(self.vault), "--toolsets", "all")
        flags += ("--roots", str(folder))
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("MEMOTHECA_")}
        choose = [sys.executable, "-m", "memotheca.cli.main", "reindex", "--data", str(folder / "data")]
        subprocess.run([*choose, "--embedder", embedder], capture_output=True, check=True, env=inherited)
        self._child = subprocess.Popen(
            memotheca(folder / "data", *flags), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=inherited
        )
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                self.connect().connect()
                return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("the server did not start")

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE)

    def call(self, name: str, **arguments: Any) -> str:
        return self.ask(self.connect(), "tools/call", {"name": name, "arguments": arguments}, name)

    def ask(self, line: http.client.HTTPConnection, method: str, params: dict[str, Any], name: str = "") -> str:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": ENVELOPE}})
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        headers |= {"MCP-Protocol-Version": MODERN, "Mcp-Method": method, **({"Mcp-Name": name} if name else {})}
        line.request("POST", "/mcp", body, headers)
        return line.getresponse().read().decode()

    def cpu(self) -> float:
        """CPU seconds of the server so far, all its threads together."""
        return time.clock_gettime((~self._child.pid << 3) | 2) if sys.platform.startswith("linux") else float("nan")

    def close(self) -> None:
        self._child.terminate()
        self._child.wait(PATIENCE)


def waits(server: Server, work: Callable[[], Any] | None) -> list[tuple[float, float]]:
    """What each look at /health took while the work went on, or for a second where there is none, and how much of
    that the server was calculating: on a busy machine the rest is waiting for a processor."""
    over = Event()

    def go() -> None:
        if work is not None:
            work()
        else:
            time.sleep(1)
        over.set()

    worker = Thread(target=go, daemon=True)
    line = server.connect()
    found: list[tuple[float, float]] = []
    worker.start()
    while not over.is_set():
        began, calculated = time.perf_counter(), server.cpu()
        line.request("GET", "/health")
        line.getresponse().read()
        found.append((time.perf_counter() - began, server.cpu() - calculated))
        time.sleep(0.002)
    worker.join()
    return found


def _save(server: Server, text: str) -> None:
    """A file that lies in the vault, until it is served."""
    name = f"file{time.monotonic_ns()}.md"
    (server.vault / name).write_text(f"x\n{text}")
    until = time.monotonic() + PATIENCE
    while '"result":null' in server.call("get_node", id=name).replace(" ", ""):
        if time.monotonic() > until:
            raise RuntimeError(f"{name} was not taken in")
        time.sleep(0.1)


def _add(server: Server, text: str) -> None:
    place = server.vault.parent / f"document{time.monotonic_ns()}.txt"
    place.write_text(text)
    answer = server.call("knowledge-add", file_path=str(place), **{"async": False})
    if '"isError":true' in answer.replace(" ", ""):
        raise RuntimeError(answer[:500])


def _title() -> str:
    return f"t{time.monotonic_ns()}"


WORK: dict[str, Callable[[Server, str], Any]] = {
    "store": lambda server, text: server.call("store", topic=_title(), content="x" + text[:99_000]),
    "store_memory": lambda server, text: server.call(
        "store_memory", content="x" + text[:65_000], rationale="it is worth keeping"
    ),
    "create_node": lambda server, text: server.call("create_node", title=_title(), content=text),
    "knowledge-add": _add,
    "knowledge-add with vectors": lambda server, text: _add(server, text[:PART]),
    "a vault": _save,
}
WORDS_ALONE = ("knowledge-add",)


def _line(label: str, found: list[tuple[float, float]]) -> Line:
    walls = sorted(wall for wall, _ in found)
    numbers = {
        "looks": float(len(found)),
        "p50 ms": statistics.median(walls) * 1e3,
        "p99 ms": walls[int(0.99 * len(walls))] * 1e3,
        LONGEST: walls[-1] * 1e3,
        "most CPU of the server in one, ms": max(cpu for _, cpu in found) * 1e3,
    }
    return Line(label=label, numbers=numbers, target=Target(column=LONGEST, bound=100.0))


def measure(folder: Path, units: dict[str, str], works: list[str]) -> Table:
    """Each kind of work has a server of its own, so that what one leaves to be embedded is not in the way of another;
    how that server answers before the work stands beside it."""
    lines: list[Line] = []
    for place, name in enumerate(works):
        server = Server(folder / str(place), "none" if name in WORDS_ALONE else DEFAULT)
        try:
            lines += _measure_one(server, name, units)
        finally:
            server.close()
        print(f"… {name}: {lines[-1].numbers}", file=sys.stderr, flush=True)
    return Table(
        name="yielding",
        title="What others wait while a server works at hard texts",
        lines=lines,
        notes=[
            f"/health is asked every 2 ms while a server works at {len(units)} texts of a megabyte, or as much as is",
            f"taken: {', '.join(units)}. Documents are added by their words alone, and {PART // 1000} kB with vectors.",
        ],
    )


def _measure_one(server: Server, name: str, units: dict[str, str]) -> list[Line]:
    for warm in ("store", "store_memory", "create_node", name):
        WORK[warm](server, "so that everything is loaded")
    idle = _line(f"{name}, before", waits(server, None))
    found: dict[str, list[tuple[float, float]]] = {}
    for label, unit in units.items():
        text = unit * (MEGABYTE // len(unit))
        found[label] = waits(server, lambda text=text: WORK[name](server, text))
    worst = max(found, key=lambda label: max(found[label]))
    return [idle, _line(f"{name}, worst with {worst}", [each for several in found.values() for each in several])]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("units", nargs="*", help=f"which texts: {', '.join(UNITS)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="two texts only")
    parser.add_argument("--only", choices=WORK, help="one kind of work only")
    parser.add_argument("--write-docs", action="store_true")
    parsed = parser.parse_args()
    names = parsed.units or (["newlines", "brackets"] if parsed.quick else list(UNITS))
    with tempfile.TemporaryDirectory(prefix="memotheca-bench-", ignore_cleanup_errors=True) as folder:
        machine = describe(Path(folder))
        machine["command"] = " ".join(["python benchmarks/yielding.py", *sys.argv[1:]])
        works = [parsed.only] if parsed.only else list(WORK)
        table = measure(Path(folder), {name: UNITS[name] for name in names}, works)
    machine["load at the end"] = load()
    print(to_text(table))
    if parsed.write_docs:
        write_section("yielding", machine, [table])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
