"""The manifest: what is remembered as a page that a person can read and edit, and what their edits mean (memory-model:
Manifest)."""

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast
from urllib.parse import quote

from memotheca.jobs.queue import bench_of
from memotheca.jobs.workbench import Workbench
from memotheca.kernel.citations import citation_of, name_of
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.nodes import find_node
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import DEFAULT_COLLECTION, MEMORY
from memotheca.model.knowledge import Entry, fold
from memotheca.storage.snapshot import Snapshot

FILE = "manifest.md"
PUBLISHED = "~/.context-graph/manifest.md"
LARGEST = 8 * 1024 * 1024  # chosen: tens of thousands of lines, more than anybody edits by hand
REMOVABLE = 0.2  # chosen: a lost file is no wish (memory-model: Manifest)
LONGEST_NAME = 200  # chosen: with what stands around it, a name that file systems take
LONGEST_NOTE = 2000  # specification: the bound of an annotation

ACTIVE, PENDING, NOTES = "Active Concepts", "Pending Actions", "Notes"
_STAMP = re.compile(r"<!-- as of transaction (\d+) of ((?:(?! -->|<!--).)++) -->")
_BULLET = re.compile(r"\s*+[-*+]\s++(\S(?:.*\S)?)\s*+")
_TAG = re.compile(r"\[node_[0-9a-f]+\]")
_INSIDE = r"((?:[^\[\]]++|\[[^\[\]]*+\])++)"
_MERGE = re.compile(rf"\[MERGE:\s*+{_INSIDE}\]", re.IGNORECASE)
_NOTE = re.compile(rf"\[NOTE:\s*+{_INSIDE}\]\s*+(\S(?:.*\S)?)", re.IGNORECASE)

Action = Literal["delete", "merge", "annotate"]


@dataclass(frozen=True, slots=True)
class Edit:
    """What an edit of the page means: the concepts as they are named, the entries that were found, and the line."""

    action: Action
    names: tuple[str, ...]
    ids: tuple[str, ...]
    words: str = ""
    line: int = -1

    @property
    def is_resolved(self) -> bool:
        return len(self.ids) == len(self.names)


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A page with what was edited in it, how many concepts it listed before, and what names nothing."""

    text: str
    edits: tuple[Edit, ...]
    listed: int
    unresolved: tuple[str, ...]

    @property
    def removes_too_much(self) -> bool:
        return sum(edit.action == "delete" for edit in self.edits) > REMOVABLE * self.listed


def manifest_file(collection: str) -> str:
    """What the page of a collection is called; the default one's has the plain name."""
    if collection == DEFAULT_COLLECTION:
        return FILE
    name = quote(collection, safe=" ")
    if len(name) > LONGEST_NAME:
        name = hashlib.blake2b(collection.encode(), digest_size=16).hexdigest()
    return f"manifest-{name}.md"


def manifest_files(data: Path) -> list[Path]:
    """The pages of all collections."""
    return sorted(data.glob("manifest*.md"))


def locate_manifest(kernel: Kernel, said: str) -> Path:
    """Where the page is: in the data directory, and nowhere else. Every collection has its own."""
    data, file = Path(os.path.realpath(bench_of(kernel).data)), manifest_file(kernel.collection)
    wanted = data / file if said in (PUBLISHED, "") else data / Path(said).expanduser()
    place = Path(os.path.realpath(wanted))
    if place != data / file:
        message = f"The manifest is {file} in the data directory; {said!r} is somewhere else."
        raise Refusal(Failure.INVALID, message, field="path")
    return place


def read_manifest(place: Path) -> str | None:
    """The text of the page, if there is one."""
    if not place.exists():
        return None
    if place.stat().st_size > LARGEST:
        raise Refusal(Failure.TOO_LARGE, f"The manifest is larger than {LARGEST} bytes.", field="path")
    try:
        return place.read_text("utf-8")
    except UnicodeDecodeError:
        raise Refusal(Failure.INVALID, "The manifest is no UTF-8 text.", field="path") from None


def review(snapshot: Snapshot, text: str) -> Reviewed:
    """What was edited since the page was written."""
    stamp = _STAMP.search(text)
    known = stamp is not None and stamp.group(2) == snapshot.collection and int(stamp.group(1)) <= snapshot.tx
    before = snapshot.entries((MEMORY,), as_of=int(stamp.group(1))) if stamp is not None and known else []
    listed = {version.id: cast(Entry, version.thing) for version in before}
    kept: set[str] = set()
    edits: list[Edit] = []
    lost: list[str] = []
    for section, number, line in _lines(text):
        if section == ACTIVE and (bullet := _BULLET.fullmatch(line)):
            found = _find(snapshot, bullet.group(1))
            kept |= set() if found is None else {found}
            lost += [bullet.group(1)] if found is None and not _TAG.search(line) else []
        edits += _actions(snapshot, section, number, line)
    gone = [entry for id, entry in listed.items() if id not in kept and snapshot.head(id) is not None]
    deletions = [Edit("delete", (name_of(entry),), (entry.id,)) for entry in gone]
    lost += [name for edit in edits for name in edit.names if _find(snapshot, name) is None]
    return Reviewed(text, (*deletions, *edits), len(listed), tuple(dict.fromkeys(lost)))


