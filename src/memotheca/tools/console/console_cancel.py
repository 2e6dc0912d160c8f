"""Cancel the reading of a file, from a page."""

from dataclasses import dataclass

from memotheca.jobs.queue import call_off
from memotheca.kernel.kernel import Kernel
from memotheca.toolkit.fields import flag, text
from memotheca.toolkit.tool import Answer, Call, Example, tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    id: str = text("The id of a job", minLength=1, maxLength=100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    id: str = text()
    state: str = text()
    cancelled: bool = flag()


EXAMPLE = Example(
    arguments={"id": "$task_id"},
    after=(("knowledge-add", {"file_path": "data:text/html;name=tea.html,<p>Steep it.</p>"}),),
)


@tool(contract="console", effect="change", models=(Input, Output), example=EXAMPLE, idempotent=True)
def console_cancel(call: Call[Kernel], input: Input) -> Answer:
    """Cancel a job that waits or is under way; one that is done stays as it is."""
    job = call_off(call.kernel, input.id)
    is_cancelled = job.state == "cancelled"
    told = "It is cancelled." if is_cancelled else f"It is {job.state} already."
    return Answer(told, content=Output(id=job.id, state=job.state, cancelled=is_cancelled))
