"""Say how a task is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memotheca.jobs.queue import elapsed_seconds, look_up, refusal_of, remaining_seconds
from memotheca.kernel.kernel import Kernel
from memotheca.storage.jobs import Job
from memotheca.toolkit.fields import UNSET, Unset, flag, free, integer, number, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.documents.contract import failure_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    task_id: str = text("Task ID returned from async operation", format="uuid", minLength=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    success: bool | Unset = flag(default=UNSET)
    task_id: str = text()
    status: str = text()
    progress: float | Unset = number(default=UNSET)
    current_step: str | Unset = text(default=UNSET)
    completed_steps: int | Unset = integer(default=UNSET)
    total_steps: int | Unset = integer(default=UNSET)
    elapsed_time_seconds: float | Unset = number(default=UNSET)
    estimated_remaining_seconds: float | Unset = number(default=UNSET)
    result: Mapping[str, Any] | Unset = free(default=UNSET)
    total_time_seconds: float | Unset = number(default=UNSET)
    error: str | Unset = text(default=UNSET)
    message: str | Unset = text(default=UNSET)


EXAMPLE = Example(
    arguments={"task_id": "$task_id"},
    after=(("knowledge-add", {"file_path": "data:text/html;name=tea.html,<p>Steep it.</p>"}),),
)


@tool(contract="documents", effect="read", models=(Input, Output), example=EXAMPLE, name="knowledge-task-status")
def knowledge_task_status(call: Call[Kernel], input: Input) -> Answer:
    """Get status of an async processing task"""
    job = look_up(call.kernel, input.task_id)
    return Answer(content=describe(job, call.kernel.now()))


def describe(job: Job, now: int) -> Output | Mapping[str, Any]:
    elapsed = elapsed_seconds(job, now)
    named: dict[str, Any] = {"task_id": job.id, "status": job.state}
    match job.state:
        case "completed":
            shown = {name: value for name, value in (job.outcome or {}).items() if name not in ("entry_id", "seconds")}
            return Output(**named, progress=1.0, result=shown, total_time_seconds=elapsed)
        case "failed":
            return {"success": False, **named, **failure_fields(refusal_of(job)), "elapsed_time_seconds": elapsed}
        case "cancelled":
            progress = round(job.done / max(job.total, 1), 4)
            return Output(**named, progress=progress, message=refusal_of(job).message, elapsed_time_seconds=elapsed)
        case _:
            return Output(
                **named,
                progress=round(job.done / max(job.total, 1), 4),
                current_step=job.step,
                completed_steps=job.done,
                total_steps=job.total,
                elapsed_time_seconds=elapsed,
                estimated_remaining_seconds=remaining_seconds(job, now),
            )
