"""Say how the documents are."""

from dataclasses import dataclass

from memotheca.documents.condition import MAX_FILE_MEGABYTES, examine_documents
from memotheca.jobs.queue import bench_of
from memotheca.kernel.kernel import Kernel
from memotheca.search.finder import finder_of
from memotheca.toolkit.fields import UNSET, Unset, flag, integer, number, one, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.documents.contract import in_megabytes, in_seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    name: str = text()
    document_count: int = integer()
    total_chunks: int = integer()
    total_size_bytes: int = integer()
    total_size_mb: float = number()
    average_chunks_per_document: float = number()
    storage_path: str = text()
    vector_db_path: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    status: str = text()
    vector_db_connected: bool = flag()
    storage_accessible: bool = flag()
    embedding_model_loaded: bool = flag()
    issues: tuple[str, ...] | Unset = texts(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    embedding_model: str = text()
    chunk_size: int = integer()
    max_file_size_mb: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    knowledge_base: Holdings = one(Holdings)
    health: Health = one(Health)
    configuration: Configuration = one(Configuration)
    last_updated: str | None = text(nullable=True)


EXAMPLE = Example(
    arguments={},
    after=(("knowledge-add", {"file_path": "data:text/html;name=tea.html,<p>Steep it.</p>", "async": False}),),
)


@tool(contract="documents", effect="read", models=(Input, Output), example=EXAMPLE, name="knowledge-status")
def knowledge_status(call: Call[Kernel], input: Input) -> Answer:
    """Get knowledge base statistics and health status"""
    found = examine_documents(call.kernel)
    storage, index = bench_of(call.kernel).data, finder_of(call.kernel).folder
    if not call.is_local:
        storage, index = (place.relative_to(storage) for place in (storage, index))
    knowledge_base = Holdings(
        name=call.kernel.collection,
        document_count=found.documents,
        total_chunks=found.chunks,
        total_size_bytes=found.size,
        total_size_mb=in_megabytes(found.size),
        average_chunks_per_document=round(found.chunks / found.documents, 1) if found.documents else 0.0,
        storage_path=str(storage),
        vector_db_path=str(index),
    )
    health = Health(
        status="degraded" if found.issues else "healthy",
        vector_db_connected=found.is_index_open,
        storage_accessible=found.is_storage_open,
        embedding_model_loaded=found.is_embedder_loaded,
        issues=found.issues or UNSET,
    )
    configuration = Configuration(
        embedding_model=found.embedder, chunk_size=found.chunk_size, max_file_size_mb=MAX_FILE_MEGABYTES
    )
    updated = None if found.changed_at is None else in_seconds(found.changed_at)
    output = Output(knowledge_base=knowledge_base, health=health, configuration=configuration, last_updated=updated)
    return Answer(content=output)
