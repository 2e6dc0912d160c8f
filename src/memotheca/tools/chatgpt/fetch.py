"""Read one thing for a connector."""

import re
from dataclasses import dataclass
from typing import Any

from memotheca.conversations.turns import turns_of
from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import to_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import CONVERSATION, TRIPLE
from memotheca.model.knowledge import Entry
from memotheca.toolkit.contract import ROOM, weigh
from memotheca.toolkit.fields import free, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.chatgpt.contract import title_of, url_of
from memotheca.views.thing_names import source_of
from memotheca.views.thing_view import ThingView, view_thing

LONGEST = 16_000  # chosen: what an answer has room for; the answer says by which id the rest is read
AROUND = 2  # chosen: of a turn, what it answers and what is answered to it, twice over
_PART = re.compile(r"@(\d{1,12})\Z")
_TURN = re.compile(r"#(\d{1,9})\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    id: str = text("An id from search, or any handle", minLength=1, maxLength=4096)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    id: str = text()
    title: str = text()
    url: str = text()
    metadata: dict[str, Any] = free()
    # Last, since it has the name of what the others are made with.
    text: str = text()


EXAMPLE = Example(
    arguments={"id": "e-1"},
    after=(("store", {"topic": "tea", "content": "Ada takes it black.", "tags": ["people"]}),),
)


@tool(
    contract="chatgpt",
    effect="read",
    models=(Input, Output),
    example=EXAMPLE,
    name="chatgpt/fetch",
    called="fetch",
)
def fetch(call: Call[Kernel], input: Input) -> Answer:
    """Read one thing that search found, whole. Of what is very long one part comes at a time: metadata.next is the id
    of the part that follows."""
    part = _PART.search(input.id)
    named = input.id[: part.start()] if part else input.id
    view = view_thing(call.kernel, named)
    if view.standing == "forgotten":
        raise Refusal(Failure.NOT_FOUND, f"{named!r} was deleted; search finds what is there.", field="id")
    said, about = _read(view, named)
    start = int(part.group(1)) if part else 0
    if start and start >= len(said):
        raise Refusal(Failure.NOT_FOUND, f"{named!r} has {len(said):,} letters, and no part at {start:,}.", field="id")
    stop = start + _fitting(said[start : start + LONGEST])
    if stop < len(said):
        about["next"] = f"{named}@{stop}"
    entry = view.thing if isinstance(view.thing, Entry) else None
    source = view.thing.attributes.get("source") if entry is None else source_of(entry)
    document = None if view.document is None else view.document.title
    output = Output(
        id=input.id,
        title=view.title if entry is None else title_of(entry, document),
        text=said[start:stop],
        url=url_of(TRIPLE if entry is None else entry.kind, named, source),
        metadata=about,
    )
    return Answer(content=output)


def _fitting(said: str) -> int:
    """How many letters of a text an answer has room for: fewer where letters take more than one byte."""
    letters = len(said)
    while weigh(said[:letters]) > ROOM:
        letters = letters * 3 // 4
    return letters


def _read(view: ThingView, named: str) -> tuple[str, dict[str, Any]]:
    """What a thing says, and what is to be known of it."""
    thing = view.thing
    about: dict[str, Any] = {
        "kind": TRIPLE if not isinstance(thing, Entry) else thing.kind,
        "state": view.standing,
        "created_at": to_iso(thing.created_at),
        "updated_at": to_iso(thing.updated_at),
    }
    if not isinstance(thing, Entry):
        return view.title, about
    if thing.tags:
        about["tags"] = list(thing.tags)
    if (source := source_of(thing)) is not None:
        about["source"] = source
    if view.document is not None:
        about["document"] = view.document.title
    turn = _TURN.search(named)
    if thing.kind == CONVERSATION and turn:
        return _around(thing, int(turn.group(1)), named), about | {"turn": int(turn.group(1))}
    return view.body, about


def _around(talk: Entry, number: int, named: str) -> str:
    turns = turns_of(talk)
    if not 1 <= number <= len(turns):
        raise Refusal(Failure.NOT_FOUND, f"{named!r} names no turn; there are {len(turns)}.", field="id")
    shown = turns[max(0, number - 1 - AROUND) : number + AROUND]
    return "\n\n".join(f"#{turn.number} {turn.speaker}: {turn.text}" for turn in shown)
