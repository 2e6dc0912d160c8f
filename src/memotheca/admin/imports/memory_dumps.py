"""Dumps of other memories: mem0's and OpenMemory's."""

from collections.abc import Mapping
from typing import Any, cast

from memotheca.admin.imports.foreign_content import ForeignContent, ForeignRecord, name_of, read_time

MEM0, OPENMEMORY = "mem0", "openmemory"
_GONE = frozenset({"deleted", "archived"})
LABEL = 80  # chosen: of a memory without a title, its first words are one

Json = dict[str, Any]


def memories_in(value: Any) -> list[Any] | None:
    """The memories of a dump, wherever they stand in it; None where it is none."""
    held: Any = value
    if isinstance(value, dict):
        said = cast(Json, value)
        held = next(
            (said[name] for name in ("results", "memories", "items") if isinstance(said.get(name), list)), [said]
        )
    memories = cast(list[Any], held) if isinstance(held, list) else []
    return memories if any(_is_memory(each) for each in memories) else None


def _is_memory(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    said = cast(Json, value)
    is_open = isinstance(said.get("content"), str) and ("state" in said or "categories" in said or "app_name" in said)
    return isinstance(said.get("memory"), str) or is_open


def read_memories(memories: list[Any], content: ForeignContent, categories: Mapping[str, str]) -> None:
    """Each memory becomes a record; `categories` are the names of those that are told by their ids."""
    for each in memories:
        if not _is_memory(each):
            content.leave_out("lines that are no memory")
            continue
        said = cast(Json, each)
        if str(said.get("state")) in _GONE or said.get("deleted_at"):
            content.leave_out("memories that were deleted or archived there")
            continue
        text = str(said.get("memory") or said.get("content") or "").strip()
        if not text:
            content.leave_out("memories without text")
            continue
        named = name_of(said.get("id") or said.get("hash"), text)
        content.records.append(
            ForeignRecord(
                origin=f"{content.format}/{named}",
                title=_label(text),
                body=text,
                tags=tuple(_tags(said, categories)),
                created=read_time(said.get("created_at")),
            )
        )


def _tags(said: Json, categories: Mapping[str, str]) -> list[str]:
    given = said.get("categories")
    names = [str(each) for each in cast(list[Any], given)] if isinstance(given, list) else []
    ids = said.get("category_ids")
    names += (
        [categories[str(id)] for id in cast(list[Any], ids) if str(id) in categories] if isinstance(ids, list) else []
    )
    return [name for name in dict.fromkeys(names) if name.strip()]


def category_names(value: Any) -> dict[str, str]:
    listed = cast(Json, value).get("categories") if isinstance(value, dict) else None
    rows = (
        [cast(Json, each) for each in cast(list[Any], listed) if isinstance(each, dict)]
        if isinstance(listed, list)
        else []
    )
    return {str(row["id"]): str(row["name"]) for row in rows if "id" in row and "name" in row}


def _label(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LABEL else line[: LABEL - 1].rsplit(" ", 1)[0] + "…"
