"""Which program wrote a file, told by what is in it, and what it holds."""

import codecs
import json
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from memotheca.admin.imports.agent_transcripts import CLAUDE_CODE, CODEX, read_claude_code, read_codex
from memotheca.admin.imports.archive import ImportArchive
from memotheca.admin.imports.chat_exports import CHATGPT, CLAUDE, is_chatgpt, is_claude, read_chatgpt, read_claude
from memotheca.admin.imports.foreign_content import BrokenFile, ForeignContent
from memotheca.admin.imports.gemini_transcripts import GEMINI, is_gemini, read_gemini
from memotheca.admin.imports.memory_dumps import MEM0, OPENMEMORY, category_names, memories_in, read_memories
from memotheca.admin.imports.note_exports import (
    BASIC_MEMORY,
    NOTION,
    looks_like_notion,
    read_basic_memory,
    read_notion,
)
from memotheca.admin.imports.table import CSV, TableMap, read_table
from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.office.package import MAX_UNPACKED

MAX_DEPTH = 200  # chosen: deeper than exports nest, and below what the recursion of Python takes
_ZIPS, _GZIP = (b"PK\x03\x04", b"PK\x05\x06"), b"\x1f\x8b"
OURS = "ours"
_FIRST = 50  # chosen: a transcript begins with a few lines that every program has
_SNIFFED = 1 << 20  # chosen: the first line of a transcript or an export is within it
KNOWN = (
    "an export of Memotheca, memory.json, a corpus of _id and text, exports of ChatGPT and Claude, transcripts of "
    "Claude Code, Codex and Gemini CLI, dumps of mem0 and OpenMemory, archives of Notion, CSV tables, folders of "
    "basic-memory"
)


def read_foreign(path: Path, mapping: TableMap) -> ForeignContent | None:
    """What a file or folder of another program holds; None where it is one of those that are read line by line."""
    if path.is_dir():
        _refuse_map(path, mapping)
        return _read_folder(path)
    with path.open("rb") as file:
        beginning = file.read(_SNIFFED)
    if beginning.startswith(_ZIPS):
        _refuse_map(path, mapping)
        return _read_archive(ImportArchive(path, path.name))
    is_table = mapping.columns or path.suffix.lower() in (".csv", ".tsv")
    if not is_table and _line_kind(beginning.split(b"\n")) == OURS:
        return None
    raw = _content_of(path)
    if not is_table:
        return _read_text(raw, path.name)
    content = ForeignContent(CSV)
    read_table(raw, mapping, content, name=path.name)
    return content


def _refuse_map(path: Path, mapping: TableMap) -> None:
    if mapping.columns:
        told = f"--map names columns of a table, and {path.name} is none. Nothing was imported."
        raise Refusal(Failure.INVALID, told, field="map")


def _content_of(path: Path) -> bytes:
    if path.stat().st_size > MAX_UNPACKED:
        raise _too_large(path.name)
    return path.read_bytes()


def _read_folder(folder: Path) -> ForeignContent:
    transcripts = sorted(path for path in folder.rglob("*.jsonl") if path.is_file() and not path.is_symlink())
    if not transcripts:
        content = ForeignContent(BASIC_MEMORY)
        read_basic_memory(folder, content)
        return content
    merged = ForeignContent("")
    for path in transcripts:
        place = path.relative_to(folder).as_posix()
        found = _read_lines(_text_of(_content_of(path), place), place)
        if found is None:
            merged.leave_out(f"files that are no transcript ({place})")
            continue
        merged.format = merged.format or found.format
        merged.conversations += found.conversations
        merged.records += found.records
        merged.left_out.update(found.left_out)
    if not merged.format:
        raise _unknown(folder.name)
    return merged


def _read_archive(archive: ImportArchive) -> ForeignContent:
    names = {name.rpartition("/")[2]: name for name in archive.names}
    chats = sorted(
        name for short, name in names.items() if short.startswith("conversations") and short.endswith(".json")
    )
    if chats:
        merged = ForeignContent("")
        for member in chats:
            found = _read_text(archive.read(member), f"{archive.name}, member {member}")
            merged.format = merged.format or found.format
            merged.conversations += found.conversations
            merged.left_out.update(found.left_out)
        others = len(archive.names) - len(chats)
        if others:
            merged.leave_out("other files of the archive", others)
        return merged
    if "memories.json" in names:
        return _read_text(archive.read(names["memories.json"]), f"{archive.name}, member memories.json")
    if not looks_like_notion(archive.names):
        raise _unknown(archive.name)
    content = ForeignContent(NOTION)
    read_notion(archive, content)
    return content


def _read_text(raw: bytes, name: str) -> ForeignContent:
    if raw.startswith(_GZIP):
        raw = _unzipped(raw, name)
    text = _text_of(raw, name)
    if not text.strip():
        raise BrokenFile("it is empty.", where=name)
    if text.lstrip()[0] not in "[{":
        raise _unknown(name)
    lines = _read_lines(text, name)
    return lines if lines is not None else _read_document(_loaded(text, name), name)


