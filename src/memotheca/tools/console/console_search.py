"""Search everything for a page."""

from dataclasses import dataclass
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import to_iso
from memotheca.model.kinds import KINDS
from memotheca.toolkit.fields import UNSET, Unset, flag, free, integer, many, number, one, said, spans, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.console.shapes import NameShape, StateShape, name_shape, state_shape
from memotheca.tools.console.wording import count
from memotheca.views.search_view import FoundPassage, Wanted, search_everything


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    query: str = text("What is looked for; empty lists the newest", "", maxLength=4096)
    kinds: tuple[str, ...] = texts("Only of these kinds", (), values=KINDS)
    tags: tuple[str, ...] = texts("Only with all of these tags", ())
    since: str | Unset = text("Only what was changed then or later, ISO-8601", UNSET)
    until: str | Unset = text("Only what was changed then or earlier, ISO-8601", UNSET)
    as_of: str | Unset = text("As everything was then: an ISO-8601 time, or a transaction's number", UNSET)
    limit: int = integer("", 20, minimum=1, maximum=50)
    offset: int = integer("", 0, minimum=0, maximum=500)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoresShape:
    total: float | None = number(nullable=True)
    semantic: float | None = number(nullable=True)
    lexical: float | None = number(nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class HitShape:
    id: str = text()
    handle: str = text()
    kind: str = text()
    title: str = text()
    passage: str = text()
    start: int = integer("Where in its text the passage begins, in letters")
    highlights: tuple[tuple[int, int], ...] = spans()
    place: dict[str, Any] = free()
    document: NameShape | Unset = one(NameShape, default=UNSET)
    created_at: str = text()
    updated_at: str = text()
    source: str | None = text(nullable=True)
    tags: tuple[str, ...] = texts()
    score: float | None = number(nullable=True)
    scores: ScoresShape = one(ScoresShape)
    why: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class TripleShape:
    handle: str = text()
    sentence: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    hits: tuple[HitShape, ...] = many(HitShape)
    triples: tuple[TripleShape, ...] = many(TripleShape)
    offset: int = integer()
    more: bool = flag()
    total: int = integer()
    is_total: bool = flag()
    mode: str = text()
    read_as: str | None = text(nullable=True)
    indexing: int = integer()
    as_of: StateShape | Unset = one(StateShape, default=UNSET)


EXAMPLE = Example(
    arguments={"query": "tea"},
    after=(("store", {"topic": "tea", "content": "Ada takes it black.", "tags": ["people"]}),),
)


@tool(contract="console", effect="read", models=(Input, Output), example=EXAMPLE)
def console_search(call: Call[Kernel], input: Input) -> Answer:
    """Search everything that is stored, with passages, places and reasons; without a query, list the newest."""
    given = said(input)
    limit, offset = given.pop("limit"), given.pop("offset")
    found = search_everything(call.kernel, Wanted(**given), limit=limit, offset=offset)
    page = found.page
    output = Output(
        hits=tuple(map(_shape, found.found)),
        triples=tuple(TripleShape(handle=handle, sentence=sentence) for handle, sentence in found.triples),
        offset=offset,
        more=found.has_more,
        total=page.total,
        is_total=page.is_total,
        mode=page.mode,
        read_as=page.read_as,
        indexing=page.waiting,
        as_of=state_shape(found.state),
    )
    return Answer(f"{count(len(found.found), 'hit')} of {page.total:,}.", content=output)


def _shape(found: FoundPassage) -> HitShape:
    entry, hit = found.entry, found.hit
    return HitShape(
        id=entry.id,
        handle=found.handle,
        kind=entry.kind,
        title=entry.title,
        passage=found.passage,
        start=found.start,
        highlights=found.highlights,
        place=dict(found.place),
        document=name_shape(found.document),
        created_at=to_iso(entry.created_at),
        updated_at=to_iso(entry.updated_at),
        source=found.source,
        tags=entry.tags,
        score=_rounded(hit.score),
        scores=ScoresShape(total=_rounded(hit.score), semantic=_rounded(hit.cosine), lexical=_rounded(hit.lexical)),
        why=found.why,
    )


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 4)
