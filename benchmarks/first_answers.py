"""From the start of a server on a big index to its first answers, and the memory it holds then."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from client import Client, memotheca
from corpus import FUNCTION_WORDS
from filling import open_app
from haystack import COLLECTION, Haystack, texts
from memotheca.app import SEGMENTS
from memotheca.storage.store import write_setting
from memotheca.vectors.embedders import DEFAULT, NONE
from report import Line, Target


class Watched(Client):
    """A server whose memory is looked at."""

    def anonymous_memory(self) -> float:
        """Memory that is no mapped file, in MB: what cannot be given back."""
        status = Path(f"/proc/{self._child.pid}/status")
        if not status.exists():
            return float("nan")
        held = next(line for line in status.read_text().splitlines() if line.startswith("RssAnon"))
        return int(held.split()[1]) / 1000


def first_answers(haystack: Haystack, column: str, limit: int) -> list[Line]:
    """From the start of a server to its first answers; by words alone where the collection has no embedder."""
    body = texts(0, min(haystack.size, 10_000))[4].split()
    words = [word for word in body if word not in FUNCTION_WORDS][:5]
    lines: list[Line] = []
    _start(haystack.folder, {"content": " ".join(words), "limit": limit}, column)
    for label, setting in (("words alone", NONE), ("words and vectors", DEFAULT)):
        _choose(haystack.folder, setting)
        for state in ("cold", "warm"):
            if state == "cold":
                _drop_from_cache(haystack.folder)
            numbers = _start(haystack.folder, {"content": " ".join(words), "limit": limit}, column)
            judged = haystack.size >= 1_000_000 and setting == NONE and state == "warm"
            target = Target(column=column, bound=2.0) if judged else None
            lines.append(Line(label=f"start to the first answer, {label}, {state}", numbers=numbers, target=target))
    return lines


def _choose(folder: Path, setting: str) -> None:
    """The setting alone: what is embedded already stays."""
    app = open_app(folder)
    app.kernel.store.operate(lambda session: write_setting(session, COLLECTION, "embedder", setting))
    app.kernel.store.close()


def _start(folder: Path, arguments: dict[str, Any], column: str) -> dict[str, float]:
    # Compiled files are kept, as on a user's machine.
    client = Watched(memotheca(folder), PYTHONDONTWRITEBYTECODE="", PYTHONPYCACHEPREFIX=str(folder.parent / "compiled"))
    client.greet()
    greeted = time.perf_counter() - client.began
    answer = client.ask("tools/call", {"name": "query", "arguments": arguments})
    wall = time.perf_counter() - client.began
    if json.loads(answer)["result"].get("isError"):
        raise RuntimeError(f"query was refused: {answer[:500]!r}")
    numbers = {column: wall, "of it greeting s": greeted, "CPU s": client.cpu()}
    for _ in range(5):
        client.ask("tools/call", {"name": "query", "arguments": arguments})
    numbers |= {"peak MB": client.peak_memory(), "anonymous MB": client.anonymous_memory()}
    client.close()
    return numbers


def read_into_cache(folder: Path) -> None:
    """So that an earlier run's cold start does not slow this one down; in a program of its own, as below."""
    program = (
        "import sys\nfor name in sys.argv[1:]:\n with open(name, 'rb') as file:\n  while file.read(1 << 24): pass\n"
    )
    files = [folder / "memotheca.db", *sorted((folder / SEGMENTS).glob("*.seg"))]
    subprocess.run([sys.executable, "-c", program, *map(str, files)], check=True)


def _drop_from_cache(folder: Path) -> None:
    """In a program of its own, since closing the database file would drop this one's locks on it."""
    program = (
        "import os, sys\nfor name in sys.argv[1:]:\n fd = os.open(name, os.O_RDONLY)\n os.fsync(fd)\n"
        " os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)\n"
    )
    files = [folder / "memotheca.db", *sorted((folder / SEGMENTS).glob("*.seg"))]
    subprocess.run([sys.executable, "-c", program, *map(str, files)], check=True)
