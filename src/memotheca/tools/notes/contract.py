"""The notes family on the wire: nodes with their links, the raw JSON of an answer, and its four error codes."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Protocol, TypeVar, cast

from memotheca.model.clock import to_iso
from memotheca.model.commits import Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.toolkit.contract import ROOM, Contract, Reply, weigh
from memotheca.toolkit.fields import (
    UNSET,
    Schema,
    Unset,
    flag,
    integer,
    many,
    number,
    object_schema,
    text,
    texts,
    to_json,
)
from memotheca.toolkit.tool import Answer

NOTES = "knowledge://notes"

INVALID_PARAMS = "INVALID_PARAMS"
NODE_EXISTS = "NODE_EXISTS"
NODE_NOT_FOUND = "NODE_NOT_FOUND"
PROVIDER_ERROR = "PROVIDER_ERROR"

CODES: dict[Failure, str] = {
    **dict.fromkeys(Failure, PROVIDER_ERROR),
    Failure.INVALID: INVALID_PARAMS,
    Failure.MISSING_RATIONALE: INVALID_PARAMS,
    Failure.AMBIGUOUS: INVALID_PARAMS,
    Failure.EXPIRED: INVALID_PARAMS,
    Failure.CYCLIC: INVALID_PARAMS,
    Failure.FORBIDDEN: INVALID_PARAMS,
    Failure.ALREADY_EXISTS: NODE_EXISTS,
    Failure.DUPLICATE: NODE_EXISTS,
    Failure.NOT_FOUND: NODE_NOT_FOUND,
    Failure.TOMBSTONED: NODE_NOT_FOUND,
    Failure.ERASED: NODE_NOT_FOUND,
}

PRIMARY, LISTED, NEIGHBOUR = 10_000, 500, 200  # specification: where content is truncated
TRUNCATED = "... [truncated]"
# Chosen: how many links and tags of each note are shown, at most, where all of them would be too much.
FEWER = (200, 50, 20, 5, 0)
# Chosen: what the links and tags of one note may take; its text takes the rest.
LISTS = 8_000

# By these a client tells what it was answered.
TELLING = frozenset({"id", "path", "deleted", "result", "would_change"})

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Shown(Protocol):
    """What a node has that clients see."""

    @property
    def id(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def content(self) -> str: ...

    @property
    def tags(self) -> tuple[str, ...]: ...

    @property
    def links(self) -> Sequence[tuple[str, str]]: ...


def shorten(content: str, limit: int) -> str:
    """At most `limit` characters; the mark that says so counts among them."""
    return content if len(content) <= limit else content[: limit - len(TRUNCATED)] + TRUNCATED


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkShape:
    """A link with the title of what it leads to."""

    id: str = text()
    title: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeShape:
    """A node as clients see it."""

    id: str = text()
    title: str = text()
    content: str = text()
    tags: tuple[str, ...] = texts()
    links: tuple[LinkShape, ...] = many(LinkShape)


def node_fields(node: Shown, limit: int) -> dict[str, Any]:
    """The fields of a node's shape, its content cut to `limit`."""
    return {
        "id": node.id,
        "title": node.title,
        "content": shorten(node.content, limit),
        "tags": node.tags,
        "links": tuple(LinkShape(id=id, title=title) for id, title in node.links),
    }


def node_shape(node: Shown, limit: int) -> NodeShape:
    return NodeShape(**node_fields(node, limit))


N = TypeVar("N", bound=NodeShape)


def fit_nodes(nodes: Sequence[N], room: int = ROOM) -> tuple[tuple[N, ...], tuple[str, ...]]:
    """All of some nodes, with fewer links and tags of each, and less text at last, where they would take too much; and
    what is to be said of that."""
    fitting, told = tuple(nodes), ""
    for most in FEWER:
        if sum(map(weigh, fitting)) <= room:
            break
        fitting = tuple(replace(node, tags=node.tags[:most], links=node.links[:most]) for node in nodes)
        told = f"Of each note no more than {most} links and tags are shown; get_node shows more of one."
    if sum(map(weigh, fitting)) > room:
        fitting = tuple(replace(node, content=shorten(node.content, NEIGHBOUR)) for node in fitting)
    return fitting, ((told,) if told else ())