def new_page(how: str) -> str:
    """A page that lists nothing yet, with a line on how its edits are taken in."""
    return f"""# What is remembered

Take a bullet away to forget that concept; it can be brought back for 30 days. Write `[MERGE: one, other]` under
{PENDING} and `[NOTE: concept] some words` under {NOTES}; concepts go by their names or their tags.
{how}

<!-- as of transaction 0 of default -->

## {ACTIVE}

## {PENDING}

## {NOTES}
"""


def write_manifest(kernel: Kernel, place: Path, text: str, done: Sequence[Edit] = ()) -> int:
    """Bring the list of concepts up to date and take out what was done; everything else stays as it is written."""
    with kernel.read() as snapshot:
        living = [cast(Entry, version.thing) for version in snapshot.entries((MEMORY,))]
        stamp = f"<!-- as of transaction {snapshot.tx} of {snapshot.collection} -->"
    struck = {edit.line for edit in done}
    lines = text.splitlines()
    kept: list[str] = []
    for section, number, line in _lines("\n".join(lines)):
        if number not in struck and not (section == ACTIVE and _BULLET.fullmatch(line)):
            kept.append(line)
    at = next((number for number, line in enumerate(kept) if _heading(line) == ACTIVE), None)
    if at is None:
        kept += ["", f"## {ACTIVE}"]
        at = len(kept) - 1
    rest = kept[at + 1 :]
    bullets = [f"- {_plain(name_of(entry))} {citation_of(entry)}" for entry in living]
    body = [*kept[: at + 1], "", *bullets, *([""] if bullets else []), *_without_blank_start(rest)]
    page = "\n".join(body).rstrip() + "\n"
    page = _STAMP.sub(stamp, page, count=1) if _STAMP.search(page) else f"{page}\n{stamp}\n"
    _save(place, page)
    return len(living)


def strike(kernel: Kernel, entry: Entry) -> None:
    """Take an entry's own line out of the page, whatever else has been edited in it."""
    place = locate_manifest(kernel, PUBLISHED)
    text = read_manifest(place)
    if text is not None and citation_of(entry) in text:
        _save(place, "".join(line for line in text.splitlines(keepends=True) if citation_of(entry) not in line))


def strike_all(kernel: Kernel, entries: Sequence[Entry]) -> None:
    """Take out every line that names what is to be erased, as it is or was called: in the list by its tag, among what
    is to be done and the notes also by its name."""
    if kernel.parts.find(Workbench) is None or not entries:
        return
    place = locate_manifest(kernel, PUBLISHED)
    text = read_manifest(place)
    if text is None:
        return
    tags = {citation_of(entry) for entry in entries}
    names = {fold(name) for entry in entries for name in (name_of(entry), _plain(name_of(entry)), entry.title)}

    def names_it(line: str) -> bool:
        said = [part for action in (_MERGE, _NOTE) if (found := action.search(line)) for part in found[1].split(",")]
        bullet = _BULLET.fullmatch(line)
        said += [bullet[1]] if bullet else []
        return any(tag in line for tag in tags) or any(fold(each.strip()) in names for each in said)

    kept = [line for line in text.splitlines(keepends=True) if not names_it(line.rstrip("\r\n"))]
    if "".join(kept) != text:
        _save(place, "".join(kept))


def _lines(text: str) -> list[tuple[str, int, str]]:
    """Each line with the section it stands in and its number."""
    section, found = "", list[tuple[str, int, str]]()
    for number, line in enumerate(text.splitlines()):
        section = _heading(line) or section
        found.append((section, number, line))
    return found


def _heading(line: str) -> str:
    titles: Mapping[str, str] = {fold(title): title for title in (ACTIVE, PENDING, NOTES)}
    if not line.startswith("#"):
        return ""
    spoken = line.lstrip("#").strip()
    return titles.get(fold(spoken), spoken or "#")


def _actions(snapshot: Snapshot, section: str, number: int, line: str) -> list[Edit]:
    if section == PENDING and (merge := _MERGE.search(line)):
        names = tuple(part.strip() for part in merge.group(1).split(",") if part.strip())
        return [Edit("merge", names, _resolved(snapshot, names), line=number)]
    if section == NOTES and (note := _NOTE.search(line)):
        names = (note.group(1).strip(),)
        return [Edit("annotate", names, _resolved(snapshot, names), words=note.group(2)[:LONGEST_NOTE], line=number)]
    return []


def _resolved(snapshot: Snapshot, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(found for name in names if (found := _find(snapshot, name)) is not None)


def _find(snapshot: Snapshot, said: str) -> str | None:
    """The living entry that a line means: by its tag, else by its name."""
    tag = _TAG.search(said)
    try:
        return find_node(snapshot, tag.group() if tag else said.strip()).id
    except Refusal as refusal:
        if refusal.failure.is_trouble:
            raise
        return None


def _plain(name: str) -> str:
    return name.replace("[", "(").replace("]", ")")


def _without_blank_start(lines: Sequence[str]) -> Sequence[str]:
    start = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    return lines[start:]


def _save(place: Path, text: str) -> None:
    written = place.with_name(f".{place.name}.part")
    with written.open("w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    written.replace(place)
