"""The entries family on the wire: its shapes, its sentence-and-resource replies, its stable error codes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from memotheca.entries.refusals import OwnedByFile
from memotheca.model import kinds
from memotheca.model.clock import to_iso
from memotheca.model.commits import Commit, Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Edge, Entry, handle_of
from memotheca.toolkit.contract import Contract, Reply
from memotheca.toolkit.fields import UNSET, Schema, Unset, flag, integer, number, object_schema, text, texts, to_json
from memotheca.toolkit.tool import Answer

ENTRIES = "knowledge://entries"
TRIPLES = "knowledge://graph/triples"
TRANSACTIONS = "knowledge://history/transactions"

CODES: dict[Failure, str] = {
    Failure.INVALID: "validation",
    Failure.MISSING_RATIONALE: "validation",
    Failure.NOT_FOUND: "not_found",
    Failure.ALREADY_EXISTS: "conflict",
    Failure.DUPLICATE: "conflict",
    Failure.AMBIGUOUS: "validation",
    Failure.CONFLICT: "conflict",
    Failure.CONFIRMATION_REQUIRED: "policy",
    Failure.EXPIRED: "validation",
    Failure.TOMBSTONED: "not_found",
    Failure.ERASED: "not_found",
    Failure.CYCLIC: "validation",
    Failure.UNSUPPORTED: "validation",
    Failure.TOO_LARGE: "validation",
    Failure.ENCRYPTED: "validation",
    Failure.CORRUPT: "internal",
    Failure.OCR_FAILED: "internal",
    Failure.FORBIDDEN: "policy",
    Failure.READ_ONLY: "policy",
    Failure.INCOMPATIBLE: "policy",
    Failure.BUSY: "dependency",
    Failure.TIMEOUT: "dependency",
    Failure.CANCELLED: "dependency",
    Failure.DISK_FULL: "dependency",
    Failure.UNAVAILABLE: "dependency",
    Failure.INTERNAL: "internal",
}

# By these a client tells what it was answered; the list of tools stays short because of it.
TELLING = frozenset({"id", "tx_id", "items", "reverted", "conflict_id"})

encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryShape:
    """An entry as clients see it."""

    id: str = text()
    topic: str = text()
    content: str = text()
    tags: tuple[str, ...] = texts()
    source: str | None = text(default=None, nullable=True)
    actor: str | None = text(default=None, nullable=True)
    confidence: float | None = number(default=None, nullable=True)
    knowledge_type: str | None = text(default=None, nullable=True)
    memory_type: str | None = text(default=None, nullable=True)
    status: str = text()
    valid_from: str | None = text(default=None, nullable=True)
    valid_to: str | None = text(default=None, nullable=True)
    valid_to_state: str = text()
    expires_at: str | None = text(default=None, nullable=True)
    created_at: str = text()
    updated_at: str = text()
    recorded_at: str = text()
    tx_id: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class OneEntry(EntryShape):
    """An entry that was asked for by its id, which can be had beyond its time."""

    expired: bool | Unset = flag(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class TripleShape:
    """An edge as clients see it."""

    id: str = text()
    subject: str = text()
    predicate: str = text()
    object: str = text()
    source: str | None = text(default=None, nullable=True)
    actor: str | None = text(default=None, nullable=True)
    confidence: float | None = number(default=None, nullable=True)
    valid_from: str | None = text(default=None, nullable=True)
    valid_to: str | None = text(default=None, nullable=True)
    valid_to_state: str = text()
    created_at: str = text()
    updated_at: str = text()
    recorded_at: str = text()
    tx_id: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionShape:
    """A transaction as clients see it."""

    tx_id: int = integer()
    op: str = text()
    entity_type: str = text()
    entity_id: str = text()
    actor: str = text()
    created_at: str = text()
    reverts: int | None = integer(default=None, nullable=True)
    reverted_by: int | None = integer(default=None, nullable=True)


# What this family calls otherwise than the rooms do.
_OWN_WORDS = {"topic": "title", "content": "body", "ttl_seconds": "seconds_to_live", "wait_for_embedding": "whole"}


def to_request(told: Mapping[str, Any]) -> dict[str, Any]:
    """What was said of an entry, by the names of a request; whoever says something about a topic has to say
    something."""
    for name in ("topic", "content"):
        if name in told and not told[name].strip():
            raise Refusal(Failure.INVALID, f"{name} must not be blank.", field=name)
    return {_OWN_WORDS.get(name, name): value for name, value in told.items()}


def _moment(value: int | None) -> str | None:
    return None if value is None else to_iso(value)


def entry_fields(version: Version) -> dict[str, Any]:
    """The fields of an entry's shape, to be completed by whoever adds scores or a notice."""
    entry = version.thing
    assert isinstance(entry, Entry)
    attributes = entry.attributes
    return {
        "id": handle_of(entry),
        "topic": entry.title,
        "content": entry.body,
        "tags": entry.tags,
        "source": attributes.get("source", attributes.get("filename")),
        "actor": attributes.get("actor"),
        "confidence": attributes.get("confidence"),
        "knowledge_type": attributes.get("knowledge_type"),
        "memory_type": attributes.get("memory_type"),
        "status": attributes.get("status", kinds.STATUSES[0]),
        "valid_from": _moment(entry.validity.start),
        "valid_to": _moment(entry.validity.end),
        "valid_to_state": entry.validity.end_state,
        "expires_at": _moment(entry.expires_at),
        "created_at": to_iso(entry.created_at),
        "updated_at": to_iso(entry.updated_at),
        "recorded_at": to_iso(version.time),
        "tx_id": version.tx,
    }


