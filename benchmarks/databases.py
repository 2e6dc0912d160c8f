"""One database against the other: 1, 4 and 8 servers and 16 clients on each, what subscribers wait, and how collections
spread over several PostgreSQL: python benchmarks/databases.py [--quick] [--write-docs]."""

import argparse
import hashlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from machine import ROOT, describe, load
from report import Line, Table, to_text
from section import write_section

sys.path.insert(0, str(ROOT))

from memotheca import settings
from memotheca.admin.corpus import import_corpus
from memotheca.app import App, build
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.search.finder import finder_of
from memotheca.search.index.seal import maintain
from memotheca.server.events import Hub
from memotheca.server.resources import RESOURCES, read_resource
from memotheca.toolkit.tool import Call
from tests.storage.postgres_server import PostgresServer

CLIENTS = 16
FLEETS = (1, 4, 8)
CALLS = 8
HEARD = 40
TEXTS = 3000
SHARED = "the collection is one for all: its writers take turns"


def open_app(data: Path, database: str) -> App:
    given = {"data": str(data), "toolsets": "all", **({"database": database} if database else {})}
    app = build(settings.load(given, {}))
    choose_embedder(app.kernel.store, app.kernel.collection, "none")
    return app


def call(app: App, tool: str, **arguments: Any) -> None:
    reply = app.dispatcher.run(tool, arguments, Call(kernel=app.kernel, actor="bench"))
    assert not reply.failed, reply.structured


def timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def work(data: Path, database: str, clients: int, calls: int) -> None:
    """One server of a fleet: so many clients at once, each of which stores, asks and pages."""
    app = open_app(data, database)
    found: dict[str, list[float]] = {"store": [], "query": [], "page": []}
    uri = RESOURCES[0].uri

    def be_client(number: int) -> None:
        for turn in range(calls):
            topic = f"tea {number} {turn} {time.monotonic_ns()}"
            stored = timed(lambda t=topic: call(app, "store", topic=t, content="Green leaves from the high garden."))
            asked = timed(lambda: call(app, "query", content="green leaves", limit=10))
            paged = timed(lambda: read_resource(app.kernel, uri, {"limit": 20}))
            for name, took in zip(found, (stored, asked, paged), strict=True):
                found[name].append(took)

    call(app, "query", content="green leaves", limit=10)  # What is loaded once is loaded.
    read_resource(app.kernel, uri, {"limit": 20})
    sys.stdin.readline()  # All begin together.
    began, cpu = time.monotonic(), time.process_time()
    threads = [threading.Thread(target=be_client, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    spent = {"seconds": time.monotonic() - began, "cpu": time.process_time() - cpu}
    app.close()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({**found, **spent, "megabytes": memory}))


def spent_by(pid: int | None) -> float:
    """Seconds of CPU of a process, its children that live and those that have ended."""
    if pid is None:
        return 0.0
    ticks = sum(int(each) for each in _stat(pid)[11:15])
    for folder in Path("/proc").iterdir():
        try:
            stat = _stat(int(folder.name))
        except (ValueError, OSError):
            continue
        ticks += sum(int(each) for each in stat[11:13]) if int(stat[1]) == pid else 0
    return ticks / os.sysconf("SC_CLK_TCK")


def _stat(pid: int) -> list[str]:
    """What comes after a process' name: its state, its parent …"""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def run_fleet(folder: Path, database: str, servers: int, calls: int, *, beside: int | None) -> dict[str, Any]:
    """`beside` is the process of the database, whose work is counted too."""
    command = [sys.executable, str(Path(__file__)), "--server"]
    children = [
        subprocess.Popen(
            [
                *command,
                str(folder / (f"machine{n}" if database else "one")),
                database,
                str(CLIENTS // servers),
                str(calls),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for n in range(servers)
    ]
    time.sleep(3 + servers)  # Until all are open; on a busy machine a late one is measured while it begins.
    before = spent_by(beside)
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    told = [json.loads(child.communicate()[0]) for child in children]
    taken = spent_by(beside) - before
    numbers: dict[str, Any] = {}
    for name in ("store", "query", "page"):
        took = sorted(each for one in told for each in one[name])
        numbers[f"{name} p50"], numbers[f"{name} p95"] = statistics.median(took), took[int(len(took) * 0.95)]
    done = 3 * CLIENTS * calls
    numbers["calls/s"] = done / max(one["seconds"] for one in told)
    numbers["CPU ms a call"] = 1000 * sum(one["cpu"] for one in told) / done
    numbers["of the database"] = 1000 * taken / done
    numbers["MB a server"] = statistics.mean(one["megabytes"] for one in told)
    return numbers


def wait_to_be_told(folder: Path, database: str, count: int) -> list[float]:
    """Milliseconds from a commit of one server until a subscriber of another is told."""
    one, other = open_app(folder / "hears", database), open_app(folder / ("writes" if database else "hears"), database)
    committed: list[float] = []
    heard: list[float] = []

    async def follow() -> None:
        hub = Hub(one.kernel)
        subscriber = hub.join()
        await hub.follow(subscriber, RESOURCES[0].uri)

        async def send(uri: str, note: dict[str, Any]) -> None:
            heard.append(time.perf_counter())

        async with anyio.create_task_group() as group:
            group.start_soon(hub.run)
            group.start_soon(subscriber.deliver, send)
            await anyio.sleep(1)  # It has tried whether it hears.
            for number in range(count):
                store = threading.Thread(target=lambda n=number: call(other, "store", topic=f"told {n}", content="x"))
                await anyio.to_thread.run_sync(lambda s=store: (s.start(), s.join()))
                committed.append(time.perf_counter())
                with anyio.fail_after(20):
                    while len(heard) <= number:
                        await anyio.sleep(0.001)
            group.cancel_scope.cancel()

    anyio.run(follow)
    for app in (one, other):
        app.close()
    return [max(0.0, (to - since) * 1000) for since, to in zip(committed, heard, strict=False)]


def quantiles(found: list[float]) -> dict[str, float]:
    ordered = sorted(found)
    return {"p50": statistics.median(ordered), "p95": ordered[int(len(ordered) * 0.95)]}


def take_room(folder: Path, database: str) -> dict[str, float]:
    """What texts of a usual length take: rows and index before and after they are sealed."""
    app = open_app(folder, database)
    words = [f"{hashlib.blake2b(str(n).encode(), digest_size=3).hexdigest()}" for n in range(4000)]
    lines = [
        {"_id": str(n), "title": f"text {n}", "text": " ".join(words[(n * 7 + i * i) % 4000] for i in range(70))}
        for n in range(TEXTS)
    ]
    before, began = app.kernel.store.database.size(), time.process_time()
    import_corpus(app.kernel, lines, actor="bench", report=lambda *told: None)
    spent = time.process_time() - began
    index = finder_of(app.kernel).index_of(app.kernel.collection, "")
    maintain(app.kernel.store, index, seal_at=1)
    sealed = sum(path.stat().st_size for path in (folder / "segments").glob("*.seg"))
    grown = app.kernel.store.database.size() - before
    app.close()
    return {
        "KB in the database": grown / 1024 / TEXTS,
        "KB of index on each machine": sealed / 1024 / TEXTS,
        "CPU ms to import": 1000 * spent / TEXTS,
    }


# How collections spread over several databases


def shard_of(name: str, shards: int) -> int:
    """The shard that a name scores highest with: who knows how many there are finds it, and one more moves little."""
    return max(range(shards), key=lambda n: hashlib.blake2b(f"{n}/{name}".encode(), digest_size=8).digest())


def spread(shards: int, collections: int = 10_000) -> dict[str, float]:
    """Where the n-th busiest collection has a load of 1/n: the busiest shard, before and after the hottest is put
    apart, and what one shard more moves."""
    loads = {f"collection {n}": 1 / n for n in range(1, collections + 1)}
    placed = {name: shard_of(name, shards) for name in loads}
    held = [sum(each for name, each in loads.items() if placed[name] == n) for n in range(shards)]
    mean = sum(held) / shards
    hot = placed["collection 1"]
    apart = [each - (loads["collection 1"] if n == hot else 0) for n, each in enumerate(held)]
    moved = sum(shard_of(name, shards + 1) != place for name, place in placed.items())
    return {
        "busiest / mean": max(held) / mean,
        "hottest apart": max([*apart, loads["collection 1"]]) / (sum(held) / (shards + 1)),
        "share of one collection %": 100 / sum(held),
        "moved by one more %": 100 * moved / collections,
    }


def measure(folder: Path, calls: int) -> list[Table]:
    server = PostgresServer(fsync="on", full_page_writes="on")
    lines, told, room = [], [], []
    try:
        for servers in FLEETS:
            for name in ("SQLite", "PostgreSQL"):
                place = folder / f"{name}{servers}"
                address = server.for_data(place) if name == "PostgreSQL" else ""
                beside = server.pid if address else None
                numbers = run_fleet(place, address, servers, calls, beside=beside)
                lines.append(Line(label=f"{name}, {servers} servers", numbers=numbers))
        for name in ("SQLite", "PostgreSQL"):
            place = folder / f"{name} told"
            address = server.for_data(place) if name == "PostgreSQL" else ""
            room.append(
                Line(
                    label=name,
                    numbers=take_room(folder / f"{name} room", server.for_data(folder / "room") if address else ""),
                )
            )
            told.append(Line(label=name, numbers=quantiles(wait_to_be_told(place, address, HEARD))))
    finally:
        server.remove()
    shards = [Line(label=f"{n} databases", numbers=spread(n)) for n in (2, 4, 8, 16)]
    return [
        Table(
            name="databases",
            title=f"{CLIENTS} clients that store, query and page, in milliseconds",
            lines=lines,
            notes=[
                f"each client {calls} of each, one after the other, through dispatch, without a network; {SHARED}.",
                "CPU is of the servers, and beside it what PostgreSQL's own processes take for a call.",
                "server and database share this machine's processors with other work: CPU compares, wall clock hardly.",
            ],
        ),
        Table(
            name="databases", title="a commit of one server until a subscriber of another is told, in ms", lines=told
        ),
        Table(
            name="databases",
            title=f"room for a text of 500 letters, without vectors ({TEXTS:,} texts)",
            lines=room,
            notes=["in PostgreSQL the index is kept too; a machine's copy of it is a cache."],
        ),
        Table(name="databases", title="10,000 collections over several databases, simulated", lines=shards),
    ]


def main() -> int:
    if sys.argv[1:2] == ["--server"]:
        work(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
        return 0
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two calls of each client only")
    parser.add_argument("--write-docs", action="store_true")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memotheca-bench-", ignore_cleanup_errors=True) as folder:
        machine = describe(Path(folder))
        machine["command"] = " ".join(["python benchmarks/databases.py", *sys.argv[1:]])
        tables = measure(Path(folder), 2 if parsed.quick else CALLS)
    machine["load at the end"] = load()
    for table in tables:
        print(to_text(table))
    if parsed.write_docs:
        write_section("databases", machine, tables)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
