"""The documents family on the wire: one JSON answer that says whether it succeeded, and errors by name."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from memotheca.model.clock import to_iso
from memotheca.model.commits import Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry, handle_of
from memotheca.toolkit.contract import Contract, Reply
from memotheca.toolkit.fields import (
    UNSET,
    MissingArgument,
    Schema,
    Unset,
    free,
    integer,
    many,
    object_schema,
    text,
    texts,
    to_json,
)
from memotheca.toolkit.tool import Answer

DOCUMENTS = "knowledge://documents"

CODES: dict[Failure, str] = {
    Failure.INVALID: "invalid_parameter",
    Failure.MISSING_RATIONALE: "missing_required_parameter",
    Failure.NOT_FOUND: "document_not_found",
    Failure.ALREADY_EXISTS: "conflict",
    Failure.DUPLICATE: "duplicate",
    Failure.AMBIGUOUS: "ambiguous_id",
    Failure.CONFLICT: "conflict",
    Failure.CONFIRMATION_REQUIRED: "confirmation_required",
    Failure.EXPIRED: "expired",
    Failure.TOMBSTONED: "document_not_found",
    Failure.ERASED: "document_not_found",
    Failure.CYCLIC: "invalid_parameter",
    Failure.UNSUPPORTED: "unsupported_format",
    Failure.TOO_LARGE: "file_too_large",
    Failure.ENCRYPTED: "file_encrypted",
    Failure.CORRUPT: "file_corrupt",
    Failure.OCR_FAILED: "ocr_failed",
    Failure.FORBIDDEN: "access_denied",
    Failure.READ_ONLY: "read_only",
    Failure.INCOMPATIBLE: "incompatible",
    Failure.BUSY: "busy",
    Failure.TIMEOUT: "processing_timeout",
    Failure.CANCELLED: "cancelled",
    Failure.DISK_FULL: "disk_full",
    Failure.UNAVAILABLE: "unavailable",
    Failure.INTERNAL: "internal_error",
}

# What is not found has a name of its own, by where it was looked for.
NOT_FOUND = {"file_path": "file_not_found", "task_id": "task_not_found", "query": "empty_knowledge_base"}

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentShape:
    """A document in a list."""

    id: str = text()
    filename: str = text()
    format: str = text()
    size_bytes: int = integer()
    date_added: str = text()
    chunk_count: int = integer()
    processing_status: str = text()
    processing_method: str | None = text(nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedDocument(DocumentShape):
    """A document, or a file that is none yet: its task, and why it failed."""

    task_id: str | Unset = text(default=UNSET)
    error: str | Unset = text(default=UNSET)
    message: str | Unset = text(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentEntry(DocumentShape):
    """A document as a resource: besides, what it says of itself and what was said about it."""

    title: str = text()
    author: str | None = text(default=None, nullable=True)
    language: str | None = text(default=None, nullable=True)
    page_count: int | None = integer(default=None, nullable=True)
    tags: tuple[str, ...] = texts()
    metadata: Mapping[str, Any] = free()
    tx_id: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionShape:
    """A section of a document, which is a slice of its text."""

    id: str = text()
    title: str = text()
    level: int = integer()
    start: int = integer()
    stop: int = integer()
    page: int | None = integer(default=None, nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeDocument(DocumentEntry):
    """A document with its text and the sections one can walk to."""

    sections: tuple[SectionShape, ...] = many(SectionShape)
    text: str = text()


def document_fields(version: Version, chunk_count: int, status: str) -> dict[str, Any]:
    entry = cast(Entry, version.thing)
    said = entry.attributes
    return {
        "id": handle_of(entry),
        "filename": said["filename"],
        "format": said["format"],
        "size_bytes": said["size"],
        "date_added": in_seconds(entry.created_at),
        "chunk_count": chunk_count,
        "processing_status": status,
        "processing_method": said["processing_method"],
        "title": entry.title,
        "author": said.get("author"),
        "language": said.get("language"),
        "page_count": said.get("page_count"),
        "tags": entry.tags,
        "metadata": said.get("metadata", {}),
        "tx_id": version.tx,
    }


def section_shape(section: Entry) -> SectionShape:
    said = section.attributes
    return SectionShape(
        id=handle_of(section),
        title=section.title,
        level=said["level"],
        start=said["start"],
        stop=said["stop"],
        page=said.get("page"),
    )


def code_of(refusal: Refusal) -> str:
    if isinstance(refusal, MissingArgument):
        return "missing_required_parameter"
    if refusal.failure is Failure.NOT_FOUND:
        return NOT_FOUND.get(refusal.field or "", CODES[Failure.NOT_FOUND])
    if refusal.failure is Failure.INVALID and (refusal.field or "").startswith("filters"):
        return "invalid_filter"
    return CODES[refusal.failure]


def failure_fields(refusal: Refusal) -> dict[str, Any]:
    """What every failure says: its name, a sentence, and what helps to mend it."""
    fields: dict[str, Any] = {"error": code_of(refusal), "message": refusal.message, **refusal.details}
    if refusal.failure is Failure.INVALID and refusal.field:
        fields["parameter"] = refusal.field
    if refusal.failure.retryable:
        fields["retryable"] = True
    return fields


def in_seconds(moment: int) -> str:
    """A moment as the lists show it, to the second."""
    return to_iso(moment - moment % 1_000_000)


def in_megabytes(size: int) -> float:
    return round(size / (1024 * 1024), 4)


class DocumentsContract(Contract):
    """One text block with the JSON, and the same as structured content; `success` tells how it went."""

    def success(self, answer: Answer) -> Reply:
        fields: Mapping[str, Any] = to_json(answer.content)
        return _reply({"success": True, **fields})

    def failure(self, refusal: Refusal) -> Reply:
        return _reply({"success": False, **failure_fields(refusal)})

    def output_schema(self, models: tuple[type, ...]) -> Schema:
        properties: Schema = {"success": {"type": "boolean"}}
        for model in models:
            properties |= object_schema(model)["properties"]
        said = {"error": {"type": "string"}, "message": {"type": "string"}}
        return {"type": "object", "properties": properties | said, "required": ["success"]}


def _reply(structured: dict[str, Any]) -> Reply:
    return Reply(
        blocks=[{"type": "text", "text": _encode(structured)}],
        structured=structured,
        failed=not structured["success"],
    )
