"""What a hybrid search costs as the index grows: python benchmarks/searching.py [--sizes N,…] [--quick] [--scratch DIR]
[--json FILE] [--profile]."""

import argparse
import cProfile
import json
import pstats
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from asking import P95, RECALL, Asked, Times
from baselines import measure_baselines
from corpus import FUNCTION_WORDS
from filling import open_app, run_tool
from first_answers import first_answers, read_into_cache
from haystack import COLLECTION, COMMON, RARE, SEED, WIDTH, Array, Haystack, batches, build_haystack, texts, unit
from machine import describe, load
from memotheca.app import SEGMENTS, App
from memotheca.search.chosen_embedder import Embedding
from memotheca.search.finder import Finder, finder_of
from memotheca.search.index.live import Index
from memotheca.search.index.score import CANDIDATES, Filter, allowed, nearest
from memotheca.storage.vectors import vectors_by_number
from memotheca.vectors.embedders import SHIPPED_FOLDER, SHIPPED_IDENTITY
from memotheca.vectors.onnx_embedder import BuiltModel
from report import Line, Options, Table, Target, to_json, to_text
from section import write_section

SIZES = (10_000, 100_000, 1_000_000)
QUICK_SIZES = SIZES[:2]
FIRST = "wall s"
LIMITS = {10_000: 25.0}
LIMIT = 10
ARRIVING, ELSEWHERE = 100, 1_000_000  # so many texts, of a batch that no haystack has


class Prepared:
    """An embedder that has every question's vector already."""

    identity = SHIPPED_IDENTITY

    def __init__(self, asked: list[Asked]) -> None:
        self._held = {question.text: question.vector for question in asked}

    def embed_question(self, text: str) -> Array:
        return self._held[text]

    def embed_passage(self, title: str, text: str) -> list[Array]:
        raise NotImplementedError


def questions(haystack: Haystack, vectors: Array, count: int, *, misspelled: bool = False) -> list[Asked]:
    """Four to eight words of a living text, with a vector near its own."""
    chance, noise = random.Random(SEED), np.random.default_rng(SEED)
    by_batch: dict[int, list[str]] = {}
    made: list[Asked] = []
    sizes = dict(batches(haystack.size))
    while len(made) < count:
        number = chance.randrange(haystack.size)
        batch, place = divmod(number, 10_000)
        if not haystack.is_live(number):
            continue
        if batch not in by_batch and len(by_batch) < 12:
            by_batch[batch] = texts(batch, sizes[batch])
        if batch not in by_batch:
            continue
        words = [word for word in by_batch[batch][place].split() if word not in FUNCTION_WORDS]
        picked = chance.sample(words, min(len(words), chance.randrange(4, 9)))
        if misspelled:
            picked[0] = f"{picked[0][:2]}xq{picked[0][2:]}"
        vector = unit(vectors[number] + noise.standard_normal(WIDTH) * 0.6 / np.sqrt(WIDTH)).astype(np.float32)
        made.append(Asked(" ".join(picked), vector, " OR ".join(f'"{word}"' for word in picked)))
    return made


def kernel_with(app: App, asked: list[Asked]) -> App:
    """The same store, with the vectors of these questions at hand."""
    kernel, prepared = app.kernel, Prepared(asked)
    embedding = Embedding(lambda choice: prepared, lambda vector: vector)
    return App(kernel.having(embedding), app.dispatcher, app.data)


def measure(options: Options, sizes: Sequence[int] = ()) -> Table:
    lines: list[Line] = []
    for size in sizes or (QUICK_SIZES if options.quick else SIZES):
        lines += measure_size(options.scratch / f"haystack-{size}", size, count=100 if options.quick else 300)
    return Table(
        name="searching",
        title=f"one hybrid `query` for the best {LIMIT}, its vector at hand, in milliseconds",
        lines=lines,
        notes=[
            "Made-up texts and vectors (benchmarks/haystack.py), 5% deleted, 2% edited, 1,000 not sealed yet. Four to "
            "eight words of a text, and a vector near its own; through validation, dispatch, engine and contract.",
            "FTS5: apsw, words joined by OR, rows of the best 100. numpy: one float32 product with all vectors, best "
            "100, all cores. They only find; ours also fuses both, filters, and words its answer.",
            "usearch: HNSW, float16, its defaults, in a program of its own; up to 100,000 only, building takes long.",
            f"{RECALL}: of the vector index alone, against an exact scan; clusters this clear are easy.",
            f"While another process imports: {ARRIVING} texts, which it embeds on one of the two cores.",
            "First answers: from the start of the program over stdio. Cold: the kernel was asked to drop the files.",
        ],
    )


