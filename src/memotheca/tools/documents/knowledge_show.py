"""List the documents."""

from dataclasses import dataclass

from memotheca.documents.documents import Listed
from memotheca.documents.unfinished import ListWindow, list_all
from memotheca.kernel.kernel import Kernel
from memotheca.toolkit.fields import UNSET, Unset, choice, integer, many, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.documents.contract import ListedDocument, code_of, in_seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    limit: int = integer("Max documents to return", 100, minimum=1, maximum=1000)
    offset: int = integer("Pagination offset", 0, minimum=0)
    sort_by: str = choice(("date_added", "filename", "size"), "Sort field", "date_added")
    sort_order: str = choice(("asc", "desc"), "Sort order", "desc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    documents: tuple[ListedDocument, ...] = many(ListedDocument)
    total_count: int = integer()
    limit: int | Unset = integer(default=UNSET)
    offset: int | Unset = integer(default=UNSET)
    message: str | Unset = text(default=UNSET)


EXAMPLE = Example(
    arguments={"limit": 50, "sort_by": "filename"},
    after=(("knowledge-add", {"file_path": "data:text/html;name=tea.html,<p>Steep it.</p>", "async": False}),),
)


@tool(contract="documents", effect="read", models=(Input, Output), example=EXAMPLE, name="knowledge-show")
def knowledge_show(call: Call[Kernel], input: Input) -> Answer:
    """List all documents in the knowledge base with metadata"""
    listed, total = list_all(
        call.kernel, ListWindow(input.limit, input.offset, input.sort_by, descending=input.sort_order == "desc")
    )
    if not total:
        return Answer(content=Output(documents=(), total_count=0, message="Knowledge base is empty"))
    documents = tuple(document_shape(each) for each in listed)
    return Answer(content=Output(documents=documents, total_count=total, limit=input.limit, offset=input.offset))


def document_shape(listed: Listed) -> ListedDocument:
    row, problem = listed.row, listed.problem
    return ListedDocument(
        id=row.handle,
        filename=row.filename,
        format=row.format,
        size_bytes=row.size,
        date_added=in_seconds(row.added),
        chunk_count=row.chunks,
        processing_status=listed.status,
        processing_method=row.method or None,
        task_id=listed.task or UNSET,
        error=UNSET if problem is None else code_of(problem),
        message=UNSET if problem is None else problem.message,
    )
