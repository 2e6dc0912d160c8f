"""Opening a file so that what was checked is what is read: only regular files, and never through a link."""

import errno
import hashlib
import math
import os
import stat
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from memotheca.model.errors import Failure, Refusal

MEGABYTE = 1024 * 1024  # specification: the unit
MAX_SIZE = 100 * MEGABYTE  # specification: the largest file of the documents family

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class OpenedFile:
    """A regular file held open; everything after this uses the descriptor, never the path again."""

    def __init__(self, descriptor: int, name: str, path: str) -> None:
        status = os.fstat(descriptor)
        self.descriptor = descriptor
        self.name = name
        self.path = path
        self.size = status.st_size

    def fingerprint(self) -> str:
        """SHA-256 of the content."""
        digest = hashlib.sha256()
        offset = 0
        while block := read_at(self.descriptor, 1 << 20, offset):
            digest.update(block)
            offset += len(block)
        return digest.hexdigest()

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def __enter__(self) -> "OpenedFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_file(
    path: str, *, roots: Sequence[Path] | None = None, max_size: int = MAX_SIZE, shown: str = ""
) -> OpenedFile:
    """Open a file for reading, inside the roots if any are given; each way it can go wrong has its own refusal, which
    calls the file as it is to be shown."""
    shown = shown or path
    try:
        place = Path(path).expanduser()
    except RuntimeError as problem:
        raise Refusal(Failure.NOT_FOUND, f"File not found: {shown}. There is no such user") from problem
    inside = None if roots is None else _check_roots(place, roots, shown)
    try:
        descriptor = os.open(place, _FLAGS) if inside is None else _open_below(*inside)
    except OSError as problem:
        raise _why_not(place, problem, shown) from problem
    except ValueError as problem:
        raise Refusal(Failure.NOT_FOUND, f"File not found: {shown!r} is no path") from problem
    try:
        _check_kind(shown, os.fstat(descriptor).st_mode)
        opened = OpenedFile(descriptor, place.name, str(place.absolute()))
        _check_size(opened, max_size)
    except BaseException:
        os.close(descriptor)
        raise
    return opened


def hold_content(content: bytes, name: str, *, max_size: int = MAX_SIZE) -> OpenedFile:
    """The content of a file that was sent, as an opened file that has no path and vanishes when it is closed."""
    with tempfile.TemporaryFile() as held:
        held.write(content)
        held.flush()
        opened = OpenedFile(os.dup(held.fileno()), Path(name).name, "")
    try:
        _check_size(opened, max_size)
    except Refusal:
        opened.close()
        raise
    return opened


def _check_roots(place: Path, roots: Sequence[Path], shown: str) -> tuple[Path, Path]:
    """The root that a file is in, and its path below it; the links of its folders are resolved."""
    try:
        real, held = place.resolve(), place.parent.resolve() / place.name
        real_roots = [root.resolve() for root in roots]
    except (OSError, RuntimeError, ValueError) as problem:
        raise Refusal(Failure.FORBIDDEN, f"Cannot resolve {shown}: {_reason(problem)}") from problem
    for root in real_roots:
        if real.is_relative_to(root) and held.is_relative_to(root):
            return root, held.relative_to(root)
    if not roots:
        raise Refusal(
            Failure.FORBIDDEN,
            f"{shown} is outside the folders that this server may read: there are none. Name some with the setting "
            "--roots, or send the file's content",
        )
    raise Refusal(
        Failure.FORBIDDEN,
        f"{shown} is outside the folders that this server may read. Move it into one of them, add its folder to the "
        "setting --roots, or send its content",
    )


def _open_below(root: Path, path: Path) -> int:
    """Open a file step by step from its root and through no link, so that none can be put in its way meanwhile."""
    if os.open not in os.supports_dir_fd:
        return os.open(root / path, _FLAGS)
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in path.parts[:-1]:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(path.name or ".", _FLAGS, dir_fd=folder)
    finally:
        os.close(folder)


def _why_not(place: Path, problem: OSError, shown: str) -> Refusal:
    if problem.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
        return Refusal(Failure.NOT_FOUND, f"File not found: {shown}. Check the path")
    if problem.errno in (errno.ELOOP, errno.EMLINK):
        return Refusal(Failure.FORBIDDEN, f"{shown} is a symbolic link. Add the file it points to by its own path")
    if problem.errno in (errno.EACCES, errno.EPERM) and place.is_dir():
        return Refusal(Failure.INVALID, f"{shown} is a directory. Name one file in it", field="file_path")
    if problem.errno in (errno.EACCES, errno.EPERM):
        return Refusal(
            Failure.FORBIDDEN, f"Permission denied: {shown}. Allow reading it for the user who runs the server"
        )
    if problem.errno in (errno.ENXIO, errno.ENODEV):
        return _irregular(shown, "a socket or a device")
    return Refusal(Failure.UNAVAILABLE, f"Cannot open {shown}: {problem.strerror}")


def _check_kind(shown: str, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise Refusal(Failure.INVALID, f"{shown} is a directory. Name one file in it", field="file_path")
    if stat.S_ISFIFO(mode):
        raise _irregular(shown, "a named pipe")
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise _irregular(shown, "a device")
    if not stat.S_ISREG(mode):
        raise _irregular(shown, "no regular file")


def _irregular(shown: str, kind: str) -> Refusal:
    return Refusal(Failure.FORBIDDEN, f"{shown} is {kind}. Only regular files can be added")


def _reason(problem: Exception) -> str:
    """What the system says of a path, without the path."""
    return (problem.strerror if isinstance(problem, OSError) else "") or "it leads nowhere"


def _check_size(opened: OpenedFile, max_size: int) -> None:
    if opened.size == 0:
        raise Refusal(
            Failure.CORRUPT, f"{opened.name} is empty: there is nothing to read. Check that it was saved whole"
        )
    if opened.size > max_size:
        size, most = math.ceil(opened.size / MEGABYTE), max_size // MEGABYTE
        raise Refusal(
            Failure.TOO_LARGE,
            f"File size ({size} MB) exceeds maximum allowed size ({most} MB)",
            details={"max_size_mb": most},
        )


def read_whole(descriptor: int, most: int) -> bytes:
    """All of a file, or one byte more than is allowed."""
    parts: list[bytes] = []
    offset = 0
    while offset <= most and (part := read_at(descriptor, min(1 << 24, most + 1 - offset), offset)):
        parts.append(part)
        offset += len(part)
    return b"".join(parts)


def read_at(descriptor: int, size: int, offset: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(descriptor, size, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, size)
