"""A tool: its two models, its function, and what may be done with it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import getmodule
from typing import Any, Generic, Literal, TypedDict, TypeVar, Unpack

from memotheca.model.errors import Refusal
from memotheca.toolkit.ask import Dialogue, Question, Response
from memotheca.toolkit.fields import Schema

Effect = Literal["read", "add", "change", "destroy"]

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Toolset:
    """Tools that clients choose together: those of a folder, or, where members are named, some of several folders. The
    latter is for agents that shall read little at first, so that their listing leaves out what answers look like. Those
    for pages are called by programs that know them, and listed to nobody who has not said to show such pages. Those
    apart are for clients that require certain names; they are no part of `all`, and while they are shown those names
    are theirs."""

    name: str
    sentence: str
    default: bool
    members: tuple[str, ...] = ()
    for_pages: bool = False
    is_apart: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """One line of the catalogue: what is known of a tool before its module is loaded."""

    name: str
    toolset: str
    module: str
    contract: str
    writes: bool
    wire: Schema
    needs: Sequence[str] = ()
    component: str = ""
    job: str = ""
    # Other names that it answers to, and that are not listed.
    aliases: Sequence[str] = ()

    @property
    def called(self) -> str:
        """What clients call it."""
        return self.wire["name"]


@dataclass(slots=True, kw_only=True)
class Call(Generic[K]):
    """What a tool's function is given besides its input; a detached caller wants a task, not the answer. What is shown
    is numbered from 1 and part of the answer to come. Calls of a tool that writes are carried out once for each key."""

    kernel: K
    actor: str
    session: str = ""
    key: str = ""
    cancelled: Callable[[], bool] = lambda: False
    detached: bool = False
    report: Callable[[float, float | None, str], None] = lambda done, total, message: None
    show: Callable[[int, Mapping[str, Any]], None] = lambda number, partial: None
    conversation: Dialogue = Dialogue()
    # Whether the caller is on this machine, and may know where things lie on it.
    is_local: bool = True
    # Whether the caller may change anything.
    may_write: bool = True
    # Whether the client is shown a tool, so that no answer advises one it cannot call.
    shows: Callable[[str], bool] = lambda name: True

    def ask(self, question: Question) -> Response:
        """Ask the person or the client's model. Before anything is written, and outside of any snapshot: whoever
        asks is left, and run again from the beginning once there is an answer."""
        return self.conversation.ask(question)


class Repeated(Exception):
    """The same call under the same key was carried out, or is being carried out, by somebody else."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A success before a contract has put it into words; not every contract has a use for a sentence, an address, or
    the content line by line for whoever reads nothing but text."""

    sentence: str = ""
    uri: str = ""
    content: object = None
    lines: tuple[str, ...] = ()
    # Whether the sentence is all the text that goes out, because a budget or a reader counts it; programs read the
    # structured content.
    is_text_alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A call that is run for the documentation, after the calls that prepare it. `$name` stands for what the last of
    those answered under that name."""

    arguments: Mapping[str, Any]
    after: tuple[tuple[str, Mapping[str, Any]], ...] = ()


Handler = Callable[[Call[Any], Any], Answer]


@dataclass(frozen=True, slots=True)
class BackgroundTask:
    """How a tool goes on after its call: the kind of job it leaves, and its answer once that job is settled."""

    job: str
    finish: Callable[[Call[Any], str], Answer]
    required: bool = False


Complaint = Callable[[Call[Any], Refusal, Mapping[str, Any]], Refusal]


def as_it_is(call: Call[Any], refusal: Refusal, arguments: Mapping[str, Any]) -> Refusal:
    return refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """The one definition from which listing, calling, documentation and snapshots derive."""

    name: str
    title: str
    description: str
    contract: str
    effect: Effect
    idempotent: bool
    input: type
    outputs: tuple[type, ...]
    example: Example
    handler: Handler
    needs: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    called: str = ""
    component: str = ""
    complain: Complaint = as_it_is
    task: BackgroundTask | None = None


class Traits(TypedDict, total=False):
    """What only some tools say of themselves: another name in the catalogue, names that it answers to though they are
    not listed, what clients call it where another tool may have that name, that a second call changes nothing more,
    what must be there for it to be shown, which part of the product the log names for it, how to say more of what the
    schema finds wrong with the arguments, and that a call may become a task."""

    name: str
    aliases: tuple[str, ...]
    called: str
    idempotent: bool
    needs: tuple[str, ...]
    component: str
    complain: Complaint
    task: BackgroundTask | None


def _title(handler: Handler) -> str:
    """What the tool's file says it is for."""
    said = (getmodule(handler).__doc__ or "").strip().splitlines()
    return said[0].rstrip(".") if said else handler.__name__


def tool(
    *, contract: str, effect: Effect, models: tuple[type, ...], example: Example, **traits: Unpack[Traits]
) -> Callable[[Handler], Tool]:
    """Make a tool of a function; its name is the function's, its description the docstring, its title what its file
    is for. The first model is the input, the others are what it may answer with."""

    def declare(handler: Handler) -> Tool:
        return Tool(
            name=traits.get("name", handler.__name__),
            title=_title(handler),
            description=" ".join((handler.__doc__ or "").split()),
            contract=contract,
            effect=effect,
            idempotent=traits.get("idempotent", effect == "read"),
            input=models[0],
            outputs=models[1:],
            example=example,
            handler=handler,
            needs=traits.get("needs", ()),
            aliases=traits.get("aliases", ()),
            called=traits.get("called", ""),
            component=traits.get("component", ""),
            complain=traits.get("complain", as_it_is),
            task=traits.get("task"),
        )

    return declare
