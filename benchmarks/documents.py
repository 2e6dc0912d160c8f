"""How well and how fast files become text: python benchmarks/documents.py DIR [--quick] [--only PART …] [--scratch DIR]
[--json FILE] [--write-docs]. DIR holds files by format, some with NAME.reference.md beside them, made by another tool.

Markitdown is installed into an environment under the scratch folder; without a registry its columns stay empty.
"""

import argparse
import json
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unicodedata
import venv
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from documents_ocr import measure_recognition
from documents_pipeline import SMALL_FILES, measure_memory, measure_pipeline
from machine import describe, load
from memotheca.model.errors import Refusal
from memotheca.parsing.formats import EXTENSIONS, extension_of
from memotheca.parsing.isolation.sandbox import Sandbox
from memotheca.parsing.open_safely import open_file
from report import Line, Table, Target, to_json, to_text
from section import write_section

HERE = Path(__file__).parent
PEER = "markitdown[pdf,docx,pptx,xlsx]"
FASTER = 15.0
PARTS = ("pdf", "recall", "recognition", "pipeline", "memory")
REFERENCE = ".reference.md"

_WORD = re.compile(r"\w+")
_NOISE = re.compile(r"<!--.*?-->|&\w+;", re.DOTALL)
_ADDRESS = re.compile(r"(?<=\])\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"]*\")?\)")


class Snapshot(NamedTuple):
    """What one tool made of one file."""

    cpu: float
    text: str
    pages: int = 0


Readings = dict[Path, Snapshot]


def words(text: str) -> Counter[str]:
    """Words that a reader sees: the addresses of links are none."""
    return Counter(_WORD.findall(unicodedata.normalize("NFKC", _ADDRESS.sub("", text)).lower()))


def reference_words(path: Path) -> Counter[str]:
    """Of the reference beside a file, without comments, entities and escapes."""
    text = path.with_name(path.name + REFERENCE).read_text("utf-8")
    return words(_NOISE.sub(" ", text).replace("\\_", "_").replace("\\*", "*"))


