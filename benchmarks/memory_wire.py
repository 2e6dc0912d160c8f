"""What the memory tools cost whoever calls them over a wire: python benchmarks/memory_wire.py [--size N]
[--rounds N] [--only TOOL,…] [--scratch DIR] [--write-docs].

The calls of `memory.py`, at a server in a program of its own (`memory_server.py`), by raw clients: over stdio, and over
HTTP on one connection that is kept, in a session of the older protocol. The arguments need ids and citations, which
this program reads from the same folder."""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from client import Client, script
from instruments import WORKING
from machine import describe, load
from memory import CURATION, ROUNDS, STORING, TOOLS, WARM, Bench, bound_of, open_bench, wanted_tools
from memotheca.model.kinds import MEMORY
from report import Line, Table, Target, to_text
from section import write_section
from timing import median, percentile
from web import WebClient

SIZE = 100_000
# A server that has worked less than so much in such a while does nothing; no longer is waited for that.
IDLE, QUIET, LONGEST = 0.001, 0.02, 1.0
STDIO, HTTP = "stdio", "http"


@dataclass(frozen=True, slots=True)
class Wire:
    """One way to a server of its own: how a tool is asked, how its answer is read, and what the server has taken."""

    ask: Callable[[str, Mapping[str, Any]], bytes]
    read: Callable[[bytes], Mapping[str, Any]]
    cpu: Callable[[], float]
    close: Callable[[], Any]


@dataclass(slots=True)
class Took:
    """What calls of one tool took, in milliseconds: on the wall, and of processors in the server, all its threads."""

    wall: list[float] = field(default_factory=list[float])
    cpu: list[float] = field(default_factory=list[float])


def over_stdio(folder: Path) -> Wire:
    client = Client(script("memory_server.py", str(folder), STDIO))
    client.greet()
    return Wire(
        lambda name, given: client.ask("tools/call", {"name": name, "arguments": given}),
        lambda answer: _result(json.loads(answer)),
        client.cpu,
        client.close,
    )


def over_http(folder: Path) -> Wire:
    client = WebClient(script("memory_server.py", str(folder), HTTP))
    return Wire(lambda name, given: client.call(name, **given), read_event, client.cpu, client.close)


WAYS: Mapping[str, Callable[[Path], Wire]] = {STDIO: over_stdio, HTTP: over_http}


def read_event(answer: bytes) -> Mapping[str, Any]:
    """What a tool said in the one event of a body that came in chunks."""
    rest, body = answer.partition(b"\r\n\r\n")[2], b""
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        body, rest = body + rest[: int(size, 16)], rest[int(size, 16) + 2 :]
    told = next(line for line in body.splitlines() if line.startswith(b"data: {"))
    return _result(json.loads(told.removeprefix(b"data: ")))


def _result(message: dict[str, Any]) -> dict[str, Any]:
    result = message["result"]
    if result.get("isError"):
        raise RuntimeError(f"refused: {result['content']}")
    return result["structuredContent"]


def settle(wire: Wire) -> None:
    """Wait until the server has done what it does between calls, or for a second where it goes on."""
    until = time.perf_counter() + LONGEST
    before = wire.cpu()
    while time.perf_counter() < until:
        time.sleep(QUIET)
        if (now := wire.cpu()) - before < IDLE:
            return
        before = now


def play(bench: Bench, wire: Wire, wanted: Sequence[str], rounds: int) -> dict[str, Took]:
    """Every tool once a round."""
    took = {name: Took() for name in wanted}
    for turn in range(-WARM, rounds):
        for name in wanted:
            arguments = TOOLS[name](bench, turn)
            cpu, began = wire.cpu(), time.perf_counter()
            answer = wire.ask(name, arguments)
            elapsed, spent = time.perf_counter() - began, wire.cpu() - cpu
            said = wire.read(answer)
            settle(wire)
            if turn >= 0:
                took[name].wall.append(elapsed * 1000)
                took[name].cpu.append(spent * 1000)
            if name == "forget_concept":
                bench.hashes.append(str(said["reversal_hash"]))
    return took


def measure(scratch: Path, size: int, rounds: int, wanted: Sequence[str]) -> Table:
    folder = scratch / f"memories-{size}"
    bench, _ = open_bench(folder, size)
    found: dict[str, dict[str, Took]] = {}
    for way, connect in WAYS.items():
        wire = connect(folder)
        found[way] = play(bench, wire, wanted, rounds)
        wire.close()
        # Texts that were stored over one wire are new ones over the next, and what was merged or forgotten is gone.
        with bench.app.kernel.read() as snapshot:
            bench.newest, bench.ids = snapshot.tx, list(snapshot.newest(MEMORY))
    bench.app.kernel.store.close()
    lines: list[Line] = []
    for name in wanted:
        numbers: dict[str, float] = {}
        for way, took in found.items():
            numbers[f"{way} p50 ms"] = median(took[name].wall)
            numbers[f"{way} p95 ms"] = percentile(took[name].wall, 0.95)
            numbers[f"{way} CPU p95 ms"] = percentile(took[name].cpu, 0.95)
        bound = CURATION if name == STORING else bound_of(name)
        target = None if name in WORKING else Target(column=f"{HTTP} CPU p95 ms", bound=bound)
        lines.append(Line(label=name, numbers=numbers, target=target))
    notes = [
        f"{rounds} rounds of every tool on each wire, {WARM} before them not counted; raw clients.",
        "CPU is the server's, of all its threads, from question to answer. Upkeep is done before the next question.",
        "Made-up texts and vectors, as in `memory`: what the shipped model takes comes on top.",
    ]
    return Table(name="memory_wire", title=f"a call over a wire with {size:,} memories", lines=lines, notes=notes)


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks/memory_wire.py", description=__doc__)
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--only", metavar="TOOL,…", help="these tools alone")
    parser.add_argument("--scratch", type=Path, metavar="DIR", help="where the filled directory is, and stays")
    parser.add_argument("--write-docs", action="store_true", help="put the results into docs/benchmarks.md")
    parsed = parser.parse_args()
    # As our own server has it, which here has loaded numpy for the made-up vectors before it could ask for that.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory(prefix="memotheca-bench-") as made:
        scratch = parsed.scratch or Path(made)
        machine = describe(scratch)
        table = measure(scratch, parsed.size, parsed.rounds, wanted_tools(parsed.only))
    machine["load at the end"] = load()
    print(to_text(table))
    if parsed.write_docs:
        write_section("memory_wire", machine, [table])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
