"""What a vault costs: python benchmarks/notes.py [--quick] [--sizes N,N] [--vault DIR …] [--basic-memory PROGRAM]
[--scratch DIR] [--json FILE] [--write-docs]."""

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from client import Client, memotheca
from filling import run_tool
from machine import describe, load
from memotheca.app import App, build
from memotheca.notes.mounts import opened
from memotheca.notes.overview import survey
from memotheca.notes.sync import sync_everything
from memotheca.settings import load as load_settings
from memotheca.storage.store import write_setting
from opponents import mcpvault
from report import Line, Table, Target, to_json, to_text
from section import write_section
from timing import Stopwatch, median, percentile
from vaults import LINKS, build_vault

INDEXED, NAVIGATED = 10_000, 100_000
PEER_NOTES = 200
SAVES, ASKED = 40, 200
WALL, CPU, RATE, RATIO, P95 = "wall s", "CPU s", "files/CPU s", "times the peer's rate", "p95 ms"


def open_vault(data: Path, vault: Path) -> App:
    """An app with the vault mounted, which finds notes by their words alone."""
    app = build(load_settings({"data": str(data), "vault": str(vault)}, {}))
    app.kernel.store.operate(lambda session: write_setting(session, app.kernel.collection, "embedder", "none"))
    return app


def timed(work: Callable[[], Any]) -> tuple[dict[str, float], Any]:
    began, cpu_began = time.perf_counter(), time.process_time()
    result = work()
    return {WALL: time.perf_counter() - began, CPU: time.process_time() - cpu_began}, result


def with_rate(numbers: dict[str, float], count: int) -> dict[str, float]:
    return {**numbers, "notes": count, RATE: count / numbers[CPU]}


def index(vault: Path, data: Path) -> tuple[Line, App]:
    """The first look at a vault, into an empty data directory."""
    shutil.rmtree(data, ignore_errors=True)
    app = open_vault(data, vault)
    numbers, done = timed(lambda: sync_everything(app.kernel))
    target = Target(column=WALL, bound=20) if done.created == INDEXED else None
    return Line(label="first index, no embedding", numbers=with_rate(numbers, done.created), target=target), app


def restart(vault: Path, data: Path, count: int) -> list[Line]:
    """Everything again in a new program, with nothing changed."""
    target = Target(column=WALL, bound=2) if count <= INDEXED else None

    def again() -> App:
        app = open_vault(data, vault)
        assert not sync_everything(app.kernel).changed
        return app

    numbers, app = timed(again)
    lines = [Line(label="opened again, nothing changed", numbers={**numbers, "notes": count}, target=target)]
    numbers, _ = timed(lambda: survey(app.kernel))
    lines.append(Line(label="the graph into memory", numbers={**numbers, "notes": count}))
    app.kernel.store.close()
    client = Client(memotheca(data, "--vault", str(vault)))
    client.greet()
    client.ask("tools/call", {"name": "get_hubs", "arguments": {"limit": 1}})
    numbers = {WALL: time.perf_counter() - client.began, CPU: client.cpu(), "notes": count}
    client.close()
    lines.append(Line(label="start of the program to the first `get_hubs`", numbers=numbers))
    return lines


def peers(vault: Path, scratch: Path, program: str | None, ours: Line) -> list[Line]:
    lines: list[Line] = []
    if program is not None:
        lines += basic_memory(vault, scratch, program, ours)
    server = mcpvault(scratch)
    if server is not None:
        client = Client([*server, str(vault)])
        client.greet()
        began, cpu = time.perf_counter(), client.cpu()
        client.ask("tools/call", {"name": "search_notes", "arguments": {"query": "details", "limit": 20}})
        numbers = {WALL: time.perf_counter() - began, CPU: client.cpu() - cpu}
        client.close()
        lines.append(Line(label="mcpvault: one search, which reads every file", numbers=numbers))
    return lines


