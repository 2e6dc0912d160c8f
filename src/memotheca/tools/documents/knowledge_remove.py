"""Remove a document."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memotheca.documents.documents import get_document, remove_document
from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from memotheca.storage.document_index import DocumentRow
from memotheca.toolkit.ask import confirmation
from memotheca.toolkit.fields import flag, integer, text
from memotheca.toolkit.tool import Answer, Call, Example, tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    document_id: str = text("ID of document to remove", minLength=1)
    confirm: bool = flag("Confirmation flag for safety", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    document_id: str = text()
    filename: str = text()
    chunks_removed: int = integer()
    message: str = text()


EXAMPLE = Example(
    arguments={"document_id": "$document_id", "confirm": True},
    after=(("knowledge-add", {"file_path": "data:text/html;name=tea.html,<p>Steep it.</p>", "async": False}),),
)


def complain(call: Call[Kernel], refusal: Refusal, arguments: Mapping[str, Any]) -> Refusal:
    """Whatever stands in `confirm` but true is no confirmation, also where it is not even a boolean."""
    named = arguments.get("document_id")
    if refusal.field != "confirm" or not isinstance(named, str):
        return refusal
    try:
        return _unconfirmed(get_document(call.kernel, named))
    except Refusal as other:
        return other


def _unconfirmed(row: DocumentRow) -> Refusal:
    return Refusal(
        Failure.CONFIRMATION_REQUIRED,
        "Set confirm=true to remove this document",
        details={"document": {"id": row.handle, "filename": row.filename, "chunks": row.chunks}},
    )


def _question(row: DocumentRow) -> str:
    passages = "passage" if row.chunks == 1 else "passages"
    return f"Remove {row.filename} ({row.handle}) with its {row.chunks} {passages}? It can be undone for 30 days."


@tool(
    contract="documents",
    effect="destroy",
    models=(Input, Output),
    example=EXAMPLE,
    name="knowledge-remove",
    complain=complain,
)
def knowledge_remove(call: Call[Kernel], input: Input) -> Answer:
    """Remove a specific document from the knowledge base. It can be undone for 30 days."""
    if not input.confirm:
        row = get_document(call.kernel, input.document_id)
        if not call.ask(confirmation(_question(row))).confirmed:
            raise _unconfirmed(row)
    row = remove_document(call.kernel, input.document_id, actor=call.actor)
    output = Output(
        document_id=row.handle,
        filename=row.filename,
        chunks_removed=row.chunks,
        message="Document removed successfully",
    )
    return Answer(content=output)
