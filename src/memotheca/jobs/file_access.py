"""Files as callers name them, checked before anything is queued: a path, an upload, or content in the call itself."""

import base64
import binascii
import errno
import math
import os
import shutil
import uuid
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from memotheca.jobs.workbench import Workbench
from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.formats import promised_format
from memotheca.parsing.open_safely import MAX_SIZE, OpenedFile, open_file

STALE_SECONDS = 24 * 3600  # chosen: what nobody asked for within a day was forgotten
MEGABYTE = 1024 * 1024  # specification: the unit
MAX_HELD = 10 * MAX_SIZE  # chosen: ten of the largest files
MOST_HELD = 1000  # chosen: a folder of that many is still listed in milliseconds
LONGEST_NAME = 255  # specification: what file systems take
# Chosen: chosen: a data: URI comes in one message, and none is longer.
LONGEST_URI = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Located:
    """A file that was checked: where it is, whether it was sent to us, and how large."""

    path: str
    upload: bool
    size: int


def locate(bench: Workbench, given: str) -> Located:
    """A path, a file: URI, a data: URI that holds the content, or an upload: made before. The name is looked at first,
    whatever the file holds."""
    scheme = given.partition(":")[0].lower()
    if scheme == "data":
        return _received(bench, given)
    upload = scheme == "upload"
    path = _uploaded(bench, given) if upload else _plain_path(given)
    # Not Path.is_dir, which raises for names that are too long.
    if not (bench.roots is None and os.path.isdir(path)):  # noqa: PTH112
        promised_format(path)
    _refuse_other_letters(path)
    # Who may not look around here hears of no folder that it did not name itself.
    shown = given if upload or bench.roots is not None else path
    with open_checked(path, None if upload else bench.roots, shown) as opened:
        return Located(path, upload, opened.size)


def open_checked(path: str, roots: tuple[Path, ...] | None, shown: str = "") -> OpenedFile:
    try:
        return open_file(path, roots=roots, shown=shown)
    except Refusal as refusal:
        refusal.field = refusal.field or "file_path"
        raise


def _plain_path(given: str) -> str:
    if given.lower().startswith("file:"):
        given = unquote(urlsplit(given).path)
    try:
        place = Path(given).expanduser()
        # The links of its folders are followed; a link in the file's own place is refused where it is opened.
        return str(place.parent.resolve() / place.name)
    except (OSError, RuntimeError, ValueError):
        return given


