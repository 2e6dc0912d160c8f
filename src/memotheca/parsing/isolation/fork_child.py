"""One file read in a process of its own, which may use so much and no more, and is thrown away afterwards."""

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.drawn_pages import draw_page
from memotheca.parsing.formats_table import read
from memotheca.parsing.isolation import resource_limits
from memotheca.parsing.isolation.frames import pack
from memotheca.parsing.isolation.resource_limits import ResourceLimits
from memotheca.parsing.open_safely import MAX_SIZE, read_whole
from memotheca.parsing.source import Source, Wishes

SILENCE = 0.1  # chosen: ten reports a second move a bar smoothly

Send = Callable[[bytes], None]


def work(job: dict[str, Any], descriptor: int, send: Send) -> None:
    """Read the opened file and send what comes of it: progress, then a document or a refusal."""
    name = job["name"]
    allowed = ResourceLimits(**job["limits"])
    resource_limits.impose(allowed)
    try:
        content = read_whole(descriptor, job.get("max_size", MAX_SIZE))
        source = Source(name=name, content=content, wishes=Wishes(**job["wishes"]), report=_reporter(send, allowed))
        answer = pack(_answer(job, source))
    except Refusal as refusal:
        answer = _refusal(refusal)
    except MemoryError:
        answer = _refusal(
            Refusal(
                Failure.TOO_LARGE,
                f"Reading {name} needs more than {allowed.memory_mb} MB of memory. Split the file into smaller ones",
            )
        )
    except Exception as problem:  # noqa: BLE001 — whatever a parser raises concerns this file alone
        answer = _refusal(
            Refusal(
                Failure.CORRUPT,
                f"{name} could not be read: {type(problem).__name__}: {str(problem)[:200]}. It may be damaged",
            )
        )
    send(answer)


def _answer(job: dict[str, Any], source: Source) -> dict[str, Any]:
    """A file that is read, or a page of it that is drawn."""
    if "draw" in job:
        return {"picture": draw_page(source, **job["draw"]).to_wire()}
    return {"document": read(source).to_wire()}


def _reporter(send: Send, allowed: ResourceLimits) -> Callable[[float, float | None, str], None]:
    """Tells of progress, though not too often; each step that is done earns time for the next."""
    last = time.monotonic() - SILENCE

    def report(done: float, total: float | None, message: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= SILENCE or done == total:
            last = now
            resource_limits.renew(allowed)
            send(pack({"progress": [done, total, message]}))

    return report


def _refusal(refusal: Refusal) -> bytes:
    return pack(
        {
            "refusal": {
                "failure": refusal.failure.name,
                "message": refusal.message,
                "field": refusal.field,
                "details": refusal.details,
            }
        }
    )


def main() -> None:
    """Where processes cannot fork: the file is standard input, the job an argument, frames go to standard output."""
    frames = os.dup(sys.stdout.fileno())
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    with os.fdopen(frames, "wb", buffering=0) as out:
        work(json.loads(sys.argv[1]), sys.stdin.fileno(), lambda frame: write_all(out.fileno(), frame))


def write_all(descriptor: int, frame: bytes) -> None:
    rest = memoryview(frame)
    while rest:
        rest = rest[os.write(descriptor, rest[: 1 << 20]) :]


if __name__ == "__main__":
    main()
