"""List transactions."""

from dataclasses import dataclass

from memotheca.admin.history import list_history
from memotheca.kernel.kernel import Kernel
from memotheca.model.kinds import KINDS
from memotheca.toolkit.fields import UNSET, choice, integer, many, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.entries.contract import (
    TRANSACTIONS,
    TransactionShape,
    address,
    transaction_line,
    transaction_shape,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    limit: int = integer("", 20, minimum=1, maximum=100)
    entity_type: str = choice((*KINDS, "triple"), "", UNSET)
    cursor: str = text("", UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    items: tuple[TransactionShape, ...] = many(TransactionShape)
    next_cursor: str | None = text(nullable=True)
    as_of_tx_id: int = integer()


EXAMPLE = Example(
    arguments={"limit": 2},
    after=(
        ("store", {"topic": "deployment", "content": "Use blue-green deploys."}),
        ("update", {"id": "e-1", "confidence": 0.9}),
    ),
)


@tool(contract="entries", effect="read", models=(Input, Output), example=EXAMPLE)
def history(call: Call[Kernel], input: Input) -> Answer:
    """List what was changed, newest first, by whom, and what reverted it."""
    given = said(input)
    page = list_history(
        call.kernel, limit=input.limit, entity_type=given.get("entity_type"), cursor=given.get("cursor")
    )
    items = tuple(transaction_shape(found.commit, found.about, found.undone_by) for found in page.happenings)
    output = Output(items=items, next_cursor=page.next_cursor, as_of_tx_id=page.as_of_tx)
    more = "; there are more" if page.next_cursor else ""
    sentence = f"{len(items)} {'transaction' if len(items) == 1 else 'transactions'}, newest first{more}."
    echo = {name: value for name, value in given.items() if (name, value) != ("limit", 20)}
    return Answer(sentence, address(TRANSACTIONS, echo), output, tuple(map(transaction_line, items)))
