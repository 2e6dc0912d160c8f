"""From the start of the program to the answers of initialize and tools/list, over stdio."""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from client import Client, memotheca, script
from peers import memory_server, memory_server_version, node_version
from report import Line, Options, Table, Target
from timing import median, paired_ratio

BARE = "bare SDK server"
RATIO = "CPU x bare"


@dataclass(slots=True)
class Starts:
    """One server, how to start it, and what its starts took in seconds and MB."""

    command: list[str]
    before: Callable[[], None] = lambda: None
    wall: list[float] = field(default_factory=list[float])
    cpu: list[float] = field(default_factory=list[float])
    life: list[float] = field(default_factory=list[float])
    memory: list[float] = field(default_factory=list[float])


def measure(options: Options) -> Table:
    contestants = _contestants(options.scratch)
    # Compiled files are kept, as on a user's machine; otherwise every start would compile what was edited last.
    variables = {
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(options.scratch / "compiled"),
        "MEMORY_FILE_PATH": str(options.scratch / "memory.json"),
    }
    rounds = 7 if options.quick else 15
    for turn in range(rounds + 1):
        order = list(contestants.values())
        for starts in order[turn % len(order) :] + order[: turn % len(order)]:
            _start(starts, variables)
    for starts in contestants.values():
        # The first start compiles Python files and fills the disk cache.
        for samples in (starts.wall, starts.cpu, starts.life, starts.memory):
            del samples[0]
    bare = contestants[BARE]
    return Table(
        name="startup",
        title="start to the answers of initialize and tools/list, over stdio",
        lines=[_line(label, starts, bare) for label, starts in contestants.items()],
        notes=_notes(rounds, len(contestants)),
    )


def _contestants(scratch: Path) -> dict[str, Starts]:
    used, empty = scratch / "used", scratch / "empty"
    found = {
        "memotheca, default toolsets": Starts(memotheca(used)),
        "memotheca, --toolsets all": Starts(memotheca(used, "--toolsets", "all")),
        "memotheca, empty directory": Starts(memotheca(empty), lambda: shutil.rmtree(empty, ignore_errors=True)),
        BARE: Starts(script("bare_server.py")),
    }
    reference = memory_server()
    if reference is not None:
        found["reference memory server"] = Starts(reference)
    return found


def _start(starts: Starts, variables: dict[str, str]) -> None:
    starts.before()
    client = Client(starts.command, **variables)
    client.greet()
    client.ask("tools/list")
    starts.wall.append(time.perf_counter() - client.began)
    cpu, memory = client.cpu(), client.peak_memory()
    usage = client.close()
    life = usage.ru_utime + usage.ru_stime
    starts.cpu.append(cpu)
    starts.life.append(life)
    starts.memory.append(memory)


def _line(label: str, starts: Starts, bare: Starts) -> Line:
    numbers = {
        "wall p50 s": median(starts.wall),
        "wall min s": min(starts.wall),
        "CPU p50 s": median(starts.cpu),
        "CPU min s": min(starts.cpu),
        "CPU to its end p50 s": median(starts.life),
        "peak MB": median(starts.memory),
        "wall x bare": paired_ratio(starts.wall, bare.wall),
        "CPU min x bare": min(starts.cpu) / min(bare.cpu),
        RATIO: paired_ratio(starts.cpu, bare.cpu),
    }
    judged = label.startswith("memotheca") and "empty" not in label
    return Line(label=label, numbers=numbers, target=Target(column=RATIO, bound=1.2) if judged else None)


def _notes(rounds: int, contestants: int) -> list[str]:
    notes = [
        f"{rounds} interleaved rounds after one that is not counted; a ratio is the median of the rounds' own ratios."
    ]
    if contestants > 4:
        notes.append(f"Reference memory server: npm {memory_server_version()} on Node {node_version()}.")
    return notes
