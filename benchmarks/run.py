"""Run the benchmarks: python benchmarks/run.py [NAME …] [--quick] [--json FILE] [--write-docs] [--scratch DIR]."""

import argparse
import json
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from machine import ROOT, describe, load
from report import Options, Table, to_json, to_markdown, to_text

NAMES = ("startup", "listing", "dispatch", "writing", "querying")
DOCS = ROOT / "docs" / "benchmarks.md"
BEGIN, END = "<!-- results: written by benchmarks/run.py --write-docs -->", "<!-- end of results -->"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks/run.py", description="Measure Memotheca against its baselines.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which ones: {', '.join(NAMES)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and smaller sizes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers to a file, too")
    parser.add_argument("--write-docs", action="store_true", help=f"put the results into {DOCS.relative_to(ROOT)}")
    parser.add_argument("--scratch", type=Path, metavar="DIR", help="where to write; a real disk, not memory")
    parsed = parser.parse_args()
    unknown = set(parsed.names) - set(NAMES)
    if unknown:
        parser.error(f"there is no benchmark {min(unknown)!r}; choose from {', '.join(NAMES)}")
    if parsed.write_docs and parsed.names:
        parser.error("--write-docs needs a run of all benchmarks")
    return parsed


def measure(name: str, *, quick: bool, scratch: Path | None) -> Table:
    with tempfile.TemporaryDirectory(prefix="memotheca-bench-", dir=scratch, ignore_cleanup_errors=True) as folder:
        return import_module(name).measure(Options(quick, Path(folder)))


def write_docs(machine: dict[str, str], tables: list[Table]) -> None:
    facts = [f"- {name}: {value}" for name, value in machine.items()]
    written = "\n".join([BEGIN, "", *facts, "", *(to_markdown(table) for table in tables), END])
    text = DOCS.read_text("utf-8")
    before, rest = text.split(BEGIN)
    DOCS.write_text(before + written + rest.partition(END)[2], "utf-8")


def main() -> int:
    parsed = parse()
    machine = describe(parsed.scratch or Path(tempfile.gettempdir()))
    machine["thoroughness"] = "quick" if parsed.quick else "full"
    tables: list[Table] = []
    for name, value in machine.items():
        print(f"{name}: {value}")
    print()
    for name in parsed.names or NAMES:
        print(f"… {name}", file=sys.stderr, flush=True)
        tables.append(measure(name, quick=parsed.quick, scratch=parsed.scratch))
        print(to_text(tables[-1]), flush=True)
    machine["load at the end"] = load()
    missed = [f"{table.name}: {line.label}" for table in tables for line in table.lines if line.met is False]
    print(f"targets missed: {'; '.join(missed) or 'none'}")
    if parsed.json is not None:
        content = {"machine": machine, "tables": [to_json(table) for table in tables]}
        parsed.json.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
    if parsed.write_docs:
        write_docs(machine, tables)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
