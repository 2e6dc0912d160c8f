"""Sameness: in which figure, name, denial, time or order two texts differ as wholes, however alike they read."""

from collections.abc import Iterable
from typing import Any

from memotheca.memory.claims.told import ToldEntry, tell
from memotheca.memory.claims.when import OCCURRED
from memotheca.model.clock import DAY
from memotheca.model.knowledge import Entry

# Values that say when.
_TIMES = frozenset({"date", "time", "weekday"})


def differences(one: Entry, other: Entry) -> tuple[str, ...]:
    """What two entries differ in, of figure, time, name, denial and order: nothing where neither says more of these,
    and both say it in the same order, so that who bites whom is not turned round."""
    mine, theirs = tell(one), tell(other)
    found: dict[str, None] = {}
    kinds = {value[0] for value in _values(mine) ^ _values(theirs)}
    if kinds - _TIMES:
        found["figure"] = None
    if kinds & _TIMES or _held_at(one) != _held_at(other):
        found["time"] = None
    if _names(mine) - _terms(theirs) or _names(theirs) - _terms(mine):
        found["name"] = None
    if _denials(mine) != _denials(theirs):
        found["denial"] = None
    if _order(mine, _terms(theirs)) != _order(theirs, _terms(mine)):
        found["order"] = None
    return tuple(found)


def _values(told: ToldEntry) -> set[tuple[str, str, str]]:
    return {(value.kind, value.key, value.unit) for value in told.values}


def _names(told: ToldEntry) -> set[str]:
    """Also what sentences begin with: there a capital does not tell whether it is a name."""
    return _united((*statement.names, *statement.own[:1]) for statement in told.statements)


def _terms(told: ToldEntry) -> set[str]:
    return _united(statement.terms for statement in told.statements)


def _order(told: ToldEntry, shared: set[str]) -> list[str]:
    return [term for statement in told.statements for term in statement.own if term in shared]


def _united(groups: Iterable[Iterable[str]]) -> set[str]:
    return {each for group in groups for each in group}


def _denials(told: ToldEntry) -> int:
    return sum("denial" in statement.cues for statement in told.statements)


def _held_at(entry: Entry) -> tuple[Any, ...]:
    """The days from when to when it holds, and on which it happened, as far as that was said."""
    times: tuple[Any, ...] = (entry.validity.start, entry.validity.end, entry.attributes.get(OCCURRED))
    return tuple(time // DAY if isinstance(time, int) else time for time in times)
