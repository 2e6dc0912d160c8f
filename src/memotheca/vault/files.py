"""The files of a vault: found, read, written, moved and removed without ever leaving its folder."""

import contextlib
import errno
import hashlib
import os
import secrets
import stat
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from memotheca.model.errors import Failure, Refusal
from memotheca.vault.ignore import Ignores
from memotheca.vault.lossless_text import is_binary
from memotheca.vault.paths import check_inside, check_new, same_place
from memotheca.vault.wikilinks import is_note

MAX_SIZE = 10 * 2**20  # chosen: a note of 10 MB takes seconds to read; what is larger is no note
TRASH = ".trash"
TEMPORARY = ".memotheca-"

# Chosen: a file that was written this shortly before it was read may change again without a new time stamp.
_UNSETTLED = 100_000_000
_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class FileSignature(NamedTuple):
    """Equal as long as a file has not been touched."""

    modified: int
    size: int
    inode: int


class Trouble(StrEnum):
    """Why one file is passed over."""

    TOO_LARGE = "too_large"
    BINARY = "binary"
    NOT_A_FILE = "not_a_file"
    LINK = "link"
    UNREADABLE = "unreadable"
    VANISHED = "vanished"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Problem:
    """One file that is no note, and why, for people."""

    path: str
    trouble: Trouble
    message: str


@dataclass(frozen=True, slots=True)
class ScannedFile:
    """A note's file as a scan meets it, unread."""

    path: str
    signature: FileSignature


@dataclass(frozen=True, slots=True)
class Content:
    """A file's bytes with what they were read as."""

    path: str
    raw: bytes
    signature: FileSignature
    digest: str


