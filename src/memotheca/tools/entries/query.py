"""Find entries."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

from memotheca.conversations.turns import cite
from memotheca.entries.triples import TripleMatch, TripleMatches, find_sentences
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.validity import moment
from memotheca.model.kinds import DOCUMENT, ENTRY, KINDS, KNOWLEDGE_TYPES, MEMORY_TYPES, TRIPLE
from memotheca.model.knowledge import Entry
from memotheca.search.excerpts import Excerpt, describe
from memotheca.search.hits import Hit, HitPage, PageBudget
from memotheca.search.search import (
    FAMILIES,
    Question,
    count_matches,
    find_entries,
    name_counts,
)
from memotheca.search.signals import SIGNALS, Signal
from memotheca.text.tokens import REPLY_BYTES, count_tokens
from memotheca.toolkit.contract import count_fitting, size_of, weigh
from memotheca.toolkit.fields import (
    UNSET,
    Unset,
    choice,
    flag,
    free,
    frees,
    integer,
    many,
    number,
    said,
    text,
    texts,
    to_json,
)
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.entries.contract import (
    ENTRIES,
    LINE_COST,
    EntryShape,
    address,
    encode,
    entry_fields,
    shorten,
    triple_shape,
)

ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    topic: str = text("Words of the topic.", UNSET, maxLength=1000)
    content: str = text("A question.", UNSET, maxLength=4096)
    tags: tuple[str, ...] = texts("All must match.", UNSET)
    limit: int = integer("", 20, minimum=1, maximum=200)
    cursor: str = text("", UNSET)
    as_of: str = text("Valid then.", UNSET)
    knowledge_type: str = choice(KNOWLEDGE_TYPES, "", UNSET)
    memory_type: str = choice(MEMORY_TYPES, "", UNSET)
    strict_substring: bool = flag("Letter by letter.", False)
    kinds: tuple[str, ...] = texts(
        "Where to look; without it, entries and triples. all adds notes, documents, memories, conversations.",
        UNSET,
        values=(*KINDS, TRIPLE, ALL),
    )
    signals: tuple[Signal, ...] = texts("Also weigh these.", UNSET, values=SIGNALS)
    budget_tokens: int = integer("Cut to fit; else about 24 KB.", UNSET, minimum=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Match(EntryShape):
    handle: str = text()
    kind: str = text()
    score_lexical: float | None = number(default=None, nullable=True)
    score_semantic: float | None = number(default=None, nullable=True)
    score_graph: float | None = number(default=None, nullable=True)
    score_total: float | None = number(default=None, nullable=True)
    graph_hops: int | None = integer(default=None, nullable=True)
    passages: tuple[dict[str, Any], ...] = frees(default=())
    truncated: bool | Unset = flag(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    items: tuple[Match, ...] = many(Match)
    next_cursor: str | None = text(nullable=True)
    triples: tuple[dict[str, Any], ...] | Unset = frees(default=UNSET)
    elsewhere: dict[str, Any] | Unset = free(default=UNSET)
    as_of_tx_id: int = integer()
    mode: str = text()
    total: int = integer()
    partial: str | Unset = text(default=UNSET)
    indexing: int | Unset = integer(default=UNSET)
    tokens: int | Unset = integer(default=UNSET)
    retrieval_ms: float = number()


GAP = "\n…\n"
# Chosen: how much of a document is shown where nothing in it was looked for, and what is short enough to be
# shown whole.
PREVIEW, SHORT = 500, 2000
USUAL = 20  # specification: the default of `limit`
TRIPLES = 10  # chosen: the best; `query_graph` has all
# Chosen: what an answer takes beside its hits: the sentence, and what is around them; and what triples may
# take.
BESIDE = 1500
TRIPLES_ROOM = 8000  # chosen: a third of an answer
# Chosen: where so few were found, it is worth saying what else there is, and of which kinds.
FEW = 3

EXAMPLE = Example(
    arguments={"topic": "deployment"},
    after=(
        ("store", {"topic": "deployment", "content": "Use blue-green deploys for zero-downtime releases."}),
        ("store", {"topic": "deployment rollback", "content": "Rollback within 5 min if error rate exceeds 1%."}),
    ),
)


@tool(contract="entries", effect="read", models=(Input, Output), example=EXAMPLE)
def query(call: Call[Kernel], input: Input) -> Answer:
    """Find stored entries by words, tags, type or time; best match first. Use it before answering from memory. With
    kinds ["all"] it searches everything there is."""
    began = time.perf_counter()
    given = said(input)
    asked = {name: value for name, value in given.items() if name not in _ABOUT_PAGES}
    question = Question(**asked, kinds=_kinds(given))
    triples, told = _triples(call.kernel, input, given)
    shown = _Matches()
    budget = _budget(input, given, shown, sum(map(weigh, told)) + sum(map(_lined, triples.triples)))
    page = find_entries(call.kernel, question, limit=input.limit, cursor=given.get("cursor"), budget=budget)
    is_little = not page.first and "kinds" not in given and page.total + triples.total <= FEW
    elsewhere = count_matches(call.kernel, question, _others(question)) if is_little else {}
    items = tuple(map(shown.of, page.hits))
    output = Output(
        items=items,
        next_cursor=page.next_cursor,
        triples=told or UNSET,
        elsewhere=elsewhere or UNSET,
        as_of_tx_id=page.as_of_tx,
        mode=page.mode,
        total=page.total,
        partial=page.partial or UNSET,
        indexing=page.waiting or UNSET,
        tokens=UNSET if page.tokens is None or not input.budget_tokens else page.tokens,
        retrieval_ms=round((time.perf_counter() - began) * 1000, 3),
    )
    sentence = " ".join(_sentences(input, items, page, triples=triples, elsewhere=elsewhere))
    lines = (*map(_line, items), *map(_triple_line, triples.triples))
    return Answer(sentence, address(ENTRIES, _echo(input)), output, lines)


def _kinds(given: dict[str, Any]) -> tuple[str, ...]:
    wanted = given.get("kinds", (ENTRY,))
    return KINDS if ALL in wanted else wanted


def _others(question: Question) -> list[str]:
    return [kind for kind in FAMILIES if kind not in question.kinds]


def _triples(kernel: Kernel, input: Input, given: dict[str, Any]) -> tuple[TripleMatches, tuple[dict[str, Any], ...]]:
    """Triples that answer a question, as many as there is room for, and how they are shown."""
    found = _answers(kernel, input, given)
    told = tuple(map(_triple, found.triples))
    fitting = len(told) if "budget_tokens" in given else count_fitting(told, TRIPLES_ROOM, beside=LINE_COST)
    return replace(found, triples=found.triples[:fitting]), told[:fitting]


def _answers(kernel: Kernel, input: Input, given: dict[str, Any]) -> TripleMatches:
    """Triples that answer a question; one that is narrowed by what a triple has not is about entries."""
    kinds = given.get("kinds", (TRIPLE,))
    narrowed = given.keys() & {"topic", "tags", "knowledge_type", "memory_type", "cursor"}
    if not input.content or narrowed or input.strict_substring or not {TRIPLE, ALL} & set(kinds):
        return TripleMatches([], 0)
    valid_at = moment(input.as_of, "as_of") if "as_of" in given else None
    return find_sentences(kernel, input.content, limit=min(TRIPLES, input.limit), valid_at=valid_at)


def _triple(each: TripleMatch) -> dict[str, Any]:
    related = each.related
    shape = triple_shape(related.version, related.source, related.target)
    return {**to_json(shape), "sentence": each.sentence, "score_total": each.score}


def _triple_line(each: TripleMatch) -> str:
    return f"{each.handle}: {each.sentence}"


def _lined(each: TripleMatch) -> int:
    return size_of(_triple_line(each))


def _budget(input: Input, given: dict[str, Any], shown: "_Matches", beside: int) -> PageBudget:
    """What was allowed; else what a client takes, and more where more than usual was asked for."""
    if "budget_tokens" in given:
        return PageBudget(input.budget_tokens, shown.weigh)
    room = REPLY_BYTES * max(1.0, input.limit / USUAL) - BESIDE - beside
    return PageBudget(int(room), shown.measure, _may_be_whole, is_strict=False, least=_measure_least)


def _may_be_whole(entry: Entry) -> bool:
    return entry.kind == ENTRY or (entry.kind != DOCUMENT and len(entry.body) <= SHORT)


def _match(hit: Hit) -> Match:
    """A hit on the wire; where it must fit into a budget, or is as long as a document, its content is what its passages
    hold."""
    fields = entry_fields(hit.version)
    body = fields["content"]
    passages = sorted(hit.excerpts, key=lambda excerpt: excerpt.start)
    if not hit.is_whole:
        fields["content"] = GAP.join(excerpt.text for excerpt in passages) if passages else body[:PREVIEW]
    return Match(
        **fields,
        handle=fields["id"],
        kind=hit.version.kind,
        score_lexical=hit.lexical,
        score_semantic=hit.cosine,
        score_graph=None if hit.graph_hops is None else 1 / (1 + hit.graph_hops),
        score_total=hit.score,
        graph_hops=hit.graph_hops,
        passages=tuple(_passage(hit, excerpt) for excerpt in hit.excerpts),
        truncated=True if fields["content"] != body else UNSET,
    )


def _passage(hit: Hit, excerpt: Excerpt) -> dict[str, Any]:
    """Where a passage stands; a turn of a conversation with the handle by which it is quoted."""
    cited = {"cite": cite(cast(Entry, hit.version.thing), excerpt.place["turn"])} if "turn" in excerpt.place else {}
    return {**describe(excerpt), **cited}


def _line(match: Match) -> str:
    kind = "" if match.kind == ENTRY else f"{match.kind} "
    return f"{kind}{match.id} {match.topic}: {shorten(match.content)}"


class _Matches:
    """Hits on the wire, each made once: it is weighed, and if there is room for it, it is the answer."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Hit, Match]] = {}

    def of(self, hit: Hit) -> Match:
        # The hit is kept beside it, so that no other one gets its number.
        if id(hit) not in self._made:
            self._made[id(hit)] = hit, _match(hit)
        return self._made[id(hit)][1]

    def weigh(self, hit: Hit) -> int:
        match = self.of(hit)
        return count_tokens(encode(to_json(match))) + count_tokens(_line(match))

    def measure(self, hit: Hit) -> int:
        """The bytes of a hit in what a client shows, which is the structured content or, more than that, the blocks: as
        JSON within JSON and as a line."""
        match = self.of(hit)
        return weigh(match) + size_of(_line(match))


