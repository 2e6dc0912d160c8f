"""Disks that fail: one that forgets at a power cut what was not synced, and one that is full."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import TracebackType

import apsw

SECTOR = 512
_JOURNALS = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL
_names = count()

Thrown = type[BaseException] | None
Trace = TracebackType | None


@dataclass(eq=False)
class Inode:
    """A file's content: what survives for certain, and what was done to it since."""

    durable: bytearray = field(default_factory=bytearray)
    pending: list[Callable[[bytearray], None]] = field(default_factory=list)

    def sync(self) -> None:
        for operation in self.pending:
            operation(self.durable)
        self.pending.clear()


def written(offset: int, data: bytes) -> Callable[[bytearray], None]:
    def apply(content: bytearray) -> None:
        if len(content) < offset:
            content.extend(bytes(offset - len(content)))
        content[offset : offset + len(data)] = data

    return apply


def truncated(size: int) -> Callable[[bytearray], None]:
    def apply(content: bytearray) -> None:
        del content[size:]

    return apply


class Disk:
    """Every file of one directory as a disk with a volatile cache has it, until the power is cut."""

    def __init__(self, root: Path, *, seed: int, cut_after: int) -> None:
        self.root = root
        self.rng = random.Random(seed)
        self.dead = False
        self.steps = 0
        self._cut_after = cut_after
        # What a name may stand for after the cut: first what is certain, then what was made of it since.
        self._entries: dict[str, list[Inode | None]] = {
            path.name: [Inode(bytearray(path.read_bytes()))] for path in root.iterdir() if path.is_file()
        }

    def step(self) -> bool:
        """Count one action; True if the power fails in the middle of it."""
        if self.dead:
            raise apsw.IOError("there is no power")
        self.steps += 1
        self.dead = self.steps >= self._cut_after
        return self.dead

    def open(self, name: str) -> Inode:
        inode = self._entries.get(name, [None])[-1]
        if inode is None:
            self._fail_if(self.step())
            inode = Inode()
            self._entries.setdefault(name, [None]).append(inode)
        return inode

    def do(self, inode: Inode, offset: int, data: bytes | None) -> None:
        """Write, or without data truncate; a write is remembered sector by sector, so that it can be torn."""
        failing = self.step()
        if data is None:
            inode.pending.append(truncated(offset))
        else:
            inode.pending += [written(offset + at, data[at:end]) for at, end in _sectors(offset, len(data))]
        self._fail_if(failing)

    def sync(self, inode: Inode, *, with_directory: bool) -> None:
        failing = self.step()
        if failing and self.rng.random() < 0.5:
            self._fail_if(True)
        inode.sync()
        if with_directory:
            self._sync_directory()
        self._fail_if(failing)

    def delete(self, name: str, *, with_directory: bool) -> None:
        failing = self.step()
        self._entries.setdefault(name, [None]).append(None)
        if with_directory and not failing:
            self._sync_directory()
        self._fail_if(failing)

    def leave_to(self, target: Path) -> None:
        """Write down what is found after the cut; the shared memory is gone, its file may hold anything."""
        self.dead = True
        target.mkdir()
        for name, candidates in self._entries.items():
            inode = self.rng.choice(candidates)
            if inode is not None:
                (target / name).write_bytes(self._survivors(inode))
        if self.rng.random() < 0.3:
            (target / "memotheca.db-shm").write_bytes(self.rng.randbytes(32768))

    def _survivors(self, inode: Inode) -> bytes:
        content = bytearray(inode.durable)
        chance = self.rng.choice((0.0, 0.1, 0.5, 0.9, 1.0))
        for operation in inode.pending:
            if self.rng.random() < chance:
                operation(content)
        return bytes(content)

    def _sync_directory(self) -> None:
        self._entries = {name: [candidates[-1]] for name, candidates in self._entries.items()}

    def _fail_if(self, failing: bool) -> None:
        if failing:
            raise apsw.IOError("the power failed")


def _sectors(offset: int, length: int) -> list[tuple[int, int]]:
    """A write cut where sectors begin, as places in its data."""
    begins = [0, *range(SECTOR - offset % SECTOR, length, SECTOR)]
    return list(zip(begins, [*begins[1:], length], strict=True))


class FaultyVFS(apsw.VFS):
    """The platform's own files, with a disk under them that can fail; use `name` as SQLite's `vfs`."""

    def __init__(self, disk: Disk) -> None:
        self.name = f"faulty-{next(_names)}"
        self.disk = disk
        super().__init__(self.name, "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        if name is None:
            return apsw.VFSFile("", name, flags)
        return FaultyFile(self.disk, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        self.disk.delete(Path(filename).name, with_directory=syncdir)
        super().xDelete(filename, syncdir)

    def excepthook(self, etype: Thrown, evalue: BaseException | None, etraceback: Trace) -> bool:
        """A dead disk fails often; what matters reaches the caller as an error of SQLite."""
        return True


class FaultyFile(apsw.VFSFile):
    """A file whose changes pass the disk first; nothing is really synced, which makes it fast."""

    def __init__(self, disk: Disk, name: str | apsw.URIFilename, flags: list[int]) -> None:
        path = name if isinstance(name, str) else name.filename()
        self._disk = disk
        # SQLite syncs the directory together with a journal or a log that it has just made.
        self._with_directory = bool(flags[0] & _JOURNALS)
        self._inode = disk.open(Path(path).name)
        super().__init__("", name, flags)

    def excepthook(self, etype: Thrown, evalue: BaseException | None, etraceback: Trace) -> bool:
        """As for the whole file system."""
        return True

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._disk.do(self._inode, offset, bytes(data))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._disk.do(self._inode, newsize, None)
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._disk.sync(self._inode, with_directory=self._with_directory)


class CrampedVFS(apsw.VFS):
    """The platform's own files on a disk with `free` bytes left; None is as much as one likes."""

    def __init__(self) -> None:
        self.name = f"cramped-{next(_names)}"
        self.free: int | None = None
        self.refusals = 0
        super().__init__(self.name, "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return CrampedFile(self, name, flags)

    def excepthook(self, etype: Thrown, evalue: BaseException | None, etraceback: Trace) -> bool:
        """What matters reaches the caller as an error of SQLite."""
        return True


class CrampedFile(apsw.VFSFile):
    """Overwriting is always possible, growing only while there is space; what still fits is written."""

    def __init__(self, disk: CrampedVFS, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        self._disk = disk
        super().__init__("", name, flags)

    def excepthook(self, etype: Thrown, evalue: BaseException | None, etraceback: Trace) -> bool:
        """As for the whole file system."""
        return True

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        growth = max(0, offset + len(data) - self.xFileSize())
        if self._disk.free is not None and growth > self._disk.free:
            fitting = bytes(data)[: len(data) - growth + self._disk.free]
            self._disk.free = 0
            self._disk.refusals += 1
            if fitting:
                super().xWrite(fitting, offset)
            raise apsw.FullError("there is no space left")
        if self._disk.free is not None:
            self._disk.free -= growth
        super().xWrite(data, offset)
