"""Get the health status."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memotheca.admin.checkup import Vital
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.part_health import PARTS, Part, PartHealth, condition_of, examine_part, measured_recall
from memotheca.memory.dream.dream_log import read_dreams
from memotheca.memory.dream.sleeper import is_somebody_dreaming
from memotheca.memory.focus.ego import look_at_ego
from memotheca.memory.focus.workspace import look_at_workspace
from memotheca.memory.traits import KNOWN
from memotheca.model.clock import to_iso
from memotheca.search.census import take_census
from memotheca.storage.snapshot import Snapshot
from memotheca.toolkit.fields import UNSET, Unset, choice, flag, integer, many, number, one, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.focus_shapes import rounded

ALL = "all"
SUBSYSTEMS: Mapping[str, Part] = {"utl": "judging", "gwt": "focus", "dream": "work", "storage": "storage"}
MEANING: Mapping[Part, str] = {
    "judging": "how new and fitting memories are judged",
    "focus": "what this process holds of its sessions",
    "work": "what is done between the calls",
    "storage": "the data file and its index",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    subsystem: str = choice((*SUBSYSTEMS, ALL), "Judging, sessions, background work, the store, or all.", ALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class VitalShape:
    name: str = text()
    value: float = number()
    limit: float = number("At most, or at least where much of it is wanted.")
    score: float = number("1 where it is all right, half at twice the limit.")
    is_well: bool = flag()


@dataclass(frozen=True, slots=True, kw_only=True)
class PartShape:
    status: str = choice(("healthy", "degraded", "critical"))
    score: float = number("The least of its checks.")
    of: str = text()
    checks: tuple[VitalShape, ...] = many(VitalShape)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingShape(PartShape):
    accuracy: float | None = number("The running recall of tests; null until one was run.", nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionShape(PartShape):
    kuramoto_r: float | None = number("How far the spaces agree about this session's focus.", nullable=True)
    identity_continuity: float | None = number("How far its agent still works on the same.", nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkShape(PartShape):
    is_dreaming: bool = flag()
    last_cycle: str | None = text("When the last dream ended.", nullable=True)
    cycles_completed: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreShape(PartShape):
    ok: bool = flag()
    node_count: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class SubsystemsShape:
    utl: JudgingShape | Unset = one(JudgingShape, default=UNSET)
    gwt: SessionShape | Unset = one(SessionShape, default=UNSET)
    dream: WorkShape | Unset = one(WorkShape, default=UNSET)
    storage: StoreShape | Unset = one(StoreShape, default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    overall_status: str = choice(("healthy", "degraded", "critical"))
    overall_score: float = number("The least of what was looked at.")
    subsystems: SubsystemsShape = one(SubsystemsShape)
    recommendations: tuple[str, ...] = texts()


EXAMPLE = Example(
    arguments={"subsystem": "dream"},
    after=(("store_memory", {"content": "Ada takes her tea black.", "rationale": "She told us at lunch."}),),
)


@tool(contract="memories", effect="read", models=(Input, Output), example=EXAMPLE)
def get_health_status(call: Call[Kernel], input: Input) -> Answer:
    """Measure in a moment what memotheca doctor looks at: vectors that wait, the index, its log, the queue, the disk,
    who works, recall; each beside what is all right, with what to do where it is not."""
    wanted = PARTS if input.subsystem == ALL else (SUBSYSTEMS[input.subsystem],)
    with call.kernel.read() as snapshot:
        found = {part: examine_part(call.kernel, snapshot, part) for part in wanted}
        shapes: dict[str, Any] = {
            name: _shape(call, snapshot, found[part]) for name, part in SUBSYSTEMS.items() if part in found
        }
    score = min(each.score for each in found.values())
    advice = tuple(said for each in found.values() for said in each.advice)
    output = Output(
        overall_status=condition_of(score),
        overall_score=round(score, 4),
        subsystems=SubsystemsShape(**shapes),
        recommendations=advice,
    )
    return Answer(" ".join((f"It is {condition_of(score)}.", *advice)), NODES, output)


def _shape(call: Call[Kernel], snapshot: Snapshot, health: PartHealth) -> PartShape:
    facts = tell_part(health)
    if health.part == "judging":
        recall = measured_recall(call.kernel, snapshot)
        return JudgingShape(**facts, accuracy=None if recall is None else round(recall, 4))
    if health.part == "storage":
        nodes = take_census(call.kernel, snapshot).nodes(KNOWN)
        return StoreShape(**facts, ok=condition_of(health.score) == "healthy", node_count=nodes)
    if health.part == "focus":
        order = look_at_workspace(call.kernel, snapshot, call.session).order
        continuity = look_at_ego(call.kernel, snapshot, call.session).continuity
        return SessionShape(**facts, kuramoto_r=rounded(order), identity_continuity=rounded(continuity))
    dreams = read_dreams(snapshot.session, snapshot.collection)
    return WorkShape(
        **facts,
        is_dreaming=dreams.is_open and is_somebody_dreaming(call.kernel),
        last_cycle=None if dreams.ended_at is None else to_iso(dreams.ended_at),
        cycles_completed=dreams.completed,
    )


def tell_part(health: PartHealth) -> dict[str, Any]:
    return {
        "status": condition_of(health.score),
        "score": round(health.score, 4),
        "of": MEANING[health.part],
        "checks": tuple(map(_vital, health.vitals)),
    }


def _vital(vital: Vital) -> VitalShape:
    return VitalShape(
        name=vital.name,
        value=vital.value,
        limit=vital.limit,
        score=round(vital.score, 4),
        is_well=condition_of(vital.score) == "healthy",
    )
