"""Find triples."""

from dataclasses import dataclass

from memotheca.entries.edges import EdgePage, EdgeQuestion, find_edges
from memotheca.kernel.kernel import Kernel
from memotheca.toolkit.contract import count_fitting
from memotheca.toolkit.fields import UNSET, integer, many, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.entries.contract import LINE_COST, TRIPLES, TripleShape, address, triple_line, triple_shape

USUAL = 50  # specification: the default of `limit`


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    subject: str = text("Part of its name.", UNSET)
    predicate: str = text("", UNSET)
    object: str = text("", UNSET)
    limit: int = integer("", USUAL, minimum=1, maximum=200)
    cursor: str = text("", UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    items: tuple[TripleShape, ...] = many(TripleShape)
    next_cursor: str | None = text(nullable=True)
    as_of_tx_id: int = integer()


EXAMPLE = Example(
    arguments={"subject": "Ada"},
    after=(("relate", {"subject": "Ada", "predicate": "works_at", "object": "Analytical Engines Ltd"}),),
)


@tool(contract="entries", effect="read", models=(Input, Output), example=EXAMPLE)
def query_graph(call: Call[Kernel], input: Input) -> Answer:
    """Find triples whose subject, predicate and object contain the given text."""
    given = said(input)
    asked = {name: given[name] for name in ("subject", "predicate", "object") if name in given}
    page, items = _page(call.kernel, EdgeQuestion(**asked), input.limit, given.get("cursor"))
    if input.limit <= USUAL and (fitting := count_fitting(items, beside=LINE_COST)) < len(items):
        page, items = _page(call.kernel, EdgeQuestion(**asked), fitting, given.get("cursor"))
    output = Output(items=items, next_cursor=page.next_cursor, as_of_tx_id=page.as_of_tx)
    more = "; there are more" if page.next_cursor else ""
    counted = f"Found {len(items)} {'triple' if len(items) == 1 else 'triples'}{more}."
    echo = {name: value for name, value in given.items() if (name, value) != ("limit", USUAL)}
    return Answer(counted, address(TRIPLES, echo), output, tuple(map(triple_line, items)))


def _page(
    kernel: Kernel, question: EdgeQuestion, limit: int, cursor: str | None
) -> tuple[EdgePage, tuple[TripleShape, ...]]:
    page = find_edges(kernel, question, limit=limit, cursor=cursor)
    return page, tuple(triple_shape(edge.version, edge.source, edge.target) for edge in page.edges)
