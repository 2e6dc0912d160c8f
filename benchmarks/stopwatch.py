"""From an empty machine to the first remembered fact, for us and for peers, in one run: python benchmarks/stopwatch.py
WHEEL --uv UV [--python PYTHON] [--only NAME …] [--json] [--write-docs].

Each gets a home with nothing in it, no cache included. It is installed by the line its own pages give, a server is
started as a client would start it, one fact is stored over MCP, the server is ended, and a second one is asked for it.
Python, Node and uv are there; everything else is fetched. Memotheca comes from WHEEL (`make dist`) until it is on PyPI;
what it depends on is fetched like everything of the others. How fast that goes is a matter of the network. --python is
one whose SQLite loads extensions, as Debian's does: two of the peers need that."""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from client import Client
from machine import describe
from report import Line, Table, to_json, to_text
from section import write_section

FACT = "The engine of the project listens on port 8123."
QUESTION = "engine port"
REFUSED = re.compile(r"\b(error|failed|refusing)\b", re.IGNORECASE)
SHOWN = 220
PATIENCE = 180.0  # chosen: seconds; who has not answered by then is no use to a person


@dataclass(frozen=True, slots=True)
class Contestant:
    """What is typed to have it, how a client starts it, and which calls store and find one fact."""

    name: str
    installed: Sequence[Sequence[str]]
    connected: str
    started: Sequence[str]
    stored: tuple[str, Mapping[str, Any]]
    found: tuple[str, Mapping[str, Any]]
    sign: str = "8123"  # what an answer that has the fact has in it

    @property
    def typed(self) -> int:
        return len(self.installed) + 1


def contestants(wheel: Path, uv: str, python: str, newer: str) -> list[Contestant]:
    def by_uv(package: str, python: str = python) -> list[list[str]]:
        return [[uv, "tool", "install", "--quiet", "--python", python, package]]

    return [
        Contestant(
            "memotheca",
            by_uv(str(wheel)),
            "memotheca connect claude-code --write",
            ["memotheca"],
            ("store", {"topic": "engine", "content": FACT}),
            ("query", {"content": QUESTION}),
        ),
        Contestant(
            "server-memory",
            [],
            "claude mcp add memory -- npx -y @modelcontextprotocol/server-memory",
            ["npx", "-y", "@modelcontextprotocol/server-memory"],
            (
                "create_entities",
                {"entities": [{"name": "engine", "entityType": "part", "observations": [FACT]}]},
            ),
            ("search_nodes", {"query": "engine"}),
        ),
        Contestant(
            "basic-memory",
            by_uv("basic-memory", newer),
            "claude mcp add basic-memory -- basic-memory mcp",
            ["basic-memory", "mcp"],
            ("write_note", {"title": "Engine", "content": FACT, "directory": "notes"}),
            ("search_notes", {"query": QUESTION, "search_type": "text"}),
            sign="notes/engine",
        ),
        Contestant(
            "mcp-memory-service",
            by_uv("mcp-memory-service"),
            "claude mcp add memory -- memory server",
            ["memory", "server"],
            ("memory_store", {"content": FACT}),
            ("memory_search", {"query": QUESTION}),
        ),
        Contestant(
            "mempalace",
            by_uv("mempalace"),
            "claude mcp add mempalace -- mempalace-mcp",
            ["mempalace-mcp"],
            ("mempalace_add_drawer", {"wing": "project", "room": "engine", "content": FACT}),
            ("mempalace_search", {"query": QUESTION}),
        ),
    ]


def measure(contestant: Contestant, home: Path) -> tuple[Line, str]:
    variables = _empty_home(home)
    numbers: dict[str, float] = {"commands": contestant.typed}
    began = time.perf_counter()
    for command in contestant.installed:
        done = subprocess.run(command, env={**os.environ, **variables}, cwd=home, capture_output=True, check=False)
        if done.returncode:
            return Line(label=contestant.name, numbers=numbers), "cannot be installed here"
    installed = time.perf_counter()
    said = ""
    numbers["install s"] = installed - began
    try:
        answer = _ask(contestant, contestant.stored, variables)
        if REFUSED.search(answer):
            raise RuntimeError(answer[:SHOWN])
        stored = time.perf_counter()
        numbers |= {"store s": stored - installed, "in all s": stored - began}
        answer = _ask(contestant, contestant.found, variables)
        numbers["find s"] = time.perf_counter() - stored
        if contestant.sign not in answer:
            said = f"stored, but a second server does not find it; it says {answer[:SHOWN]}"
    except (OSError, RuntimeError, ValueError) as error:
        said = f"nothing was stored; it says {error}"
    numbers["MB"] = _size(home)
    numbers["of it caches"] = _size(home / ".cache") + _size(home / ".npm")
    return Line(label=contestant.name, numbers=numbers), said


