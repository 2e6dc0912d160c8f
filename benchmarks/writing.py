"""What storing costs: with much already stored, and with many writers, beside the least durable insert."""

import multiprocessing
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from corpus import Note, notes
from filling import fill, open_app, run_tool
from memotheca.vectors.embedders import DEFAULT
from report import Line, Options, Table, Target
from timing import Stopwatch, median, paired_ratio, per_second, percentile

RAW = "raw insert"
FLAT = "x 1,000 entries"
ADDED = "x raw insert"
RATE = "writes/s"
EMBEDDED = "store and embed"
START_SECONDS = 120

Write = Callable[[Note], Any]


def open_raw(folder: Path) -> Write:
    """The least a durable write can cost: one row in one table, in its own transaction."""
    folder.mkdir(parents=True, exist_ok=True)
    connection = apsw.Connection(str(folder / "raw.db"))
    connection.set_busy_timeout(30_000)
    for setting in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL"):
        connection.execute(setting).fetchall()
    connection.execute("CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY, topic TEXT, content TEXT, tags TEXT)")

    def write(note: Note) -> None:
        connection.execute("BEGIN IMMEDIATE")
        values = (note.topic, note.content, ",".join(note.tags))
        connection.execute("INSERT INTO note (topic, content, tags) VALUES (?, ?, ?)", values)
        connection.execute("COMMIT")

    return write


def open_memotheca(folder: Path, embedder: str = "none") -> Write:
    app = open_app(folder, embedder=embedder)
    return lambda note: run_tool(app, "store", note.arguments())


OPENERS: dict[str, Callable[[Path], Write]] = {"memotheca": open_memotheca, RAW: open_raw}


def measure(options: Options) -> Table:
    lines = _measure_sizes(options)
    lines += _measure_writers(options)
    return Table(
        name="writing",
        title="one `store`, durable when it answers, in milliseconds",
        lines=lines,
        notes=[
            "Through validation, dispatch, engine and contract in one program, without the protocol around it.",
            f"Without an embedder, which takes most of the time where there is one; {EMBEDDED}: with the shipped one.",
            f"{RAW}: one row in one table with apsw, WAL and synchronous=FULL, on the same disk in turns with ours.",
            f"{ADDED}: our time over its time, of the writers its writes/s over ours; {FLAT}: our time over that "
            "with 1,000 entries. Both are the median of the rounds' own ratios. Rates depend on the disk.",
        ],
    )


def _measure_sizes(options: Options) -> list[Line]:
    sizes = (1_000, 10_000) if options.quick else (1_000, 10_000, 100_000)
    rounds, count = (20, 10) if options.quick else (50, 20)
    writes: dict[str, Write] = {RAW: open_raw(options.scratch / "raw")}
    for size in sizes:
        folder = options.scratch / str(size)
        fill(open_app(folder, embedder="none"), notes(size))
        writes[f"store, {size:,} entries"] = open_memotheca(folder)
    writes[EMBEDDED] = open_memotheca(options.scratch / "embedded", DEFAULT)
    watches = {label: Stopwatch() for label in writes}
    for write in writes.values():
        for note in notes(20, seed=2):
            write(note)
    for turn in range(rounds):
        prepared = list(notes(count, seed=1000 + turn))
        for label, write in writes.items():
            for note in prepared:
                watches[label].time(lambda write=write, note=note: write(note))
    least = watches[f"store, {sizes[0]:,} entries"]
    return [_size_line(label, watch, watches[RAW], least, each=count) for label, watch in watches.items()]


def _size_line(label: str, watch: Stopwatch, raw: Stopwatch, least: Stopwatch, *, each: int) -> Line:
    numbers = {**_latencies(watch.wall), "CPU p50 ms": median(watch.cpu) * 1e3, "CPU min ms": min(watch.cpu) * 1e3}
    if watch is raw:
        return Line(label=label, numbers=numbers)
    numbers[ADDED] = paired_ratio(watch.wall, raw.wall, each=each)
    if label == EMBEDDED:
        return Line(label=label, numbers=numbers)
    numbers[FLAT] = paired_ratio(watch.wall, least.wall, each=each)
    return Line(label=label, numbers=numbers, target=None if watch is least else Target(column=FLAT, bound=1.2))


