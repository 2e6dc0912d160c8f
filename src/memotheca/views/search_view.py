"""Search over everything: passages of any family with their places, and why each was found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from memotheca.entries.triples import find_sentences
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.names import short_handle
from memotheca.model import kinds
from memotheca.model.knowledge import Entry
from memotheca.search.excerpts import Excerpt, ExcerptQuery
from memotheca.search.hits import Hit, HitPage
from memotheca.search.search import Question, find_entries, list_newest
from memotheca.storage.snapshot import Snapshot
from memotheca.views.as_of import PastState, find_state
from memotheca.views.thing_names import ThingName, name_entry, source_of

PASSAGE = 360  # chosen: three or four lines of a page
TRIPLES = 5  # chosen: what stands above the passages without pushing them off the page
PLACES = ("page", "slide", "sheet", "cells", "heading", "turn")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a person looks for, and in which state."""

    query: str = ""
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    as_of: str | None = None

    @property
    def is_narrowed(self) -> bool:
        return any((self.kinds, self.tags, self.since, self.until, self.as_of))


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPassage:
    """An entry with the passage that answers best, where that stands, and why it was found."""

    entry: Entry
    handle: str
    start: int  # of the passage in the thing's text, in letters
    passage: str
    highlights: tuple[tuple[int, int], ...]
    place: Mapping[str, Any]
    document: ThingName | None
    hit: Hit
    why: str

    @property
    def source(self) -> str | None:
        return source_of(self.entry)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPage:
    """A page of what was found, and how it was looked for."""

    found: list[FoundPassage]
    triples: list[tuple[str, str]]
    page: HitPage
    has_more: bool
    state: PastState | None


def search_everything(kernel: Kernel, wanted: Wanted, *, limit: int, offset: int) -> FoundPage:
    """What answers a question, best first; without one, the newest."""
    with kernel.read() as snapshot:
        state = find_state(snapshot, wanted.as_of)
    question = Question(
        content=wanted.query,
        tags=wanted.tags,
        kinds=wanted.kinds or kinds.KINDS,
        updated_after=wanted.since,
        updated_before=wanted.until,
        as_of_tx_id=None if state is None else state.tx,
        passages=1,
    )
    if wanted.query.strip():
        page = find_entries(kernel, question, limit=offset + limit + 1)
        hits, has_more = page.hits[offset : offset + limit], len(page.hits) > offset + limit
    else:
        page = list_newest(kernel, replace(question, content=None), limit=limit, offset=offset)
        hits, has_more = page.hits, page.total > offset + limit
    sought = ExcerptQuery(page.read_as or wanted.query)
    with kernel.read() as snapshot:
        documents = _documents(snapshot, hits)
        found = [_shown(snapshot, hit, sought, documents) for hit in hits]
    return FoundPage(found=found, triples=_triples(kernel, wanted, offset), page=page, has_more=has_more, state=state)


def _triples(kernel: Kernel, wanted: Wanted, offset: int) -> list[tuple[str, str]]:
    """Triples that answer the question; they have nothing that filters ask for."""
    if offset or wanted.is_narrowed or not wanted.query.strip():
        return []
    return [(each.handle, each.sentence) for each in find_sentences(kernel, wanted.query, limit=TRIPLES).triples]


def _documents(snapshot: Snapshot, hits: Sequence[Hit]) -> dict[str, Entry]:
    entries = [cast(Entry, hit.version.thing) for hit in hits]
    wanted = {entry.attributes["document"] for entry in entries if entry.kind == kinds.SECTION}
    return snapshot.living(wanted) if wanted else {}


def _shown(snapshot: Snapshot, hit: Hit, sought: ExcerptQuery, documents: Mapping[str, Entry]) -> FoundPassage:
    entry = cast(Entry, hit.version.thing)
    document = entry if entry.kind == kinds.DOCUMENT else documents.get(entry.attributes.get("document", ""))
    body = entry.body if entry.kind != kinds.SECTION or document is None else _slice(entry, document)
    best = hit.excerpts[0] if hit.excerpts else Excerpt(start=0, stop=len(body), text=body)
    narrow = sought.narrow(best, PASSAGE)
    return FoundPassage(
        entry=entry,
        handle=short_handle(snapshot, entry),
        start=narrow.start,
        passage=narrow.text,
        highlights=tuple(sought.highlights(narrow.text)),
        place=_place(entry, best.place),
        document=None if document is None else name_entry(snapshot, document),
        hit=hit,
        why=_why(hit),
    )


def _slice(section: Entry, document: Entry) -> str:
    return document.body[section.attributes["start"] : section.attributes["stop"]]


def _place(entry: Entry, found: Mapping[str, Any]) -> dict[str, Any]:
    """Where a passage stands in its source, as far as that is known."""
    told = {name: found[name] for name in PLACES if name in found}
    if "page" not in told and "page" in entry.attributes:
        told["page"] = entry.attributes["page"]
    heading: Any = told.get("heading")
    if isinstance(heading, list | tuple):
        told["heading"] = " / ".join(map(str, cast(Sequence[object], heading)))
    return told


def _why(hit: Hit) -> str:
    """Why something was found, in plain words."""
    if not hit.excerpts:
        return ""
    matched = hit.excerpts[0].matched
    said = {"words": matched.words, "phrase": matched.phrases, "name": matched.names}
    parts = [f"{name}: {', '.join(values)}" for name, values in said.items() if values]
    if matched.meaning is not None:
        parts.append(f"meaning: {matched.meaning:.2f}")
    return "; ".join(parts)