def digest_of(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


class Folder:
    """A vault's folder. Paths are relative to it, with forward slashes, spelled as on disk."""

    def __init__(self, root: Path, ignores: Ignores | None = None, *, max_size: int = MAX_SIZE) -> None:
        self.root = root.resolve()
        self.ignores = ignores or Ignores(self.root)
        self.max_size = max_size

    def scan(self, under: str = "") -> Iterator[ScannedFile | Problem]:
        """Every note below a folder, in no order; what cannot be a note but looks like one is a problem."""
        if not self.root.is_dir():
            raise Refusal(Failure.UNAVAILABLE, f"The vault {self.root} is not there.")
        waiting = [under]
        while waiting:
            folder = waiting.pop()
            try:
                entries = list(os.scandir(self.root / folder))
            except FileNotFoundError:
                if not folder:
                    raise Refusal(Failure.UNAVAILABLE, f"The vault {self.root} is not there.") from None
                continue
            except OSError as error:
                yield Problem(folder, Trouble.UNREADABLE, _why(error))
                continue
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                met = self._meet(entry, path)
                if isinstance(met, str):
                    waiting.append(met)
                elif met is not None:
                    yield met

    def _meet(self, entry: os.DirEntry[str], path: str) -> ScannedFile | Problem | str | None:
        """A note, a problem, a folder to go into, or nothing of ours."""
        if entry.name.startswith("."):
            return None
        try:
            is_folder = entry.is_dir(follow_symlinks=False)
            if not (is_folder or is_note(entry.name) or entry.is_symlink()):
                return None
            if self.ignores.ignores_entry(f"{path}/" if is_folder else path):
                return None
            if is_folder:
                return path
            held = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return None
        except OSError as error:
            return Problem(path, Trouble.UNREADABLE, _why(error))
        if stat.S_ISLNK(held.st_mode):
            linked = is_note(entry.name) or Path(entry.path).is_dir()
            return Problem(path, Trouble.LINK, "a symbolic link is not followed") if linked else None
        if not stat.S_ISREG(held.st_mode):
            return Problem(path, Trouble.NOT_A_FILE, "it is neither a file nor a folder")
        if not path.isascii() and path.encode("utf-8", "replace").decode() != path:
            return Problem(path.encode("utf-8", "replace").decode(), Trouble.NAME, "its name is not valid UTF-8")
        return ScannedFile(path, _signature(held))

    def stat(self, path: str) -> ScannedFile | None:
        """A single note's file, None where there is none; a symbolic link is none."""
        place, is_linked = self._follow(path)
        try:
            held = os.lstat(place)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if is_linked:
            return None
        return ScannedFile(path, _signature(held)) if stat.S_ISREG(held.st_mode) and is_note(path) else None

    def read(self, path: str) -> Content | Problem:
        """A note's bytes; whatever stands in the way is this file's problem alone."""
        place, is_linked = self._follow(path)
        if is_linked:
            return Problem(path, Trouble.LINK, "a symbolic link is not followed")
        try:
            descriptor = os.open(place, _OPEN)
        except OSError as error:
            return _problem(path, error)
        try:
            held = os.fstat(descriptor)
            if not stat.S_ISREG(held.st_mode):
                return Problem(path, Trouble.NOT_A_FILE, "it is not a file")
            if held.st_size > self.max_size:
                return Problem(path, Trouble.TOO_LARGE, f"{held.st_size:,} bytes are more than {self.max_size:,}")
            raw = _read_all(descriptor, self.max_size + 1)
        except OSError as error:
            return _problem(path, error)
        finally:
            os.close(descriptor)
        if len(raw) > self.max_size:
            return Problem(path, Trouble.TOO_LARGE, f"it is larger than {self.max_size:,} bytes")
        if is_binary(raw):
            return Problem(path, Trouble.BINARY, "it is not text")
        return Content(path, raw, _settled(_signature(held)), digest_of(raw))

    def create(self, path: str, raw: bytes, *, is_known: bool = False) -> Content:
        """Make a new file and the folders above it; refuses a name that is taken, in whatever case. One that a file
        has had before may be one that no new file would get, beside one that differs in case alone."""
        target = self._unheld(path) if is_known else self._free(check_new(path))
        try:
            _make_folder(target.parent)
            with _temporary(target.parent, raw, None) as written:
                _publish(written, target)
            _sync(target.parent)
        except OSError as error:
            raise _refusal(path, error) from error
        return self._written(path, raw)

    def write(self, path: str, raw: bytes, *, expected: str) -> Content:
        """Replace a file whose digest is still the expected one, at once and for good."""
        target = self.locate(path)
        try:
            with _temporary(target.parent, raw, os.lstat(target).st_mode) as written:
                self._check_digest(path, expected)
                os.replace(written, target)
            _sync(target.parent)
        except OSError as error:
            raise _refusal(path, error) from error
        return self._written(path, raw)

    def move(self, path: str, to: str, *, expected: str | None = None) -> None:
        """Rename a file within the vault; refuses where something stands already."""
        source = self.locate(path)
        target = self.locate(check_new(to)) if same_place(path, to) else self._free(check_new(to))
        try:
            if expected is not None:
                self._check_digest(path, expected)
            if target.exists() and not target.samefile(source):
                raise Refusal(Failure.ALREADY_EXISTS, f"There is a note at {to} already.")
            _make_folder(target.parent)
            source.rename(target)
            _sync(target.parent)
            _sync(source.parent)
        except OSError as error:
            raise _refusal(path, error) from error

    def trash(self, path: str, *, expected: str | None = None) -> str:
        """Move a file into the vault's own trash, where Obsidian puts them too; answers where it is now."""
        source = self.locate(path)
        stem, dot, suffix = path.rpartition(".")
        count, place = 1, f"{TRASH}/{path}"
        try:
            if expected is not None:
                self._check_digest(path, expected)
            while os.path.lexists(self.root / place):
                count += 1
                place = f"{TRASH}/{stem} {count}{dot}{suffix}"
            _make_folder((self.root / place).parent)
            source.rename(self.root / place)
            _sync((self.root / place).parent)
            _sync(source.parent)
        except OSError as error:
            raise _refusal(path, error) from error
        return place

    def delete(self, path: str, *, expected: str | None = None) -> None:
        target = self.locate(path)
        try:
            if expected is not None:
                self._check_digest(path, expected)
            target.unlink()
            _sync(target.parent)
        except OSError as error:
            raise _refusal(path, error) from error

    def locate(self, path: str) -> Path:
        """Where the path is on disk; refuses what leads out, also by a symbolic link on the way."""
        place, is_linked = self._follow(path)
        if is_linked:
            raise Refusal(Failure.FORBIDDEN, f"{path!r} is refused: a symbolic link is not followed.", field="path")
        return place

    def _follow(self, path: str) -> tuple[Path, bool]:
        """Where the path is on disk, and whether a symbolic link is on the way or at its end."""
        place, is_linked = str(self.root), False
        for name in check_inside(path).split("/"):
            place = f"{place}{os.sep}{name}"
            is_linked = is_linked or _is_link(place)
        return Path(place), is_linked

    def taken(self, path: str) -> str | None:
        """What is at this path already, or at one that differs in case or normalisation alone."""
        folder = ""
        for name in check_inside(path).split("/"):
            try:
                names = {entry.name for entry in os.scandir(self.root / folder)}
            except (FileNotFoundError, NotADirectoryError):
                return None
            held = name if name in names else next((each for each in names if same_place(each, name)), None)
            if held is None:
                return None
            folder = f"{folder}/{held}" if folder else held
            if held != name:
                return folder
        return folder

    def holds(self, path: str) -> bool:
        """Whether the disk has something at this path; one that tells no cases apart has it also by another."""
        return os.path.lexists(self.locate(path))

    def _unheld(self, path: str) -> Path:
        if self.holds(path):
            raise Refusal(Failure.ALREADY_EXISTS, f"There is a note at {path} already.", details={"path": path})
        return self.root / path

    def _free(self, path: str) -> Path:
        target = self.locate(path)
        held = self.taken(path)
        if held == path:
            raise Refusal(Failure.ALREADY_EXISTS, f"There is a note at {path} already.", details={"path": path})
        if held is not None:
            raise Refusal(
                Failure.ALREADY_EXISTS,
                f"{path} differs from {held} only in case or in how its letters are composed.",
                details={"path": held},
            )
        return target

    def _check_digest(self, path: str, expected: str) -> None:
        held = self.read(path)
        if isinstance(held, Problem):
            raise Refusal(Failure.CONFLICT, f"{path} has changed meanwhile: {held.message}.")
        if held.digest != expected:
            raise Refusal(Failure.CONFLICT, f"{path} has been changed by somebody else meanwhile; nothing is written.")

    def _written(self, path: str, raw: bytes) -> Content:
        held = os.lstat(self.root / path)
        return Content(path, raw, _settled(_signature(held)), digest_of(raw))


def _is_link(place: str) -> bool:
    try:
        return stat.S_ISLNK(os.lstat(place).st_mode)
    except OSError:
        return False


def _signature(held: os.stat_result) -> FileSignature:
    return FileSignature(held.st_mtime_ns, held.st_size, held.st_ino)


def _settled(signature: FileSignature) -> FileSignature:
    """One that no file has, where the file is so young that it may change unnoticed."""
    return signature._replace(modified=-1) if time.time_ns() - signature.modified < _UNSETTLED else signature


def _read_all(descriptor: int, limit: int) -> bytes:
    parts: list[bytes] = []
    while limit > 0 and (part := os.read(descriptor, min(limit, 2**20))):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)


