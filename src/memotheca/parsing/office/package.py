"""Zip archives of XML, as office programs write them: opened with a limit on what comes out, and no entities."""

import io
import zipfile
import zlib
from collections.abc import Iterator
from posixpath import dirname, join, normpath
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ParseError, fromstring

from memotheca.model.errors import Failure, Refusal

MAX_UNPACKED = 200_000_000  # chosen: twice the largest file; a bomb unpacks to more
MAX_MEMBERS = 50_000  # chosen: a book with a picture on each page has fewer

# In every encoding that the parser knows by itself.
_DECLARED = tuple(
    mark.encode(code) for mark in ("<!DOCTYPE", "<!ENTITY") for code in ("ascii", "utf-16-le", "utf-16-be")
)
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, KeyError)


class Package:
    """The members of an archive; what is read of them in all is limited, whatever sizes they declare."""

    def __init__(self, name: str, content: bytes) -> None:
        self.name = name
        self._left = MAX_UNPACKED
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(content))
        except _BROKEN as problem:
            raise self._damaged("its archive is cut off or broken") from problem
        self.names = self._archive.namelist()
        if len(self.names) > MAX_MEMBERS:
            raise Refusal(Failure.TOO_LARGE, f"{name} has more than {MAX_MEMBERS:,} parts. Split it into smaller files")
        self._known = frozenset(self.names)

    def __contains__(self, member: str) -> bool:
        return member in self._known

    def read(self, member: str) -> bytes:
        try:
            if self._archive.getinfo(member).file_size > self._left:
                raise self._too_large()
            with self._archive.open(member) as opened:
                content = opened.read(self._left + 1)
        except RuntimeError as problem:
            raise self.encrypted() from problem
        except _BROKEN as problem:
            raise self._damaged(f"its part {member} is cut off or broken") from problem
        self._left -= len(content)
        if self._left < 0:
            raise self._too_large()
        return content

    def xml(self, member: str) -> Element | None:
        """A member's tree, or nothing if there is no such member."""
        return self.parse(member) if member in self._known else None

    def need_xml(self, member: str) -> Element:
        tree = self.xml(member)
        if tree is None:
            raise self._damaged(f"its part {member} is missing")
        return tree

    def read_checked(self, member: str) -> bytes:
        """A member that declares no entities; office programs never do."""
        content = self.read(member)
        if any(mark in content for mark in _DECLARED):
            raise self._damaged(f"its part {member} declares entities")
        return content

    def parse(self, member: str) -> Element:
        content = self.read_checked(member)
        try:
            return fromstring(content)  # noqa: S314 — without a document type there are no entities to expand
        except ParseError as problem:
            raise self._damaged(f"its part {member} is broken ({problem})") from problem

    def related(self, member: str) -> dict[str, tuple[str, str]]:
        """What a part refers to, as id → (kind, member or address)."""
        folder, _, name = member.rpartition("/")
        tree = self.xml(join(folder, "_rels", f"{name}.rels"))
        found: dict[str, tuple[str, str]] = {}
        for relation in tree if tree is not None else ():
            target = relation.get("Target", "")
            if relation.get("TargetMode") != "External":
                target = normpath(join("/", dirname(member), unquote(target))).lstrip("/")
            found[relation.get("Id", "")] = (relation.get("Type", "").rpartition("/")[2], target)
        return found

    def encrypted(self) -> Refusal:
        return Refusal(
            Failure.ENCRYPTED, f"{self.name} is protected by a password. Save a copy without it and add that"
        )

    def _damaged(self, cause: str) -> Refusal:
        return Refusal(Failure.CORRUPT, f"{self.name} is damaged: {cause}. Get the file again or save it anew")

    def _too_large(self) -> Refusal:
        return Refusal(
            Failure.TOO_LARGE,
            f"{self.name} unpacks to more than {MAX_UNPACKED // 1_000_000} MB of text. Split it into smaller files",
        )


def local(element: Element) -> str:
    """A tag without its namespace: strict and transitional documents differ in nothing else."""
    return element.tag.rpartition("}")[2]


def attribute(element: Element, name: str) -> str:
    """An attribute by its name without namespace."""
    for key, value in element.items():
        if key.rpartition("}")[2] == name:
            return value
    return ""


def children(element: Element | None, name: str) -> list[Element]:
    return [child for child in element if local(child) == name] if element is not None else []


def child(element: Element | None, *path: str) -> Element | None:
    """The first descendant along a path of names."""
    for name in path:
        element = next(iter(children(element, name)), None)
    return element


def descend(element: Element, *names: str) -> Iterator[Element]:
    """Every element of these names, at any depth."""
    return (found for found in element.iter() if isinstance(found.tag, str) and local(found) in names)


def core_properties(package: Package) -> dict[str, str | None]:
    """What an office document says of itself."""
    tree = package.xml("docProps/core.xml")
    said = {local(one): (one.text or "").strip() or None for one in tree} if tree is not None else {}
    return {
        "title": said.get("title"),
        "author": said.get("creator"),
        "created": said.get("created"),
        "modified": said.get("modified"),
        "language": (said.get("language") or "")[:2].lower() or None,
    }
