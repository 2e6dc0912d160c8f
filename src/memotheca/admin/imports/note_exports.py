"""Folders of markdown that other programs export: Notion's archives, and the folders of basic-memory."""

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, cast
from urllib.parse import unquote

from memotheca.admin.imports.archive import ImportArchive
from memotheca.admin.imports.foreign_content import BrokenFile, ForeignContent, ForeignRecord, ForeignRelation
from memotheca.admin.imports.table import read_rows
from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.open_safely import MAX_SIZE
from memotheca.text.encoding import clean, decode, looks_binary
from memotheca.vault import note_file

NOTION, BASIC_MEMORY = "notion", "basic-memory"
# Notion puts an id of 32 hexadecimal digits behind every name.
_ID = re.compile(r"[ _-]?([0-9a-f]{32})(?=(?:_all)?(?:\.\w+)?$)")
_LINK_ID = re.compile(r"(?:%20|[ _-])[0-9a-f]{32}(?=[/.)#?]|$)")
_TARGET = re.compile(r"\]\(([^()\s]{1,2000})\)")
_OBSERVATION = re.compile(r"^\s{0,8}[-*] \[([^\[\]]{1,60})\] (\S.*)$")
_RELATION = re.compile(r"^\s{0,8}[-*] ([^\[\]]{1,100}?)\s?\[\[([^\[\]|]{1,300})(?:\|[^\[\]]{0,300})?\]\]")
_CONTEXT = re.compile(r"\s\([^()]{1,300}\)\s*$")
_TAG = re.compile(r"(?<!\S)#([\w/-]{1,60})")
_CHECKBOXES = frozenset({" ", "x", "X", "-"})


def looks_like_notion(names: list[str]) -> bool:
    return any(name.lower().endswith((".md", ".csv")) or _is_part(name) for name in names)


def _is_part(name: str) -> bool:
    return name.lower().endswith(".zip")


def read_notion(archive: ImportArchive, content: ForeignContent) -> None:
    """Pages become records, rows of databases too where they have no page of their own."""
    pages = set[str]()
    tables: list[tuple[str, bytes]] = []
    for holder, member in _members(archive):
        ending = PurePosixPath(member).suffix.lower()
        if ending == ".md":
            pages.add(_stripped(member).removesuffix(".md"))
            content.records.append(
                _notion_page(member, _text_only(holder.read(member), f"{holder.name}, member {member}"))
            )
        elif ending == ".csv":
            tables.append((member, holder.read(member)))
        else:
            content.leave_out(f"files of type {ending or 'none'}")
    whole = {name.removesuffix("_all.csv") for name, _ in tables if name.endswith("_all.csv")}
    for name, raw in tables:
        if name.removesuffix(".csv") in whole:
            content.leave_out("views of a database of which the whole is there")
            continue
        _notion_table(name, raw, pages, content)


def _text_only(raw: bytes, where: str) -> bytes:
    if looks_binary(raw):
        raise BrokenFile("it is no text.", where=where)
    return raw


def _members(archive: ImportArchive) -> Iterator[tuple[ImportArchive, str]]:
    for member in archive.names:
        if _is_part(member):
            yield from _members(archive.nested(member))
        else:
            yield archive, member


def _stripped(path: str) -> str:
    """A path without the ids that Notion puts behind names."""
    return "/".join(_ID.sub("", part) for part in path.split("/"))


def _notion_page(member: str, raw: bytes) -> ForeignRecord:
    text = clean(decode(raw)).strip()
    title, body = PurePosixPath(_stripped(member)).stem, text
    first, _, rest = text.partition("\n")
    if first.startswith("# "):
        title, body = first[2:].strip() or title, rest.strip()
    tagged = re.search(r"^Tags: (.{1,500})$", body[:2000], re.MULTILINE)
    tags = [tag.strip() for tag in tagged[1].split(",")] if tagged else []
    found = _ID.search(PurePosixPath(member).name)
    body = _TARGET.sub(lambda link: f"]({unquote(_LINK_ID.sub('', link[1]))})", body)
    origin = f"{NOTION}/{found[1] if found else _stripped(member)}"
    return ForeignRecord(origin=origin, title=title, body=body or title, tags=tuple(filter(None, tags)))


