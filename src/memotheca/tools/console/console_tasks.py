"""List what waits for a person's decision, for a page."""

from dataclasses import dataclass
from typing import Any

from memotheca.entries.edges import CONFLICT_LIFETIME
from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import to_iso
from memotheca.storage.care_tasks import TaskState
from memotheca.toolkit.fields import choice, free, integer, many, number, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.console.wording import count, moment
from memotheca.views.open_tasks import CONFLICT, STATES, TaskSheet, TaskSide, WaitingClaim, list_tasks


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    state: TaskState = choice(STATES, "", "open")
    limit: int = integer("", 12, minimum=1, maximum=200)


@dataclass(frozen=True, slots=True, kw_only=True)
class SideShape:
    id: str = text()
    handle: str = text()
    kind: str = text()
    title: str = text()
    sentence: str = text()
    at: str | None = text(nullable=True)
    source: str | None = text(nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerShape:
    choice: str = text()
    label: str = text()
    tool: str = text()
    arguments: dict[str, Any] = free()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskShape:
    id: str = text()
    kind: str = text()
    priority: str = text()
    reason: str = text()
    score: float | None = number(nullable=True)
    found_at: str = text()
    state: str = text()
    how: str = text()
    sides: tuple[SideShape, ...] = many(SideShape)
    choices: tuple[AnswerShape, ...] = many(AnswerShape)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    tasks: tuple[TaskShape, ...] = many(TaskShape)
    total: int = integer()
    counts: dict[str, int] = free()


EXAMPLE = Example(
    arguments={},
    after=(
        ("relate", {"subject": "Ada", "predicate": "works_at", "object": "Analytical Engines"}),
        ("relate", {"subject": "Ada", "predicate": "works_at", "object": "Difference Engines"}),
    ),
)
RESOLUTIONS = {
    "replace": "The new one holds, and replaces the other",
    "retain_both": "The new one holds from now on, and the other until now",
    "reject": "The other one holds; drop the new one",
}


@tool(contract="console", effect="read", models=(Input, Output), example=EXAMPLE)
def console_tasks(call: Call[Kernel], input: Input) -> Answer:
    """List what waits for a decision, with both sides of each and the call that carries out each answer: newer values,
    disputes, duplicates, held texts, claims that clash."""
    board = list_tasks(call.kernel, input.state, limit=input.limit)
    tasks = [*map(_claim, board.claims), *map(_task, board.sheets)][: input.limit]
    output = Output(tasks=tuple(tasks), total=board.total, counts=board.counts)
    return Answer(f"{count(board.total, f'{input.state} task')}.", content=output)


def _task(sheet: TaskSheet) -> TaskShape:
    task, row = sheet.task, sheet.task.row
    return TaskShape(
        id=row.id,
        kind=row.kind,
        priority=task.priority,
        reason=row.reason,
        score=round(row.score, 4),
        found_at=to_iso(row.found),
        state=row.state,
        how=row.how,
        sides=tuple(map(_side, sheet.sides)),
        choices=tuple(
            AnswerShape(
                choice=answer,
                label=label,
                tool="console_settle",
                arguments={"task_id": row.id, "choice": answer},
            )
            for answer, label in sheet.answers
        )
        if row.state != "settled"
        else (),
    )


def _claim(waiting: WaitingClaim) -> TaskShape:
    conflict = waiting.conflict
    return TaskShape(
        id=conflict.conflict_id,
        kind=CONFLICT,
        priority="high",
        reason=f"something else is stored for “{conflict.incoming.predicate.replace('_', ' ')}”",
        score=None,
        found_at=to_iso(conflict.expires_at - CONFLICT_LIFETIME),
        state="open",
        how="",
        sides=tuple(map(_side, waiting.sides)),
        choices=tuple(
            AnswerShape(
                choice=resolution,
                label=label,
                tool="console_settle",
                arguments={"task_id": conflict.conflict_id, "choice": resolution},
            )
            for resolution, label in RESOLUTIONS.items()
        ),
    )


def _side(side: TaskSide) -> SideShape:
    return SideShape(
        id=side.id,
        handle=side.handle,
        kind=side.kind,
        title=side.title,
        sentence=side.sentence,
        at=moment(side.at),
        source=side.source,
    )
