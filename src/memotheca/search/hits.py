"""Hits: what a search gives back, and how much of them a caller's budget has room for."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

from memotheca.model.commits import Version
from memotheca.model.knowledge import Entry
from memotheca.search.excerpts import SNIPPET, Excerpt, ExcerptQuery
from memotheca.text.tokens import count_at_least, count_tokens, fit

# Chosen: a line, a few lines, a paragraph, a page: what is shown of a passage where all of it does not fit.
SIZES = (60, SNIPPET, 1000, 4000)


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry that matches, how well, by which voice, and where; without words there is nothing to score."""

    version: Version
    score: float | None = None
    lexical: float | None = None
    cosine: float | None = None
    graph_hops: int | None = None
    excerpts: tuple[Excerpt, ...] = ()
    # Whether a budget has room for all that the entry says.
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class PageBudget:
    """How many tokens, or whatever is counted, the hits of a page may take, and what each of them takes; whether some
    may be shown whole, and whether even the shortest first one must fit."""

    tokens: int
    weigh: Callable[[Hit], int]
    may_be_whole: Callable[[Entry], bool] = lambda entry: False
    is_strict: bool = True
    # What a hit takes at the least, told without making it.
    least: Callable[[Hit], int] = lambda hit: sum(count_at_least(excerpt.text) for excerpt in hit.excerpts)


def weigh_excerpts(hit: Hit) -> int:
    """The tokens of a hit's title and excerpts."""
    entry = cast(Entry, hit.version.thing)
    return count_tokens(entry.title) + sum(count_tokens(excerpt.text) for excerpt in hit.excerpts)


@dataclass(frozen=True, slots=True)
class HitPage:
    """One page of hits, the snapshot it was taken from, and by which means; `read_as` is the question as it was
    read, where that is not as it was written."""

    hits: list[Hit]
    as_of_tx: int
    next_cursor: str | None
    mode: str
    waiting: int
    tokens: int | None = None
    read_as: str | None = None
    # How many match, whether that is all of them, which of them the first hit is, and why there may be more.
    total: int = 0
    is_total: bool = True
    first: int = 0
    partial: str | None = None


def within(page: HitPage, budget: PageBudget, sought: ExcerptQuery) -> HitPage:
    """The hits that a budget has room for, each with as much of its passages as fits."""
    forms = [_HitForms(hit, sought, may_be_whole=budget.may_be_whole(_entry_of(hit))) for hit in page.hits]
    hits, tokens = fit(forms, budget.tokens, budget.weigh, least=budget.least, at_least_one=not budget.is_strict)
    return replace(page, hits=hits, tokens=tokens)


class _HitForms:
    """What can be shown of a hit, shortest first; shorter forms are cut only where all of it does not fit."""

    def __init__(self, hit: Hit, sought: ExcerptQuery, *, may_be_whole: bool) -> None:
        self._hit = hit
        self._sought = sought
        self._whole = _whole(hit) if may_be_whole else None
        self._made: list[Hit] = []

    def __len__(self) -> int:
        return len(self._forms())

    def __getitem__(self, place: int) -> Hit:
        return self._whole if place == -1 and self._whole is not None else self._forms()[place]

    def _forms(self) -> list[Hit]:
        if not self._made:
            hit, body = self._hit, _entry_of(self._hit).body
            passages = hit.excerpts or (Excerpt(start=0, stop=len(body), text=body),)
            best = passages[0]
            sizes = [size for size in SIZES if size <= SNIPPET or len(best.text) > size]
            short = self._sought.narrow_to(best, sizes)
            self._made = [replace(hit, excerpts=form) for form in (*((each,) for each in short), (best,), passages)]
            self._made += [] if self._whole is None else [self._whole]
        return self._made


def _entry_of(hit: Hit) -> Entry:
    return cast(Entry, hit.version.thing)


def _whole(hit: Hit) -> Hit:
    return Hit(hit.version, hit.score, hit.lexical, hit.cosine, hit.graph_hops, hit.excerpts, is_whole=True)
