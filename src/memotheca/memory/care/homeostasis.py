"""Homeostasis: how importance is spread, what is quarantined, and how far the memory is from its set points
(memory-model: Importance and balance)."""

import json
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.projection import Projection
from memotheca.memory.care.suspects import find_suspects
from memotheca.memory.graph.cancer import LEAST_IMPORTANT, Examined
from memotheca.memory.session.arousal import modulator_levels
from memotheca.memory.session.modulators import MODULATORS, Levels
from memotheca.memory.session.state import Mood
from memotheca.memory.traits import KNOWN
from memotheca.model.kinds import MEMORY
from memotheca.storage.lookups import read_standing
from memotheca.storage.snapshot import Snapshot

SET_POINT = 0.5  # specification (memory-model: Importance and balance)
STEP = 0.01  # specification (memory-model: Importance and balance)
STABLE, ALARMING = 0.05, 0.2  # specification, chosen (memory-model: Importance and balance)
SUSPECTS = 20  # chosen: what an answer can show
BILLION = 1_000_000_000  # chosen: whole numbers add up in any order

# Each quantity's set point and how much it counts.
SET_POINTS: Mapping[str, tuple[float, float]] = {  # specification (memory-model: Importance and balance)
    "importance": (SET_POINT, 1.0),
    "coherence": (0.6, 0.9),
    "entropy": (0.5, 0.8),
    "modulators": (0.5, 0.7),
}


@dataclass(frozen=True, slots=True)
class TrackedEntry:
    """What is kept of an entry here: how important it is, and why it is quarantined."""

    importance: float
    quarantine: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Drift:
    """A quantity, where it is, and where it should be."""

    quantity: str
    value: float
    set_point: float

    @property
    def distance(self) -> float:
        return abs(self.value - self.set_point)


@dataclass(frozen=True, slots=True, kw_only=True)
class Homeostasis:
    """The whole state at a moment."""

    count: int
    mean: float | None
    variance: float | None
    suspects: tuple[tuple[str, Examined], ...]
    quarantined: tuple[tuple[str, Mapping[str, Any]], ...]
    drifts: tuple[Drift, ...]

    @property
    def factor(self) -> float | None:
        """By which importance would have to be scaled to move towards its set point."""
        return None if self.mean is None else 1 + STEP * (SET_POINT - self.mean)

    @property
    def alerts(self) -> tuple[Drift, ...]:
        return tuple(drift for drift in self.drifts if drift.distance > ALARMING)

    @property
    def stability(self) -> float:
        """1 where every quantity is within reach of its set point, less for each by how far it is off and counts."""
        weights = [SET_POINTS[drift.quantity][1] for drift in self.drifts]
        off = [max(0.0, drift.distance - STABLE) / (1 - STABLE) for drift in self.drifts]
        return 1 - sum(weight * share for weight, share in zip(weights, off, strict=True)) / sum(weights)

    @property
    def health(self) -> float:
        return max(0.0, self.stability - min(0.3, 0.01 * len(self.quarantined)) - min(0.2, 0.05 * len(self.alerts)))

    @property
    def by_reason(self) -> dict[str, int]:
        return dict(Counter(str(held.get("reason", "unknown")) for _, held in self.quarantined))


@dataclass(frozen=True, slots=True)
class Ledger:
    """How importance is spread, as whole numbers of billionths: their sums do not depend on the order of adding; what
    is important, the most important first."""

    count: int
    total: int
    squares: int
    important: tuple[tuple[str, float], ...]
    quarantined: tuple[tuple[str, Mapping[str, Any]], ...]

    @property
    def mean(self) -> float | None:
        return self.total / self.count / BILLION if self.count else None

    @property
    def variance(self) -> float | None:
        if not self.count:
            return None
        return (self.squares * self.count - self.total**2) / self.count**2 / BILLION**2


