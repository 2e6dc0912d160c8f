"""When what an entry says happened or holds, who said it, how either is known, and both in a few words for a reader
(memory-model: Time)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from memotheca.kernel.validity import moment
from memotheca.model import kinds
from memotheca.model.clock import DAY, MINUTE, to_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry, Validity

Teller = Literal["user", "colleague", "agent", "tool", "document", "web"]
SOURCES: tuple[Teller, ...] = ("user", "colleague", "agent", "tool", "document", "web")
# "stated" by whoever stored it, "read" from the text, "session": what its session had said before.
Known = Literal["stated", "read", "session"]
Precision = Literal["minute", "day", "week", "month", "year"]
TimeField = Literal["occurred_at", "valid_from", "valid_to"]
FIELDS: tuple[TimeField, ...] = ("occurred_at", "valid_from", "valid_to")

OCCURRED, SOURCE, SOURCE_KNOWN, TIMES = "occurred_at", "source", "source_known", "times"
_DAY_LETTERS = 10  # chosen: 2026-07-07
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Point:
    """A minute, a day, a week, a month or a year in which something is said to lie, from its first to its last."""

    first: int
    last: int
    precision: Precision
    known: Known = "stated"
    words: str = ""


@dataclass(frozen=True, slots=True)
class Times:
    """When it happened, since when and until when it holds; what is not known is left out."""

    occurred: Point | None = None
    since: Point | None = None
    until: Point | None = None

    def at(self, field: TimeField) -> Point | None:
        return {"occurred_at": self.occurred, "valid_from": self.since, "valid_to": self.until}[field]


def stated(field: TimeField, said: str) -> Point:
    """A date or an instant that somebody gave; a day counts to its end."""
    at = moment(said, field)
    is_day = len(said.strip()) <= _DAY_LETTERS
    return Point(at, at + DAY - 1 if is_day else at, "day" if is_day else "minute")


def stated_times(said: Mapping[TimeField, str | None], found: Times) -> Times:
    """What was read, with what was stated in its place."""
    points = {field: stated(field, text) for field in FIELDS if (text := said.get(field)) is not None}
    told = Times(
        points.get("occurred_at", found.occurred),
        points.get("valid_from", found.since),
        points.get("valid_to", found.until),
    )
    return _in_order(told)


def _in_order(told: Times) -> Times:
    """An end before the beginning is refused where it was stated; what was only read gives way to what was stated."""
    if told.since is None or told.until is None or told.since.first <= told.until.last:
        return told
    if told.since.known == told.until.known == "stated":
        raise Refusal(Failure.INVALID, "valid_to must not be before valid_from.", field="valid_to")
    return replace(told, until=None) if told.until.known == "read" else replace(told, since=None)


def with_times(entry: Entry, told: Times) -> Entry:
    """An entry that knows its times, and of each how it is known."""
    attributes = {name: value for name, value in entry.attributes.items() if name not in (OCCURRED, TIMES)}
    known = {field: _kept(point) for field in FIELDS if (point := told.at(field)) is not None}
    if told.occurred is not None:
        attributes[OCCURRED] = told.occurred.first
    if known:
        attributes[TIMES] = known
    start = None if told.since is None else told.since.first
    validity = Validity(start, None if told.until is None else told.until.last)
    return replace(entry, attributes=attributes, validity=validity)


def _kept(point: Point) -> dict[str, Any]:
    kept = {"first": point.first, "last": point.last, "precision": point.precision, "known": point.known}
    return {**kept, "words": point.words} if point.words else kept


def times_of(entry: Entry) -> Times:
    """What is known of an entry's times; a validity that another family gave counts as stated."""
    kept: Mapping[str, Mapping[str, Any]] = entry.attributes.get(TIMES) or {}
    held = {field: Point(**kept[field]) for field in FIELDS if field in kept}
    start, end = entry.validity.start, entry.validity.end
    since, until = held.get("valid_from"), held.get("valid_to")
    return Times(
        held.get("occurred_at"),
        since if since is not None and since.first == start else _exact(start),
        until if until is not None and until.last == end else _exact(end),
    )


def _exact(at: int | None) -> Point | None:
    if at is None:
        return None
    return Point(at, at, "day" if at % DAY in (0, DAY - 1) else "minute")


def tell_times(entry: Entry) -> dict[str, Any]:
    """The same for programs: each time as ISO 8601, how exact and how it is known, and in which words it was read."""
    told: dict[str, Any] = {}
    times = times_of(entry)
    for field in FIELDS:
        point = times.at(field)
        if point is not None:
            at = to_iso(point.last if field == "valid_to" else point.first)
            told[field] = {"at": at, "precision": point.precision, "known": point.known}
            if point.words:
                told[field]["words"] = point.words
    return told


def happened_at(entry: Entry) -> int:
    """When what it tells happened or began to hold; where nothing is known of that, when it was stored."""
    times = times_of(entry)
    point = times.occurred or times.since
    return entry.created_at if point is None else point.first


def source_of(entry: Entry) -> Teller | None:
    """Who said it, where that is known; a document speaks for itself."""
    said = entry.attributes.get(SOURCE)
    if said in SOURCES:
        return said
    return "document" if entry.kind in (kinds.DOCUMENT, kinds.SECTION) else None


def told_by(entry: Entry) -> str:
    """Who said it, as a line of a context tells it: nothing where that is the user or nobody knows."""
    source = source_of(entry)
    return "" if source in (None, "user") else f"({source})"


def told_when(entry: Entry) -> str:
    """When it holds or happened, as a line of a context tells it; the day of storing where nothing else is known."""
    times = times_of(entry)
    since, until = times.since, times.until
    if since is not None and until is not None:
        one, other = _spell(since.first, since.precision), _spell(until.last, until.precision)
        return one if one == other else f"{one} to {other}"
    if until is not None:
        return f"until {_spell(until.last, until.precision)}"
    if since is not None:
        return f"{'from' if since.first > entry.created_at else 'since'} {_spell(since.first, since.precision)}"
    if times.occurred is not None:
        return _spell(times.occurred.first, times.occurred.precision)
    return spell_day(entry.created_at)


def spell_day(at: int) -> str:
    """A day as people write it: 7 Jul 2026."""
    return _spell(at, "day")


def _spell(at: int, precision: Precision) -> str:
    day = _EPOCH + timedelta(microseconds=at - at % MINUTE)
    month = f"{_MONTHS[day.month - 1]} {day.year}"
    if precision in ("month", "year"):
        return month if precision == "month" else str(day.year)
    return f"{'week of ' if precision == 'week' else ''}{day.day} {month}"
