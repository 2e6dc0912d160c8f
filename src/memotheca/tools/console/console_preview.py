"""Preview an undo for a page."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.toolkit.fields import flag, integer, many, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.console.shapes import ChangeShape, change_shapes
from memotheca.views.undo_view import foresee_undo


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    tx: int = integer("The transaction that would be taken back", minimum=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeseenShape:
    id: str = text()
    handle: str = text()
    title: str = text()
    kind: str = text()
    effect: str = text()
    fields: tuple[ChangeShape, ...] = many(ChangeShape)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    tx: int = integer()
    possible: bool = flag()
    reason: str = text()
    blocked_by: int | None = integer(nullable=True)
    changes: tuple[ForeseenShape, ...] = many(ForeseenShape)
    changes_total: int = integer()


EXAMPLE = Example(
    arguments={"tx": 2},
    after=(
        ("store", {"topic": "Ada's tea", "content": "black"}),
        ("update", {"id": "e-1", "content": "with milk"}),
    ),
)


@tool(contract="console", effect="read", models=(Input, Output), example=EXAMPLE)
def console_preview(call: Call[Kernel], input: Input) -> Answer:
    """Say what taking back a transaction would change, or why it cannot be taken back; changes nothing."""
    found = foresee_undo(call.kernel, input.tx)
    changes = tuple(
        ForeseenShape(
            id=each.id,
            handle=each.handle,
            title=each.title,
            kind=each.kind,
            effect=each.effect,
            fields=change_shapes(each.fields),
        )
        for each in found.changes
    )
    output = Output(
        tx=input.tx,
        possible=found.is_possible,
        reason=found.reason,
        blocked_by=found.blocked_by,
        changes=changes,
        changes_total=found.total,
    )
    return Answer(found.reason, content=output)
