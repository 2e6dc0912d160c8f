"""What several answers of the console have in common."""

from collections.abc import Sequence
from dataclasses import dataclass

from memotheca.model.clock import to_iso
from memotheca.model.commits import Commit
from memotheca.toolkit.fields import UNSET, Unset, flag, integer, text
from memotheca.views.as_of import PastState
from memotheca.views.differences import FieldChange
from memotheca.views.thing_names import ThingName


@dataclass(frozen=True, slots=True, kw_only=True)
class StateShape:
    """The state that was looked at: after which transaction, and when that was."""

    tx: int = integer()
    at: str | None = text(nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class NameShape:
    """Something that is named where another is spoken of."""

    id: str = text()
    handle: str = text()
    title: str = text()


def state_shape(state: PastState | None) -> StateShape | Unset:
    return UNSET if state is None else StateShape(tx=state.tx, at=None if not state.time else to_iso(state.time))


def name_shape(name: ThingName | None) -> NameShape | Unset:
    return UNSET if name is None else NameShape(id=name.id, handle=name.handle, title=name.title)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeShape:
    """What a field said before and says after; cut where there is more around what differs."""

    field: str = text()
    before: str | None = text(nullable=True)
    after: str | None = text(nullable=True)
    cut: bool = flag()


def change_shapes(changes: Sequence[FieldChange]) -> tuple[ChangeShape, ...]:
    return tuple(
        ChangeShape(field=each.field, before=each.before, after=each.after, cut=each.is_cut) for each in changes
    )


def why_of(commit: Commit) -> str | None:
    """Why a transaction was made, where somebody said so."""
    said = commit.note.get("rationale") or commit.note.get("reason")
    return said if isinstance(said, str) else None
