"""Get the homeostatic status."""

from dataclasses import dataclass
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.homeostasis import SET_POINT, Homeostasis, homeostasis
from memotheca.memory.session.state import activity_of
from memotheca.model.clock import to_iso
from memotheca.toolkit.fields import free, integer, many, number, one, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling:
    factor: float | None = number(nullable=True)
    last_time: str | None = text(default=None, nullable=True)
    writes_until_next: int | None = integer(default=None, nullable=True)
    reason: str = text(default="The factor is shown and never applied: only people and agents move importance.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    id: str = text()
    importance: float = number()
    neighbor_entropy: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantined:
    id: str = text()
    reason: str = text()
    since: str = text()
    until: str | None = text(default=None, nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantine:
    total: int = integer()
    by_reason: dict[str, Any] = free()
    nodes: tuple[Quarantined, ...] = many(Quarantined)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    quantity: str = text()
    value: float = number()
    set_point: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    node_count: int = integer()
    mean_importance: float | None = number(nullable=True)
    importance_variance: float | None = number(nullable=True)
    set_point: float = number()
    scaling: Scaling = one(Scaling)
    semantic_cancer_suspects: tuple[Suspect, ...] = many(Suspect)
    quarantine: Quarantine = one(Quarantine)
    stability: float = number()
    drift_alerts: tuple[Alert, ...] = many(Alert)
    health_score: float = number()


EXAMPLE = Example(
    arguments={},
    after=(
        (
            "store_memory",
            {"content": "Ada takes her tea black.", "rationale": "She told us at lunch.", "importance": 0.8},
        ),
    ),
)


@tool(contract="memories", effect="read", models=(Input, Output), example=EXAMPLE)
def homeostatic_status(call: Call[Kernel], input: Input) -> Answer:
    """See whether the memory is in balance: how importance is spread, what glues unrelated things together, what is
    quarantined and until when, and one number for its health."""
    kernel = call.kernel
    with kernel.read() as snapshot:
        mood = activity_of(kernel).mood(snapshot.session, kernel.collection, call.session)
        found = homeostasis(kernel, snapshot, mood, call.session)
    output = Output(
        node_count=found.count,
        mean_importance=_rounded(found.mean),
        importance_variance=_rounded(found.variance),
        set_point=SET_POINT,
        scaling=Scaling(factor=None if found.factor is None else round(found.factor, 6)),
        semantic_cancer_suspects=tuple(
            Suspect(id=id, importance=round(each.importance, 4), neighbor_entropy=round(each.entropy or 0.0, 4))
            for id, each in found.suspects
        ),
        quarantine=_quarantine(found),
        stability=round(found.stability, 4),
        drift_alerts=tuple(
            Alert(quantity=drift.quantity, value=round(drift.value, 4), set_point=drift.set_point)
            for drift in found.alerts
        ),
        health_score=round(found.health, 4),
    )
    told = f"Health {found.health:.2f}; {len(found.suspects)} suspects; {len(found.quarantined)} quarantined."
    return Answer(told, NODES, output)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _quarantine(found: Homeostasis) -> Quarantine:
    return Quarantine(
        total=len(found.quarantined),
        by_reason=found.by_reason,
        nodes=tuple(
            Quarantined(
                id=id,
                reason=str(held.get("reason", "unknown")),
                since=to_iso(int(held["since"])),
                until=None if held.get("until") is None else to_iso(int(held["until"])),
            )
            for id, held in found.quarantined
        ),
    )
