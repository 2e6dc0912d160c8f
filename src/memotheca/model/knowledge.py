"""Entries and edges: the two things a collection holds."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from memotheca.model.kinds import RELATIONAL

Subject = Literal["entry", "edge"]


def fold(text: str) -> str:
    """The form in which text is matched: NFKC and casefold."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def counted(number: int, noun: str) -> str:
    """A number with its noun, as one says it: 1 entry, 2 entries."""
    if number == 1:
        return f"1 {noun}"
    plural = f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2] not in "aeiou" else f"{noun}s"
    return f"{number:,} {plural}"


@dataclass(frozen=True, slots=True)
class Alias:
    """A name by which an entry or an edge is found; unique in its namespace of a collection."""

    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class Validity:
    """When something holds in the world, as far as it was said."""

    start: int | None = None
    end: int | None = None
    endless: bool = False

    def covers(self, moment: int) -> bool:
        return (self.start is None or self.start <= moment) and (self.end is None or self.end >= moment)

    @property
    def end_state(self) -> Literal["infinite", "bounded", "unspecified"]:
        if self.endless:
            return "infinite"
        return "unspecified" if self.end is None else "bounded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One addressable piece of knowledge, a vertex of the graph."""

    id: str
    kind: str
    title: str
    body: str = ""
    tags: tuple[str, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    aliases: tuple[Alias, ...] = ()
    validity: Validity = Validity()
    expires_at: int | None = None
    created_at: int
    updated_at: int

    def is_expired(self, now: int) -> bool:
        return self.expires_at is not None and self.expires_at <= now


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A directed, typed connection between two entries."""

    id: str
    source: str
    target: str
    type: str = RELATIONAL
    predicate: str
    weight: float = 1.0
    confidence: float | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    aliases: tuple[Alias, ...] = ()
    validity: Validity = Validity()
    created_at: int
    updated_at: int


Thing = Entry | Edge


def subject_of(thing: Thing) -> Subject:
    return "entry" if isinstance(thing, Entry) else "edge"


def handle_of(thing: Thing) -> str:
    """The name people use for it: its first alias, else its id."""
    return thing.aliases[0].name if thing.aliases else thing.id


def is_holding(held: Mapping[str, Any], now: int) -> bool:
    """Whether a quarantine still keeps its entry from being found: those of earlier programs end by themselves."""
    return held.get("until") is None or int(held["until"]) > now
