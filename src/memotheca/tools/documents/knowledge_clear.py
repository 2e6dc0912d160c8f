"""Remove all documents."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memotheca.documents.documents import clear_documents, count_queued, list_documents
from memotheca.documents.unfinished import forget_failures
from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from memotheca.toolkit.fields import UNSET, Unset, flag, integer, number, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.documents.contract import in_megabytes

PHRASE = "DELETE ALL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    confirm: bool = flag("Must be true to clear")
    confirmation_phrase: str = text(f'Must be "{PHRASE}"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    documents_removed: int = integer()
    embeddings_removed: int = integer()
    storage_freed_mb: float = number()
    message: str = text()
    tasks_still_queued: int | Unset = integer(default=UNSET)
    note: str | Unset = text(default=UNSET)


EXAMPLE = Example(
    arguments={"confirm": True, "confirmation_phrase": PHRASE},
    after=(("knowledge-add", {"file_path": "data:text/html;name=tea.html,<p>Steep it.</p>", "async": False}),),
)


def complain(call: Call[Kernel], refusal: Refusal, arguments: Mapping[str, Any]) -> Refusal:
    """What is missing or of another type is no confirmation, rather than an error of the schema."""
    return _unconfirmed(call.kernel) if refusal.field in ("confirm", "confirmation_phrase") else refusal


def _unconfirmed(kernel: Kernel) -> Refusal:
    return Refusal(
        Failure.CONFIRMATION_REQUIRED,
        f"This action will delete ALL documents. Set confirm=true and confirmation_phrase='{PHRASE}' to proceed",
        details={"current_document_count": list_documents(kernel, limit=0)[1]},
    )


@tool(
    contract="documents",
    effect="destroy",
    models=(Input, Output),
    example=EXAMPLE,
    name="knowledge-clear",
    complain=complain,
)
def knowledge_clear(call: Call[Kernel], input: Input) -> Answer:
    """Remove all documents from the knowledge base. It can be undone for 30 days."""
    if not input.confirm or input.confirmation_phrase != PHRASE:
        raise _unconfirmed(call.kernel)
    before = call.kernel.store.database.size()
    cleared = clear_documents(call.kernel, actor=call.actor)
    forget_failures(call.kernel)
    queued = count_queued(call.kernel)
    output = Output(
        documents_removed=cleared.documents,
        embeddings_removed=cleared.vectors,
        # What can be undone is still kept, so that as a rule nothing is freed.
        storage_freed_mb=in_megabytes(max(0, before - call.kernel.store.database.size())),
        message="Knowledge base cleared successfully",
        tasks_still_queued=queued or UNSET,
        note=_still_queued(queued) if queued else UNSET,
    )
    return Answer(content=output)


def _still_queued(count: int) -> str:
    """What a model can do with the tools it has, and what only its client can."""
    files = "1 file is" if count == 1 else f"{count} files are"
    return (
        f"{files} still being read and will be added. Clear again once knowledge-task-status calls each task "
        "completed; to stop one before, the client sends the protocol request tools/cancel with its taskId (no tool "
        "does that)."
    )
