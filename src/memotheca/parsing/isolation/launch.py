"""Where parsers run: forked from one small process of ours, or, where nothing forks, in an interpreter each."""

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from threading import Lock, Thread
from typing import Any, Protocol

from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.isolation.frames import pack

CLOSING = 5  # chosen: a process that only has to end


class Parsers(Protocol):
    """Starts a parser for an opened file; what it says arrives on the channel, and leaving the block ends it."""

    def start(self, job: dict[str, Any], descriptor: int) -> AbstractContextManager[socket.socket]: ...

    def close(self) -> None: ...


def find_parsers() -> Parsers:
    return Forked() if hasattr(os, "fork") and hasattr(socket, "send_fds") else Spawned()


class Forked:
    """Children of one parser process, which is started when first needed and again whenever it has died."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._running: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    @contextmanager
    def start(self, job: dict[str, Any], descriptor: int) -> Generator[socket.socket]:
        ours, theirs = _channel()
        with ours:
            with theirs:
                self._hand_over(pack(job), [descriptor, theirs.fileno()])
            yield ours

    def close(self) -> None:
        with self._guard:
            self._end()

    def _hand_over(self, frame: bytes, descriptors: list[int]) -> None:
        with self._guard:
            for _ in range(2):
                try:
                    control = self._ensure()
                    sent = socket.send_fds(control, [frame], descriptors)
                    control.sendall(frame[sent:])
                    return
                except OSError:
                    self._end()
        raise _unavailable()

    def _ensure(self) -> socket.socket:
        if self._control and self._running and self._running.poll() is None:
            return self._control
        self._end()
        self._control, theirs = socket.socketpair()
        with theirs:
            self._running = subprocess.Popen(
                [sys.executable, "-P", "-m", "memotheca.parsing.isolation.fork_server"],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment(),
                cwd=tempfile.gettempdir(),
            )
        return self._control

    def _end(self) -> None:
        """Closing the control socket ends the parser process with all its children."""
        if self._control:
            self._control.close()
        if self._running:
            try:
                self._running.wait(CLOSING)
            except subprocess.TimeoutExpired:
                self._running.kill()
                self._running.wait()
        self._control = self._running = None


def _channel() -> tuple[socket.socket, socket.socket]:
    try:
        return socket.socketpair()
    except OSError as problem:
        raise _unavailable() from problem


def _unavailable() -> Refusal:
    return Refusal(
        Failure.UNAVAILABLE, "The parser process does not start: the system has no room for it. Try again later"
    )


class Spawned:
    """An interpreter of its own for every file: slower to start, but possible everywhere."""

    @contextmanager
    def start(self, job: dict[str, Any], descriptor: int) -> Generator[socket.socket]:
        ours, theirs = socket.socketpair()
        os.lseek(descriptor, 0, os.SEEK_SET)
        child = subprocess.Popen(  # noqa: S603
            [sys.executable, "-P", "-m", "memotheca.parsing.isolation.fork_child", json.dumps(job)],
            stdin=descriptor,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(),
            cwd=tempfile.gettempdir(),
        )
        pump = Thread(target=_pump, args=(child, theirs), daemon=True)
        pump.start()
        try:
            with ours:
                yield ours
        finally:
            child.kill()
            child.wait()
            pump.join()

    def close(self) -> None:
        """Every child has ended with its file."""


def _pump(child: subprocess.Popen[bytes], channel: socket.socket) -> None:
    """Pass on what a child writes, and at last how it ended."""
    assert child.stdout is not None
    with channel, child.stdout as out:
        try:
            while block := os.read(out.fileno(), 1 << 16):
                channel.sendall(block)
            channel.sendall(pack({"exit": [child.wait(), 0.0, 0]}))
        except OSError:
            pass  # nobody waits for it any more


def environment() -> dict[str, str]:
    """What a parser may know of its surroundings: where its packages are, and no secrets."""
    kept = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP")
    given = {name: os.environ[name] for name in kept if name in os.environ}
    return given | {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
