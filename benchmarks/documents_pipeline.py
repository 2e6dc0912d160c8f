"""What taking files in costs beyond embedding them, and what it does to memory and to whoever searches meanwhile."""

import os
import resource
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from corpus import notes
from filling import open_app
from memotheca.app import App
from memotheca.jobs import queue
from memotheca.jobs.workers import Workers
from memotheca.model import kinds
from memotheca.model.knowledge import Entry
from memotheca.search.chosen_embedder import embedder_of
from memotheca.search.passages import passages_of
from memotheca.toolkit.tool import Call
from report import Line, Table, Target

SHARE, FLAT, DISTURBED = 0.8, 1.1, 1.5
SMALL_FILES = 1_000
BATCHES = 20
SEARCHES = 200
PAGE = os.sysconf("SC_PAGE_SIZE")


def cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE / 1e6


def call(app: App, name: str, **arguments: Any) -> dict[str, Any]:
    """A tool's answer, be it a success or not: a file that is refused belongs to the picture."""
    return app.dispatcher.run(name, arguments, Call(kernel=app.kernel, actor="benchmark")).structured or {}


def add(app: App, path: Path) -> str:
    return str(call(app, "knowledge-add", file_path=str(path)).get("task_id", ""))


def wait_for(app: App, tasks: Sequence[str]) -> None:
    for task in filter(None, tasks):
        while call(app, "knowledge-task-status", task_id=task).get("status") in ("queued", "running"):
            threading.Event().wait(0.2)


def embed_alone(app: App) -> float:
    """CPU seconds for the vectors of every passage that is stored, one after the other, and nothing else."""
    with app.kernel.read() as snapshot:
        documents = [found.thing for found in snapshot.entries((kinds.DOCUMENT,)) if isinstance(found.thing, Entry)]
        embedder: Any = embedder_of(app.kernel, snapshot.session)
    said = [(entry.title, passage.said) for entry in documents for passage in passages_of(entry)]
    began = time.process_time()
    for title, text in said:
        embedder.embed_passage(title, text)
    return time.process_time() - began


def percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def search_times(app: App, count: int) -> list[float]:
    times: list[float] = []
    for number in range(count):
        began = time.perf_counter()
        call(app, "knowledge-search", query=f"the water in the bay number {number}")
        times.append((time.perf_counter() - began) * 1000)
    return times


def measure_pipeline(files: Sequence[Path], scratch: Path) -> Table:
    app = open_app(scratch / "data")
    workers = Workers(app.kernel).start()
    lines = [_throughput(app, files), _searching(app, files, scratch)]
    workers.stop()
    app.kernel.store.close()
    return Table(name="pipeline", title="taking files in, with everything that belongs to it", lines=lines)


def measure_memory(scratch: Path, count: int) -> Table:
    """What a process holds while small files come in, a batch at a time; nothing else runs in it."""
    app = open_app(scratch / "memory-data")
    workers = Workers(app.kernel).start()
    line = _memory(app, scratch, count)
    workers.stop()
    queue.bench_of(app.kernel).sandbox.close()
    app.kernel.store.close()
    return Table(name="memory", title="memory while files are taken in", lines=[line])


def _throughput(app: App, files: Sequence[Path]) -> Line:
    """Reading, cutting, embedding and storing, against embedding alone."""
    call(app, "store", topic="warm up", content="the model is loaded before the clock runs")
    began = cpu_seconds()
    wait_for(app, [add(app, path) for path in files])
    queue.bench_of(app.kernel).sandbox.close()
    whole = cpu_seconds() - began
    alone = embed_alone(app)
    return Line(
        label=f"{len(files)} real files",
        numbers={"CPU s": whole, "embedding alone": alone, "share": alone / whole},
        target=Target(column="share", bound=SHARE, at_least=True),
    )


def _memory(app: App, scratch: Path, count: int) -> Line:
    folder = scratch / "small"
    folder.mkdir()
    paths = [folder / f"{number}.html" for number in range(count)]
    for path, note in zip(paths, notes(count), strict=True):
        path.write_text(f"<h1>{note.topic}</h1><p>{note.content}</p>", "utf-8")
    batch = max(1, count // BATCHES)
    held: list[float] = []
    began = cpu_seconds()
    for start in range(0, count, batch):
        wait_for(app, [add(app, path) for path in paths[start : start + batch]])
        held.append(resident_mb())
    stored = call(app, "knowledge-status")["knowledge_base"]["document_count"]
    fifth = held[len(held) // 5 - 1]
    return Line(
        label=f"{stored} small files",
        numbers={
            "MB after a fifth": fifth,
            "MB after all": held[-1],
            "MB at most": max(held),
            "growth": held[-1] / fifth,
            "CPU s": cpu_seconds() - began,
        },
        target=Target(column="growth", bound=FLAT),
    )


def _searching(app: App, files: Sequence[Path], scratch: Path) -> Line:
    """The slowest twentieth of searches, in peace and while copies of the largest file are taken in."""
    largest = max(files, key=lambda path: path.stat().st_size).read_bytes()
    calm = percentile(search_times(app, SEARCHES), 0.95)
    copies = [scratch / f"copy-{number}.pdf" for number in range(2)]
    for number, copy in enumerate(copies):
        copy.write_bytes(largest + b"\n%% %d" % number)
    tasks = [add(app, copy) for copy in copies]
    busy = percentile(search_times(app, SEARCHES), 0.95)
    for task in filter(None, tasks):
        queue.call_off(app.kernel, task)
    return Line(
        label="searching meanwhile",
        numbers={"p95 ms in peace": calm, "p95 ms while adding": busy, "times": busy / calm},
        target=Target(column="times", bound=DISTURBED),
    )