def basic_memory(vault: Path, scratch: Path, program: str, ours: Line) -> list[Line]:
    """Its own index of a part of the vault, without vectors and without its start; on a copy, since it writes into
    the files."""
    home = scratch / "basic-memory"
    shutil.rmtree(home, ignore_errors=True)
    (home / "notes").mkdir(parents=True)
    empty = _reindex(home, program)
    chosen = sorted(path.relative_to(vault) for path in vault.rglob("*.md"))[:PEER_NOTES]
    for path in chosen:
        (home / "notes" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(vault / path, home / "notes" / path)
    full = _reindex(home, program)
    if empty is None or full is None:
        return []
    theirs = with_rate({column: full[column] - empty[column] for column in full}, len(chosen))
    ratio = ours.numbers[RATE] / theirs[RATE]
    return [
        Line(label=f"{_version(program)}: its index, no embedding", numbers=theirs),
        Line(
            label="ours over basic-memory", numbers={RATIO: ratio}, target=Target(column=RATIO, bound=3, at_least=True)
        ),
    ]


def _version(program: str) -> str:
    return subprocess.run([program, "--version"], capture_output=True, check=True, text=True).stdout.strip()


def _reindex(home: Path, program: str) -> dict[str, float] | None:
    variables = {
        **os.environ, "HOME": str(home), "BASIC_MEMORY_HOME": str(home / "notes"), "BASIC_MEMORY_NO_PROMOS": "1",
        "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false", "BASIC_MEMORY_AUTO_UPDATE": "false",
    }  # fmt: skip
    began, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run([program, "reindex", "--search", "--full"], env=variables, capture_output=True, check=False)
    if ran.returncode:
        print(f"basic-memory is left out: {ran.stderr[-300:]!r}", file=sys.stderr)
        return None
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = spent.ru_utime + spent.ru_stime - used.ru_utime - used.ru_stime
    return {WALL: time.perf_counter() - began, CPU: seconds}


def navigate(app: App, count: int) -> list[Line]:
    """Each tool of the graph, on notes chosen by chance."""
    chance = random.Random(7)
    with opened(app.kernel) as (_, book):
        paths = sorted(row.path for row in book.rows.values())
        tags = sorted({tag for row in book.rows.values() for tag in row.tags})

    def some() -> str:
        return chance.choice(paths)

    calls: dict[str, Callable[[], tuple[str, dict[str, Any]]]] = {
        "get_node": lambda: ("get_node", {"id": some()}),
        "get_node, depth 1": lambda: ("get_node", {"id": some(), "depth": 1}),
        "get_neighbors": lambda: ("get_neighbors", {"id": some(), "limit": 50}),
        "get_neighbors, in": lambda: ("get_neighbors", {"id": some(), "direction": "in"}),
        "find_path": lambda: ("find_path", {"source": some(), "target": some()}),
        "get_hubs, in_degree": lambda: ("get_hubs", {"limit": 50}),
        "get_hubs, out_degree": lambda: ("get_hubs", {"metric": "out_degree", "limit": 50}),
        "get_hubs, pagerank": lambda: ("get_hubs", {"metric": "pagerank"}),
        "search_by_tags": lambda: ("search_by_tags", {"tags": chance.sample(tags, 2), "limit": 100}),
        "random_node": lambda: ("random_node", {"tags": [chance.choice(tags)]}),
    }
    lines: list[Line] = []
    for label, make in calls.items():
        first = Stopwatch()
        first.time(lambda make=make: run_tool(app, *make()))
        watch = Stopwatch()
        for _ in range(ASKED):
            called = make()
            watch.time(lambda called=called: run_tool(app, *called))
        numbers = {
            "notes": count,
            "first ms": first.wall[0] * 1e3,
            "p50 ms": median(watch.wall) * 1e3,
            P95: percentile(watch.wall, 0.95) * 1e3,
            "CPU p95 ms": percentile(watch.cpu, 0.95) * 1e3,
        }
        lines.append(Line(label=label, numbers=numbers, target=Target(column=P95, bound=50)))
    return lines


def saved_to_seen(vault: Path, data: Path, count: int) -> Line:
    """From an editor's save to the answer that shows it, asked again and again over stdio."""
    client = Client(memotheca(data, "--vault", str(vault)))
    client.greet()
    waited: list[float] = []
    place = vault / "saved-just-now.md"
    for number in range(SAVES + 2):
        word = f"zyxw{number}qv"
        place.write_text(f"# Saved\n\nThe word is {word}.\n", "utf-8")
        began = time.perf_counter()
        while not _is_seen(client, word):
            if time.perf_counter() - began > 60:
                raise RuntimeError("a saved file is not found within a minute")
        waited.append(time.perf_counter() - began)
    client.close()
    place.unlink()
    # During the first two the server still looks through the vault and takes its graph into memory.
    numbers = {"notes": count, "first ms": max(waited[:2]) * 1e3, "p50 ms": median(waited[2:]) * 1e3}
    numbers[P95] = percentile(waited[2:], 0.95) * 1e3
    return Line(label="saved file to search result", numbers=numbers, target=Target(column=P95, bound=1000))


def _is_seen(client: Client, word: str) -> bool:
    arguments = {"content": word, "kinds": ["note"], "limit": 1}
    answer = json.loads(client.ask("tools/call", {"name": "query", "arguments": arguments}))["result"]
    return word in json.dumps(answer.get("structuredContent"))


def show(lines: list[Line]) -> list[Line]:
    """Said as soon as it is known; a whole run takes minutes."""
    for line in lines:
        print(f"  {line.label}: {dict(line.numbers)}", file=sys.stderr, flush=True)
    return lines


def measure(parsed: argparse.Namespace, scratch: Path) -> list[Table]:
    sizes = [int(each) for each in parsed.sizes.split(",")] if parsed.sizes else [INDEXED, NAVIGATED]
    indexing: list[Line] = []
    asking: list[Line] = []
    for size in sizes[:1] if parsed.quick else sizes:
        print(f"… {size:,} notes", file=sys.stderr, flush=True)
        vault, data = build_vault(scratch / f"vault-{size}", size), scratch / f"data-{size}"
        line, app = index(vault, data)
        indexing += show([line])
        asking += show(navigate(app, size))
        app.kernel.store.close()
        indexing += show(restart(vault, data, size))
        asking += show([saved_to_seen(vault, data, size)])
        if size == sizes[0]:
            indexing += show(peers(vault, scratch, parsed.basic_memory, line))
    title = f"made-up vaults (benchmarks/vaults.py), {LINKS} links in each note"
    tables = [
        Table(name="notes", title=f"reading a vault: {title}", lines=indexing, notes=NOTES),
        Table(name="notes", title=f"asking: {title}, in milliseconds", lines=asking),
    ]
    return [*tables, *([real_vaults(parsed.vault, scratch)] if parsed.vault else [])]


NOTES = (
    "No embedding: the collection's embedder is `none`. Durable: every transaction is synced.",
    f"basic-memory indexes the first {PEER_NOTES} notes of the vault, its vectors switched off, its start taken off.",
    "mcpvault keeps no index; its line is what each of its searches costs.",
)


def real_vaults(vaults: list[Path], scratch: Path) -> Table:
    lines: list[Line] = []
    for vault in vaults:
        line, app = index(vault, scratch / "data-real")
        found = survey(app.kernel)
        numbers = {**line.numbers, "links": found.links, "ghosts": found.ghosts, "broken": len(found.broken_links)}
        lines.append(Line(label=vault.name, numbers=numbers))
        app.kernel.store.close()
    return Table(name="notes", title="vaults of people, first index", lines=lines)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks/notes.py", description="Measure vaults of notes.")
    parser.add_argument("--quick", action="store_true", help="the smallest size only")
    parser.add_argument("--sizes", metavar="N,…", help=f"numbers of notes (default: {INDEXED},{NAVIGATED})")
    parser.add_argument("--vault", type=Path, action="append", metavar="DIR", help="a real vault to read, too")
    parser.add_argument("--basic-memory", metavar="PROGRAM", help="basic-memory's program, where it is installed")
    parser.add_argument(
        "--scratch", type=Path, metavar="DIR", help="where to write; kept, so that vaults are made once"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers to a file, too")
    parser.add_argument("--write-docs", action="store_true", help="put the results into docs/benchmarks.md")
    return parser.parse_args()


def main() -> int:
    parsed = parse()
    scratch = parsed.scratch or Path(tempfile.mkdtemp(prefix="memotheca-bench-"))
    scratch.mkdir(parents=True, exist_ok=True)
    machine = describe(scratch)
    tables = measure(parsed, scratch)
    for table in tables:
        print(to_text(table))
    machine["load at the end"] = load()
    if parsed.json is not None:
        content = {"machine": machine, "tables": [to_json(table) for table in tables]}
        parsed.json.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
    if parsed.write_docs:
        write_section("notes", machine, tables)
    if parsed.scratch is None:
        shutil.rmtree(scratch)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
