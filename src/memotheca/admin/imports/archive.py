"""Zip archives of other programs: their members by name, never unpacked to disk, with a limit on what comes out."""

import io
import re
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from memotheca.admin.imports.foreign_content import BrokenFile
from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.office.package import MAX_MEMBERS, MAX_UNPACKED

MAX_NESTED = 3  # chosen: Notion nests one archive in another; more is a bomb
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, KeyError)
_DRIVE = re.compile(r"^[A-Za-z]:")


class Allowance:
    """How much may still be unpacked of an archive and of those in it, whatever sizes they declare."""

    def __init__(self, left: int = MAX_UNPACKED) -> None:
        self.left = left

    def take(self, size: int, name: str) -> None:
        self.left -= size
        if self.left < 0:
            raise Refusal(
                Failure.TOO_LARGE,
                f"{name} unpacks to more than {MAX_UNPACKED // 1_000_000} MB. Nothing was imported; "
                "unpack it yourself and import its parts.",
            )


class ImportArchive:
    """An archive whose members are read one by one."""

    def __init__(self, source: Path | bytes, name: str, allowance: Allowance | None = None, depth: int = 0) -> None:
        self.name = name
        self._allowance = allowance or Allowance()
        self._depth = depth
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source)
        except _BROKEN as problem:
            raise BrokenFile("its archive is cut off or broken.", where=name) from problem
        if len(self._archive.namelist()) > MAX_MEMBERS:
            raise Refusal(Failure.TOO_LARGE, f"{name} has more than {MAX_MEMBERS:,} members. Nothing was imported.")
        self.names = [each for each in self._archive.namelist() if not each.endswith("/")]
        for member in self.names:
            _refuse_climbing(name, member)

    def read(self, member: str) -> bytes:
        try:
            if self._archive.getinfo(member).file_size > self._allowance.left:
                self._allowance.take(self._allowance.left + 1, self.name)
            with self._archive.open(member) as opened:
                content = opened.read(self._allowance.left + 1)
        except RuntimeError as problem:
            raise Refusal(
                Failure.ENCRYPTED, f"{self.name} is protected by a password. Nothing was imported."
            ) from problem
        except _BROKEN as problem:
            raise BrokenFile("it is cut off or broken.", where=f"{self.name}, member {member}") from problem
        self._allowance.take(len(content), self.name)
        return content

    def nested(self, member: str) -> "ImportArchive":
        """An archive in this one; what it unpacks to counts here."""
        if self._depth >= MAX_NESTED:
            raise Refusal(
                Failure.TOO_LARGE, f"{self.name} has archives within archives, {MAX_NESTED} deep. Nothing was imported."
            )
        return ImportArchive(self.read(member), f"{self.name}, member {member}", self._allowance, self._depth + 1)


def _refuse_climbing(name: str, member: str) -> None:
    path = PurePosixPath(member.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or _DRIVE.match(member) or "\0" in member:
        raise BrokenFile("its name leads out of the archive.", where=f"{name}, member {member!r}")
