"""Who has a data directory open, and who serves it at which address: every process leaves a locked file with its name
in it, free at once when it dies."""

import json
import os
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from uuid import uuid4

from memotheca.model.clock import system_clock, to_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.storage.locks import FOLDER, try_lock

PRESENT, SERVED = "present", "served"
GATE = "gate.lock"
PATIENCE = 5.0  # chosen: starting and ending takes less
_SUFFIX = ".lock"
_PAUSE = 0.01  # chosen: not felt beside a start
_LONGEST = 4096  # chosen: far above what is written there


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that has the directory open; one that serves it says where, and which collection is meant there."""

    pid: int
    command: str
    since: str
    address: str = ""
    collection: str = ""

    def __str__(self) -> str:
        return f"`{self.command}` (process {self.pid}, since {self.since})"


class Presence:
    """This process in a data directory, until it says that it has gone or dies."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    def end(self) -> None:
        """Go, once; a file that cannot be removed any more is removed by whoever looks next."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)
            os.close(descriptor)


@contextmanager
def gate(data: Path, *, patience: float = PATIENCE, command: str = "") -> Generator[bool]:
    """Nobody comes or goes meanwhile; who keeps others out for longer gives its command, so that it can be named.

    Says False where there is no gate: the directory cannot be written, or whoever came before is stuck in it, which
    need not stop everybody. Refuses where somebody keeps others out.
    """
    try:
        folder = data / FOLDER
        folder.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(folder / GATE, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError:
        yield False
        return
    try:
        held = _wait_for(descriptor, patience)
        if held:
            _write(descriptor, command)
        elif keeper := _read(os.read(descriptor, _LONGEST)):
            raise Refusal(Failure.BUSY, f"{keeper} keeps others out of the data directory; try again when it is done.")
        yield held
        if held:
            os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def _wait_for(descriptor: int, patience: float) -> bool:
    deadline = time.monotonic() + patience
    while not try_lock(descriptor):
        if time.monotonic() >= deadline:
            return False
        time.sleep(_PAUSE)
    return True


def _write(descriptor: int, command: str) -> None:
    """A gate that was left behind by the dead names nobody any more."""
    os.ftruncate(descriptor, 0)
    if command:
        os.write(descriptor, json.dumps(asdict(Holder(os.getpid(), command, to_iso(system_clock())))).encode())


def enter(data: Path, command: str, *, room: str = PRESENT, address: str = "", collection: str = "") -> Presence | None:
    """Be present from now on; within the gate, so that nobody takes the file for one that was left behind. None where
    the directory cannot be written."""
    holder = Holder(os.getpid(), command, to_iso(system_clock()), address, collection)
    folder = data / FOLDER / room
    path = folder / f"{holder.pid}-{uuid4().hex}{_SUFFIX}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    except OSError:
        return None
    try:
        try_lock(descriptor)
        os.write(descriptor, json.dumps(asdict(holder)).encode())
    except OSError:
        path.unlink(missing_ok=True)
        os.close(descriptor)
        return None
    return Presence(path, descriptor)


def present(data: Path, *, besides: Presence | None = None, room: str = PRESENT) -> list[Holder]:
    """Who else is there, longest first; within the gate, since what the dead have left is removed."""
    found: list[Holder] = []
    for path in sorted((data / FOLDER / room).glob(f"*{_SUFFIX}")):
        if besides is None or path != besides.path:
            holder = _look(path)
            found += [] if holder is None else [holder]
    return sorted(found, key=lambda holder: holder.since)


def _look(path: Path) -> Holder | None:
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return None
    try:
        if try_lock(descriptor):
            path.unlink(missing_ok=True)
            return None
        # Whoever holds the lock is there, whatever its file says.
        number = path.name.partition("-")[0]
        unknown = Holder(int(number) if number.isdigit() else 0, "memotheca", "an unknown time")
        return _read(os.read(descriptor, _LONGEST)) or unknown
    finally:
        os.close(descriptor)


def _read(said: bytes) -> Holder | None:
    try:
        told = json.loads(said)
        where = (str(told.get(name, "")) for name in ("address", "collection"))
        return Holder(int(told["pid"]), str(told["command"]), str(told["since"]), *where)
    except (ValueError, KeyError, TypeError):
        return None
