"""Children of a test: plain scripts whose lines are read as they come, and which can be killed."""

import os
import selectors
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import monotonic

from tests.patience import PATIENCE

SCRIPTS = Path(__file__).parent


class Child:
    """A script under way; `lines` holds every whole line it has written so far."""

    def __init__(self, script: str | Path, *arguments: object) -> None:
        command = [sys.executable, str(SCRIPTS / script), *map(str, arguments)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )
        self.lines: list[str] = []
        self.ended = False
        self.complaint = ""
        self._rest = b""

    def __enter__(self) -> "Child":
        return self

    def __exit__(self, *_: object) -> None:
        if not self.pipes_closed:
            self.kill()

    @property
    def pipes_closed(self) -> bool:
        return self.process.stdout is None or self.process.stdout.closed

    def fileno(self) -> int:
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    def take(self) -> list[str]:
        """Read what is there; what a killed child wrote before its death is still in the pipe."""
        received = os.read(self.fileno(), 65536)
        if not received:
            self.ended = True
            return []
        *whole, self._rest = (self._rest + received).split(b"\n")
        fresh = [line.decode() for line in whole]
        self.lines += fresh
        return fresh

    def tell(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line.encode() + b"\n")

    def hang_up(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def finish(self, seconds: float = PATIENCE) -> int:
        """Wait for the end, however it comes, and return the exit code."""
        for _ in follow([self], seconds):
            pass
        code = self.process.wait(seconds)
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()
        assert self.process.stderr is not None
        with self.process.stderr as stderr:
            self.complaint = stderr.read().decode()
        return code

    def kill(self) -> None:
        """kill -9, and let the dead be read to the end."""
        self.process.kill()
        self.finish()


def follow(children: Sequence[Child], seconds: float) -> Iterator[tuple[Child, list[str]]]:
    """The lines of all children as they come, until all have ended; no lines means that one has just ended."""
    deadline = monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        for child in children:
            if not child.ended:
                selector.register(child, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(max(0.0, deadline - monotonic()))
            assert ready, f"nothing happened for too long: {seconds} s are over"
            for key, _ in ready:
                child = key.fileobj
                assert isinstance(child, Child)
                fresh = child.take()
                if child.ended:
                    selector.unregister(child)
                yield child, fresh


def hear(child: Child, seconds: float = PATIENCE) -> str:
    """The next line a child says."""
    for _, lines in follow([child], seconds):
        if lines:
            return lines[0]
    raise AssertionError(f"it ended silently: {child.finish()} {child.complaint}")


def ask(child: Child, line: str) -> str:
    """Say a line and wait for the answer."""
    child.tell(line)
    return hear(child)
