"""Finding entries: filters inside the search, words and vectors fused, pages from one snapshot."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeGuard, cast

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.paging import PagePosition, start, to_cursor
from memotheca.kernel.validity import moment
from memotheca.model import kinds
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry, fold, is_holding
from memotheca.model.retry import persist
from memotheca.search.chosen_embedder import embedder_of
from memotheca.search.excerpts import Excerpt, ExcerptQuery, Matched, read_place
from memotheca.search.filters import FILTERED_ATTRIBUTES, QUARANTINED, filters_of
from memotheca.search.finder import (
    ChunkMatch,
    Finder,
    Findings,
    QuestionEmbedder,
    Search,
    embed_question,
    finder_of,
    to_id,
)
from memotheca.search.hits import Hit, HitPage, PageBudget, within
from memotheca.search.index.rest import Wanting
from memotheca.search.index.score import CANDIDATES, Filter
from memotheca.search.question_listener import tell_of_question
from memotheca.search.signals import Signal, weigh
from memotheca.search.vocabulary import read_as_meant
from memotheca.storage import chunks
from memotheca.storage.lookups import heads_of, ids_made_last, read_standing
from memotheca.storage.snapshot import Snapshot
from memotheca.text.terms import filter_number
from memotheca.text.words import query_words, share
from memotheca.vectors.profile import Voice, voice_of

PASSAGES = 3  # chosen: what tells why something matches, and no more


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked of the entries of a collection; times are ISO-8601, and bounds belong to what they bound."""

    topic: str | None = None
    content: str | None = None
    tags: tuple[str, ...] = ()
    as_of: str | None = None
    knowledge_type: str | None = None
    memory_type: str | None = None
    strict_substring: bool = False
    kinds: tuple[str, ...] = (kinds.ENTRY,)
    as_of_tx_id: int | None = None
    signals: tuple[Signal, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    any_of: tuple[tuple[str, tuple[str, ...]], ...] = ()
    none_of: tuple[tuple[str, str], ...] = ()
    created_after: str | None = None
    created_before: str | None = None
    updated_after: str | None = None
    updated_before: str | None = None
    least_importance: float | None = None
    # What is held, as a planted instruction may be, is found only by whoever looks for it, or looks at each that was.
    with_held: bool = False
    depth: int = CANDIDATES
    # How many passages of each entry are shown, and whether each says why it matches.
    passages: int = PASSAGES
    is_explained: bool = True
    # Whether everything that matches by its words is counted, and pages go on to the last of it; else the best alone.
    is_complete: bool = True


LETTER_BY_LETTER = "Where it is compared letter by letter, no more is counted than was looked at."
MANY = "So many match by their words that not all of them are counted; pages reach them all."
BY_MEANING = "By meaning alone, only the {depth} nearest passages are taken; there may be more that are as near."
# What other kinds are called where somebody is told that something of them matches.
FAMILIES = {
    kinds.ENTRY: "entries",
    kinds.NOTE: "notes",
    kinds.DOCUMENT: "documents",
    kinds.MEMORY: "memories",
    kinds.PATTERN: "patterns",
    kinds.CONVERSATION: "conversations",
}
# Chosen: so many are looked at letter by letter where only their number is wanted.
COUNTED = 200
# Chosen: words that say next to nothing and a vector that points away can leave even the best without a
# positive score.
_LEAST = 1e-9


@dataclass(slots=True)
class _Ranked:
    entry_id: str
    score: float
    lexical: float
    cosine: float | None
    passages: list[ChunkMatch]
    hops: int | None = None


_TOLD = tuple(each.name for each in fields(Question))


def _told(question: Question) -> dict[str, Any]:
    """What was asked, by name; a cursor belongs to it."""
    return {name: getattr(question, name) for name in _TOLD}


def refuse_blank(query: str, *, field: str = "query") -> None:
    """Whoever asks for what fits a question has to ask one: blanks would fit whatever has one."""
    if not query.strip():
        raise Refusal(Failure.INVALID, f"{field} must say something.", field=field)


def find_entries(
    kernel: Kernel, question: Question, *, limit: int, cursor: str | None = None, budget: PageBudget | None = None
) -> HitPage:
    """A page of the entries that match, best first; without words, in the order of their making. With a budget, hits
    show as much of their passages as fits, and the next page begins where the budget ended."""
    tell_of_question(kernel)
    return persist(lambda: _find_page(kernel, question, limit=limit, cursor=cursor, budget=budget))


def rank_entries(kernel: Kernel, question: Question, *, limit: int) -> list[str]:
    """The ids of the entries that match best and live, best first; as `find_entries`, without reading them."""
    return persist(lambda: _rank_ids(kernel, question, limit))


def list_newest(kernel: Kernel, question: Question, *, limit: int, offset: int) -> HitPage:
    """A page of the entries that pass a question's filters, those that were made last first."""
    return persist(lambda: _list_newest(kernel, question, limit, offset))


def _list_newest(kernel: Kernel, question: Question, limit: int, offset: int) -> HitPage:
    asked = _ask(kernel, question, None, limit)
    with kernel.read() as snapshot:
        keys, total = finder_of(kernel).passing(snapshot, asked.passing)
        ids = [to_id(key) for key in keys[::-1][offset : offset + limit]]
        versions = snapshot.versions_at(ids, asked.place.tx)
    # What is being erased may still stand in a segment.
    hits = [Hit(versions[id]) for id in ids if id in versions and versions[id].thing is not None]
    return HitPage(hits, asked.place.tx, None, "list", 0, total=total, first=offset)


def count_matches(kernel: Kernel, question: Question, kinds: Sequence[str]) -> dict[str, int]:
    """How many entries of each of some kinds match; kinds of which none does are left out."""
    return persist(lambda: _count(kernel, question, kinds))


def count_elsewhere(kernel: Kernel, text: str, *, but: str) -> str:
    """What a question would find in other families than one, in words; empty where nothing."""
    return name_counts(count_matches(kernel, Question(content=text), [kind for kind in FAMILIES if kind != but]))


def name_counts(counts: Mapping[str, int]) -> str:
    """So many of each kind, as a person would say it."""
    return ", ".join(f"{count} {kind if count == 1 else FAMILIES[kind]}" for kind, count in counts.items())


def _count(kernel: Kernel, question: Question, wanted: Sequence[str]) -> dict[str, int]:
    asked = replace(_ask(kernel, question, None), limit=COUNTED)
    counts: dict[str, int] = {}
    with kernel.read() as snapshot:
        for kind in wanted:
            if not ids_made_last(snapshot, kind, limit=1):
                continue
            passing = _filter(replace(question, kinds=(kind,)), asked.place)
            one = replace(asked, passing=replace(passing, barred_but=asked.passing.barred_but))
            if asked.words is None:
                page = _listed(snapshot, finder_of(kernel), one)
                counts[kind] = page.total
            else:
                ranked, findings = _rank(kernel, snapshot, replace(one, limit=1))
                counts[kind] = len(ranked) + findings.rest.count
    return {kind: count for kind, count in counts.items() if count}


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question as it is searched for: among what, in which words, what they mean, and how many are wanted."""

    question: Question
    place: PagePosition
    passing: Filter
    words: str | None
    vector: Any
    voice: Voice
    embedder: QuestionEmbedder | None
    limit: int = 0


def _ask(kernel: Kernel, question: Question, cursor: str | None, limit: int = 0) -> _Asked:
    words = _words(question)
    with kernel.read() as snapshot:
        embedder, voice = embedder_of(kernel, snapshot.session), voice_of(snapshot.session, kernel.collection)
        place = start(_told(question), cursor, newest=snapshot.tx, now=kernel.now())
        passing = _free_what_ended(kernel, snapshot, _filter(question, place), place)
        if words is not None and question.content:
            words = read_as_meant(finder_of(kernel), snapshot, words, embedder=embedder, as_of=place.tx)
    # Between the snapshots: an embedder may be slow to answer, and no snapshot should wait for it.
    vector = None if words is None else embed_question(words, embedder)
    return _Asked(question, place, passing, words, vector, voice, None if vector is None else embedder, limit)


def _rank(kernel: Kernel, snapshot: Snapshot, asked: _Asked) -> tuple[list[_Ranked], Findings]:
    finder: Finder = finder_of(kernel)
    question = asked.question
    search = Search(
        text=asked.words or "",
        filter=asked.passing,
        vector=asked.vector,
        voice=asked.voice,
        with_neighbours="neighbours" in question.signals,
        depth=question.depth,
        wanting=Wanting(asked.limit, asked.place.last, asked.place.shown) if question.is_complete else None,
        is_filter=not question.content,
    )
    findings = finder.find(snapshot, search, asked.embedder)
    return _collapse(snapshot, question, findings, place=asked.place), findings


def _rank_ids(kernel: Kernel, question: Question, limit: int) -> list[str]:
    asked = _ask(kernel, question, None, limit)
    if asked.words is None:
        return [hit.version.id for hit in _find_page(kernel, question, limit=limit).hits]
    with kernel.read() as snapshot:
        ranked, _ = _rank(kernel, snapshot, replace(asked, question=replace(question, is_complete=False)))
        ids = [each.entry_id for each in ranked[:limit]]
        living = heads_of(snapshot, ids)
    return [id for id in ids if id in living]


def _find_page(
    kernel: Kernel, question: Question, *, limit: int, cursor: str | None = None, budget: PageBudget | None = None
) -> HitPage:
    asked = _ask(kernel, question, cursor, limit)
    words, place = asked.words, asked.place
    with kernel.read() as snapshot:
        if words is None:
            page = _listed(snapshot, finder_of(kernel), asked)
        else:
            ranked, findings = _rank(kernel, snapshot, asked)
            page = _page(snapshot, ranked, findings, asked)
            page = replace(page, waiting=chunks.count_waiting(snapshot.session, kernel.collection))
    last, shown = page.next_cursor, len(page.hits)
    page = replace(page, read_as=words if words != _words(question) else None, next_cursor=None)
    if budget is not None:
        letters = question.content if words is None else None
        page = within(page, budget, ExcerptQuery(words or "", letters or ""))
    if page.hits and len(page.hits) < shown:
        last = page.hits[-1].version.id
    if last is None:
        return page
    following = PagePosition(place.tx, place.now, last, page.first + len(page.hits))
    return replace(page, next_cursor=to_cursor(following, _told(question)))


def fits(question: Question, entry: Entry) -> bool:
    """Whether a question may find this entry: by its filters, and by its letters where those are compared. What is near
    by meaning is known only beside all the others, so that nothing is ruled out by it."""
    passing, held = _filter(question, PagePosition(0, 0)), set(filters_of(entry))
    if not all(any(number in held for number in group) for group in passing.groups):
        return False
    if question.as_of is not None and not entry.validity.covers(moment(question.as_of, "as_of")):
        return False
    return _words(question) is not None or _has_letters(question, entry)


def _words(question: Question) -> str | None:
    """What is ranked by: the question, or the topic where there is no question; None where nothing has words."""
    if question.strict_substring or (question.content and not _has_words(question.content)):
        return None
    said = question.content or question.topic
    return said if _has_words(said) else None


def _has_words(said: str | None) -> TypeGuard[str]:
    return said is not None and bool(query_words(said))


def _filter(question: Question, place: PagePosition) -> Filter:
    _refuse_unfiltered(question)
    groups: list[tuple[int, ...]] = [tuple(filter_number("kind", kind) for kind in question.kinds)]
    groups += [(filter_number("tag", tag),) for tag in question.tags]
    for name in ("knowledge_type", "memory_type"):
        wanted = getattr(question, name)
        if wanted is not None:
            groups.append((filter_number(name, wanted),))
    if _has_words(question.topic) and not question.strict_substring:
        groups += [(filter_number("title", word),) for word in query_words(question.topic)]
    groups += [(filter_number(name, value),) for name, value in question.attributes]
    groups += [tuple(filter_number(name, value) for value in values) for name, values in question.any_of]
    barred = [filter_number(name, value) for name, value in question.none_of]
    return Filter(
        groups=tuple(groups),
        barred=tuple(barred),
        bounds=tuple(_bounds(question, place)),
        as_of=place.tx,
        barred_but=None if question.with_held else (QUARANTINED, ()),
    )


def _free_what_ended(kernel: Kernel, snapshot: Snapshot, passing: Filter, place: PagePosition) -> Filter:
    """Let through what was held until a moment that is over by now."""
    if passing.barred_but is None:
        return passing
    marked = finder_of(kernel).filtered(snapshot, Filter(groups=((QUARANTINED,),), as_of=place.tx))
    rows = read_standing(snapshot, kinds.KINDS, marked) if marked else []
    free = [id for id, _, _, held in rows if held is not None and not is_holding(json.loads(held), place.now)]
    return replace(passing, barred_but=(QUARANTINED, tuple(free)))


def _refuse_unfiltered(question: Question) -> None:
    for name, _ in question.attributes:
        if name not in FILTERED_ATTRIBUTES:
            known = ", ".join(FILTERED_ATTRIBUTES)
            raise Refusal(Failure.INVALID, f"{name} cannot be filtered by; there are {known}.", field="attributes")


def _bounds(question: Question, place: PagePosition) -> list[tuple[str, float | None, float | None]]:
    bounds: list[tuple[str, float | None, float | None]] = [("expires", place.now + 1, None)]
    for name in ("created", "updated"):
        after, before = getattr(question, f"{name}_after"), getattr(question, f"{name}_before")
        low = None if after is None else moment(after, f"{name}_after")
        high = None if before is None else moment(before, f"{name}_before")
        bounds.append((name, low, high))
    bounds.append(("importance", question.least_importance, None))
    if question.as_of is not None:
        valid_at = moment(question.as_of, "as_of")
        bounds += [("valid_from", None, valid_at), ("valid_to", valid_at, None)]
    return [bound for bound in bounds if bound[1:] != (None, None)]


def _listed(snapshot: Snapshot, finder: Finder, asked: _Asked) -> HitPage:
    """Entries that pass the filter, and hold the very letters where those were asked for. The cursor is not yet one:
    it is the last entry's id where there are more."""
    question, passing, place = asked.question, asked.passing, asked.place
    hits: list[Hit] = []
    keys, total = finder.passing(snapshot, passing, place.last)
    compares = bool(question.topic or question.content)
    last = None
    for key in keys:
        version = snapshot.version(to_id(key), passing.as_of)
        # What is being erased may still stand in a segment.
        if version is None or version.thing is None or not _has_letters(question, cast(Entry, version.thing)):
            continue
        if len(hits) == asked.limit:
            last = hits[-1].version.id
            break
        hits.append(Hit(version))
    page = HitPage(hits, place.tx, last, "list", 0, total=total, first=place.shown)
    if not compares:
        return page
    counted = place.shown + len(hits) + (last is not None)
    return replace(page, total=counted, is_total=last is None, partial=None if last is None else LETTER_BY_LETTER)


def _has_letters(question: Question, entry: Entry) -> bool:
    topic, content = question.topic, question.content
    if topic and (question.strict_substring or not _has_words(topic)) and fold(topic) not in fold(entry.title):
        return False
    if not content:
        return True
    return fold(content) in fold("\n".join([entry.title, entry.body, *entry.tags]))


def _collapse(snapshot: Snapshot, question: Question, findings: Findings, *, place: PagePosition) -> list[_Ranked]:
    """Chunks of one entry become the entry with its best passages."""
    now, as_of = place.now, place.tx
    found: dict[str, _Ranked] = {}
    for passage in findings.passages:
        held = found.get(passage.entry_id)
        if held is None:
            found[passage.entry_id] = _Ranked(
                passage.entry_id, passage.score, passage.lexical, passage.cosine, [passage]
            )
        else:
            held.lexical = max(held.lexical, passage.lexical)
            held.cosine = max((each for each in (held.cosine, passage.cosine) if each is not None), default=None)
            held.passages.append(passage)
    ranked = list(found.values())
    if question.topic and not question.content:
        _favour_exact_topics(snapshot, question.topic, ranked, as_of=as_of)
    if question.signals:
        weigh(snapshot, question.signals, ranked, text=_words(question) or "", at=(now, as_of))
    return sorted(ranked, key=lambda each: (-each.score, each.entry_id))


def _favour_exact_topics(snapshot: Snapshot, topic: str, ranked: list[_Ranked], *, as_of: int) -> None:
    """A topic that says just what was asked ranks above one that says more."""
    versions = snapshot.versions_at([each.entry_id for each in ranked], as_of)
    for each in ranked:
        version = versions.get(each.entry_id)
        if version is not None and isinstance(version.thing, Entry):
            each.score *= (1 + min(share(version.thing.title, topic), 1.0)) / 2


def _page(snapshot: Snapshot, ranked: Sequence[_Ranked], findings: Findings, asked: _Asked) -> HitPage:
    """A page of the best, and of the rest where they end. The cursor is not yet one: it is the last entry's id where
    there are more."""
    question = asked.question
    shown, first = _stretch(ranked, findings, asked.place, asked.limit)
    best = max(ranked[0].score, _LEAST) if ranked else 1.0
    versions = snapshot.versions_at([each.entry_id for each in shown], asked.place.tx)
    spots = chunks.read_spots(
        snapshot.session, snapshot.collection, [p.seq for each in shown for p in each.passages[: question.passages]]
    )
    show = _Excerpts(spots, ExcerptQuery(asked.words or "") if question.is_explained else None, findings.near_enough)
    hits: list[Hit] = []
    for each in shown:
        version = versions.get(each.entry_id)
        if version is not None and isinstance(version.thing, Entry):
            excerpts = tuple(show.of(version.thing, passage) for passage in each.passages[: question.passages])
            lexical = each.lexical / findings.best_lexical if findings.best_lexical else 0.0
            hits.append(Hit(version, max(each.score, 0.0) / best, min(lexical, 1.0), each.cosine, each.hops, excerpts))
    total = len(ranked) + findings.rest.count
    last = shown[-1].entry_id if shown and first + len(shown) < total else None
    reasons = [] if findings.rest.is_counted else [MANY]
    reasons += [BY_MEANING.format(depth=question.depth)] if findings.is_cut else []
    return HitPage(
        hits,
        asked.place.tx,
        last,
        findings.mode,
        0,
        total=total,
        is_total=findings.rest.is_counted,
        first=first,
        partial=" ".join(reasons) or None,
    )


def _stretch(
    ranked: Sequence[_Ranked], findings: Findings, place: PagePosition, limit: int
) -> tuple[list[_Ranked], int]:
    """The entries of a page and how many come before them: the best, and then what only has the words, which never
    scores above them."""
    known = next((number for number, each in enumerate(ranked, 1) if each.entry_id == place.last), None)
    first = 0
    if place.last:
        first = len(ranked) + findings.rest.start if known is None else known
    shown = list(ranked[first : first + limit])
    least = ranked[-1].score if ranked else 0.0
    for passage in findings.beyond[: limit - len(shown)]:
        least = min(least, passage.score)
        shown.append(_Ranked(passage.entry_id, least, passage.lexical, passage.cosine, [passage]))
    return shown, first


@dataclass(frozen=True, slots=True)
class _Excerpts:
    """Where the passages of a page's hits stand, and what was sought where each is to say why it matches."""

    spots: Mapping[int, chunks.Spot]
    sought: ExcerptQuery | None
    cut: float

    def of(self, entry: Entry, passage: ChunkMatch) -> Excerpt:
        start, stop, place = self.spots[passage.seq]
        text = entry.body[start:stop]
        matched = Matched()
        if self.sought is not None:
            meaning = passage.cosine if passage.cosine is not None and passage.cosine >= self.cut else None
            matched = self.sought.explain(entry.title, "\n".join([text, *entry.tags]), meaning=meaning)
        return Excerpt(start=start, stop=stop, text=text, place=read_place(place), matched=matched)
