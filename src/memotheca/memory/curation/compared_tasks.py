"""What storing an entry leaves to decide, written into the list of curation tasks with it (memory-model: Curation
tasks)."""

from collections.abc import Mapping, Sequence

from memotheca.memory.curation.pass_progress import note_compared
from memotheca.memory.curation.undecided import HELD, STATED, TaskKind, pair_task, single_task, unexplained_names
from memotheca.memory.graph.relations import CONTRADICTS
from memotheca.memory.standing.subject import ComparedEntry
from memotheca.model.knowledge import Entry
from memotheca.storage.care_tasks import TaskRow, add_tasks
from memotheca.storage.store import Transaction

OF_VERDICT: Mapping[str, TaskKind] = {"contradiction": "dispute", "update": "update", "duplicate": "duplicate"}


def open_tasks(
    transaction: Transaction, entry: Entry, compared: Sequence[ComparedEntry], decided: Mapping[str, str]
) -> None:
    """Write down what storing an entry leaves to decide, in its own transaction; and that it was compared."""
    now, rows = transaction.time, unexplained_names(transaction, entry.id, transaction.time)
    if "quarantine" in entry.attributes:
        rows.append(single_task("held", entry, score=1.0, reason=HELD, now=now))
    else:
        for each in compared:
            row = _of_compared(entry, each, decided, now)
            rows += [] if row is None else [row]
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
