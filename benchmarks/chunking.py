"""What a passage is embedded with: python benchmarks/chunking.py DIR… [--questions N] [--paragraphs N]

Each DIR is a test collection in BEIR form. Its paragraphs are put together to long markdown documents with a heading
for each title, taken in as files, and found again by the collection's questions through `knowledge-search`. What
differs is only the text that is embedded and analysed for a passage: alone, after its path of headings, after the end
of the passage before it, or both.
"""

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any, NamedTuple
from unittest.mock import patch

from documents_pipeline import call
from filling import open_app
from machine import describe
from memotheca.app import App
from memotheca.documents.documents import open_document
from memotheca.jobs.queue import bench_of
from memotheca.model.knowledge import Entry
from memotheca.text import chunking
from memotheca.text.chunking import Chunk
from report import Line, Table, to_json, to_text

TOGETHER = 25
DEEP = 50
OVERLAPS = (50, 125)
PATH = "path of headings"

Window = Callable[[str, Chunk], str]


class Paragraph(NamedTuple):
    id: str
    title: str
    text: str


class Collection(NamedTuple):
    """Paragraphs, and questions with the paragraphs that answer them."""

    name: str
    paragraphs: list[Paragraph]
    questions: list[tuple[str, set[str]]]


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines)


def load(folder: Path, *, questions: int, paragraphs: int) -> Collection:
    """The first questions, all paragraphs that answer them, and others up to the number, in the collection's order."""
    wanted: dict[str, set[str]] = {}
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines():
        cells = line.split("\t")
        if len(cells) >= 3 and cells[-1].strip().isdigit() and int(cells[-1]) > 0:
            wanted.setdefault(cells[0], set()).add(cells[-2])
    asked = [row for row in rows(folder / "queries.jsonl") if row["_id"] in wanted][:questions]
    needed = set[str]().union(*(wanted[row["_id"]] for row in asked))
    room = max(0, paragraphs - len(needed))
    chosen: list[Paragraph] = []
    for row in rows(folder / "corpus.jsonl"):
        if row["_id"] in needed or room > 0:
            room -= row["_id"] not in needed
            title = row["title"].replace("_", " ").strip()
            chosen.append(Paragraph(row["_id"], title, " ".join(row["text"].split())))
    return Collection(folder.name, chosen, [(row["text"], wanted[row["_id"]]) for row in asked])


def documents(paragraphs: Sequence[Paragraph]) -> Iterator[list[Paragraph]]:
    """What stands in one file: all of a title where titles repeat, else a number of them."""
    by_title: dict[str, list[Paragraph]] = {}
    for paragraph in paragraphs:
        by_title.setdefault(paragraph.title, []).append(paragraph)
    if len(by_title) < len(paragraphs) / 2:
        yield from by_title.values()
    else:
        for start in range(0, len(paragraphs), TOGETHER):
            yield list(paragraphs[start : start + TOGETHER])


def to_markdown(number: int, together: Sequence[Paragraph]) -> str:
    lines, title = [f"# Volume {number}"], ""
    for paragraph in together:
        if paragraph.title != title:
            title = paragraph.title
            lines.append(f"## {title}")
        lines.append(paragraph.text)
    return "\n\n".join(lines) + "\n"


def windows() -> dict[str, Window]:
    """The ways to say a passage to the embedder; addresses of links are left out of all of them alike."""

    path = chunking.window

    def alone(text: str, chunk: Chunk) -> str:
        return path(text, chunk._replace(prefix=""))

    def overlapping(size: int, said: Window) -> Window:
        def window(text: str, chunk: Chunk) -> str:
            before = text[max(0, chunk.start - size) : chunk.start]
            begin = before.find(" ") + 1
            return before[begin:] + said(text, chunk)

        return window

    found: dict[str, Window] = {"alone": alone, PATH: path}
    for size in OVERLAPS:
        found[f"{size} characters before it"] = overlapping(size, alone)
    found[f"path and {OVERLAPS[0]} before it"] = overlapping(OVERLAPS[0], path)
    return found


