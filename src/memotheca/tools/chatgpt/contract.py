"""The pair on the wire: one object as structured content, and the same as JSON in one block of text."""

import json
from typing import Any
from urllib.parse import quote

from memotheca.model import kinds
from memotheca.model.errors import Refusal
from memotheca.model.knowledge import Entry
from memotheca.toolkit.contract import Contract, Reply
from memotheca.toolkit.fields import Schema, object_schema, to_json
from memotheca.toolkit.tool import Answer

FOLDERS = {
    kinds.ENTRY: "entries",
    kinds.NOTE: "notes",
    kinds.DOCUMENT: "documents",
    kinds.SECTION: "documents",
    kinds.MEMORY: "nodes",
    kinds.CONVERSATION: "conversations",
    kinds.PATTERN: "patterns",
    kinds.TRIPLE: "graph/triples",
}


class ChatgptContract(Contract):
    """Those connectors read the block; others of their kind read the structured content."""

    def success(self, answer: Answer) -> Reply:
        return _reply(to_json(answer.content))

    def failure(self, refusal: Refusal) -> Reply:
        error: dict[str, Any] = {
            "code": refusal.failure.code,
            "message": refusal.message,
            "retryable": refusal.failure.retryable,
        }
        if refusal.field is not None:
            error["field"] = refusal.field
        return _reply({"error": error}, failed=True)

    def output_schema(self, models: tuple[type, ...]) -> Schema:
        schema = object_schema(models[0])
        needed = schema.pop("required", [])
        properties = {**schema["properties"], "error": {"type": "object"}}
        return {"type": "object", "properties": properties, "anyOf": [{"required": needed}, {"required": ["error"]}]}


def _reply(told: dict[str, Any], *, failed: bool = False) -> Reply:
    block = {"type": "text", "text": json.dumps(told, ensure_ascii=False)}
    return Reply(blocks=[block], structured=told, failed=failed)


def url_of(kind: str, handle: str, source: str | None) -> str:
    """Where a citation leads: to the page it was taken from, where that is known, else to the thing by its handle."""
    if source is not None and source.startswith(("https://", "http://")):
        return source
    return f"knowledge://{FOLDERS.get(kind, kind)}/{quote(handle, safe='/#=:@')}"


def title_of(entry: Entry, document: str | None) -> str:
    """What a thing is called in a list; a section also by its document."""
    said = entry.title or " ".join(entry.body.split())
    named = said if len(said) <= LONGEST_TITLE else said[: LONGEST_TITLE - 1].rstrip() + "…"
    return f"{document}: {named}" if document and entry.kind == kinds.SECTION else named or entry.kind


LONGEST_TITLE = 120  # chosen: a line in a list
