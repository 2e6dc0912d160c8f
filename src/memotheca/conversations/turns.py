"""Turns: who said what and when, as a request gives them and as a conversation holds them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memotheca.model.knowledge import Entry, handle_of

SAID_IN = "said_in"
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """Something that was said. Without an id it is told from others by who said what, in which order; `stored` are
    handles of what was stored from it."""

    speaker: str
    text: str
    at: int | None = None
    id: str = ""
    stored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeptTurn:
    """A turn as it stands in a conversation: its number from 1, and its span in the text, with who said it."""

    number: int
    speaker: str
    text: str
    at: int | None
    id: str
    start: int
    stop: int


def lead(speaker: str) -> str:
    """What stands before a turn's words."""
    return f"{speaker}: "


def add_turns(body: str, marks: Sequence[Any], turns: Sequence[Utterance]) -> tuple[str, list[dict[str, Any]]]:
    """A conversation's text and the marks of its turns, with some more at its end."""
    parts, made, reached = [body], [dict(mark) for mark in marks], len(body)
    for turn in turns:
        gap = "\n\n" if reached else ""
        said = f"{lead(turn.speaker)}{turn.text}"
        start = reached + len(gap)
        reached = start + len(said)
        parts += [gap, said]
        mark: dict[str, Any] = {"speaker": turn.speaker, "start": start, "stop": reached}
        mark |= {} if turn.at is None else {"at": turn.at}
        made.append(mark | ({"id": turn.id} if turn.id else {}))
    return "".join(parts), made


def turns_of(conversation: Entry) -> list[KeptTurn]:
    found: list[KeptTurn] = []
    for number, mark in enumerate(conversation.attributes.get("turns", ()), start=1):
        start, stop, speaker = mark["start"], mark["stop"], mark["speaker"]
        text = conversation.body[start + len(lead(speaker)) : stop]
        found.append(KeptTurn(number, speaker, text, mark.get("at"), mark.get("id", ""), start, stop))
    return found


def cite(conversation: Entry, number: int) -> str:
    """By which handle a turn is quoted."""
    return f"{handle_of(conversation)}#{number}"
