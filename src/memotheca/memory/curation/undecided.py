"""Undecided: what a comparison leaves for somebody to decide, as it is written into the list of curation tasks
(memory-model: Curation tasks)."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from memotheca.memory.curation.unexplained import is_unexplained, names_in
from memotheca.memory.graph.relations import CONTRADICTS
from memotheca.memory.standing.subject import ComparedEntry
from memotheca.memory.traits import KNOWN
from memotheca.model.knowledge import Entry
from memotheca.storage import activity
from memotheca.storage.care_tasks import TaskRow, add_tasks, ids_beyond
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction

# In the order of work: what is disputed, what seems outdated, what is held, and what merely could be tidier.
TaskKind = Literal["dispute", "update", "hub", "held", "duplicate", "expired", "unexplained", "alone", "blind_spot"]
KINDS: tuple[TaskKind, ...] = get_args(TaskKind)
OF_VERDICT: Mapping[str, TaskKind] = {"contradiction": "dispute", "update": "update", "duplicate": "duplicate"}

QUOTED = 400  # chosen: letters of a sentence, enough to decide by
PLACE = "looked_through"
HELD = "it reads like instructions planted for whoever reads it, and is held until somebody decides"
STATED = "somebody linked them as contradicting"


def holds_from(entry: Entry) -> int:
    return entry.created_at if entry.validity.start is None else entry.validity.start


def in_order(one: Entry, other: Entry) -> tuple[Entry, Entry]:
    """What holds for longer first."""
    return (one, other) if (holds_from(one), one.id) <= (holds_from(other), other.id) else (other, one)


def pair_task(kind: TaskKind, told: Sequence[tuple[Entry, str]], *, score: float, reason: str, now: int) -> TaskRow:
    """A task about two entries, each with the sentence of it that counts."""
    (one, one_said), (other, other_said) = told
    if in_order(one, other)[0] is other:
        one, one_said, other, other_said = other, other_said, one, one_said
    return TaskRow(
        kind=kind,
        rank=KINDS.index(kind),
        one=one.id,
        other=other.id,
        score=round(score, 4),
        reason=reason,
        one_said=_quote(one_said or one.body),
        other_said=_quote(other_said or other.body),
        stamp=stamp_of(one, other),
        found=now,
    )


def single_task(kind: TaskKind, entry: Entry, *, score: float, reason: str, now: int) -> TaskRow:
    """A task about one entry."""
    return TaskRow(
        kind=kind,
        rank=KINDS.index(kind),
        one=entry.id,
        score=round(score, 4),
        reason=reason,
        one_said=_quote(entry.body or entry.title),
        stamp=str(entry.updated_at),
        found=now,
    )


def stamp_of(*entries: Entry) -> str:
    """By which it is seen that entries still say what they said."""
    told = "\0".join(f"{entry.title}\0{entry.body}" for entry in sorted(entries, key=lambda each: each.id))
    return hashlib.blake2b(told.encode(), digest_size=8).hexdigest()


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
    _note_compared(transaction, entry.id)


def open_disputes(transaction: Transaction, entry: Entry, ids: Sequence[str]) -> None:
    """Write down that somebody said of others that an entry contradicts them."""
    now, others = transaction.time, transaction.living(ids)
    rows = [
        pair_task("dispute", ((other, ""), (entry, "")), score=1.0, reason=STATED, now=now) for other in others.values()
    ]
    if rows:
        add_tasks(transaction.session, transaction.collection, rows)


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


def unexplained_names(snapshot: Snapshot, id: str, now: int) -> list[TaskRow]:
    """The names in an entry that are mentioned again and again, here too, and explained nowhere."""
    found = [(name, times) for name in names_in(snapshot, id) if (times := is_unexplained(snapshot, name))]
    return [
        single_task(
            "unexplained",
            name,
            score=1 - 1 / times,
            reason=f"it is mentioned {times} times and never explained",
            now=now,
        )
        for name, times in found
    ]


def _note_compared(transaction: Transaction, id: str) -> None:
    """Where all that was there before has been looked through, it goes on after this one."""
    session, collection = transaction.session, transaction.collection
    place: dict[str, Any] = activity.read_state(session, collection, PLACE) or {"after": "", "begun": transaction.time}
    if ids_beyond(transaction, KNOWN, place["after"], limit=1) == [id]:
        activity.write_state(session, collection, PLACE, {**place, "after": id}, now=transaction.time)


def _quote(said: str) -> str:
    told = " ".join(said.split())
    return told if len(told) <= QUOTED else f"{told[: QUOTED - 1]}…"