def apart(table: Table) -> list[Table]:
    """Times of questions in one table; starts, memory and disk in another."""
    timed = [line for line in table.lines if P95 in line.numbers]
    others = [line for line in table.lines if P95 not in line.numbers]
    title = "start to the first answers, memory and disk"
    return [replace(table, lines=timed), Table(name="searching", title=title, lines=others)]


def measure_size(folder: Path, size: int, *, count: int) -> list[Line]:
    folder.mkdir(parents=True, exist_ok=True)
    haystack = build_haystack(folder, size)
    named = f"{size:,} chunks"
    vectors = haystack.all_vectors()
    read_into_cache(folder)
    app = open_app(folder)
    lines = _ours(app, haystack, vectors, count)
    for line in lines:
        print(f"… {named}, {line.label}: {dict(line.numbers)}", file=sys.stderr, flush=True)
    lines += measure_baselines(haystack, vectors, questions(haystack, vectors, count))
    app.kernel.store.close()
    del vectors
    lines += first_answers(haystack, FIRST, LIMIT)
    lines.append(_disk(haystack))
    return [Line(label=f"{named}, {line.label}", numbers=line.numbers, target=line.target) for line in lines]


def _ours(app: App, haystack: Haystack, vectors: Array, count: int) -> list[Line]:
    plain = questions(haystack, vectors, count)
    wrong = questions(haystack, vectors, max(count // 3, 10), misspelled=True)
    asking = kernel_with(app, plain + wrong)
    bound = Target(column=P95, bound=LIMITS.get(haystack.size, 50.0))
    lines: list[Line] = []
    began = time.perf_counter()
    run_tool(asking, "query", {"content": plain[0].text})
    first = time.perf_counter() - began
    for label, given, extra in (
        ("hybrid", plain, {}),
        ("hybrid, one word unknown", wrong, {}),
        ("hybrid, filter passes 1%", plain, {"tags": [RARE]}),
        ("hybrid, filter passes 99%", plain, {"tags": [COMMON]}),
    ):
        times = Times()
        for question in given:
            arguments = {"content": question.text, "limit": LIMIT, **extra}
            times.watch.time(lambda arguments=arguments: run_tool(asking, "query", arguments))
        lines.append(times.line(label, bound))
    lines.append(_while_importing(haystack, asking, plain).line("hybrid, while another process imports"))
    lines.append(Line(label="opening the index in this process", numbers={FIRST: first}))
    lines.append(_recall(app, vectors, plain[:100]))
    lines.append(_embedding(plain[:50]))
    return lines


def _while_importing(haystack: Haystack, asking: App, asked: list[Asked]) -> Times:
    """Questions while another process imports: texts that an earlier run imported are edited by this one."""
    corpus, times = haystack.folder / "arriving.jsonl", Times()
    mark = time.time_ns()
    lines = [{"_id": f"arriving-{n}", "text": f"{body} {mark}"} for n, body in enumerate(texts(ELSEWHERE, ARRIVING))]
    corpus.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    command = [
        sys.executable,
        "-m",
        "memotheca.cli.main",
        "import",
        str(corpus),
        "--data",
        str(haystack.folder),
        "--json",
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as importing:
        while importing.poll() is None:
            arguments = {"content": asked[len(times.watch.wall) % len(asked)].text, "limit": LIMIT}
            times.watch.time(lambda arguments=arguments: run_tool(asking, "query", arguments))
    if importing.returncode:
        raise RuntimeError(f"the import ended with {importing.returncode}")
    return times


def _recall(app: App, vectors: Array, asked: list[Asked]) -> Line:
    """The vector index alone against an exact scan; chunks are told apart by their cosine."""
    finder: Finder = finder_of(app.kernel)
    index: Index = finder.index_of(COLLECTION, SHIPPED_IDENTITY)
    times = Times()
    with app.kernel.read() as snapshot:
        index.catch_up(snapshot.session)
        mask = allowed(index, Filter(as_of=snapshot.tx))
        for question in asked:
            found = times.watch.time(
                lambda question=question: nearest(
                    index,
                    question.vector,
                    mask,
                    lambda numbers: vectors_by_number(snapshot.session, COLLECTION, numbers, width=WIDTH),
                    count=CANDIDATES,
                )
            )
            exact = vectors @ question.vector
            tenth = np.partition(exact, -10)[-10]
            times.found.append(sum(1 for cosine in found.values() if cosine >= tenth - 1e-5) / 10)
    times.found = [min(each, 1.0) for each in times.found]
    return times.line("vector index alone", Target(column=RECALL, bound=0.98, at_least=True))


def _embedding(asked: list[Asked]) -> Line:
    embedder = BuiltModel(SHIPPED_FOLDER, SHIPPED_IDENTITY)
    times = Times()
    for question in asked:
        times.watch.time(lambda question=question: embedder.embed_question(question.text))
    return times.line("embedding such a question, beside it")


def _disk(haystack: Haystack) -> Line:
    app = open_app(haystack.folder)
    with app.kernel.store.database.read() as session:
        named = [name for row in session.rows("SELECT segments FROM manifest") for name in json.loads(row[0])]
    database = app.kernel.store.database.size()
    app.kernel.store.close()
    held = {name: (haystack.folder / SEGMENTS / f"{name}.seg").stat().st_size for name in named}
    per = haystack.size / 100_000 * 1e6
    numbers = {
        "database MB/100k": database / per,
        "text segments MB/100k": sum(size for name, size in held.items() if name.startswith("text")) / per,
        "dense segments MB/100k": sum(size for name, size in held.items() if name.startswith("dense")) / per,
        "segments": len(held),
        **{f"{name} s": seconds for name, seconds in haystack.seconds.items()},
        "our peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
    }
    return Line(label="on disk, and filling it", numbers=numbers)


def profile(folder: Path, size: int) -> None:
    """Where the time of a hybrid query goes."""
    folder.mkdir(parents=True, exist_ok=True)
    haystack = build_haystack(folder, size)
    app, vectors = open_app(folder), haystack.all_vectors()
    asked = questions(haystack, vectors, 60)
    asking = kernel_with(app, asked)
    run_tool(asking, "query", {"content": asked[0].text, "limit": LIMIT})
    for extra in ({}, {"tags": [RARE]}):
        profiler = cProfile.Profile(time.thread_time)
        for question in asked:
            profiler.runcall(run_tool, asking, "query", {"content": question.text, "limit": LIMIT, **extra})
        print(f"{size:,} chunks, {len(asked)} questions {extra}")
        pstats.Stats(profiler).sort_stats("tottime").print_stats(28)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks/searching.py", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="10,000 and 100,000 chunks only, fewer questions")
    parser.add_argument("--sizes", help="other sizes, separated by commas")
    parser.add_argument("--scratch", type=Path, help="where to fill; what is filled there already is used again")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers to a file, too")
    parser.add_argument("--write-docs", action="store_true", help="put the results into docs/benchmarks.md")
    parser.add_argument("--profile", action="store_true", help="say where the time goes instead")
    return parser.parse_args()


def main() -> int:
    parsed = parse()
    scratch = parsed.scratch or Path(tempfile.mkdtemp(prefix="memotheca-bench-"))
    sizes = (
        [int(each) for each in parsed.sizes.split(",")]
        if parsed.sizes
        else list(QUICK_SIZES if parsed.quick else SIZES)
    )
    if parsed.profile:
        for size in sizes:
            profile(scratch / f"haystack-{size}", size)
        return 0
    machine = describe(scratch)
    table = measure(Options(parsed.quick, scratch), sizes)
    tables = apart(table)
    for each in tables:
        print(to_text(each))
    machine["load at the end"] = load()
    if parsed.json is not None:
        parsed.json.write_text(
            json.dumps({"machine": machine, "tables": [to_json(each) for each in tables]}, indent=1) + "\n", "utf-8"
        )
    if parsed.write_docs:
        write_section("searching", machine, tables)
    if parsed.scratch is None:
        shutil.rmtree(scratch)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
