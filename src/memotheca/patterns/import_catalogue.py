"""Importing a catalogue: a folder of markdown, file by file, with an account of each."""

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import STARTER_COLLECTION
from memotheca.patterns.pattern_file import ParsedPattern, Pattern, read_pattern, to_slug
from memotheca.patterns.pattern_frontmatter import UnreadablePattern
from memotheca.patterns.pattern_store import CatalogueUpdate, Target, keep_in_step, name_of
from memotheca.patterns.starter import STARTER

SUFFIXES = (".md", ".mdx", ".markdown")
# Chosen: an answer has a megabyte for a pattern, whose text it holds as its description, its sections and its
# examples, with every line end and quote spelled out.
LARGEST = 128 * 1024

Report = Callable[[float, float | None, str], None]
Status = Literal["read", "not read"]


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """One file of the account."""

    path: str
    status: Status
    id: str = ""
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Account:
    """What became of every file, and of the catalogue."""

    catalogue: str
    lines: list[FileOutcome] = field(default_factory=list[FileOutcome])
    kept: CatalogueUpdate = field(default_factory=CatalogueUpdate)


def import_catalogue(kernel: Kernel, folder: Path, *, name: str = "", actor: str, report: Report) -> Account:
    """Read a folder and make the catalogue of its name hold what was read."""
    catalogue = _checked_name(kernel, folder, name)
    drafts, unread = _read_folder(folder, report)
    account = Account(catalogue)
    if not drafts:
        raise Refusal(
            Failure.INVALID,
            "Nothing in that folder can be read as a pattern; nothing was changed.",
            details={"not_read": [{"path": path, "why": why} for path, why in sorted(unread.items())]},
        )
    patterns = [draft.pattern for draft in drafts]
    target = Target(kernel.store, kernel.collection, catalogue, actor)
    account.kept = keep_in_step(target, patterns, spared=frozenset(unread))
    account.lines = sorted([*_read_lines(drafts, account.kept), *_unread_lines(unread)], key=lambda line: line.path)
    return account


def _checked_name(kernel: Kernel, folder: Path, name: str) -> str:
    if not folder.is_dir():
        raise Refusal(Failure.INVALID, f"{folder} is not a folder.")
    if kernel.collection == STARTER_COLLECTION:
        raise Refusal(
            Failure.INVALID, f"The collection {STARTER_COLLECTION} belongs to the shipped patterns; choose another."
        )
    catalogue = to_slug(name or folder.resolve().name)
    if not catalogue or catalogue == STARTER:
        raise Refusal(Failure.INVALID, f"The catalogue needs a name other than {STARTER!r}; give one with --catalogue.")
    return catalogue


def find_files(folder: Path) -> Iterator[Path]:
    """Every markdown file below a folder in a stable order, but for hidden folders and those of packages."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith(".") and each != "node_modules")
        for name in sorted(names):
            if name.lower().endswith(SUFFIXES) and not name.startswith("."):
                yield Path(place) / name


def _read_folder(folder: Path, report: Report) -> tuple[list[ParsedPattern], dict[str, str]]:
    drafts: dict[str, ParsedPattern] = {}
    unread: dict[str, str] = {}
    for done, file in enumerate(find_files(folder), start=1):
        path = file.relative_to(folder).as_posix()
        try:
            draft = read_pattern(_bytes_of(file, folder), path)
            name = name_of(draft.pattern)
            if name in drafts:
                raise UnreadablePattern(f"its id {name} is that of {drafts[name].pattern.path}")
            drafts[name] = draft
        except UnreadablePattern as reason:
            unread[path] = str(reason)
        report(done, None, "reading")
    return list(drafts.values()), unread


def _bytes_of(file: Path, folder: Path) -> bytes:
    try:
        status = file.stat()
        if not file.resolve().is_relative_to(folder.resolve()):
            raise UnreadablePattern("it is a link to somewhere outside of the folder")
        if not stat.S_ISREG(status.st_mode):
            raise UnreadablePattern("it is no regular file")
        if status.st_size > LARGEST:
            raise UnreadablePattern(f"it is larger than {LARGEST // 1024} KB ({status.st_size // 1024} KB)")
        return file.read_bytes()
    except OSError as error:
        raise UnreadablePattern(f"the file cannot be opened: {error.strerror}") from None


def _read_lines(drafts: list[ParsedPattern], kept: CatalogueUpdate) -> Iterator[FileOutcome]:
    for draft in drafts:
        pattern: Pattern = draft.pattern
        owner = kept.foreign.get(name_of(pattern))
        if owner is None:
            yield FileOutcome(pattern.path, "read", name_of(pattern), draft.warnings)
        else:
            yield FileOutcome(
                pattern.path, "not read", notes=(f"its id {pattern.slug} belongs to the catalogue {owner}",)
            )


def _unread_lines(unread: dict[str, str]) -> Iterator[FileOutcome]:
    for path, why in unread.items():
        yield FileOutcome(path, "not read", notes=(why,))
