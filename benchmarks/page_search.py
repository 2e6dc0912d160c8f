"""How soon a person sees an answer on the page, in Chromium, over a big index: from the last key to the picture.

python benchmarks/page_search.py [--size N] [--rounds N] [--scratch DIR] [--write-docs]"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from client import memotheca
from corpus import FUNCTION_WORDS
from haystack import Haystack, build_haystack, texts
from machine import ROOT, describe, load
from report import Line, Table, Target, to_text
from section import write_section
from timing import percentile

SIZE, ROUNDS = 100_000, 60
GOAL = 150.0  # the issue's: milliseconds to an answer while somebody types
SCRIPT = Path(__file__).with_suffix(".mjs")
TOOLS = ROOT / "tests" / "clients"
MANNERS = {
    "pasted": "four words at once",
    "typed": "four words typed, a key every 120 ms, from the last key",
    "filtered": "four words at once, of one kind and one tag",
}


def questions(count: int) -> list[str]:
    """Four content words of texts that are there, as somebody asks who half remembers."""
    asked: list[str] = []
    for text in texts(0, 10_000)[5 : 5 + 7 * count : 7]:
        words = [word for word in text.split() if word not in FUNCTION_WORDS]
        asked.append(" ".join(words[3:11:2]))
    return asked


def look(base: str, rounds: int, server: int) -> dict[str, Any]:
    asked = json.dumps({"base": base, "questions": questions(rounds), "tools": str(TOOLS), "server": server})
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("There is no Chromium: apt-get install chromium.")
    told = subprocess.run(["node", str(SCRIPT), chromium], input=asked, capture_output=True, text=True, check=False)
    if told.returncode:
        raise SystemExit(told.stderr)
    return json.loads(told.stdout)


def lines(size: int, seen: dict[str, Any]) -> list[Line]:
    made: list[Line] = []
    for manner, words in MANNERS.items():
        samples: list[dict[str, float]] = seen[manner]
        of = {name: [each[name] for each in samples] for name in samples[0]}
        numbers = {
            "p50 ms": percentile(of["shown"], 0.5),
            "p95 ms": percentile(of["shown"], 0.95),
            "of it the server p50 ms": percentile(of["answered"], 0.5),
            "CPU of the page p95 ms": percentile(of["cpu"], 0.95) / of["keys"][0],
            "CPU of the server ms": seen["served"][manner] / of["keys"][0],
        }
        numbers["CPU of both ms"] = numbers["CPU of the page p95 ms"] + numbers["CPU of the server ms"]
        target = Target(column="p95 ms", bound=GOAL) if size >= SIZE else None
        made.append(Line(label=f"{size:,} chunks, {words}", numbers=numbers, target=target))
    return made


def measure(haystack: Haystack, rounds: int) -> Table:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MEMOTHECA_")}
    command = memotheca(haystack.folder, "--transport", "http", "--port", "0", "--json")
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=inherited)
    try:
        assert server.stdout is not None
        base = json.loads(server.stdout.readline())["endpoint"].removesuffix("mcp")
        seen = look(base, rounds, server.pid)
    finally:
        server.terminate()
        server.wait(30)
    return Table(
        name="page_search",
        title="from the last key to the frame that shows the answer, in Chromium without a GPU, each question embedded",
        lines=lines(haystack.size, seen),
        notes=[
            f"{rounds} questions each, twenty passages shown; hits in all of them: {seen['found']}.",
            "While a question is under way the next key's waits 60 ms, as another may follow.",
            "CPU is that of one key, on the page's main thread and in the server.",
            "The target is of the wall, as a person waits; the load above is in it.",
        ],
    )


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks/page_search.py", description=__doc__)
    parser.add_argument("--size", type=int, default=SIZE, help="how many chunks")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how many questions in each manner")
    parser.add_argument("--scratch", type=Path, help="where to fill; what is filled there already is used again")
    parser.add_argument("--write-docs", action="store_true", help="put the results into docs/benchmarks.md")
    return parser.parse_args()


def main() -> int:
    parsed = parse()
    scratch = parsed.scratch or Path(tempfile.mkdtemp(prefix="memotheca-bench-"))
    machine = describe(scratch)
    haystack = build_haystack(scratch / f"haystack-{parsed.size}", parsed.size)
    table = measure(haystack, parsed.rounds)
    print(to_text(table))
    machine["load at the end"] = load()
    if parsed.write_docs:
        write_section("page_search", machine, [table])
    if parsed.scratch is None:
        shutil.rmtree(scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