def _notion_table(member: str, raw: bytes, pages: set[str], content: ForeignContent) -> None:
    name = _stripped(member).removesuffix(".csv").removesuffix("_all")
    found = _ID.search(PurePosixPath(member).name)
    rows = read_rows(raw, where=member)
    header = next(rows, (1, list[str]()))[1]
    for number, cells in rows:
        title = cells[0].strip() if cells else ""
        said = [f"{label}: {cell}" for label, cell in zip(header[1:], cells[1:], strict=False) if cell.strip()]
        if f"{name}/{title}" in pages:
            content.leave_out("rows that have a page of their own")
        elif title or said:
            origin = f"{NOTION}/{found[1] if found else name}/{title or number}"
            table = PurePosixPath(name).name
            content.records.append(
                ForeignRecord(origin=origin, title=title or table, body="\n".join(said) or title, tags=(table,))
            )
        else:
            content.leave_out("empty rows")


def read_basic_memory(folder: Path, content: ForeignContent) -> None:
    """Notes with observations and relations: each observation becomes a record about its note, each relation one
    between names, and what else stands in the note a record of its own."""
    seen = 0
    for path in _files(folder):
        place = path.relative_to(folder).as_posix()
        if path.suffix.lower() != ".md":
            content.leave_out(f"files of type {path.suffix.lower() or 'none'}")
            continue
        if path.stat().st_size > MAX_SIZE:
            raise BrokenFile("it is larger than any note.", where=place)
        seen += _take_note(place, _text_only(path.read_bytes(), place), content)
    if not seen:
        raise Refusal(
            Failure.UNSUPPORTED,
            f"{folder} is no folder of basic-memory: no note in it has a permalink, an observation or a relation. "
            "A folder of markdown is mounted with memotheca vault; transcripts are imported one folder at a time.",
        )


def _files(folder: Path) -> Iterator[Path]:
    """The files of a folder, hidden ones and what links lead to aside."""
    for place, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for name in sorted(names):
            path = Path(place) / name
            if not name.startswith(".") and not path.is_symlink():
                yield path


def _take_note(place: str, raw: bytes, content: ForeignContent) -> bool:
    note = note_file.parse(raw, place)
    properties = cast(dict[str, Any], note.properties)
    title = note.title or PurePosixPath(place).stem
    known = str(properties.get("permalink") or place)
    prose: list[str] = []
    found = 0
    for line in clean(note.body).split("\n"):
        observation, relation = _OBSERVATION.match(line), _RELATION.match(line)
        if observation and observation[1] not in _CHECKBOXES:
            found += 1
            content.records.append(_observation(observation, title, f"{BASIC_MEMORY}/{known}#{line.strip()}"))
        elif relation and relation[1].strip():
            found += 1
            content.relations.append(ForeignRelation(title, relation[1].strip(), relation[2].strip()))
        else:
            prose.append(line)
    body = _without_empty_headings("\n".join(prose))
    if body:
        origin = f"{BASIC_MEMORY}/{known}"
        content.records.append(ForeignRecord(origin=origin, title=title, body=body, tags=tuple(note.tags)))
    return bool(found) or "permalink" in properties


def _observation(match: re.Match[str], title: str, origin: str) -> ForeignRecord:
    text = match[2].strip()
    tags = [match[1].strip(), *_TAG.findall(text)]
    body = _TAG.sub("", _CONTEXT.sub("", text)).strip() or text
    return ForeignRecord(origin=origin, title=title, body=" ".join(body.split()), tags=tuple(dict.fromkeys(tags)))


def _without_empty_headings(text: str) -> str:
    """The prose of a note: headings under which nothing is left, and its title alone, say nothing."""
    kept: list[str] = []
    for line in reversed(text.split("\n")):
        is_heading = line.startswith("#")
        if is_heading and not any(each.strip() for each in _until_heading(kept)):
            continue
        kept.append(line)
    return "\n".join(reversed(kept)).strip()


def _until_heading(lines: list[str]) -> Iterator[str]:
    for line in reversed(lines):
        if line.startswith("#"):
            return
        yield line