class Upload:
    """A file that arrives piece by piece, for a client that has no path we could read. The room it may need is taken at
    once, so that those who send at the same time, here or through another process, do not pass the limit together."""

    def __init__(self, bench: Workbench, name: str, expected: int = MAX_SIZE) -> None:
        name = Path(name.replace("\\", "/")).name
        promised_format(name)
        _refuse_odd_name(name)
        if expected > MAX_SIZE:
            raise refuse_size(expected)
        self._folder = bench.uploads / str(uuid.uuid4())
        self._name = name
        self.size = 0
        self._descriptor = -1
        with _writing(name):
            self._folder.mkdir(mode=0o700, parents=True)
            try:
                self._descriptor = os.open(self._folder / name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
                os.truncate(self._descriptor, expected)
            except OSError:
                self.discard()
                raise
        try:
            _refuse_hoard(bench)
        except Refusal:
            self.discard()
            raise

    def write(self, piece: bytes) -> None:
        self.size += len(piece)
        if self.size > MAX_SIZE:
            raise refuse_size(self.size)
        view = memoryview(piece)
        with _writing(self._name):
            while view:
                view = view[os.write(self._descriptor, view) :]

    def finish(self) -> str:
        """Make it durable and say how to name it in `file_path`."""
        with _writing(self._name):
            os.truncate(self._descriptor, self.size)
            os.fsync(self._descriptor)
        self._close()
        path = self._folder / self._name
        try:
            open_checked(str(path), None, self._name).close()
        except Refusal:
            discard_upload(str(path))
            raise
        return f"upload:{self._folder.name}/{self._name}"

    def discard(self) -> None:
        self._close()
        discard_upload(str(self._folder / self._name))

    def _close(self) -> None:
        """Once only: by the second time the number may be that of somebody else's file."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            with suppress(OSError):
                os.close(descriptor)


@contextmanager
def _writing(name: str) -> Generator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise Refusal(Failure.DISK_FULL, f"There is no room for {name}. Free some space and try again") from error
        raise Refusal(
            Failure.UNAVAILABLE, f"{name} cannot be kept in the data directory: {error.strerror}. Try again"
        ) from error


def _refuse_other_letters(path: str) -> None:
    """A name in bytes that are no UTF-8 can neither be stored nor be said to anybody."""
    try:
        path.encode()
    except UnicodeEncodeError:
        shown = path.encode("utf-8", "replace").decode()
        raise Refusal(
            Failure.INVALID, f"The name of {shown} is not written in UTF-8. Rename the file", field="file_path"
        ) from None


def _refuse_odd_name(name: str) -> None:
    """Whatever no folder would take, before one is made for it."""
    if len(name.encode()) > LONGEST_NAME or not name.isprintable():
        raise Refusal(
            Failure.INVALID,
            f"The name of a file that is sent has at most {LONGEST_NAME} bytes and no control characters.",
            field="file_path",
        )


def _refuse_hoard(bench: Workbench) -> None:
    held, size = _held_below(bench.uploads)
    if held > MOST_HELD or size > MAX_HELD:
        raise Refusal(Failure.BUSY, "Too many files were sent that are not added yet. Add them, or try again later")


def _held_below(folder: Path) -> tuple[int, int]:
    """How many files there are below a folder, of how many bytes, while others bring and remove them."""
    held = size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                size += Path(place, name).stat().st_size
                held += 1
    return held, size


def refuse_size(size: int) -> Refusal:
    most = MAX_SIZE // MEGABYTE
    return Refusal(
        Failure.TOO_LARGE,
        f"File size ({math.ceil(size / MEGABYTE)} MB) exceeds maximum allowed size ({most} MB)",
        details={"max_size_mb": most},
    )


def _uploaded(bench: Workbench, given: str) -> str:
    folder, _, name = given.partition(":")[2].partition("/")
    try:
        return str(bench.uploads / str(uuid.UUID(folder)) / Path(name).name)
    except ValueError:
        raise Refusal(Failure.NOT_FOUND, f"File not found: {given}. Upload it again", field="file_path") from None


def _received(bench: Workbench, given: str) -> Located:
    """Content in the call itself: `data:text/html;name=tea.html;base64,…`."""
    head, _, content = given.partition(",")
    said = head.split(";")
    name = next((unquote(part.partition("=")[2]) for part in said if part.lower().startswith("name=")), "")
    if not name:
        raise Refusal(
            Failure.INVALID, "A data: URI needs a name, as in data:;name=report.pdf;base64,…", field="file_path"
        )
    promised_format(name)
    try:
        raw = base64.b64decode(unquote(content), validate=True) if "base64" in said else unquote_to_bytes(content)
    except (binascii.Error, ValueError):
        raise Refusal(Failure.INVALID, f"The content of {name} is not base64.", field="file_path") from None
    upload = Upload(bench, name, len(raw))
    try:
        upload.write(raw)
        return Located(_uploaded(bench, upload.finish()), True, len(raw))
    except Refusal:
        upload.discard()
        raise


def discard_upload(path: str) -> None:
    shutil.rmtree(Path(path).parent, ignore_errors=True)


def discard_stale_uploads(bench: Workbench, now: float, waiting: set[str]) -> None:
    """Remove what was sent long ago and never added; files of jobs that wait stay."""
    for folder in bench.uploads.iterdir() if bench.uploads.is_dir() else ():
        with suppress(FileNotFoundError):
            if str(folder) not in waiting and now - folder.stat().st_mtime > STALE_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
