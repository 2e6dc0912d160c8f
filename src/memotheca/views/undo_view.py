"""What an undo would do, shown before it is done."""

from dataclasses import dataclass
from typing import Literal

from memotheca.admin.history import ChangedSince, preview_undo
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.names import find_thing, name_thing, short_handle
from memotheca.model.kinds import TRIPLE
from memotheca.model.knowledge import Edge
from memotheca.views.differences import FieldChange, compare_things
from memotheca.views.thing_names import name_entry

Effect = Literal["removed", "restored", "changed"]
MANY = 100  # chosen: things that are shown one by one; the count says how many there are


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeseenChange:
    """A thing as it is and as an undo would leave it."""

    id: str
    handle: str
    title: str
    kind: str
    effect: Effect
    fields: list[FieldChange]


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreseen:
    """What an undo would change, or why it cannot be done, and which transaction is in the way."""

    changes: list[ForeseenChange]
    total: int
    reason: str
    is_possible: bool
    blocked_by: int | None


def foresee_undo(kernel: Kernel, tx: int) -> Foreseen:
    preview = preview_undo(kernel, tx)
    if preview.refusal is not None:
        refusal = preview.refusal
        if not isinstance(refusal, ChangedSince):
            return Foreseen(changes=[], total=0, reason=refusal.message, is_possible=False, blocked_by=None)
        title = _title(kernel, refusal.name)
        later = f"transaction {refusal.later} changed {title} since. Undo that one first."
        told = f"Transaction {tx} cannot be undone: {later}"
        return Foreseen(changes=[], total=0, reason=told, is_possible=False, blocked_by=refusal.later)
    changes: list[ForeseenChange] = []
    with kernel.read() as snapshot:
        for now, then in preview.changes[:MANY]:
            thing = now.thing or then
            if thing is None:
                continue
            is_edge = isinstance(thing, Edge)
            title = name_thing(snapshot, thing) if is_edge else name_entry(snapshot, thing).title
            changes.append(
                ForeseenChange(
                    id=now.id,
                    handle=short_handle(snapshot, thing),
                    title=title,
                    kind=TRIPLE if is_edge else now.kind,
                    effect="removed" if then is None else "restored" if now.thing is None else "changed",
                    fields=compare_things(now.thing, then),
                )
            )
    total = len(preview.changes)
    told = f"Takes back transaction {tx}: {total} {'thing' if total == 1 else 'things'} would change."
    return Foreseen(changes=changes, total=total, reason=told, is_possible=True, blocked_by=None)


def _title(kernel: Kernel, named: str) -> str:
    """What a person calls it; its handle may be a long number."""
    with kernel.read() as snapshot:
        thing = find_thing(snapshot, named).thing
        if thing is None:
            return repr(named)
        return f"“{name_thing(snapshot, thing) if isinstance(thing, Edge) else name_entry(snapshot, thing).title}”"