class _Accounts:
    """The importance of everything that has one, with its sums."""

    def __init__(self, found: Iterable[tuple[str, TrackedEntry]]) -> None:
        # Numbers alone: Python's collector would look at a hundred thousand objects again and again.
        self._held: dict[str, float] = {}
        self._total = self._squares = 0
        # Of what is important the place in the order of importance, and all of them in that order.
        self._places: dict[str, tuple[float, str]] = {}
        self._important: list[tuple[float, str]] = []
        self._quarantined: dict[str, Mapping[str, Any]] = {}
        self.enter(found)

    def balance(self) -> Ledger:
        important = tuple((id, -place) for place, id in self._important)
        quarantined = tuple(sorted(self._quarantined.items()))
        return Ledger(len(self._held), self._total, self._squares, important, quarantined)

    def enter(self, found: Iterable[tuple[str, TrackedEntry]]) -> None:
        for id, each in found:
            self._held[id] = each.importance
            self._add(each.importance, 1)
            if each.importance > LEAST_IMPORTANT:
                self._places[id] = (-each.importance, id)
                insort(self._important, self._places[id])
            if each.quarantine is not None:
                self._quarantined[id] = each.quarantine

    def leave(self, ids: Iterable[str]) -> None:
        for id in ids:
            if id in self._held:
                self._add(self._held.pop(id), -1)
            if (place := self._places.pop(id, None)) is not None:
                del self._important[bisect_left(self._important, place)]
            self._quarantined.pop(id, None)

    def _add(self, importance: float, sign: int) -> None:
        value = round(importance * BILLION)
        self._total += sign * value
        self._squares += sign * value * value


class _Ledgers(Projection[_Accounts, tuple[list[str], list[tuple[str, TrackedEntry]]]]):
    """The accounts of a collection as this process has them, followed by what changed and what that is now."""

    def load(self, snapshot: Snapshot) -> _Accounts:
        return _Accounts(_read(snapshot))

    def read(self, snapshot: Snapshot, after: int, held: _Accounts) -> tuple[list[str], list[tuple[str, TrackedEntry]]]:
        changed = [id for id, subject, _ in snapshot.changed_after(after) if subject == "entry"]
        return changed, list(_read(snapshot, changed))

    def apply(self, held: _Accounts, changes: tuple[list[str], list[tuple[str, TrackedEntry]]]) -> _Accounts:
        changed, found = changes
        held.leave(changed)
        held.enter(found)
        return held

    def balance(self, snapshot: Snapshot) -> Ledger:
        with self.guard:
            return self.at(snapshot).balance()


def read_ledger(kernel: Kernel, snapshot: Snapshot) -> Ledger:
    """Every memory, and every other entry to which somebody gave an importance."""
    return kernel.keep(_Ledgers, kernel.collection).balance(snapshot)


def _read(snapshot: Snapshot, ids: Iterable[str] | None = None) -> Iterator[tuple[str, TrackedEntry]]:
    for id, kind, importance, held in read_standing(snapshot, KNOWN, ids):
        if kind == MEMORY or importance is not None:
            yield (
                id,
                TrackedEntry(
                    SET_POINT if importance is None else float(importance), json.loads(held) if held else None
                ),
            )


def homeostasis(kernel: Kernel, snapshot: Snapshot, mood: Mood, session: str) -> Homeostasis:
    now = kernel.now()
    ledger = read_ledger(kernel, snapshot)
    return Homeostasis(
        count=ledger.count,
        mean=ledger.mean,
        variance=ledger.variance,
        suspects=find_suspects(kernel, snapshot, ledger.important, most=SUSPECTS),
        quarantined=tuple(
            (id, why) for id, why in ledger.quarantined if why.get("until") is None or why["until"] > now
        ),
        drifts=_drifts(ledger.mean, mood, modulator_levels(kernel, snapshot.session, session)),
    )


def _drifts(mean: float | None, mood: Mood, levels: Levels) -> tuple[Drift, ...]:
    values = {"coherence": mood.coherence, "entropy": mood.entropy, "modulators": _excitement(levels)}
    if mean is not None:
        values["importance"] = mean
    return tuple(Drift(name, values[name], SET_POINTS[name][0]) for name in SET_POINTS if name in values)


def _excitement(levels: Levels) -> float:
    """The mean of the modulators, each on a scale where its rest is one half."""
    off = [(levels.values[each.name] - each.rest) / (each.high - each.low) for each in MODULATORS]
    return SET_POINT + sum(off) / len(off)
