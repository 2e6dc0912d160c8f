"""Alignment: which sentence of one text speaks of what a sentence of another speaks of, and in what the two differ."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from memotheca.memory.claims.statement import Statement
from memotheca.memory.claims.told import ToldEntry
from memotheca.memory.claims.values import Value, agree

Weigh = Callable[[str], float]

# Chosen: of two pairs of sentences about as close, the one in which a value was replaced tells more.
REPLACING = 0.2


@dataclass(frozen=True, slots=True)
class Aligned:
    """The two closest sentences of a newer and an older text: how much of what each is about they share, the values in
    which they differ (older, newer), and those in which they agree."""

    newer: Statement
    older: Statement
    closeness: float
    shared: float
    mass: tuple[float, float]
    differing: tuple[tuple[Value, Value], ...]
    agreeing: tuple[Value, ...]


def align(newer: ToldEntry, older: ToldEntry, weigh: Weigh) -> Aligned | None:
    """The best pair of sentences; None where no two say anything together."""
    best: Aligned | None = None
    ranked = -1.0
    mine = [(each, _mass(each, weigh)) for each in newer.statements if each.says_something]
    for theirs in older.statements:
        if not theirs.says_something:
            continue
        mass = _mass(theirs, weigh)
        for statement, own in mine:
            shared = _shared(statement, theirs, weigh)
            closeness = shared / math.sqrt(own * mass) if shared else 0.0
            # What cannot become the best is not compared value by value, which takes the longest.
            if closeness + REPLACING <= ranked:
                continue
            differing, agreeing = compare_values(statement.values, theirs.values)
            rank = closeness + (REPLACING if differing else 0.0)
            if rank > ranked:
                best = Aligned(statement, theirs, closeness, shared, (own, mass), differing, agreeing)
                ranked = rank
    return best


def _mass(statement: Statement, weigh: Weigh) -> float:
    return sum(weigh(term) * weight * weight for term, weight in statement.terms.items())


def _shared(newer: Statement, older: Statement, weigh: Weigh) -> float:
    mine, theirs = newer.terms, older.terms
    return math.fsum(weigh(term) * mine[term] * theirs[term] for term in mine.keys() & theirs.keys())


def compare_values(
    newer: Iterable[Value], older: Iterable[Value]
) -> tuple[tuple[tuple[Value, Value], ...], tuple[Value, ...]]:
    """The values of a sort that only one side has, against each other as (older, newer); and those both have."""
    mine, theirs = tuple(newer), tuple(older)
    if not mine or not theirs:
        return (), ()
    agreeing = tuple(value for value in mine if _is_among(value, theirs))
    left = [value for value in theirs if not _is_among(value, mine)]
    differing: list[tuple[Value, Value]] = []
    for value in mine:
        if value not in agreeing:
            rival = next((other for other in left if _can_replace(value, other)), None)
            if rival is not None:
                differing.append((rival, value))
    return tuple(differing), agreeing


def _is_among(value: Value, others: Iterable[Value]) -> bool:
    return any(value.kind == other.kind and agree(value, other) for other in others)


def _can_replace(one: Value, other: Value) -> bool:
    """Whether two values answer the same question: of one kind, in units that can be converted, of the same thing."""
    if one.kind != other.kind:
        return False
    if one.kind in ("amount", "address", "date"):
        return one.unit == other.unit
    if one.kind == "version":
        return one.of == other.of
    return one.kind != "number" or not one.of or not other.of or one.of == other.of


def closeness_of(one: frozenset[str], other: frozenset[str], weigh: Weigh) -> float:
    """How much of what two texts are about they share, the rarer a term the more."""
    # In whichever order a set has them, they add up to the same, so that what is as close stays in its order.
    shared = math.fsum(map(weigh, one & other))
    return shared / math.sqrt(math.fsum(map(weigh, one)) * math.fsum(map(weigh, other))) if shared else 0.0
