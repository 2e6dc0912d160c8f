"""What waits for a person's decision: tasks of the memory, texts that are held, claims that clash."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memotheca.entries.edges import CONFLICT_LIFETIME, ClaimConflict, pending_conflicts
from memotheca.entries.triple_texts import sentence_of
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.names import short_handle
from memotheca.memory.care.quarantine import quarantined_entries
from memotheca.memory.care.settle import Choice
from memotheca.memory.care.tasks import CareTask, standing_tasks, with_entries
from memotheca.memory.curation.undecided import single_task
from memotheca.memory.recall.questions import OpenQuestion
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.storage.care_tasks import TaskRow, TaskState, add_tasks
from memotheca.storage.snapshot import Snapshot
from memotheca.views.thing_names import name_entry, source_of

HELD, CONFLICT = "held", "conflict"
SENTENCE = 400  # chosen: letters that are shown of a side
STATES: tuple[TaskState, ...] = ("open", "kept", "settled")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSide:
    """One of the things that a task is about: what it says, since when, and by whom."""

    id: str
    handle: str
    kind: str
    title: str
    sentence: str
    at: int | None
    source: str | None


@dataclass(frozen=True, slots=True)
class TaskSheet:
    """A task with its sides, the older one first, and what can be answered, each with its words."""

    task: CareTask
    sides: list[TaskSide]
    answers: list[tuple[Choice, str]]


@dataclass(frozen=True, slots=True)
class WaitingClaim:
    """A claim that was not written, with what stands in its way."""

    conflict: ClaimConflict
    sides: list[TaskSide]


@dataclass(frozen=True, slots=True)
class TaskBoard:
    """What waits, in the order of work; of each kind how many."""

    sheets: list[TaskSheet]
    claims: list[WaitingClaim]
    counts: dict[str, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())


def list_tasks(kernel: Kernel, state: TaskState, *, limit: int) -> TaskBoard:
    """The tasks in a state; claims wait as long as they are open."""
    claims = pending_conflicts(kernel) if state == "open" else []
    with kernel.read() as snapshot:
        rows = standing_tasks(kernel, snapshot, (state,))
        rows += _unlisted_held(kernel, snapshot, rows) if state == "open" else []
        counts = Counter(row.kind for row in rows)
        sheets = [_sheet(snapshot, task) for task in with_entries(kernel, snapshot, rows[:limit])]
        waiting = [WaitingClaim(each, _claim_sides(each)) for each in claims[:limit]]
    return TaskBoard(sheets, waiting, {**counts, **({CONFLICT: len(claims)} if claims else {})})


def find_task(kernel: Kernel, id: str) -> CareTask:
    """A task by its id, in whatever state; one that is not listed yet is, so that it can be settled."""
    with kernel.read() as snapshot:
        rows = standing_tasks(kernel, snapshot, STATES)
        row = next((each for each in rows if each.id == id), None)
        fresh = None
        if row is None:
            row = fresh = next((each for each in _unlisted_held(kernel, snapshot, rows) if each.id == id), None)
        found = [] if row is None else with_entries(kernel, snapshot, [row])
    if not found:
        raise Refusal(Failure.NOT_FOUND, "There is no such task any more; list them again.", field="task_id")
    if fresh is not None:
        kernel.store.operate(lambda session: add_tasks(session, kernel.collection, [fresh]))
    return found[0]


def _unlisted_held(kernel: Kernel, snapshot: Snapshot, rows: Sequence[TaskRow]) -> list[TaskRow]:
    """What is held though no task says so yet."""
    held = quarantined_entries(kernel, snapshot)
    if not held:
        return []
    listed = {row.one for row in standing_tasks(kernel, snapshot, STATES) if row.kind == HELD}
    listed |= {row.one for row in rows if row.kind == HELD}
    return [
        single_task("held", entry, score=1.0, reason=_held_as(why), now=int(why.get("since") or entry.created_at))
        for entry, why in held
        if entry.id not in listed
    ]


def _held_as(why: Mapping[str, Any]) -> str:
    return f"held as {str(why.get('reason', 'suspicious')).replace('_', ' ')}"


def _sheet(snapshot: Snapshot, task: CareTask) -> TaskSheet:
    said = (task.row.one_said, task.row.other_said)
    sides = [_side(snapshot, entry, words) for entry, words in zip(task.entries, said, strict=False)]
    asked = OpenQuestion(task.kind, "", task)
    return TaskSheet(task, sides, list(zip(asked.choices, asked.titles, strict=True)))


def _side(snapshot: Snapshot, entry: Entry, said: str) -> TaskSide:
    return TaskSide(
        id=entry.id,
        handle=short_handle(snapshot, entry),
        kind=entry.kind,
        title=name_entry(snapshot, entry).title,
        sentence=(said or entry.body or entry.title)[:SENTENCE],
        at=entry.validity.start or entry.created_at,
        source=source_of(entry),
    )


def _claim_sides(conflict: ClaimConflict) -> list[TaskSide]:
    edge, claim = conflict.existing.version.thing, conflict.incoming
    assert edge is not None
    stands = TaskSide(
        id=edge.id,
        handle=edge.aliases[0].name if edge.aliases else edge.id,
        kind="triple",
        title=sentence_of(conflict.existing),
        sentence=sentence_of(conflict.existing),
        at=edge.updated_at,
        source=edge.attributes.get("source") or edge.attributes.get("actor"),
    )
    said = f"{claim.subject} {claim.predicate.replace('_', ' ')} {claim.object}"
    asked = conflict.expires_at - CONFLICT_LIFETIME
    source = claim.source if isinstance(claim.source, str) else None
    new = TaskSide(id="", handle="", kind="triple", title=said, sentence=said, at=asked, source=source)
    return [stands, new]
