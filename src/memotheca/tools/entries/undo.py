"""Undo transactions."""

from dataclasses import dataclass

from memotheca.admin import history
from memotheca.kernel.kernel import Kernel
from memotheca.toolkit.fields import UNSET, integer, many, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.entries.contract import TRANSACTIONS, address, transaction_shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    count: int = integer("", 1, minimum=1, maximum=1000)
    tx_id: int = integer("This one instead.", UNSET, minimum=1, maximum=2**53)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reverted:
    tx_id: int = integer()
    op: str = text()
    entity_type: str = text()
    entity_id: str = text()
    revert_tx_id: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    reverted: tuple[Reverted, ...] = many(Reverted)


EXAMPLE = Example(arguments={}, after=(("store", {"topic": "mistake", "content": "Should not be here."}),))


@tool(contract="entries", effect="destroy", models=(Input, Output), example=EXAMPLE)
def undo(call: Call[Kernel], input: Input) -> Answer:
    """Revert the newest transactions, or one by its tx_id; refused if a later change depends on it."""
    given = said(input)
    undoing = history.undo(call.kernel, count=given.get("count"), tx=given.get("tx_id"), actor=call.actor)
    done = undoing.done
    items: list[Reverted] = []
    for undone in done:
        shape = transaction_shape(undone.happening.commit, undone.happening.about, None)
        items.append(
            Reverted(
                tx_id=shape.tx_id,
                op=shape.op,
                entity_type=shape.entity_type,
                entity_id=shape.entity_id,
                revert_tx_id=undone.revert_tx,
            )
        )
    named = ", ".join(f"{item.tx_id} ({item.op} {item.entity_id})" for item in items)
    missing = [f"There were only {undoing.steps} to revert."] if items and undoing.steps < input.count else []
    sentence = " ".join([f"Reverted {named}." if items else "There is nothing to undo.", *missing, *undoing.remarks])
    uri = address(TRANSACTIONS, {"as_of_tx_id": done[-1].revert_tx} if done else {})
    return Answer(sentence, uri, Output(reverted=tuple(items)))
