"""What a contract has to say: how a success looks and how a failure looks."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from memotheca.model.errors import Refusal
from memotheca.toolkit.fields import Schema
from memotheca.toolkit.tool import Answer

Block = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What goes to the client, whatever the protocol puts around it."""

    blocks: list[Block] = field(default_factory=list[Block])
    structured: dict[str, Any] | None = None
    failed: bool = False


class PulseCarrier(Protocol):
    """A contract whose replies carry how the memory stands."""

    def with_pulse(self, reply: Reply, pulse: Any) -> Reply: ...


class Contract(Protocol):
    """Pure, and ignorant of any concrete tool."""

    def success(self, answer: Answer) -> Reply: ...

    def failure(self, refusal: Refusal) -> Reply: ...

    def output_schema(self, models: tuple[type, ...]) -> Schema:
        """The published schema: that of any of the models, widened to admit a failure."""
        ...
