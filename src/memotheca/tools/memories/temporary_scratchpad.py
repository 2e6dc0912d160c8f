"""Keep something at hand for this session."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.scratchpad import LONGEST_KEY, LONGEST_VALUE, Scratchpads
from memotheca.model.clock import to_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.toolkit.fields import UNSET, Unset, choice, integer, many, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

ACTIONS = ("write", "read", "clear")


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    action: str = choice(ACTIONS)
    key: str = text("", UNSET, longest=LONGEST_KEY)
    value: str = text("", UNSET, longest=LONGEST_VALUE)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryShape:
    key: str = text()
    bytes: int = integer()
    expires_at: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    action: str = text()
    key: str | Unset = text(default=UNSET)
    bytes: int | Unset = integer(default=UNSET)
    expires_at: str | Unset = text(default=UNSET)
    value: str | Unset | None = text(default=UNSET, nullable=True)
    entries: tuple[EntryShape, ...] | Unset = many(EntryShape, default=UNSET)
    cleared: int | Unset = integer(default=UNSET)
    count: int = integer()


EXAMPLE = Example(
    arguments={"action": "read", "key": "plan"},
    after=(("temporary_scratchpad", {"action": "write", "key": "plan", "value": "First the lock, then the cache."}),),
)


@tool(contract="memories", component="storage", effect="change", models=(Input, Output), example=EXAMPLE)
def temporary_scratchpad(call: Call[Kernel], input: Input) -> Answer:
    """Working memory of this session: write a value under a key, read one or list the keys, clear one or all. It is
    kept for an hour, in memory alone: never in the graph, in a search, in a log or on disk."""
    if input.action == "write":
        return _write(call, input)
    return _read(call, input) if input.action == "read" else _clear(call, input)


def _write(call: Call[Kernel], input: Input) -> Answer:
    for name in ("key", "value"):
        said: str | Unset = getattr(input, name)
        if isinstance(said, Unset) or (name == "key" and not said):
            raise Refusal(Failure.INVALID, f"To write, give {name}.", field=name)
    pads, place, now = call.kernel.keep(Scratchpads), _place(call), call.kernel.now()
    made = pads.write(place, input.key, input.value, now)
    output = Output(
        action="write",
        key=input.key,
        bytes=made.size,
        expires_at=to_iso(made.expires),
        count=len(pads.read(place, now)),
    )
    return Answer(f"Kept until {to_iso(made.expires)}, for this session alone.", NODES, output)


def _read(call: Call[Kernel], input: Input) -> Answer:
    pad = call.kernel.keep(Scratchpads).read(_place(call), call.kernel.now())
    if isinstance(input.key, Unset):
        entries = tuple(
            EntryShape(key=key, bytes=held.size, expires_at=to_iso(held.expires)) for key, held in pad.items()
        )
        return Answer(f"{len(pad)} keys are kept.", NODES, Output(action="read", entries=entries, count=len(pad)))
    held = pad.get(input.key)
    output = Output(
        action="read",
        key=input.key,
        value=None if held is None else held.value,
        expires_at=UNSET if held is None else to_iso(held.expires),
        count=len(pad),
    )
    return Answer("Nothing is kept under that key." if held is None else "Here it is.", NODES, output)


def _clear(call: Call[Kernel], input: Input) -> Answer:
    pads, place, now = call.kernel.keep(Scratchpads), _place(call), call.kernel.now()
    key = None if isinstance(input.key, Unset) else input.key
    cleared = pads.clear(place, key, now)
    output = Output(
        action="clear", key=UNSET if key is None else key, cleared=cleared, count=len(pads.read(place, now))
    )
    return Answer(f"{cleared} keys are forgotten.", NODES, output)


def _place(call: Call[Kernel]) -> tuple[str, str]:
    return call.kernel.collection, call.session