def primary_fields(node: Shown, room: int = LISTS) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The fields of the one node that was asked for, with as many of its links and tags as there is room for; and what
    is to be said of that."""
    whole = fewer = node_shape(node, PRIMARY)
    for most in FEWER:
        if weigh(fewer.links) + weigh(fewer.tags) <= room:
            break
        fewer = replace(whole, tags=whole.tags[:most], links=whole.links[:most])
    if fewer is whole:
        told = ()
    else:
        shown = f"{len(fewer.links)} of {len(whole.links)} links and {len(fewer.tags)} of {len(whole.tags)} tags"
        told = (f"{shown} are shown; the resource of the note has all.",)
    return {each.name: getattr(fewer, each.name) for each in fields(fewer)}, told


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteShape(NodeShape):
    """A note as a resource, with when it was made and last changed."""

    created_at: str = text()
    updated_at: str = text()
    tx_id: int = integer()
    _warnings: tuple[str, ...] | Unset = texts(default=UNSET)


def note_shape(node: Shown, version: Version, limit: int | None) -> NoteShape:
    entry = cast(Entry, version.thing)
    return NoteShape(
        **node_fields(node, len(node.content) if limit is None else limit),
        created_at=to_iso(entry.created_at),
        updated_at=to_iso(entry.updated_at),
        tx_id=version.tx,
    )


def short_note(note: NoteShape) -> NoteShape:
    """A note in a list, without a multitude of links or tags."""
    (fitting,), told = fit_nodes([note])
    return replace(fitting, _warnings=told or UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class WarnedNode(NodeShape):
    """A node, and what was noticed since the last answer."""

    _warnings: tuple[str, ...] | Unset = texts(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextShape(WarnedNode):
    """A node among its neighbours; `neighbors` has those it links to first, then those that link to it."""

    neighbors: tuple[NodeShape, ...] = many(NodeShape)
    outgoingNeighbors: tuple[NodeShape, ...] = many(NodeShape)
    incomingNeighbors: tuple[NodeShape, ...] = many(NodeShape)
    incomingCount: int = integer()
    outgoingCount: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundNode(NodeShape):
    """A node that a search found, and how similar it is."""

    score: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class HubShape:
    """A node and how central it is."""

    id: str = text()
    title: str = text()
    score: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class PathShape:
    """The ids from one node to another."""

    path: tuple[str, ...] = texts()
    length: int = integer()
    _warnings: tuple[str, ...] | Unset = texts(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deleted:
    """Whether there was something to delete."""

    deleted: bool = flag()
    _warnings: tuple[str, ...] | Unset = texts(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """What would happen to one file."""

    id: str = text()
    change: str = text()
    links: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a change would do, without doing it."""

    would_change: tuple[FileChange, ...] = many(FileChange)
    _warnings: tuple[str, ...] | Unset = texts(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nodes:
    """A list of nodes; the protocol wants an object around it, the text has the list as it is."""

    result: tuple[NodeShape, ...] = many(NodeShape)
    _warnings: tuple[str, ...] | Unset = texts(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundNodes:
    """What a search found, best first."""

    result: tuple[FoundNode, ...] = many(FoundNode)
    _warnings: tuple[str, ...] | Unset = texts(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hubs:
    """The most central nodes, the most central first."""

    result: tuple[HubShape, ...] = many(HubShape)
    _warnings: tuple[str, ...] | Unset = texts(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """The answer null."""

    result: None = field(default=None, metadata={"schema": {"type": "null"}})
    _warnings: tuple[str, ...] | Unset = texts(default=UNSET)


class NotesContract(Contract):
    """The raw JSON as the first text block, and the same as structured content; warnings beside a list follow it."""

    def success(self, answer: Answer) -> Reply:
        structured = to_json(answer.content)
        raw = structured.get("result", structured)
        blocks = [{"type": "text", "text": _encode(raw)}]
        if "_warnings" in structured and raw is not structured:
            blocks.append({"type": "text", "text": _encode({"_warnings": structured["_warnings"]})})
        return Reply(blocks=blocks, structured=structured)

    def failure(self, refusal: Refusal) -> Reply:
        error = {"code": CODES[refusal.failure], "message": refusal.message}
        return Reply(
            blocks=[{"type": "text", "text": _encode({"error": error})}], structured={"error": error}, failed=True
        )

    def output_schema(self, models: tuple[type, ...]) -> Schema:
        schemas = [object_schema(model) for model in models]
        properties: Schema = {}
        for schema in schemas:
            properties |= schema["properties"]
        telling = dict.fromkeys(tuple(sorted(TELLING & schema["properties"].keys())) for schema in schemas)
        return {
            "type": "object",
            "properties": {**properties, "error": {"type": "object"}},
            "anyOf": [*({"required": list(names)} for names in telling), {"required": ["error"]}],
        }
