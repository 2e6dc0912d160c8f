"""Find entries."""

import time
from dataclasses import dataclass

from pinakes.contracts.entries import ENTRIES, EntryShape, address, entry_fields
from pinakes.engine.kernel import Kernel
from pinakes.engine.search import Page, Question, find_entries
from pinakes.engine.signals import SIGNALS, Signal
from pinakes.model.kinds import ENTRY, KINDS, KNOWLEDGE_TYPES, MEMORY_TYPES
from pinakes.toolkit.catalog import ALL
from pinakes.toolkit.fields import UNSET, Unset, choice, flag, integer, many, number, said, text, texts
from pinakes.toolkit.tool import Answer, Call, Example, tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    topic: str = text("Words the topic must carry.", UNSET, maxLength=1000)
    content: str = text("A question in free text.", UNSET, maxLength=4096)
    tags: tuple[str, ...] = texts("All must match.", UNSET)
    limit: int = integer("", 20, minimum=1, maximum=200)
    cursor: str = text("", UNSET)
    as_of: str = text("Valid then (ISO-8601).", UNSET)
    knowledge_type: str = choice(KNOWLEDGE_TYPES, "", UNSET)
    memory_type: str = choice(MEMORY_TYPES, "", UNSET)
    strict_substring: bool = flag("Match letter by letter.", False)
    kinds: tuple[str, ...] = texts("", UNSET, values=(*KINDS, ALL))
    signals: tuple[Signal, ...] = texts("Also weigh these.", UNSET, values=SIGNALS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Match(EntryShape):
    handle: str = text()
    kind: str = text()
    score_lexical: float | None = number(default=None, nullable=True)
    score_semantic: float | None = number(default=None, nullable=True)
    score_graph: float | None = number(default=None, nullable=True)
    score_total: float | None = number(default=None, nullable=True)
    graph_hops: int | None = integer(default=None, nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    items: tuple[Match, ...] = many(Match)
    next_cursor: str | None = text(nullable=True)
    as_of_tx_id: int = integer()
    mode: str = text()
    indexing: int | Unset = integer(default=UNSET)
    retrieval_ms: float = number()


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
    asked = {name: value for name, value in given.items() if name not in ("limit", "cursor", "kinds")}
    kinds = KINDS if ALL in given.get("kinds", ()) else given.get("kinds", (ENTRY,))
    page = find_entries(call.kernel, Question(**asked, kinds=kinds), limit=input.limit, cursor=given.get("cursor"))
    items = tuple(
        Match(
            **(fields := entry_fields(hit.version)),
            handle=fields["id"],
            kind=hit.version.kind,
            score_lexical=hit.lexical,
            score_semantic=hit.cosine,
            score_graph=None if hit.graph_hops is None else 1 / (1 + hit.graph_hops),
            score_total=hit.score,
            graph_hops=hit.graph_hops,
        )
        for hit in page.hits
    )
    output = Output(
        items=items,
        next_cursor=page.next_cursor,
        as_of_tx_id=page.as_of_tx,
        mode=page.mode,
        indexing=page.waiting or UNSET,
        retrieval_ms=round((time.perf_counter() - began) * 1000, 3),
    )
    return Answer(_sentence(input, len(items), page), address(ENTRIES, _echo(input)), output)


def _sentence(input: Input, shown: int, page: Page) -> str:
    words = " ".join(word for word in (input.topic, input.content) if word)
    matching = f' matching "{words}"' if words else ""
    more = " There are more: pass next_cursor." if page.next_cursor else ""
    late = f" {page.waiting} passages are still being indexed for meaning." if page.waiting else ""
    return f"Found {shown} {'entry' if shown == 1 else 'entries'}{matching}.{more}{late}"


def _echo(input: Input) -> dict[str, object]:
    """The arguments that were given, without the defaults."""
    return {name: value for name, value in said(input).items() if (name, value) not in _DEFAULTS}


_DEFAULTS = (("limit", 20), ("strict_substring", False))
