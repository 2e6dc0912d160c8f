"""Alignment: which sentence of one text speaks of what a sentence of another speaks of, and in what the two differ."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from memotheca.memory.claims.statement import Statement
from memotheca.memory.claims.told import ToldEntry
from memotheca.memory.claims.values import Value, agree


class TermWeights(dict[str, float]):
    """What each term tells, and what one that was not counted does."""

    def __init__(self, otherwise: float = 1.0) -> None:
        super().__init__()
        self._otherwise = otherwise

    def __missing__(self, term: str) -> float:
        return self._otherwise


class Weighing:
    """What terms tell while some texts are compared, and the sums of that, each worked out once."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self.weights = weights
        self.of: Callable[[str], float] = weights.__getitem__
        # What is kept under the place of something in memory holds it there.
        self._masses: dict[int, tuple[Statement, float]] = {}
        self._wholes: dict[int, tuple[frozenset[str], float]] = {}

    def mass(self, statement: Statement) -> float:
        """What all terms of a sentence tell, as surely as they belong to it."""
        held = self._masses.get(id(statement))
        if held is None:
            of = self.of
            mass = sum([of(term) * weight * weight for term, weight in statement.terms.items()])
            self._masses[id(statement)] = held = (statement, mass)
        return held[1]

    def whole(self, terms: frozenset[str]) -> float:
        """What some terms tell together; in whichever order a set has them, they add up to the same."""
        held = self._wholes.get(id(terms))
        if held is None:
            self._wholes[id(terms)] = held = (terms, math.fsum(map(self.of, terms)))
        return held[1]


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


def align(newer: ToldEntry, older: ToldEntry, weigh: Weighing) -> Aligned | None:
    """The best pair of sentences; None where no two say anything together."""
    best: Aligned | None = None
    ranked = -1.0
    mine = [(each, weigh.mass(each)) for each in newer.statements if each.says_something]
    for theirs in older.statements:
        if not theirs.says_something:
            continue
        mass = weigh.mass(theirs)
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


def _shared(newer: Statement, older: Statement, weigh: Weighing) -> float:
    mine, theirs, of = newer.terms, older.terms, weigh.of
    return math.fsum([of(term) * mine[term] * theirs[term] for term in mine.keys() & theirs.keys()])


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


def closeness_of(one: frozenset[str], other: frozenset[str], weigh: Weighing) -> float:
    """How much of what two texts are about they share, the rarer a term the more."""
    shared = math.fsum(map(weigh.of, one & other))
    return shared / math.sqrt(weigh.whole(one) * weigh.whole(other)) if shared else 0.0
