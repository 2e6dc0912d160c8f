"""Searching documents: passages with their document and place, within the filters that were given."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from memotheca.kernel.kernel import Kernel
from memotheca.model import kinds
from memotheca.model.clock import DAY, from_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry, handle_of
from memotheca.model.retry import persist
from memotheca.parsing.formats import EXTENSIONS, FORMATS
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

FILTERS = ("format", "date_range", "filename", "document_id", "processing_method", "tags", "metadata")
METHODS = ("text_extraction", "ocr", "hybrid", "image_analysis")
DIGITS = 4  # chosen: what a score is compared by, and short


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
    kernel: Kernel, query: str, *, limit: int, least: float = 0.0, filters: Mapping[str, Any] | None = None
) -> list[DocumentHit]:
    """The passages that match best, best first, none below the least relevance."""
    refuse_blank(query)
    tell_of_question(kernel)
    return persist(lambda: _search(kernel, query, limit=limit, least=least, filters=filters or {}))


def _search(kernel: Kernel, query: str, *, limit: int, least: float, filters: Mapping[str, Any]) -> list[DocumentHit]:
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


def _wanted(snapshot: Snapshot, filters: Mapping[str, Any]) -> Filter:
    unknown = filters.keys() - set(FILTERS)
    if unknown:
        raise _refused(f"{min(unknown)} is not a filter; there are {', '.join(FILTERS)}.", min(unknown))
    groups: list[tuple[int, ...]] = [(filter_number("kind", kinds.DOCUMENT),)]
    bounds: list[tuple[str, float | None, float | None]] = []
    for name, value in filters.items():
        if value is None:
            continue
        if name == "date_range":
            bounds.append(_days(value))
        elif name == "metadata":
            groups += [(metadata_number(key, wanted),) for key, wanted in _mapping(value, name).items()]
        else:
            groups.append(_numbers(snapshot, name, _texts(value, name)))
    return Filter(groups=tuple(groups), bounds=tuple(bounds), as_of=snapshot.tx)


def _numbers(snapshot: Snapshot, name: str, texts: list[str]) -> tuple[int, ...]:
    match name:
        case "format":
            return tuple(filter_number("format", _format(text)) for text in texts)
        case "processing_method":
            for text in texts:
                if text not in METHODS:
                    raise _refused(f"processing_method must be one of {', '.join(METHODS)}.", name)
            return tuple(filter_number("processing_method", text) for text in texts)
        case "tags":
            return tuple(filter_number("tag", text) for text in texts)
        case "filename":
            ids = [
                id for text in texts for id in document_index.named_like(snapshot.session, snapshot.collection, text)
            ]
        case _:
            ids = [id for text in texts if (id := snapshot.find_alias("doc", text.removeprefix("doc:"))) is not None]
    found = [snapshot.entry(id) for id in dict.fromkeys(ids)]
    return tuple(filter_number("document", handle_of(entry)) for entry in found if entry is not None)


def _format(text: str) -> str:
    spelled = text.lower().lstrip(".")
    if spelled not in EXTENSIONS and spelled not in FORMATS:
        raise _refused(f"format must be one of {', '.join(FORMATS)}.", "format")
    return EXTENSIONS.get(spelled, spelled)


def _days(value: Any) -> tuple[str, float | None, float | None]:
    """Days are whole ones, UTC, both included; a moment is taken as it is."""
    given = _mapping(value, "date_range")
    if unknown := given.keys() - {"start", "end"}:
        raise _refused(f"date_range has start and end, not {min(unknown)}.", "date_range")
    try:
        low = None if given.get("start") is None else from_iso(str(given["start"]))
        high = None if given.get("end") is None else from_iso(str(given["end"]))
    except ValueError:
        raise _refused("date_range needs dates such as 2025-01-31.", "date_range") from None
    if high is not None and len(str(given["end"]).strip()) <= len("2025-01-31"):
        high += DAY - 1
    return "created", low, high


def _mapping(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _refused(f"{name} must be an object.", name)
    return cast(Mapping[str, Any], value)


def _texts(value: Any, name: str) -> list[str]:
    given = cast(list[Any], value if isinstance(value, list | tuple) else [value])
    if not given or not all(isinstance(each, str) for each in given):
        raise _refused(f"{name} must be a text or a list of texts.", name)
    return given


def _refused(message: str, name: str) -> Refusal:
    return Refusal(Failure.INVALID, message, field=f"filters.{name}", details={"allowed_filters": list(FILTERS)})