@contextlib.contextmanager
def _temporary(folder: Path, raw: bytes, mode: int | None) -> Generator[Path]:
    """A file beside the target that is on disk for good, and gone afterwards in any case."""
    path = folder / f"{TEMPORARY}{secrets.token_hex(8)}.tmp"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with open(descriptor, "wb") as file:
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(descriptor, stat.S_IMODE(mode))
            file.write(raw)
            file.flush()
            os.fsync(descriptor)
        yield path
    finally:
        path.unlink(missing_ok=True)


def _publish(written: Path, target: Path) -> None:
    """Give the file its name, unless somebody has taken it meanwhile."""
    try:
        os.link(written, target)
    except FileExistsError:
        raise Refusal(Failure.ALREADY_EXISTS, f"There is a note at {target.name} already.") from None
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS):
            raise
        written.rename(target)


def _make_folder(folder: Path) -> None:
    """A folder and those above it, for good."""
    missing: list[Path] = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        each.mkdir(exist_ok=True)
        _sync(each.parent)


def _sync(folder: Path) -> None:
    """Make the folder's names durable, where a system can."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _problem(path: str, error: OSError) -> Problem:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return Problem(path, Trouble.VANISHED, "it is not there any more")
    if error.errno == errno.ELOOP:
        return Problem(path, Trouble.LINK, "a symbolic link is not followed")
    trouble = Trouble.NOT_A_FILE if error.errno in (errno.EISDIR, errno.ENXIO) else Trouble.UNREADABLE
    return Problem(path, trouble, _why(error))


def _refusal(path: str, error: OSError) -> Refusal:
    if isinstance(error, FileNotFoundError):
        return Refusal(Failure.NOT_FOUND, f"There is no file {path}.")
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Refusal(Failure.DISK_FULL, f"There is no room to write {path}.")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return Refusal(Failure.READ_ONLY, f"{path} cannot be written: {_why(error)}.")
    return Refusal(Failure.UNAVAILABLE, f"{path} cannot be written: {_why(error)}.")
