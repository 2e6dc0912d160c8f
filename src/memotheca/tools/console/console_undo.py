"""Take a transaction back from a page."""

from dataclasses import dataclass

from memotheca.admin import history
from memotheca.kernel.kernel import Kernel
from memotheca.toolkit.fields import integer, text
from memotheca.toolkit.tool import Answer, Call, Example, tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    tx: int = integer("The transaction to take back", minimum=1, maximum=2**53)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    tx: int = integer()
    reverted_by: int = integer("What takes that back again")
    told: str = text()


EXAMPLE = Example(arguments={"tx": 1}, after=(("store", {"topic": "mistake", "content": "Should not be here."}),))


@tool(contract="console", effect="destroy", models=(Input, Output), example=EXAMPLE)
def console_undo(call: Call[Kernel], input: Input) -> Answer:
    """Revert one transaction; refused if a later change depends on it."""
    undoing = history.undo(call.kernel, tx=input.tx, actor=call.actor)
    told = " ".join([f"Transaction {input.tx} was taken back.", *undoing.remarks])
    return Answer(told, content=Output(tx=input.tx, reverted_by=undoing.done[-1].revert_tx, told=told))