def _unzipped(raw: bytes, name: str) -> bytes:
    unpacking = zlib.decompressobj(wbits=31)
    try:
        found = unpacking.decompress(raw, MAX_UNPACKED)
    except zlib.error as problem:
        raise BrokenFile("its archive is cut off or broken.", where=name) from problem
    if unpacking.unconsumed_tail:
        raise _too_large(name)
    if not unpacking.eof:
        raise BrokenFile("its archive is cut off.", where=name)
    return found


def _text_of(raw: bytes, name: str) -> str:
    """The text of a file that must be one, as JSON is; whoever wrote it in another encoding says so by a mark."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if raw.startswith(mark):
            return raw.decode(encoding, "replace")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = raw[: problem.start].count(b"\n") + 1
        raise BrokenFile("it is not UTF-8 text.", where=f"{name}, line {line}, byte {problem.start}") from None


def _loaded(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as problem:
        where = f"{name}, line {problem.lineno}, column {problem.colno}"
        raise BrokenFile(f"it is not JSON ({problem.msg}).", where=where) from None
    except RecursionError:
        raise BrokenFile(f"it is nested deeper than {MAX_DEPTH} levels.", where=name) from None
    except ValueError as problem:
        raise BrokenFile(f"it has a number that none can read ({problem}).", where=name) from None


def _read_document(value: Any, name: str) -> ForeignContent:
    """A document of JSON, by what its first members are."""
    if isinstance(value, dict) and isinstance(cast(dict[str, Any], value).get("conversations"), list):
        value = cast(dict[str, Any], value)["conversations"]
    if is_gemini(value):
        return read_gemini([json.dumps(value)])
    listed: list[Any] = cast(list[Any], value) if isinstance(value, list) else [value]
    if any(map(is_chatgpt, listed)):
        content = ForeignContent(CHATGPT)
        read_chatgpt(listed, content)
        return content
    if any(map(is_claude, listed)):
        content = ForeignContent(CLAUDE)
        read_claude(listed, content)
        return content
    memories = memories_in(value)
    if memories is None:
        raise _unknown(name)
    return _memories(memories, category_names(value))


def _memories(memories: list[Any], categories: dict[str, str]) -> ForeignContent:
    is_open = any(isinstance(each, dict) and "content" in each and "memory" not in each for each in memories)
    content = ForeignContent(OPENMEMORY if is_open else MEM0)
    read_memories(memories, content, categories)
    return content


def _read_lines(text: str, name: str) -> ForeignContent | None:
    """A file of JSON lines; None where it is none, or one document on one line."""
    # What JSON calls a line ends with a line feed; other signs that Python takes for an end may stand in its texts.
    lines = text.split("\n")
    kind = _line_kind([line.encode("utf-8", "replace") for line in lines[:_FIRST]])
    readers: dict[str, Callable[[list[str]], ForeignContent]] = {
        CLAUDE_CODE: read_claude_code,
        CODEX: read_codex,
        GEMINI: read_gemini,
    }
    try:
        if kind in readers:
            return readers[kind](lines)
        if kind == MEM0 and len(lines) > 1:
            content = ForeignContent(MEM0)
            memories = [_loaded(line, f"{name}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]
            content.format = (
                MEM0 if any("memory" in each for each in memories if isinstance(each, dict)) else OPENMEMORY
            )
            read_memories(memories, content, {})
            return content
    except BrokenFile as problem:
        if not problem.where.startswith(name):
            raise BrokenFile("it is not JSON.", where=f"{name}, {problem.where}") from None
        raise
    return None


def _line_kind(lines: Sequence[bytes]) -> str:
    """What the first lines of a file are, where they are objects: `ours`, or the name of a format; else nothing."""
    for raw in lines[:_FIRST]:
        if not raw.strip():
            continue
        try:
            line = json.loads(raw.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            return ""
        kind = _kind_of(cast(dict[str, Any], line)) if isinstance(line, dict) else ""
        if kind:
            return kind
    return ""


def _kind_of(line: dict[str, Any]) -> str:
    if line.get("memotheca") == "export" or ("_id" in line and "text" in line):
        return OURS
    if line.get("type") in ("entity", "relation") and ("name" in line or "from" in line):
        return OURS
    if line.get("type") in ("session_meta", "response_item", "event_msg", "turn_context"):
        return CODEX
    if "instructions" in line and "timestamp" in line and "id" in line:
        return CODEX
    if line.get("type") in ("user", "assistant") and isinstance(line.get("message"), dict):
        return CLAUDE_CODE
    if is_gemini(line):
        return GEMINI
    return MEM0 if memories_in([line]) is not None else ""


def _too_large(name: str) -> Refusal:
    told = f"{name} is larger than {MAX_UNPACKED // 1_000_000} MB. Nothing was imported; split it."
    return Refusal(Failure.TOO_LARGE, told)


def _unknown(name: str) -> Refusal:
    return Refusal(Failure.UNSUPPORTED, f"{name} is nothing that is known: {KNOWN}. Nothing was imported.")