def take_in(app: App, folder: Path, collection: Collection) -> dict[str, list[tuple[int, int, str]]]:
    """For each document, where its paragraphs stand in its text."""
    places: dict[str, list[tuple[int, int, str]]] = {}
    folder.mkdir()
    for number, together in enumerate(documents(collection.paragraphs), 1):
        path = folder / f"{number}.md"
        path.write_text(to_markdown(number, together), "utf-8")
        added = call(app, "knowledge-add", file_path=str(path), **{"async": False})
        body = open_document(app.kernel, added["document_id"]).version.thing
        text, end = body.body if isinstance(body, Entry) else "", 0
        for paragraph in together:
            start = text.find(paragraph.text, end)
            if start >= 0:
                end = start + len(paragraph.text)
                places.setdefault(added["document_id"], []).append((start, end, paragraph.id))
    return places


def found_paragraphs(app: App, question: str, places: dict[str, list[tuple[int, int, str]]]) -> list[str]:
    """Paragraphs in the order of the passages that hold most of them, or that mostly hold them."""
    found: dict[str, None] = {}
    for result in call(app, "knowledge-search", query=question[:500], top_k=DEEP)["results"]:
        start, stop = result["metadata"]["start"], result["metadata"]["stop"]
        for begin, end, id in places.get(result["document_id"], ()):
            shared = min(stop, end) - max(start, begin)
            if 2 * shared >= min(stop - start, end - begin):
                found.setdefault(id)
    return list(found)


class Judged(NamedTuple):
    """For each question, how well its paragraphs are ranked, and how many of them are there."""

    gains: list[float]
    hits: list[float]


def judge(app: App, collection: Collection, places: dict[str, list[tuple[int, int, str]]]) -> Judged:
    judged = Judged([], [])
    for question, wanted in collection.questions:
        best = found_paragraphs(app, question, places)[:10]
        ideal = sum(1 / math.log2(rank + 2) for rank in range(min(10, len(wanted))))
        judged.gains.append(sum(1 / math.log2(rank + 2) for rank, id in enumerate(best) if id in wanted) / ideal)
        judged.hits.append(len(wanted.intersection(best)) / len(wanted))
    return judged


def numbers(judged: Judged, usual: Judged) -> dict[str, float]:
    """Means, and the difference from the usual way with its 95 % interval over the questions, in pairs."""
    apart = [mine - theirs for mine, theirs in zip(judged.gains, usual.gains, strict=True)]
    spread = 1.96 * stdev(apart) / math.sqrt(len(apart))
    return {
        "nDCG@10": 100 * mean(judged.gains),
        "recall@10": 100 * mean(judged.hits),
        "against the path": 100 * mean(apart),
        "±": 100 * spread,
    }


def measure(collection: Collection, scratch: Path, only: Sequence[str]) -> Table:
    found: dict[str, Judged] = {}
    for number, (name, window) in enumerate(windows().items()):
        if only and name != PATH and not any(part in name for part in only):
            continue
        print(f"… {collection.name}: {name}", file=sys.stderr, flush=True)
        with patch.object(chunking, "window", window):
            app = open_app(scratch / f"{collection.name}-{number}")
            places = take_in(app, scratch / f"{collection.name}-{number}-files", collection)
            found[name] = judge(app, collection, places)
            bench_of(app.kernel).sandbox.close()
            app.kernel.store.close()
    return Table(
        name=collection.name,
        title=f"{collection.name}: {len(collection.paragraphs)} paragraphs, {len(collection.questions)} questions",
        lines=[Line(label=name, numbers=numbers(judged, found[PATH])) for name, judged in found.items()],
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks/chunking.py", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR")
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--paragraphs", type=int, default=1000)
    parser.add_argument("--only", nargs="*", default=[], metavar="PART", help="only ways whose names hold this")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parsed = parser.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="memotheca-chunking-"))
    machine, tables = describe(scratch), []
    for folder in parsed.folders:
        collection = load(folder, questions=parsed.questions, paragraphs=parsed.paragraphs)
        tables.append(measure(collection, scratch, parsed.only))
        print(to_text(tables[-1]), flush=True)
    if parsed.json is not None:
        content = {"machine": machine, "tables": [to_json(table) for table in tables]}
        parsed.json.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
