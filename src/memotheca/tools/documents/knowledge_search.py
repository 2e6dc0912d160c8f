"""Search the documents."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memotheca.documents.document_search import DocumentHit, NoDocuments, search_documents
from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Refusal
from memotheca.model.kinds import DOCUMENT
from memotheca.model.knowledge import handle_of
from memotheca.toolkit.fields import UNSET, Unset, free, integer, many, number, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.documents.contract import in_seconds
from memotheca.tools.documents.search_filters import read_filters
from memotheca.tools.elsewhere import point_elsewhere


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    query: str = text("Natural language search query", minLength=1, maxLength=500)
    top_k: int = integer("Number of results to return", 10, minimum=1, maximum=50)
    min_relevance: float = number("Minimum relevance score (0.0 to 1.0)", 0.0, minimum=0, maximum=1)
    filters: Mapping[str, Any] = free(
        "Metadata filters: format, date_range {start, end}, filename, document_id, processing_method, tags, metadata",
        UNSET,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    document_id: str = text()
    chunk_id: str = text()
    filename: str = text()
    chunk_text: str = text()
    relevance_score: float = number()
    metadata: Mapping[str, Any] = free()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    query: str = text()
    results: tuple[Result, ...] = many(Result)
    total_results: int = integer()
    message: str | Unset = text(default=UNSET)
    elsewhere: str | Unset = text(default=UNSET)
    search_time_ms: int = integer()


EXAMPLE = Example(
    arguments={"query": "How hot should the water be?", "top_k": 5, "filters": {"format": "html"}},
    after=(
        (
            "knowledge-add",
            {
                "file_path": "data:text/html;name=tea.html,<p>The water for green tea should be 70 degrees.</p>",
                "async": False,
            },
        ),
    ),
)


@tool(contract="documents", effect="read", models=(Input, Output), example=EXAMPLE, name="knowledge-search")
def knowledge_search(call: Call[Kernel], input: Input) -> Answer:
    """Search the knowledge base using natural language query"""
    began = time.perf_counter()
    filters = read_filters(input.filters or {})
    try:
        found = search_documents(
            call.kernel, input.query, limit=input.top_k, least=input.min_relevance, filters=filters
        )
    except NoDocuments as none:
        elsewhere = _elsewhere(call, input.query)
        raise Refusal(
            none.failure,
            "Knowledge base is empty. Add documents with knowledge-add first",
            field=none.field,
            details={**none.details, **({"elsewhere": elsewhere} if elsewhere else {})},
        ) from none
    output = Output(
        query=input.query,
        results=tuple(_result(each) for each in found),
        total_results=len(found),
        message=UNSET if found else "No documents found matching your query",
        elsewhere=UNSET if found else _elsewhere(call, input.query) or UNSET,
        search_time_ms=round((time.perf_counter() - began) * 1000),
    )
    return Answer(content=output)


def _elsewhere(call: Call[Kernel], query: str) -> str:
    found = point_elsewhere(call.kernel, query, but=DOCUMENT, shows=call.shows)
    return f"No document matches. {found}" if found else ""


def _result(found: DocumentHit) -> Result:
    said = found.document.attributes
    page = found.place.get("page", found.place.get("slide"))
    place = {name: value for name, value in found.place.items() if name != "page"}
    return Result(
        document_id=handle_of(found.document),
        chunk_id=found.chunk_id,
        filename=str(said["filename"]),
        chunk_text=found.text,
        relevance_score=found.relevance,
        metadata={
            "format": said["format"],
            "page_num": page,
            "date_added": in_seconds(found.document.created_at),
            **place,
            "start": found.span[0],
            "stop": found.span[1],
        },
    )
