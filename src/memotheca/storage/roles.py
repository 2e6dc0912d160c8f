"""Roles on lease: free at once when their holder dies, and after a while when it is suspended.

A role is a locked file. Its holder touches the file while it can; whoever has watched it untouched for long enough puts
another file in its place, and the lock on the old one is worth nothing any more. The holder notices, and whatever it
wrote down under the role is refused where it says so inside its transaction."""

import json
import os
import socket
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from memotheca.model.clock import system_clock, to_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.storage.database import Session
from memotheca.storage.locks import FOLDER, try_lock

SECONDS = 30.0  # chosen: the default of `lease-seconds` (docs/behaviour.md, Many clients at once)
_BEATS = 5  # chosen: four missed signs of life before a role is taken over
_LONGEST = 4096  # chosen: far above what is written there
_SIGNED = 512  # chosen: over the longest line, so that a shorter one leaves nothing of it
_SUFFIX = ".lock"


class _RoleFiles:
    """How long a role's file must have stayed untouched; and since when this process has seen each as it is."""

    seconds = SECONDS

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._seen: dict[Path, tuple[tuple[int, int], float]] = {}

    def is_over(self, path: Path, state: tuple[int, int]) -> bool:
        """By our own clock, so that a clock that was set or a machine that slept makes nobody look dead."""
        now = time.monotonic()
        with self._guard:
            known, since = self._seen.get(path, (None, now))
            if known != state:
                self._seen[path] = (state, now)
                return False
        return now - since > self.seconds


_patience = _RoleFiles()


def set_patience(seconds: float) -> None:
    _RoleFiles.seconds = seconds


def patience_of_roles() -> float:
    return _patience.seconds


@dataclass(frozen=True, slots=True)
class RoleHolder:
    """Who holds a role, and how many seconds ago there was a sign of life."""

    role: str
    pid: int
    host: str
    since: str
    silent: float

    @property
    def is_silent(self) -> bool:
        return self.silent > _patience.seconds

    def __str__(self) -> str:
        told = f"process {self.pid} on {self.host} (since {self.since}, last sign of life {self.silent:.0f} s ago"
        return told + ("; suspended?)" if self.is_silent else ")")


class Lease:
    """A role that this process holds, as long as nobody has taken it over."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor
        self._ended = threading.Event()

    @property
    def is_held(self) -> bool:
        try:
            mine, there = os.fstat(self._descriptor), self._path.stat()
        except OSError:
            return False
        return (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino)

    def refuse_lost(self, session: Session | None = None) -> None:
        """To be asked inside a transaction: whoever took the role over writes only in later ones."""
        del session
        if not self.is_held:
            raise Refusal(Failure.BUSY, "This program was suspended, and another has taken over its work.")

    def begin(self) -> None:
        said = {"pid": os.getpid(), "host": socket.gethostname(), "since": to_iso(system_clock())}
        with suppress(OSError):
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, json.dumps(said).encode(), 0)
        threading.Thread(target=self._beat, name="lease", daemon=True).start()

    def _beat(self) -> None:
        while not self._ended.wait(_patience.seconds / _BEATS):
            with suppress(OSError):
                os.utime(self._descriptor)

    def end(self) -> None:
        self._ended.set()
        os.close(self._descriptor)


@contextmanager
def lease(data: Path, name: str) -> Generator[Lease | None]:
    """Try to take a role without waiting: where it is free, or where its holder has given no sign of life for long."""
    folder = data / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"{name}{_SUFFIX}"
    held = _take(path) or _take_over(path)
    if held is None:
        yield None
        return
    held.begin()
    try:
        yield held
    finally:
        held.end()


def _take(path: Path) -> Lease | None:
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    found = Lease(path, descriptor)
    if try_lock(descriptor) and found.is_held:
        return found
    os.close(descriptor)
    return None


def _take_over(path: Path) -> Lease | None:
    """One at a time, and only from who was watched for the whole time."""
    try:
        there = path.stat()
        if not _patience.is_over(path, (there.st_ino, there.st_mtime_ns)):
            return None
        guard = os.open(path.with_suffix(".guard"), os.O_CREAT | os.O_RDWR, 0o600)
    except OSError:
        return None
    try:
        if not try_lock(guard) or path.stat() != there:
            return None
        path.unlink()
        return _take(path)
    except OSError:
        return None
    finally:
        os.close(guard)


def holder_of(data: Path, name: str) -> RoleHolder | None:
    """Who holds a role, if anybody does."""
    path = data / FOLDER / f"{name}{_SUFFIX}"
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return None
    try:
        if try_lock(descriptor):
            return None
        silent = max(0.0, time.time() - os.fstat(descriptor).st_mtime)
        told = json.loads(os.pread(descriptor, _LONGEST, 0) or b"{}")
        return RoleHolder(name, int(told["pid"]), str(told["host"]), str(told["since"]), silent)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    finally:
        os.close(descriptor)


def holders(data: Path) -> list[RoleHolder]:
    """Everybody who holds a role."""
    found = [holder_of(data, path.name.removesuffix(_SUFFIX)) for path in sorted((data / FOLDER).glob(f"*{_SUFFIX}"))]
    return [each for each in found if each is not None]


class WriterMark:
    """Who began to write last, which is who holds the write lock where somebody does: a lock that cannot be taken
    over, but whose holder can be named."""

    def __init__(self, data: Path) -> None:
        self._path = data / FOLDER / "writer"
        # Kept open: to open it for every write takes longer than to sign.
        self._descriptor = -1
        self._name = ""

    def sign(self) -> None:
        with suppress(OSError):
            if self._descriptor < 0 or not os.fstat(self._descriptor).st_nlink:
                self.close()
                self._descriptor = os.open(self._path, os.O_CREAT | os.O_WRONLY, 0o600)
                self._name = json.dumps({"pid": os.getpid(), "host": socket.gethostname()})
            said = f'{self._name[:-1]}, "since": "{to_iso(system_clock())}"}}'
            os.pwrite(self._descriptor, said.ljust(_SIGNED).encode(), 0)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1

    def read(self) -> str:
        try:
            told = json.loads(self._path.read_text())
            return f"process {told['pid']} on {told['host']}, since {told['since']}"
        except (OSError, ValueError, KeyError, TypeError):
            return ""
