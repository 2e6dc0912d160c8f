"""What several answers of the console have in common."""

from collections.abc import Sequence
from dataclasses import dataclass

from memotheca.admin.health import HealthFinding
from memotheca.model.clock import to_iso
from memotheca.model.commits import Commit
from memotheca.model.knowledge import handle_of
from memotheca.toolkit.fields import UNSET, Unset, flag, integer, number, text
from memotheca.views.as_of import PastState
from memotheca.views.differences import FieldChange
from memotheca.views.search_view import ThingName
from memotheca.views.thing_view import LinkedThing

LONGEST_FINDING = 300  # chosen: a finding in a sentence or two
LONGEST_TITLE = 80  # chosen: as long as a line of a table


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


def moment(time: int | None) -> str | None:
    return None if time is None else to_iso(time)


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun if number == 1 else noun + 's'}"


def cut(title: str) -> str:
    """A title where very many are told."""
    return title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 1]}…"


@dataclass(frozen=True, slots=True, kw_only=True)
class TieShape:
    """A connection, and the thing at its other end."""

    id: str = text()
    handle: str = text()
    title: str = text()
    kind: str = text()
    type: str = text()
    predicate: str = text()
    weight: float = number()
    confidence: float | None = number(nullable=True)
    evidence: str | None = text(nullable=True)
    edge: str | None = text(nullable=True)
    ghost: bool = flag()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeShape:
    """What a field said before and says after; cut where there is more around what differs."""

    field: str = text()
    before: str | None = text(nullable=True)
    after: str | None = text(nullable=True)
    cut: bool = flag()


def link_shape(linked: LinkedThing) -> TieShape:
    tie, shown, edge = linked.tie, linked.shown, linked.tie.edge
    evidence = None if edge is None else edge.attributes.get("evidence") or edge.attributes.get("rationale")
    return TieShape(
        id=shown.id,
        handle=shown.handle,
        title=shown.title,
        kind=shown.kind,
        type=tie.type,
        predicate=tie.predicate,
        weight=round(tie.weight, 4),
        confidence=None if edge is None else edge.confidence,
        evidence=evidence if isinstance(evidence, str) else None,
        edge=None if edge is None else handle_of(edge),
        ghost=shown.is_ghost,
    )


def change_shapes(changes: Sequence[FieldChange]) -> tuple[ChangeShape, ...]:
    return tuple(
        ChangeShape(field=each.field, before=each.before, after=each.after, cut=each.is_cut) for each in changes
    )


def why_of(commit: Commit) -> str | None:
    """Why a transaction was made, where somebody said so."""
    said = commit.note.get("rationale") or commit.note.get("reason")
    return said if isinstance(said, str) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingShape:
    """One thing that was looked at, and what to do where it is not well."""

    name: str = text()
    well: bool = flag()
    detail: str = text()
    fix: str = text()


def finding_shape(finding: HealthFinding) -> FindingShape:
    longest = LONGEST_FINDING
    detail, fix = finding.detail[:longest], finding.fix[:longest]
    return FindingShape(name=finding.name[:longest], well=finding.well, detail=detail, fix=fix)
