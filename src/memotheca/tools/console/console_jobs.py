"""List the files that are being read, for a page."""

from dataclasses import dataclass
from pathlib import PurePath

from memotheca.jobs.ingest_job import path_of
from memotheca.jobs.queue import newest_jobs, refusal_of, remaining_seconds
from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import to_iso
from memotheca.storage.jobs import Job
from memotheca.toolkit.fields import flag, free, integer, many, number, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.console.wording import count, moment

STATES = {"queued": "waiting", "running": "working"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    limit: int = integer("", 50, minimum=1, maximum=200)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobShape:
    id: str = text()
    file: str = text()
    step: str = text()
    percent: float = number()
    state: str = text()
    done: int = integer()
    total: int = integer()
    created_at: str = text()
    ended_at: str | None = text(nullable=True)
    reason: str | None = text(nullable=True)
    code: str | None = text(nullable=True)
    remaining_seconds: float | None = number(nullable=True)
    document: str | None = text(nullable=True)
    cancellable: bool = flag()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    jobs: tuple[JobShape, ...] = many(JobShape)
    counts: dict[str, int] = free()


EXAMPLE = Example(
    arguments={},
    after=(("knowledge-add", {"file_path": "data:text/html;name=tea.html,<p>Steep it.</p>", "async": False}),),
)


@tool(contract="console", effect="read", models=(Input, Output), example=EXAMPLE)
def console_jobs(call: Call[Kernel], input: Input) -> Answer:
    """List the files that are or were read, newest first: how far each is, and why one failed."""
    now = call.kernel.now()
    jobs = tuple(_shape(job, now) for job in newest_jobs(call.kernel, input.limit))
    states = [job.state for job in jobs]
    output = Output(jobs=jobs, counts={state: states.count(state) for state in dict.fromkeys(states)})
    return Answer(f"{count(len(jobs), 'job')}, newest first.", content=output)


def _shape(job: Job, now: int) -> JobShape:
    has_failed = job.state in ("failed", "cancelled")
    refusal = refusal_of(job) if has_failed else None
    done = 1.0 if job.state == "completed" else job.done / max(job.total, 1)
    document = (job.outcome or {}).get("document_id")
    return JobShape(
        id=job.id,
        file=PurePath(path_of(job)).name or job.kind,
        step="" if job.is_settled else job.step,
        percent=round(100 * done, 1),
        state=STATES.get(job.state, job.state),
        # How far it was told to be last, which may be before its end.
        done=job.total if job.state == "completed" else job.done,
        total=job.total,
        created_at=to_iso(job.created),
        ended_at=moment(job.settled),
        reason=None if refusal is None else refusal.message,
        code=None if refusal is None else refusal.failure.code,
        remaining_seconds=None if job.is_settled else remaining_seconds(job, now),
        document=str(document) if document and job.state == "completed" else None,
        cancellable=not job.is_settled,
    )
