"""What a contract has to say: how a success looks and how a failure looks, and what comes before and after them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from memotheca.model.errors import Refusal
from memotheca.toolkit.catalog import Listing
from memotheca.toolkit.fields import Schema
from memotheca.toolkit.tool import Answer, Call

Block = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What goes to the client, whatever the protocol puts around it."""

    blocks: list[Block] = field(default_factory=list[Block])
    structured: dict[str, Any] | None = None
    failed: bool = False


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
