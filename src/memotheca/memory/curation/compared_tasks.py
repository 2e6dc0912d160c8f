"""What storing an entry leaves to decide, written into the list of curation tasks with it (memory-model: Curation
tasks)."""

from collections.abc import Collection, Mapping, Sequence

from memotheca.memory.curation.pass_progress import note_compared
from memotheca.memory.curation.undecided import (
    DOUBTFUL,
    HELD,
    STATED,
    TaskKind,
    pair_task,
    single_task,
    unexplained_names,
)
from memotheca.memory.graph.relations import CONTRADICTS
from memotheca.memory.standing.subject import ComparedEntry
from memotheca.model.knowledge import Entry
from memotheca.storage.care_tasks import TaskRow, add_tasks
from memotheca.storage.store import Transaction

OF_VERDICT: Mapping[str, TaskKind] = {"contradiction": "dispute", "update": "update", "duplicate": "duplicate"}

DOUBTED = 0.3  # measured on one corpus (docs/benchmarks.md, Judgement): from there on four of five are related
_DOUBTS: Mapping[str, str] = {
    "change": "it may be otherwise now, which is not sure enough to be asserted",
    "duplicate": "they may say the same, which is not sure enough to be asserted",
}


def open_tasks(
    transaction: Transaction,
    entry: Entry,
    compared: Sequence[ComparedEntry],
    decided: Mapping[str, str],
    *,
    linked: Collection[str] = (),
) -> None:
    """Write down what storing an entry leaves to decide, in its own transaction; and that it was compared. What it was
    linked to by whoever stored it is not doubted."""
    now, rows = transaction.time, unexplained_names(transaction, entry.id, transaction.time)
    if "quarantine" in entry.attributes:
        rows.append(single_task("held", entry, score=1.0, reason=HELD, now=now))
    else:
        found = [_of_compared(entry, each, decided, now) for each in compared]
        # Where something is asserted, that is what is to be decided.
        asserted = [row for row in found if row is not None]
        known = {*linked, *decided}
        rows += asserted or _doubtful(entry, [each for each in compared if each.entry.id not in known], now)
    if rows:
        add_tasks(transaction.session, transaction.collection, rows)
    note_compared(transaction, entry.id)


def _of_compared(entry: Entry, other: ComparedEntry, decided: Mapping[str, str], now: int) -> TaskRow | None:
    told = ((other.entry, other.older), (entry, other.newer))
    said = decided.get(other.entry.id)
    if said == CONTRADICTS:
        return pair_task("dispute", told, score=1.0, reason=STATED, now=now)
    if said is not None or other.verdict is None:
        return None
    verdict = other.verdict
    told = ((other.entry, verdict.older), (entry, verdict.newer))
    return pair_task(OF_VERDICT[verdict.kind], told, score=verdict.score, reason=verdict.explanation, now=now)


def _doubtful(entry: Entry, compared: Sequence[ComparedEntry], now: int) -> list[TaskRow]:
    """The one of which it is the least unsure that something of it is otherwise now, or the same."""
    doubts = [
        (bar.score, each, _DOUBTS[bar.name])
        for each in compared
        for bar in each.decided
        if bar.name in _DOUBTS and not bar.is_reached and bar.score >= DOUBTED
    ]
    if not doubts:
        return []
    score, other, reason = max(doubts, key=lambda doubt: doubt[0])
    told = ((other.entry, other.older), (entry, other.newer))
    return [pair_task(DOUBTFUL, told, score=score, reason=reason, now=now)]