def point_to_note_tool(owned: OwnedByFile, tool: str) -> Refusal:
    """What is said of a note to whoever takes it for an entry."""
    return Refusal(owned.failure, f"{owned.handle!r} is a note of a vault; use {tool}.", field=owned.field)


def entry_shape(version: Version) -> EntryShape:
    return EntryShape(**entry_fields(version))


def one_entry(version: Version, now: int) -> OneEntry:
    """An entry by its id, which says so where its time has passed: no list has it any more."""
    entry = version.thing
    assert isinstance(entry, Entry)
    return OneEntry(**entry_fields(version), expired=True if entry.is_expired(now) else UNSET)


def end_name(end: Entry | None) -> str:
    """What a triple calls its end: an entity by its name, anything else by its handle."""
    if end is None:
        return "?"
    return end.title if end.kind == kinds.ENTITY else handle_of(end)


def triple_shape(version: Version, source: Entry | None, target: Entry | None) -> TripleShape:
    edge = version.thing
    assert isinstance(edge, Edge)
    return TripleShape(
        id=handle_of(edge),
        subject=end_name(source),
        predicate=edge.predicate,
        object=end_name(target),
        source=edge.attributes.get("source"),
        actor=edge.attributes.get("actor"),
        confidence=edge.confidence,
        valid_from=_moment(edge.validity.start),
        valid_to=_moment(edge.validity.end),
        valid_to_state=edge.validity.end_state,
        created_at=to_iso(edge.created_at),
        updated_at=to_iso(edge.updated_at),
        recorded_at=to_iso(version.time),
        tx_id=version.tx,
    )


def entity_type(version: Version) -> str:
    return version.kind if version.subject == "entry" else "triple"


def transaction_shape(commit: Commit, about: Version, undone_by: int | None) -> TransactionShape:
    return TransactionShape(
        tx_id=commit.tx,
        op=commit.operation,
        entity_type=entity_type(about),
        entity_id=about.id if about.thing is None else handle_of(about.thing),
        actor=commit.actor,
        created_at=to_iso(commit.time),
        reverts=commit.undoes,
        reverted_by=undone_by,
    )


LINE = 500  # chosen: a few lines of a terminal
# Chosen: what the line of a triple or a transaction takes beside its JSON.
LINE_COST = 100


def shorten(text: str, size: int = LINE) -> str:
    """A text on one line, cut where it is long."""
    spoken = " ".join(text[: 2 * size].split())
    return spoken if len(spoken) <= size and len(text) <= 2 * size else spoken[:size].rstrip() + " …"


def triple_line(shape: TripleShape) -> str:
    until = f" (until {shape.valid_to})" if shape.valid_to else ""
    return f"{shape.id}: {shape.subject} {shape.predicate} {shape.object}{until}"


def transaction_line(shape: TransactionShape) -> str:
    undone = f", reverted by {shape.reverted_by}" if shape.reverted_by is not None else ""
    reverts = f" of {shape.reverts}" if shape.reverts is not None else ""
    told = f"{shape.op}{reverts} {shape.entity_type} {shape.entity_id} by {shape.actor} at {shape.created_at}"
    return f"{shape.tx_id}: {told}{undone}"


def address(resource: str, arguments: Mapping[str, Any] | None = None, *, handle: str = "") -> str:
    """The URI of what an answer is about: the resource, one member of it, and the arguments that were given."""
    path = f"{resource}/{quote(handle, safe='')}" if handle else resource
    given = [
        (name, "true" if value is True else "false" if value is False else value)
        for name, value in (arguments or {}).items()
        if value is not None and value is not UNSET and value != ()
    ]
    return f"{path}?{urlencode(given, doseq=True, quote_via=quote)}" if given else path


class EntriesContract(Contract):
    """A human sentence, the JSON as an embedded resource, and the same as structured content; and last what a list
    holds, line by line, for clients that show nothing but text."""

    def success(self, answer: Answer) -> Reply:
        structured = to_json(answer.content)
        resource = {"uri": answer.uri, "mimeType": "application/json", "text": encode(structured)}
        blocks = [{"type": "text", "text": answer.sentence}, {"type": "resource", "resource": resource}]
        if answer.lines:
            blocks.append({"type": "text", "text": "\n".join(answer.lines)})
        return Reply(blocks=blocks, structured=structured)

    def failure(self, refusal: Refusal) -> Reply:
        error: dict[str, Any] = {
            "code": CODES[refusal.failure],
            "message": refusal.message,
            "retryable": refusal.failure.retryable,
            "field": refusal.field,
        }
        if refusal.details:
            error["details"] = refusal.details
        return Reply(
            blocks=[{"type": "text", "text": encode({"error": error})}], structured={"error": error}, failed=True
        )

    def output_schema(self, models: tuple[type, ...]) -> Schema:
        schemas = [object_schema(model) for model in models]
        properties: Schema = {}
        for schema in schemas:
            properties |= schema["properties"]
        needed = [{"required": [name for name in schema["required"] if name in TELLING]} for schema in schemas]
        return {
            "type": "object",
            "properties": {**properties, "error": {"type": "object"}},
            "anyOf": [*needed, {"required": ["error"]}],
        }
