"""Undecided: what a comparison leaves for somebody to decide, as it is written into the list of curation tasks
(memory-model: Curation tasks)."""

import hashlib
from collections.abc import Sequence
from typing import Literal, get_args

from memotheca.memory.curation.unexplained import is_unexplained, names_in
from memotheca.model.knowledge import Entry
from memotheca.storage.care_tasks import TaskRow, add_tasks
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction

# In the order of work: what is disputed, what seems outdated, what is held, what is merely doubtful or could be tidier.
TaskKind = Literal[
    "dispute",
    "update",
    "hub",
    "held",
    "duplicate",
    "expired",
    "doubtful",
    "unexplained",
    "alone",
    "blind_spot",
    "proposed",
]
KINDS: tuple[TaskKind, ...] = get_args(TaskKind)

DOUBTFUL: TaskKind = "doubtful"
PROPOSED: TaskKind = "proposed"
QUOTED = 400  # chosen: letters of a sentence, enough to decide by
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


def proposed_task(conversation: Entry, turn: int, said: str, *, reason: str, now: int) -> TaskRow:
    """A task about words of a turn, which somebody may want remembered; the turn is what it is stamped with."""
    return TaskRow(
        kind=PROPOSED,
        rank=KINDS.index(PROPOSED),
        one=conversation.id,
        score=1.0,
        reason=reason,
        one_said=_quote(said),
        stamp=str(turn),
        found=now,
    )


def stamp_of(*entries: Entry) -> str:
    """By which it is seen that entries still say what they said."""
    told = "\0".join(f"{entry.title}\0{entry.body}" for entry in sorted(entries, key=lambda each: each.id))
    return hashlib.blake2b(told.encode(), digest_size=8).hexdigest()


def open_disputes(transaction: Transaction, entry: Entry, ids: Sequence[str]) -> None:
    """Write down that somebody said of others that an entry contradicts them."""
    now, others = transaction.time, transaction.living(ids)
    rows = [
        pair_task("dispute", ((other, ""), (entry, "")), score=1.0, reason=STATED, now=now) for other in others.values()
    ]
    if rows:
        add_tasks(transaction.session, transaction.collection, rows)


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


def _quote(said: str) -> str:
    told = " ".join(said.split())
    return told if len(told) <= QUOTED else f"{told[: QUOTED - 1]}…"
