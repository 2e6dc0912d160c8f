"""Searching documents: passages with their document and place, within the filters that were given."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.model import kinds
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry, handle_of
from memotheca.model.retry import persist
from memotheca.search.chosen_embedder import embedder_of
from memotheca.search.excerpts import read_place
from memotheca.search.filters import metadata_number
from memotheca.search.finder import ChunkMatch, Finder, Search, embed_question, finder_of
from memotheca.search.index.score import Filter
from memotheca.search.question_listener import tell_of_question
from memotheca.search.search import refuse_blank
from memotheca.storage import document_index
from memotheca.storage.chunks import read_spots
from memotheca.storage.snapshot import Snapshot
from memotheca.text.terms import filter_number

DIGITS = 4  # chosen: what a score is compared by, and short


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFilters:
    """Which documents are searched: of each that is given, a document has one; all of the metadata; and it came in
    within the two moments."""

    formats: tuple[str, ...] = ()
    filenames: tuple[str, ...] = ()
    document_ids: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    since: int | None = None
    until: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentHit:
    """A passage that matches, with the document it stands in and its place there."""

    document: Entry
    chunk_id: str
    text: str
    relevance: float
    place: Mapping[str, Any]
    span: tuple[int, int]


class NoDocuments(Refusal):
    """There is nothing to search in."""

    def __init__(self) -> None:
        super().__init__(Failure.NOT_FOUND, "There are no documents.", field="query", details={"document_count": 0})


def search_documents(
    kernel: Kernel, query: str, *, limit: int, least: float = 0.0, filters: DocumentFilters
) -> list[DocumentHit]:
    """The passages that match best, best first, none below the least relevance."""
    refuse_blank(query)
    tell_of_question(kernel)
    return persist(lambda: _search(kernel, query, limit=limit, least=least, filters=filters))


def _search(kernel: Kernel, query: str, *, limit: int, least: float, filters: DocumentFilters) -> list[DocumentHit]:
    finder: Finder = finder_of(kernel)
    with kernel.read() as snapshot:
        embedder = embedder_of(kernel, snapshot.session)
    vector = embed_question(query, embedder)
    with kernel.read() as snapshot:
        if not document_index.count(snapshot.session, kernel.collection)[0]:
            raise NoDocuments
        wanted = _wanted(snapshot, filters)
        findings = finder.find(
            snapshot, Search(text=query, filter=wanted, vector=vector), embedder if vector is not None else None
        )
        entries: dict[str, Entry | None] = {}
        found: list[DocumentHit] = []
        for passage in findings.passages:
            relevance = round(max(0.0, min(1.0, passage.score / findings.ceiling)), DIGITS)
            if len(found) == limit or relevance < least:
                break
            if passage.entry_id not in entries:
                entries[passage.entry_id] = snapshot.entry(passage.entry_id)
            entry = entries[passage.entry_id]
            if entry is not None:
                found.append(_found(snapshot, passage, entry, relevance))
    return found


def _found(snapshot: Snapshot, passage: ChunkMatch, entry: Entry, relevance: float) -> DocumentHit:
    start, stop, place = read_spots(snapshot.session, snapshot.collection, [passage.seq])[passage.seq]
    return DocumentHit(
        document=entry,
        chunk_id=chunk_id(entry, start, stop),
        text=entry.body[start:stop],
        relevance=relevance,
        place=read_place(place),
        span=(start, stop),
    )


def chunk_id(entry: Entry, start: int, stop: int) -> str:
    """The same for the same passage of the same content, however often the index is made anew."""
    named = uuid.uuid5(uuid.UUID(entry.id), f"{entry.attributes['sha256']} {start} {stop}")
    return str(uuid.UUID(bytes=named.bytes, version=4))


def _wanted(snapshot: Snapshot, filters: DocumentFilters) -> Filter:
    named = {
        "format": filters.formats,
        "processing_method": filters.methods,
        "tag": filters.tags,
    }
    groups = [(filter_number("kind", kinds.DOCUMENT),)]
    groups += [tuple(filter_number(name, text) for text in texts) for name, texts in named.items() if texts]
    groups += [(metadata_number(key, value),) for key, value in filters.metadata.items()]
    if filters.filenames:
        session, collection = snapshot.session, snapshot.collection
        names = (id for text in filters.filenames for id in document_index.named_like(session, collection, text))
        groups.append(_numbers(snapshot, names))
    if filters.document_ids:
        found = (snapshot.find_alias("doc", text.removeprefix("doc:")) for text in filters.document_ids)
        groups.append(_numbers(snapshot, (id for id in found if id is not None)))
    is_bounded = filters.since is not None or filters.until is not None
    bounds = (("created", filters.since, filters.until),) if is_bounded else ()
    return Filter(groups=tuple(groups), bounds=bounds, as_of=snapshot.tx)


def _numbers(snapshot: Snapshot, ids: Iterable[str]) -> tuple[int, ...]:
    """Those of documents; none where none is there, which nothing matches."""
    found = [snapshot.entry(id) for id in dict.fromkeys(ids)]
    return tuple(filter_number("document", handle_of(entry)) for entry in found if entry is not None)
