"""Find entries."""

import time
from dataclasses import dataclass
from typing import Any

from pinakes.contracts.entries import ENTRIES, EntryShape, address, encode, entry_fields
from pinakes.engine.budget import count_tokens
from pinakes.engine.evidence import describe
from pinakes.engine.kernel import Kernel
from pinakes.engine.search import Budget, Hit, Page, Question, find_entries
from pinakes.engine.signals import SIGNALS, Signal
from pinakes.model.kinds import DOCUMENT, ENTRY, KINDS, KNOWLEDGE_TYPES, MEMORY_TYPES
from pinakes.toolkit.catalog import ALL
from pinakes.toolkit.fields import UNSET, Unset, choice, flag, frees, integer, many, number, said, text, texts, to_json
from pinakes.toolkit.tool import Answer, Call, Example, tool


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
    kinds: tuple[str, ...] = texts("", UNSET, values=(*KINDS, ALL))
    signals: tuple[Signal, ...] = texts("Also weigh these.", UNSET, values=SIGNALS)
    budget_tokens: int = integer("Cut to fit.", UNSET, minimum=1)


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
    as_of_tx_id: int = integer()
    mode: str = text()
    total: int = integer()
    partial: str | Unset = text(default=UNSET)
    indexing: int | Unset = integer(default=UNSET)
    tokens: int | Unset = integer(default=UNSET)
    retrieval_ms: float = number()


GAP = "\n…\n"
# How much of a document is shown where nothing in it was looked for.
PREVIEW = 500

EXAMPLE = Example(
    arguments={"topic": "deployment"},
    after=(
        ("store", {"topic": "deployment", "content": "Use blue-green deploys for zero-downtime releases."}),
        ("store", {"topic": "deployment rollback", "content": "Rollback within 5 min if error rate exceeds 1%."}),
    ),
)


@tool(contract="entries", effect="read", models=(Input, Output), example=EXAMPLE)
def query(call: Call[Kernel], input: Input) -> Answer:
    """Find stored entries by words, tags, type or time; best match first. Use it before answering from memory."""
    began = time.perf_counter()
    given = said(input)
    asked = {name: value for name, value in given.items() if name not in _ABOUT_PAGES}
    kinds = KINDS if ALL in given.get("kinds", ()) else given.get("kinds", (ENTRY,))
    budget = Budget(input.budget_tokens, _weigh) if input.budget_tokens else None
    page = find_entries(
        call.kernel, Question(**asked, kinds=kinds), limit=input.limit, cursor=given.get("cursor"), budget=budget
    )
    items = tuple(_match(hit, cut=budget is not None) for hit in page.hits)
    output = Output(
        items=items,
        next_cursor=page.next_cursor,
        as_of_tx_id=page.as_of_tx,
        mode=page.mode,
        total=page.total,
        partial=page.partial or UNSET,
        indexing=page.waiting or UNSET,
        tokens=UNSET if page.tokens is None else page.tokens,
        retrieval_ms=round((time.perf_counter() - began) * 1000, 3),
    )
    return Answer(_sentence(input, len(items), page), address(ENTRIES, _echo(input)), output)


def _match(hit: Hit, *, cut: bool) -> Match:
    """A hit on the wire; where it must fit into a budget, or is as long as a document, its content is what its passages
    hold."""
    fields = entry_fields(hit.version)
    body = fields["content"]
    passages = sorted(hit.excerpts, key=lambda excerpt: excerpt.start)
    if cut or hit.version.kind == DOCUMENT:
        fields["content"] = GAP.join(excerpt.text for excerpt in passages) if passages or cut else body[:PREVIEW]
    return Match(
        **fields,
        handle=fields["id"],
        kind=hit.version.kind,
        score_lexical=hit.lexical,
        score_semantic=hit.cosine,
        score_graph=None if hit.graph_hops is None else 1 / (1 + hit.graph_hops),
        score_total=hit.score,
        graph_hops=hit.graph_hops,
        passages=tuple(describe(excerpt) for excerpt in hit.excerpts),
        truncated=True if fields["content"] != body else UNSET,
    )


def _weigh(hit: Hit) -> int:
    return count_tokens(encode(to_json(_match(hit, cut=True))))


def _sentence(input: Input, shown: int, page: Page) -> str:
    words = " ".join(word for word in (input.topic, input.content) if word)
    matching = f' matching "{words}"' if words else ""
    matching += f', read as "{page.read_as}"' if page.read_as else ""
    found = f"Found {'' if page.is_total else 'at least '}{page.total} {'entry' if page.total == 1 else 'entries'}"
    parts = [f"{found}{matching}."]
    if page.first or shown < page.total:
        parts.append(_which(page.first, shown, has_more=page.next_cursor is not None))
    if page.partial:
        parts.append(page.partial)
    if page.waiting:
        parts.append(f"{page.waiting} passages are still being indexed for meaning.")
    return " ".join(parts)


def _which(first: int, shown: int, *, has_more: bool) -> str:
    if not shown:
        return "None of them is on this page."
    these = f"These are {first + 1} to {first + shown}" if shown > 1 else f"This is number {first + 1}"
    return f"{these}; pass next_cursor for more." if has_more else f"{these}, the last."


def _echo(input: Input) -> dict[str, object]:
    """The arguments that were given, without the defaults."""
    return {name: value for name, value in said(input).items() if (name, value) not in _DEFAULTS}


_DEFAULTS = (("limit", 20), ("strict_substring", False))
_ABOUT_PAGES = frozenset({"limit", "cursor", "kinds", "budget_tokens"})
