"""What was read of a file before anything is stored: conversations, records, relations, and what was left out."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from memotheca.conversations.keep import KeepConversation
from memotheca.model.clock import SECOND, from_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.text.encoding import clean


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignRecord:
    """Something that another program remembers. By `origin` it is known again when its file is read again."""

    origin: str
    title: str
    body: str
    tags: tuple[str, ...] = ()
    created: int | None = None


@dataclass(frozen=True, slots=True)
class ForeignRelation:
    """A relation between two things by their names."""

    source: str
    predicate: str
    target: str


@dataclass(slots=True)
class ForeignContent:
    """What a file holds: `left_out` says what was not read, and how often."""

    format: str
    conversations: list[KeepConversation] = field(default_factory=list[KeepConversation])
    records: list[ForeignRecord] = field(default_factory=list[ForeignRecord])
    relations: list[ForeignRelation] = field(default_factory=list[ForeignRelation])
    left_out: Counter[str] = field(default_factory=Counter[str])

    def leave_out(self, why: str, many: int = 1) -> None:
        self.left_out[why] += many


class BrokenFile(Refusal):
    """A file that is not what it seems to be, and where it is not."""

    def __init__(self, why: str, *, where: str = "") -> None:
        told = f"{where}: {why}" if where else why
        super().__init__(Failure.CORRUPT, f"{told} Nothing was imported.")
        self.where = where


def read_time(value: object) -> int | None:
    """A moment however it is written: seconds, milliseconds, ISO-8601; None where it is none."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        # Milliseconds of this century are seconds of the year 30,000 and later.
        seconds = value / 1000 if abs(value) > _MILLISECONDS else value
        return int(seconds * SECOND) if abs(seconds) < _MILLISECONDS else None
    try:
        return from_iso(str(value))
    except (ValueError, OverflowError):
        return None


_MILLISECONDS = 10**11  # chosen: seconds until the year 5138, milliseconds since 1973


def name_of(given: object, said: str) -> str:
    """What a thing is called where it comes from, by which it is known again; one without a name by what it says."""
    named = clean(str(given)).strip() if isinstance(given, str | int) else ""
    return named or f"unnamed {hashlib.blake2b(said.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"


def joined(texts: Iterable[str]) -> str:
    return "\n\n".join(text.strip() for text in texts if text.strip())
