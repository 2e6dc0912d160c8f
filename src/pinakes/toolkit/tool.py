"""A tool: its two models, its function, and what may be done with it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

Effect = Literal["read", "add", "change", "destroy"]

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Toolset:
    """A folder of tools that clients choose together."""

    name: str
    sentence: str
    default: bool


@dataclass(slots=True, kw_only=True)
class Call(Generic[K]):
    """What a tool's function is given besides its input."""

    kernel: K
    actor: str
    cancelled: Callable[[], bool] = lambda: False
    report: Callable[[float, float | None, str], None] = lambda done, total, message: None


@dataclass(frozen=True, slots=True)
class Answer:
    """A success before a contract has put it into words."""

    sentence: str
    uri: str
    content: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A call that is run for the documentation, after the calls that prepare it."""

    arguments: Mapping[str, Any]
    after: tuple[tuple[str, Mapping[str, Any]], ...] = ()


Handler = Callable[[Call[Any], Any], Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """The one definition from which listing, calling, documentation and snapshots derive."""

    name: str
    description: str
    contract: str
    effect: Effect
    idempotent: bool
    input: type
    outputs: tuple[type, ...]
    example: Example
    handler: Handler


def tool(
    *,
    contract: str,
    effect: Effect,
    models: tuple[type, ...],
    example: Example,
    idempotent: bool = False,
) -> Callable[[Handler], Tool]:
    """Make a tool of a function; its name is the function's, its description the docstring. The first
    model is the input, the others are what it may answer with."""

    def declare(handler: Handler) -> Tool:
        return Tool(
            name=handler.__name__,
            description=" ".join((handler.__doc__ or "").split()),
            contract=contract,
            effect=effect,
            idempotent=idempotent or effect == "read",
            input=models[0],
            outputs=models[1:],
            example=example,
            handler=handler,
        )

    return declare
