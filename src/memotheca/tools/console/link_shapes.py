"""What answers of the console say of a connection."""

from dataclasses import dataclass

from memotheca.model.knowledge import handle_of
from memotheca.toolkit.fields import flag, number, text
from memotheca.views.thing_view import LinkedThing


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