def _empty_home(home: Path) -> dict[str, str]:
    home.mkdir()
    places = {"HOME": home, "XDG_CACHE_HOME": home / ".cache", "XDG_CONFIG_HOME": home / ".config"}
    places |= {"XDG_DATA_HOME": home / ".local/share", "XDG_BIN_HOME": home / ".local/bin"}
    places |= {"UV_CACHE_DIR": home / ".cache/uv", "UV_TOOL_DIR": home / ".local/share/uv/tools"}
    found = {name: str(place) for name, place in places.items()}
    path = f"{home / '.local/bin'}{os.pathsep}{os.environ['PATH']}"
    return {**found, "PATH": path, "npm_config_cache": str(home / ".npm"), "PYTHONDONTWRITEBYTECODE": ""}


def _ask(contestant: Contestant, asked: tuple[str, Mapping[str, Any]], variables: Mapping[str, str]) -> str:
    """One server from its start to its end, and what it answers to one call."""
    program = shutil.which(contestant.started[0], path=variables["PATH"]) or contestant.started[0]
    client = Client([program, *contestant.started[1:]], **variables)
    alarm = threading.Timer(PATIENCE, client.kill)
    alarm.start()
    try:
        client.greet()
        name, arguments = asked
        answer = json.loads(client.ask("tools/call", {"name": name, "arguments": dict(arguments)}))
    finally:
        alarm.cancel()
        client.kill(signal.SIGTERM)
        client.close()
    result = answer.get("result") or {}
    parts = [str(part.get("text")) for part in result.get("content") or ()] or [str(answer.get("error"))]
    told = " ".join(" ".join(parts).split())
    if "error" in answer or result.get("isError"):
        raise RuntimeError(told[:SHOWN])
    return told


def _size(folder: Path) -> float:
    """What lies in a folder, each file once however many names it has, in MB."""
    held: dict[tuple[int, int], int] = {}
    for place, _, names in os.walk(folder):
        for name in names:
            facts = Path(place, name).lstat()
            held[facts.st_dev, facts.st_ino] = facts.st_blocks * 512
    return sum(held.values()) / 1e6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--uv", default=shutil.which("uv") or "uv")
    parser.add_argument("--python", default=sys.executable, help="an interpreter of 3.11 or newer")
    parser.add_argument("--newer", default="", help="one of 3.12 or newer for basic-memory, which needs it")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--write-docs", action="store_true")
    asked = parser.parse_args()
    lines: list[Line] = []
    notes: list[str] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        machine = describe(Path(scratch))
        for contestant in contestants(asked.wheel.resolve(), asked.uv, asked.python, asked.newer or asked.python):
            if asked.only and contestant.name not in asked.only:
                continue
            line, said = measure(contestant, Path(scratch, contestant.name))
            lines.append(line)
            typed = [*(" ".join(["uv", *command[1:3], command[-1]]) for command in contestant.installed)]
            typed = [command.replace(str(asked.wheel.resolve()), "memotheca") for command in typed]
            notes.append(f"{contestant.name}: `{'`, `'.join([*typed, contestant.connected])}`.")
            if said:
                notes.append(f"{contestant.name}: {said}.")
    notes.append("The commands of a person: installing, and telling a client. store s: from starting the server to its")
    notes.append(
        "answer, what it compiles or fetches first included; find s: the same of a second server. MB: all that"
    )
    notes.append(
        "is in the home by then. Who stores or finds nothing asks for a model at an address that could not be had"
    )
    notes.append("here; where it can, its megabytes and seconds come on top.")
    table = Table(name="stopwatch", title="from an empty home to the first remembered fact", lines=lines, notes=notes)
    print(json.dumps(to_json(table)) if asked.json else to_text(table))
    if asked.write_docs:
        write_section("stopwatch", machine, [table])
    return 0


if __name__ == "__main__":
    sys.exit(main())
