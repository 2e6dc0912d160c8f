"""What gates decided, kept in memory for a moment and written with the next batch (memory-model: Thresholds)."""

from collections import deque
from collections.abc import Iterable, Mapping
from threading import Lock

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.state import activity_of
from memotheca.memory.tuning.thresholds import GENERAL, REGISTRY, Decided, Gates
from memotheca.storage.database import Session
from memotheca.storage.instruments.gate_decisions import (
    GateDecision,
    ScoreTally,
    log_decisions,
    read_decisions,
    tally_decisions,
)

# Of each threshold so many decisions of this process wait to be written at most; the newest tell most.
WAITING = 200  # chosen: more than a minute of calls makes
# What lies farther from a bar than so many nudges, and is not gated, is no news; of sessions it is told with each call.
FAR, NEAR = 5, 1  # chosen: nobody moves a bar so far at once


class GateLog:
    """What gates of this process decided and nobody has written down yet."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._waiting: dict[tuple[str, str], deque[GateDecision]] = {}

    def note(
        self, collection: str, decided: Iterable[Decided], gates: Gates, *, ids: tuple[str, ...], now: int
    ) -> None:
        """Bars decided something about some entries, or about a session where there are none."""
        rows = [
            GateDecision(
                time=now,
                threshold=each.name,
                domain=gates.domain if REGISTRY[each.name].is_of_memories else GENERAL,
                score=round(each.score, 6),
                value=round(gates[each.name], 6),
                passed=each.is_reached,
                node_ids=ids,
            )
            for each in decided
        ]
        with self._guard:
            for row in rows:
                self._waiting.setdefault((collection, row.threshold), deque(maxlen=WAITING)).append(row)

    def waiting(self) -> dict[str, list[GateDecision]]:
        """What is to be written, by collection; it stays to be read until it is."""
        found: dict[str, list[GateDecision]] = {}
        with self._guard:
            for (collection, _), rows in self._waiting.items():
                found.setdefault(collection, []).extend(rows)
        return {collection: sorted(rows, key=lambda row: row.time) for collection, rows in found.items() if rows}

    def write(self, session: Session, waiting: Mapping[str, list[GateDecision]]) -> None:
        for collection, rows in waiting.items():
            log_decisions(session, collection, rows)

    def let_go(self, written: Mapping[str, Iterable[GateDecision]]) -> None:
        gone = {id(row) for rows in written.values() for row in rows}
        with self._guard:
            for key, rows in self._waiting.items():
                self._waiting[key] = deque((row for row in rows if id(row) not in gone), maxlen=WAITING)

    def tally(self, session: Session, collection: str, since: int) -> list[ScoreTally]:
        """How much was decided by what, with what is not yet written."""
        fresh = _tally(self.waiting().get(collection, ()), since)
        return [*tally_decisions(session, collection, since), *fresh]

    def last(
        self, session: Session, collection: str, threshold: str, *, limit: int, since: int = 0
    ) -> list[GateDecision]:
        """What a threshold decided, newest first, with what is not yet written."""
        with self._guard:
            fresh = [row for row in reversed(self._waiting.get((collection, threshold), ())) if row.time >= since]
        return [*fresh, *read_decisions(session, collection, threshold, since=since, limit=limit)][:limit]


def _tally(rows: Iterable[GateDecision], since: int) -> list[ScoreTally]:
    sums: dict[tuple[str, str, bool], list[float]] = {}
    for row in rows:
        held = sums.setdefault((row.threshold, row.domain, row.time >= since), [0.0, 0.0, 0.0])
        for place, more in enumerate((1, row.score, row.score**2)):
            held[place] += more
    return [ScoreTally(*key, int(count), total, squares) for key, (count, total, squares) in sums.items()]


def is_news(decided: Decided, gates: Gates) -> bool:
    """Whether a decision is worth writing down: something was gated, or nearly."""
    held = REGISTRY[decided.name]
    far = (FAR if held.is_of_memories else NEAR) * held.nudge
    return decided.is_reached or abs(decided.score - gates[decided.name]) <= far


def gates_of(kernel: Kernel) -> GateLog:
    return activity_of(kernel).log_of(GateLog)


def note_decisions(
    kernel: Kernel, decided: Iterable[Decided], gates: Gates, ids: Iterable[str] = (), *, at: int | None = None
) -> None:
    """Bars decided something: about which entries, or about a session, and when if not now (memory-model:
    Thresholds)."""
    if news := [each for each in decided if is_news(each, gates)]:
        now = kernel.now() if at is None else at
        gates_of(kernel).note(kernel.collection, news, gates, ids=tuple(ids), now=now)
