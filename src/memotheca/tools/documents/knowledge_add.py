"""Add a file."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from memotheca.documents.ingest import Wish, queue_file
from memotheca.jobs.file_access import LONGEST_URI
from memotheca.jobs.queue import look_up, refusal_of, wait
from memotheca.kernel.kernel import Kernel
from memotheca.model.kinds import INGEST
from memotheca.toolkit.fields import UNSET, Unset, flag, free, integer, number, text, texts
from memotheca.toolkit.tool import Answer, BackgroundTask, Call, Example, tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    file_path: str = text("Path to the document or image file", minLength=1, longest=LONGEST_URI)
    metadata: Mapping[str, Any] = free("Additional metadata (author, title, tags)", UNSET)
    force_ocr: bool = flag("Force OCR even if text extraction available", False)
    async_: bool = flag("Process asynchronously and return task ID", True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    task_id: str = text()
    message: str = text()
    estimated_time_seconds: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    document_id: str = text()
    filename: str = text()
    chunks_created: int = integer()
    processing_method: str = text()
    processing_time_seconds: float = number()
    duplicate: bool | Unset = flag(default=UNSET)
    replaced: bool | Unset = flag(default=UNSET)
    warnings: tuple[str, ...] | Unset = texts(default=UNSET)


EXAMPLE = Example(
    arguments={
        "file_path": "data:text/html;name=tea.html,<h1>Tea</h1><p>Steep green tea at 70 degrees.</p>",
        "metadata": {"author": "Ada", "tags": ["kitchen"]},
        "async": False,
    }
)


def finish(call: Call[Kernel], task_id: str) -> Answer:
    """The answer once the file is stored; a refusal where it could not be."""
    job = look_up(call.kernel, task_id)
    if job.state != "completed" or job.outcome is None:
        raise refusal_of(job)
    outcome = job.outcome
    added = Added(
        document_id=outcome["document_id"],
        filename=outcome["filename"],
        chunks_created=outcome["chunks_created"],
        processing_method=outcome["processing_method"],
        processing_time_seconds=outcome["seconds"],
        duplicate=outcome.get("duplicate", UNSET),
        replaced=outcome.get("replaced", UNSET),
        warnings=tuple(outcome.get("warnings", ())) or UNSET,
    )
    return Answer(content=added)


@tool(
    contract="documents",
    effect="add",
    models=(Input, Queued, Added),
    example=EXAMPLE,
    name="knowledge-add",
    idempotent=True,
    task=BackgroundTask(INGEST, finish),
)
def knowledge_add(call: Call[Kernel], input: Input) -> Answer:
    """Add a document or image to the knowledge base for semantic search. Supported formats: PDF, DOCX, PPTX, XLSX,
    HTML, JPG, PNG, SVG. A client without a path sends the content as a data: URI with a name."""
    metadata = cast(Mapping[str, Any], input.metadata or {})
    wish = Wish(file_path=input.file_path, metadata=metadata, force_ocr=input.force_ocr)
    job, estimate = queue_file(call.kernel, wish, actor=call.actor)
    if input.async_ or call.detached:
        queued = Queued(task_id=job.id, message="Document queued for processing", estimated_time_seconds=estimate)
        return Answer(content=queued)
    wait(call.kernel, job.id, report=call.report, cancelled=call.cancelled)
    return finish(call, job.id)
