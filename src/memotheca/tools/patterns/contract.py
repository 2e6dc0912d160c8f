"""The patterns family on the wire: payloads told apart by their kind, markdown and JSON blocks gated by the format."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from memotheca.model.errors import Failure, Refusal
from memotheca.toolkit.contract import Block, Contract, Reply
from memotheca.toolkit.fields import Schema, object_schema, to_json
from memotheca.toolkit.tool import Answer

MARKDOWN, JSON, PLAIN = "text/markdown", "application/json", "text/plain"
Format = Literal["markdown", "json", "both"]
FORMATS: tuple[Format, ...] = ("markdown", "json", "both")
DIFFICULTIES = ("beginner", "intermediate", "advanced")

SEARCH_RESULTS = "patternSearchResults:v1"
DETAILS = "patternDetails:v1"
CATEGORIES = "patternCategories:v1"
SKILLS = "skillList:v1"
SKILL = "skillDetails:v1"
NEEDS_INPUT = "needsInput:v1"
TOOL_ERROR = "toolError:v1"

MARKER_VERSION = "v1"
LARGEST = 1024 * 1024  # chosen: what clients take as one message

CODES: dict[Failure, str] = {
    Failure.INVALID: "CLIENT_ERROR",
    Failure.MISSING_RATIONALE: "CLIENT_ERROR",
    Failure.NOT_FOUND: "NOT_FOUND",
    Failure.ALREADY_EXISTS: "CLIENT_ERROR",
    Failure.DUPLICATE: "CLIENT_ERROR",
    Failure.AMBIGUOUS: "CLIENT_ERROR",
    Failure.CONFLICT: "CLIENT_ERROR",
    Failure.CONFIRMATION_REQUIRED: "CLIENT_ERROR",
    Failure.EXPIRED: "CLIENT_ERROR",
    Failure.TOMBSTONED: "NOT_FOUND",
    Failure.ERASED: "NOT_FOUND",
    Failure.CYCLIC: "CLIENT_ERROR",
    Failure.UNSUPPORTED: "CLIENT_ERROR",
    Failure.TOO_LARGE: "SERVER_ERROR",
    Failure.ENCRYPTED: "CLIENT_ERROR",
    Failure.CORRUPT: "UNKNOWN_ERROR",
    Failure.OCR_FAILED: "UNKNOWN_ERROR",
    Failure.FORBIDDEN: "AUTHENTICATION_ERROR",
    Failure.READ_ONLY: "CLIENT_ERROR",
    Failure.INCOMPATIBLE: "CLIENT_ERROR",
    Failure.BUSY: "SERVER_ERROR",
    Failure.TIMEOUT: "NETWORK_ERROR",
    Failure.CANCELLED: "SERVER_ERROR",
    Failure.DISK_FULL: "SERVER_ERROR",
    Failure.UNAVAILABLE: "NETWORK_ERROR",
    Failure.INTERNAL: "UNKNOWN_ERROR",
}


TOOL_ERROR_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "kind": {"type": "string", "enum": [TOOL_ERROR]},
        "code": {"type": "string", "enum": list(dict.fromkeys(CODES.values()))},
        "message": {"type": "string"},
        "retryable": {"type": "boolean"},
        "details": {"type": "object"},
    },
    "required": ["kind", "code", "message", "retryable"],
}


@dataclass(frozen=True, slots=True)
class Presented:
    """An answer before the format has decided which of its blocks are sent."""

    payload: object
    pages: Sequence[str]
    format: Format


class PatternsContract(Contract):
    """Markdown blocks for people, then a JSON block for machines, as the format says; structured content always."""

    def success(self, answer: Answer) -> Reply:
        presented = cast(Presented, answer.content)
        reply = _reply(presented.payload, presented.pages, MARKDOWN, presented.format)
        size = _largest(reply)
        if size <= LARGEST:
            return reply
        refusal = Refusal(
            Failure.TOO_LARGE,
            f"The answer would have {size:,} bytes, more than {LARGEST:,}; {_advice(presented.payload)}.",
            details={"bytes": size, "limitBytes": LARGEST},
        )
        refusal.arguments = {"format": presented.format}
        return self.failure(refusal)

    def failure(self, refusal: Refusal) -> Reply:
        details = {**refusal.details, **({"field": refusal.field} if refusal.field else {})}
        error: dict[str, Any] = {
            "kind": TOOL_ERROR,
            "code": CODES[refusal.failure],
            "message": refusal.message,
            "retryable": refusal.failure.retryable,
            **({"details": details} if details else {}),
        }
        page = f"Error: {refusal.message}" + (" Trying again may help." if refusal.failure.retryable else "")
        reply = _reply(error, [page], PLAIN, _format_of(refusal.arguments))
        return Reply(blocks=reply.blocks, structured=reply.structured, failed=True)

    def output_schema(self, models: tuple[type, ...]) -> Schema:
        schemas = [*(object_schema(model) for model in models), TOOL_ERROR_SCHEMA]
        kinds = [kind for schema in schemas for kind in schema["properties"]["kind"]["enum"]]
        properties: Schema = {}
        for schema in schemas:
            properties |= schema["properties"]
        return {
            "type": "object",
            "properties": {**properties, "kind": {"type": "string", "enum": kinds}},
            "required": ["kind"],
        }


def _largest(reply: Reply) -> int:
    """The bytes of the largest form in which an answer is told: for people, for machines, or structured."""
    sizes = {MARKDOWN: 0, JSON: len(_encode(reply.structured).encode())}
    for block in reply.blocks:
        if block["mimeType"] != JSON:
            sizes[MARKDOWN] += len(block["text"].encode())
    return max(sizes.values())


def _advice(payload: object) -> str:
    if getattr(payload, "kind", "") in (SEARCH_RESULTS, SKILLS):
        return "ask for less with limit or a filter"
    return "includeStructuredDetails false leaves out its sections and examples"


def _reply(payload: object, pages: Sequence[str], mime_type: str, format: Format) -> Reply:
    structured = to_json(payload)
    blocks: list[Block] = []
    if format != "json":
        blocks += [{"type": "text", "text": page, "mimeType": mime_type} for page in pages]
    if format != "markdown":
        blocks.append({"type": "text", "text": _encode(structured), "mimeType": JSON})
    return Reply(blocks=blocks, structured=structured)


def _encode(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _format_of(arguments: Mapping[str, Any]) -> Format:
    """The format a call asked for, also where the call was refused for something else."""
    said = arguments.get("format")
    return said if said in FORMATS else "markdown"