def _latencies(wall: list[float]) -> dict[str, float]:
    return {
        "p50 ms": median(wall) * 1e3,
        "p95 ms": percentile(wall, 0.95) * 1e3,
        "p99 ms": percentile(wall, 0.99) * 1e3,
        "min ms": min(wall) * 1e3,
    }


@dataclass(slots=True)
class Contest:
    """Rounds of so many writers on one directory."""

    rates: list[float] = field(default_factory=list[float])
    wall: list[float] = field(default_factory=list[float])
    cpu: list[float] = field(default_factory=list[float])


def _measure_writers(options: Options) -> list[Line]:
    rounds = 2 if options.quick else 5
    counts = {1: 100, 8: 25} if options.quick else {1: 400, 8: 100}
    found = {(writers, name): Contest() for writers in counts for name in OPENERS}
    for turn in range(rounds):
        for (writers, name), contest in found.items():
            folder = options.scratch / f"{name}-{writers}-{turn}"
            _run_writers(contest, name, folder, writers=writers, count=counts[writers])
    return [_writers_line(writers, name, found) for writers, name in found]


def _writers_line(writers: int, name: str, found: dict[tuple[int, str], Contest]) -> Line:
    contest, raw = found[writers, name], found[writers, RAW]
    numbers = {
        RATE: median(contest.rates),
        **_latencies(contest.wall),
        "CPU p50 ms": median(contest.cpu) * 1e3,
        "CPU min ms": min(contest.cpu) * 1e3,
    }
    label = f"{writers} writer{'s' if writers > 1 else ''}, {name}"
    if name == RAW:
        return Line(label=label, numbers=numbers)
    numbers[ADDED] = paired_ratio(raw.rates, contest.rates)
    return Line(label=label, numbers=numbers, target=Target(column=RATE, bound=200, at_least=True))


def _run_writers(contest: Contest, name: str, folder: Path, *, writers: int, count: int) -> None:
    OPENERS[name](folder)
    spawning = multiprocessing.get_context("spawn")
    ready, finished = spawning.Barrier(writers), spawning.Queue()
    children = [
        spawning.Process(
            target=_write_many, args=(name, folder, ready, finished), kwargs={"seed": seed, "count": count}
        )
        for seed in range(writers)
    ]
    for child in children:
        child.start()
    reports = [finished.get(timeout=START_SECONDS + count) for _ in children]
    for child in children:
        child.join()
    began, ended = min(report[0] for report in reports), max(report[1] for report in reports)
    contest.rates.append(per_second(writers * count, ended - began))
    for _, _, wall, cpu in reports:
        contest.wall += wall
        contest.cpu += cpu
    _check_kept(name, folder, writers * count)


def _write_many(name: str, folder: Path, ready: Any, finished: Any, *, seed: int, count: int) -> None:
    """One writer in a program of its own; the wall clock is the system's, since it is compared with others'."""
    write, watch = OPENERS[name](folder), Stopwatch()
    prepared = list(notes(count, seed=seed))
    ready.wait(START_SECONDS)
    began = time.time()
    for note in prepared:
        watch.time(lambda note=note: write(note))
    finished.put((began, time.time(), watch.wall, watch.cpu))


def _check_kept(name: str, folder: Path, acknowledged: int) -> None:
    """A fast writer that loses writes is not fast."""
    if name == RAW:
        return
    with open_app(folder, embedder="none").kernel.read() as snapshot:
        kept = snapshot.count("entry")
    if kept != acknowledged:
        raise RuntimeError(f"{acknowledged} writes were acknowledged, {kept} are there")
