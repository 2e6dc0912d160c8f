"""What taking in many texts costs: python benchmarks/importing.py DIR … [--texts N] [--json FILE] [--write-docs]

Each DIR is a test collection; its texts, as many as are wanted, are written as HTML files and as one file of JSON
lines. markitdown turns the files into markdown, and no more. Ours turns the same files into documents that are cut and
indexed (`memotheca add`), and the lines into entries (`memotheca import`), both without vectors and, for the lines,
with the shipped model; beside it that model alone, on the same texts, two at a time as ours. One after the other."""

import argparse
import html
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from judging import read_collection
from machine import describe, load
from memotheca.vectors.embedders import DEFAULT, MODELS, NONE, folder_of
from memotheca.vectors.onnx_embedder import BuiltModel
from opponents import python_with
from report import Line, Table, to_json, to_text
from section import write_section

TEXTS = 10_000
AT_ONCE = 2
PROGRAM = (sys.executable, "-m", "memotheca.cli.main")
_MARKITDOWN = """
import sys
from pathlib import Path
from markitdown import MarkItDown
reader = MarkItDown(enable_plugins=False)
print(sum(len(reader.convert(str(path)).text_content) for path in Path(sys.argv[1]).iterdir()))
"""

Text = tuple[str, str]


def read_texts(folders: Sequence[Path], count: int) -> list[Text]:
    found = [text for folder in folders for text in read_collection(folder).texts().values()]
    return found[:count]


def write_files(texts: Sequence[Text], scratch: Path) -> tuple[Path, Path]:
    files, lines = scratch / "files", scratch / "texts.jsonl"
    files.mkdir()
    for place, (title, body) in enumerate(texts):
        page = f"<html><head><title>{html.escape(title)}</title></head><body><p>{html.escape(body)}</p></body></html>"
        (files / f"{place}.html").write_text(page, "utf-8")
    records = [{"_id": f"t{place}", "title": title, "text": body} for place, (title, body) in enumerate(texts)]
    lines.write_text("\n".join(json.dumps(each) for each in records), "utf-8")
    return files, lines


def run(label: str, command: Sequence[str]) -> Line | None:
    """The time and the CPU of a program with all its children."""
    print(f"… {label}", file=sys.stderr, flush=True)
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, text=True)
    took, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        print(f"{label} is left out: {done.stderr[-300:]}", file=sys.stderr)
        return None
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Line(label=label, numbers={"s": took, "CPU s": spent})


def embed_alone(texts: Sequence[Text]) -> Line:
    model = BuiltModel(folder_of(DEFAULT), MODELS[DEFAULT].identity)
    began, before = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in pool.map(lambda text: model.embed_passage(*text), texts):
            pass
    numbers = {"s": time.perf_counter() - began, "CPU s": time.process_time() - before}
    return Line(label=f"{DEFAULT} alone, {AT_ONCE} texts at a time", numbers=numbers)


def in_folder(folder: Path, embedder: str, *command: str) -> tuple[str, ...]:
    """A command in a data directory of its own, whose embedder is chosen before."""
    place = ("--data", str(folder), "--json")
    subprocess.run([*PROGRAM, "reindex", "--embedder", embedder, *place], check=True, stdout=subprocess.DEVNULL)
    return (*PROGRAM, *command, *place)


def measure(texts: Sequence[Text], scratch: Path) -> list[Line]:
    files, lines = write_files(texts, scratch)
    python = python_with("markitdown")
    peer = run("markitdown, files to markdown", (python, "-c", _MARKITDOWN, str(files))) if python else None
    made = [
        peer,
        run("memotheca add, without vectors", in_folder(scratch / "add", NONE, "add", str(files))),
        run("memotheca import, without vectors", in_folder(scratch / "plain", NONE, "import", str(lines))),
        run(f"memotheca import, {DEFAULT}", in_folder(scratch / "full", DEFAULT, "import", str(lines))),
        embed_alone(texts),
    ]
    found = [line for line in made if line is not None]
    if peer is None:
        return found
    usual = peer.numbers["CPU s"]
    return [
        Line(label=each.label, numbers={**each.numbers, "x markitdown": each.numbers["CPU s"] / usual})
        for each in found
    ]


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks/importing.py", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--texts", type=int, default=TEXTS, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers to a file, too")
    parser.add_argument("--write-docs", action="store_true", help="put the results into docs/benchmarks.md")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memotheca-bench-") as scratch:
        machine = describe(Path(scratch))
        texts = read_texts(parsed.folders, parsed.texts)
        lines = measure(texts, Path(scratch))
    letters = sum(len(title) + len(body) for title, body in texts) / max(len(texts), 1)
    table = Table(
        name="importing",
        title=f"taking in {len(texts):,} texts",
        lines=lines,
        notes=[
            f"{letters:.0f} letters a text in the mean. CPU is that of a program with its children, from its start.",
            "markitdown keeps nothing; ours keeps history, chunks and an index, durably. x markitdown: of CPU.",
        ],
    )
    print(to_text(table))
    machine["load at the end"] = load()
    if parsed.json is not None:
        content = {"machine": machine, "tables": [to_json(table)]}
        parsed.json.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
    if parsed.write_docs:
        write_section("importing", machine, [table])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