def _measure_least(hit: Hit) -> int:
    """Every letter of the content takes a byte or more."""
    if hit.is_whole:
        return len(cast(Entry, hit.version.thing).body)
    return sum(len(excerpt.text) for excerpt in hit.excerpts)


def _sentences(
    input: Input, items: tuple[Match, ...], page: HitPage, *, triples: TripleMatches, elsewhere: dict[str, int]
) -> Iterator[str]:
    words = " ".join(word for word in (input.topic, input.content) if word)
    matching = f' matching "{words}"' if words else ""
    matching += f', read as "{page.read_as}"' if page.read_as else ""
    found = f"Found {'' if page.is_total else 'at least '}{page.total} {'entry' if page.total == 1 else 'entries'}"
    also = f" and {triples.total} {'triple' if triples.total == 1 else 'triples'}" if triples.total else ""
    yield f"{found}{also}{matching}."
    if page.first or len(items) < page.total:
        yield _which(page.first, len(items), has_more=page.next_cursor is not None)
    if elsewhere:
        yield f'Elsewhere: {name_counts(elsewhere)}; pass kinds ["all"].'
    if page.partial:
        yield page.partial
    if not input.budget_tokens and any(item.truncated is True for item in items):
        yield "What is long is cut to its passages: truncated says where, budget_tokens shows more."
    if page.waiting:
        yield f"{page.waiting} passages are still being indexed for meaning."


def _which(first: int, shown: int, *, has_more: bool) -> str:
    if not shown:
        return "None of them is on this page."
    these = f"These are {first + 1} to {first + shown}" if shown > 1 else f"This is number {first + 1}"
    return f"{these}; pass next_cursor for more." if has_more else f"{these}, the last."


def _echo(input: Input) -> dict[str, object]:
    """The arguments that were given, without the defaults."""
    return {name: value for name, value in said(input).items() if (name, value) not in _DEFAULTS}


_DEFAULTS = (("limit", USUAL), ("strict_substring", False))
_ABOUT_PAGES = frozenset({"limit", "cursor", "kinds", "budget_tokens"})
