"""Files as callers name them, checked before anything is queued: a path, an upload, or content in the call itself."""

import base64
import binascii
import errno
import math
import os
import uuid
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from memotheca.jobs.sent_files import open_checked
from memotheca.jobs.workbench import Workbench
from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.formats import promised_format
from memotheca.parsing.open_safely import MAX_SIZE

MEGABYTE = 1024 * 1024  # specification: the unit
MAX_HELD = 10 * MAX_SIZE  # chosen: ten of the largest files
MOST_HELD = 1000  # chosen: a folder of that many is still listed in milliseconds
LONGEST_NAME = 255  # specification: what file systems take
# Chosen: a data: URI comes in one message, and none is longer.
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
    if scheme == "upload":
        return _sent(bench, given)
    path = _plain_path(given)
    # Not Path.is_dir, which raises for names that are too long.
    if not (bench.roots is None and os.path.isdir(path)):  # noqa: PTH112
        promised_format(path)
    _refuse_other_letters(path)
    # Who may not look around here hears of no folder that it did not name itself.
    shown = given if bench.roots is not None else path
    with open_checked(path, bench.roots, shown) as opened:
        return Located(path, False, opened.size)


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
        self._sent = bench.sent
        self._place = f"{bench.drawer}/{uuid.uuid4()}/{name}"
        self._name = name
        self.size = 0
        self._descriptor = -1
        path = self._sent.folder / self._place
        try:
            with _writing(name):
                path.parent.mkdir(mode=0o700, parents=True)
                self._descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
                self._sent.reserve(self._place, expected)
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
        try:
            open_checked(str(self._sent.folder / self._place), None, self._name).close()
            self._sent.keep(self._place)
        except Refusal:
            self._sent.drop(self._place)
            raise
        return f"upload:{self._place.partition('/')[2]}"

    def discard(self) -> None:
        self._close()
        self._sent.drop(self._place)

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
    held, size = bench.sent.count(bench.drawer)
    if held > MOST_HELD or size > MAX_HELD:
        raise Refusal(Failure.BUSY, "Too many files were sent that are not added yet. Add them, or try again later")


def refuse_size(size: int) -> Refusal:
    most = MAX_SIZE // MEGABYTE
    return Refusal(
        Failure.TOO_LARGE,
        f"File size ({math.ceil(size / MEGABYTE)} MB) exceeds maximum allowed size ({most} MB)",
        details={"max_size_mb": most},
    )


def _sent(bench: Workbench, given: str) -> Located:
    folder, _, name = given.partition(":")[2].partition("/")
    try:
        place = f"{bench.drawer}/{uuid.UUID(folder)}/{Path(name).name}"
    except ValueError:
        raise Refusal(Failure.NOT_FOUND, f"File not found: {given}. Upload it again", field="file_path") from None
    promised_format(place)
    _refuse_other_letters(place)
    return Located(place, True, bench.sent.size_of(place, given))


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
        return _sent(bench, upload.finish())
    except Refusal:
        upload.discard()
        raise
