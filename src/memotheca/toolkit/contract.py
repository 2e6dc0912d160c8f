"""What a contract has to say: how a success looks and how a failure looks, what comes before and after them, and how
much an answer has room for."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from memotheca.model.errors import Refusal
from memotheca.toolkit.fields import Schema, to_json
from memotheca.toolkit.tool import Answer, Call, Listing

Block = dict[str, Any]

# Chosen: what an answer has room for, in bytes, unless more was asked for; what else it says takes the rest of 24 KB.
ROOM = 20_000

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What goes to the client, whatever the protocol puts around it."""

    blocks: list[Block] = field(default_factory=list[Block])
    structured: dict[str, Any] | None = None
    failed: bool = False
    # Which failure it was, for whoever runs the server; a client is told in the words of the contract.
    code: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A call that is being answered: of which tool, with which arguments, by whom."""

    listing: Listing
    arguments: Mapping[str, Any]
    call: Call[Any]


class Contract(Protocol):
    """How a family words what its tools answer; ignorant of any concrete tool."""

    def before(self, exchange: Exchange) -> None:
        """Refuse what the family refuses before the arguments are held against the schema."""

    def success(self, answer: Answer) -> Reply: ...

    def failure(self, refusal: Refusal) -> Reply: ...

    def after(self, exchange: Exchange, reply: Reply) -> Reply:
        """The reply with what the family adds to each, be it a success or a failure."""
        return reply

    def output_schema(self, models: tuple[type, ...]) -> Schema:
        """The published schema: that of any of the models, widened to admit a failure."""
        ...


def weigh(shape: object) -> int:
    """The bytes of a shape in what takes more of an answer, which is its JSON within the JSON of a block."""
    inner = _encode(to_json(shape))
    # Nothing else is to be escaped in what is JSON already; to encode it again would take four times as long.
    return len(inner.encode()) + inner.count('"') + inner.count("\\") + len('""')


def size_of(text: str) -> int:
    """The bytes of a text as JSON."""
    return len(_encode(text).encode())


def room_for(limit: int, usual: int) -> int:
    """What a page of so many has room for: more where more than usual was asked for."""
    return int(ROOM * max(1.0, limit / usual))


def count_fitting(shapes: Sequence[object], room: int = ROOM, *, beside: int = 0) -> int:
    """How many of some shapes there is room for, at least one; each takes something beside its JSON."""
    taken = 0
    for place, shape in enumerate(shapes):
        taken += weigh(shape) + beside
        if taken > room:
            return max(place, 1)
    return len(shapes)