def cpu_seconds() -> float:
    """Of this process and of every child that has ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def find_files(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(REFERENCE) and extension_of(path.name) in EXTENSIONS
        and path.name != "README.md"
    )  # fmt: skip


def read_ours(files: Sequence[Path], rounds: int) -> tuple[float, Readings]:
    """CPU seconds of one round, the parser process with its start and all its children included, and the texts."""
    readings: Readings = {}
    began = cpu_seconds()
    sandbox = Sandbox()
    for _ in range(rounds):
        for path in files:
            try:
                with open_file(str(path)) as opened:
                    document = sandbox.read(opened)
                readings[path] = Snapshot(0.0, document.text, document.pages or 0)
            except Refusal as refusal:
                print(f"  {path.name}: {refusal.message}", file=sys.stderr)
    sandbox.close()
    return (cpu_seconds() - began) / rounds, readings


def install_peer(scratch: Path) -> Path | None:
    place = scratch / "markitdown"
    python = place / "bin" / "python"
    if not python.exists():
        print("… installing markitdown", file=sys.stderr, flush=True)
        venv.create(place, with_pip=True)
        done = subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PEER], check=False
        )
        if done.returncode:
            shutil.rmtree(place, ignore_errors=True)
            return None
    return python


def read_theirs(python: Path | None, files: Sequence[Path]) -> Readings:
    if python is None:
        return {}
    command = [str(python), str(HERE / "documents_peer.py"), *map(str, files)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return {Path(path): Snapshot(one["cpu"], one["text"]) for path, one in json.loads(done.stdout).items()}


def measure_pdfs(files: Sequence[Path], python: Path | None, rounds: int) -> Table:
    """Only PDFs that have text of their own; recognising scans is another matter."""
    _, all_ours = read_ours(files, 1)
    typed = [path for path in files if path in all_ours and len(all_ours[path].text) > 0 and "ocr" not in path.parts]
    ours_cpu, ours = read_ours(typed, rounds)
    pages = sum(ours[path].pages for path in typed)
    theirs = read_theirs(python, typed)
    their_cpu = sum(one.cpu for one in theirs.values())
    nan = float("nan")
    faster = their_cpu / ours_cpu if theirs else nan
    lines = [
        Line(
            label="Memotheca, parser process included",
            numbers={
                "CPU s": ours_cpu,
                "pages / CPU s": pages / ours_cpu,
                "times as fast": faster,
                **judged(typed, ours, theirs),
            },
            target=Target(column="times as fast", bound=FASTER, at_least=True),
        )
    ]
    if theirs:
        numbers = {
            "CPU s": their_cpu,
            "pages / CPU s": pages / their_cpu,
            "times as fast": 1.0,
            **judged(typed, theirs, ours),
        }
        lines.append(Line(label="markitdown, imports not counted", numbers=numbers))
    return Table(
        name="pdf",
        title=f"{len(typed)} PDFs with {pages} pages of typed text",
        lines=lines,
        notes=[
            "recall: share of the reference's words, counted, that were found; references are another tool's output",
            "of the other's: share of the words that the other one found, too",
        ],
    )


def judged(files: Sequence[Path], mine: Readings, others: Readings) -> dict[str, float]:
    wanted = found = 0
    for path in files:
        if path.with_name(path.name + REFERENCE).exists():
            want, have = reference_words(path), words(mine[path].text)
            wanted += sum(want.values())
            found += sum((want & have).values())
    numbers = {"recall": found / wanted if wanted else float("nan")}
    if others:
        theirs = {path: words(others[path].text) for path in files if path in others}
        shared = sum(sum((theirs[path] & words(mine[path].text)).values()) for path in theirs)
        numbers["of the other's"] = shared / max(1, sum(sum(one.values()) for one in theirs.values()))
    return numbers


def measure_formats(files: Sequence[Path], python: Path | None) -> Table:
    """Every file that has a reference, by the folder it lies in."""
    wanted = [path for path in files if path.with_name(path.name + REFERENCE).exists()]
    _, ours = read_ours(wanted, 1)
    theirs = read_theirs(python, wanted)
    lines: list[Line] = []
    for folder in sorted({path.parent for path in wanted}):
        mine = [path for path in wanted if path.parent == folder]
        numbers = {"files": float(len(mine)), "Memotheca": overall(mine, ours)}
        if theirs:
            numbers["markitdown"] = overall(mine, theirs)
            target = Target(column="Memotheca", bound=round(numbers["markitdown"], 4), at_least=True)
        else:
            target = None
        lines.append(Line(label=folder.name, numbers=numbers, target=target))
    return Table(
        name="recall",
        title="share of the reference's words that were found, by format",
        lines=lines,
        notes=["Addresses of links are not counted. The references are a yardstick, not a truth."],
    )


def overall(files: Sequence[Path], readings: Readings) -> float:
    wanted = found = 0
    for path in files:
        want = reference_words(path)
        have = words(readings[path].text) if path in readings else Counter[str]()
        wanted += sum(want.values())
        found += sum((want & have).values())
    return found / max(1, wanted)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks/documents.py", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and fewer pictures")
    parser.add_argument("--only", nargs="*", default=list(PARTS), choices=PARTS, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--files", type=int, default=SMALL_FILES, metavar="N", help="how many files for memory")
    parser.add_argument("--scratch", type=Path, metavar="DIR", help="where markitdown is kept between runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers to a file, too")
    parser.add_argument("--write-docs", action="store_true", help="put the results into docs/benchmarks.md")
    return parser.parse_args()


def main() -> int:
    parsed = parse()
    scratch = parsed.scratch or Path(tempfile.mkdtemp(prefix="memotheca-documents-"))
    scratch.mkdir(parents=True, exist_ok=True)
    machine = describe(scratch)
    files = find_files(parsed.folder)
    pdfs = [path for path in files if path.suffix == ".pdf"]
    typed = [path for path in files if "ocr" not in path.parts and path.suffix not in (".png", ".jpg")]
    python = install_peer(scratch) if {"pdf", "recall"}.intersection(parsed.only) else None
    measures: dict[str, Callable[[], Table]] = {
        "pdf": lambda: measure_pdfs(pdfs, python, 2 if parsed.quick else 5),
        "recall": lambda: measure_formats(files, python),
        "recognition": lambda: measure_recognition(pdfs, quick=parsed.quick),
        "pipeline": lambda: measure_pipeline(typed, Path(tempfile.mkdtemp(dir=scratch))),
        "memory": lambda: measure_memory(Path(tempfile.mkdtemp(dir=scratch)), parsed.files),
    }
    tables: list[Table] = []
    for name in parsed.only:
        tables.append(measures[name]())
        print(to_text(tables[-1]), flush=True)
    machine["load at the end"] = load()
    if parsed.json is not None:
        content = {"machine": machine, "tables": [to_json(table) for table in tables]}
        parsed.json.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
    if parsed.write_docs:
        write_section("documents", machine, tables)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
