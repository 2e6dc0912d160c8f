"""Get the memetic status."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memotheca.kernel.citations import citation_of, name_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.layers import Active, Layer, count_quadrants, layers, most_active
from memotheca.memory.care.tasks import CareTask, priority_of, standing_tasks, with_entries
from memotheca.memory.curation.pass_progress import count_ahead
from memotheca.memory.curation.undecided import KINDS
from memotheca.memory.dream.dream_log import may_dream
from memotheca.memory.session.learning import phase_at
from memotheca.memory.session.state import activity_of
from memotheca.memory.traits import KNOWN
from memotheca.memory.tuning.gates import gates_at
from memotheca.memory.tuning.thresholds import PRIORS, Gates
from memotheca.model.clock import to_iso
from memotheca.search.census import take_census
from memotheca.storage.care_tasks import TaskRow
from memotheca.toolkit.fields import UNSET, choice, flag, free, integer, many, number, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.names import TOOLS

ACTIONS = ("consolidate", "explore", "clarify", "curate", "ready")
TYPES = ("potential_merge", "ambiguity_detected", "obsolete_info", "semantic_cancer")
RESTED = "Nobody has dreamt within the last minute."
MOST_TASKS = 20  # chosen: what an answer has room for


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    session_id: str = text("", UNSET, maxLength=256)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptShape:
    node_id: str = text()
    name: str = text()
    citation: str = text()
    looks: int = integer()
    last_accessed: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskShape:
    id: str = text()
    task_type: str = choice(TYPES)
    kind: str = choice(KINDS)
    target_nodes: tuple[str, ...] = texts()
    citations: tuple[str, ...] = texts()
    sentences: tuple[str, ...] = texts()
    reason: str = text()
    found_at: str = text()
    suggested_tool: str = text()
    priority: str = choice(("high", "medium", "low"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    coherence_score: float = number()
    entropy_level: float = number()
    learning_score: float = number()
    phase: str = text()
    node_count: int = integer()
    quadrant_counts: dict[str, Any] = free()
    quadrants_judged: int = integer()
    top_active_concepts: tuple[ConceptShape, ...] = many(ConceptShape)
    suggested_action: str = choice(ACTIONS)
    dream_available: bool = flag()
    dream_reason: str = text()
    curation_tasks: tuple[TaskShape, ...] = many(TaskShape)
    curation_task_count: int = integer()
    not_yet_compared: int = integer()
    layers: dict[str, Any] = free()


EXAMPLE = Example(
    arguments={},
    after=(
        ("store_memory", {"content": "Ada lives in Paris.", "rationale": "She told us at lunch."}),
        ("store_memory", {"content": "Ada lives in Oslo.", "rationale": "She has moved."}),
    ),
)


@tool(contract="memories", effect="read", models=(Input, Output), example=EXAMPLE)
def get_memetic_status(call: Call[Kernel], input: Input) -> Answer:
    """How the memory stands and what to do about it: novelty and fit of the session, what is looked at most, and the
    curation tasks, most pressing first."""
    kernel, session = call.kernel, input.session_id or call.session
    with kernel.read() as snapshot:
        mood = activity_of(kernel).mood(snapshot.session, kernel.collection, session)
        phase = phase_at(activity_of(kernel).count(snapshot.session, kernel.collection))
        rows = standing_tasks(kernel, snapshot)
        tasks = with_entries(kernel, snapshot, rows[:MOST_TASKS])
        ahead = count_ahead(snapshot)
        counts, judged = count_quadrants(kernel, snapshot)
        active = most_active(kernel, snapshot)
        nodes = take_census(kernel, snapshot).nodes(KNOWN)
        rested = may_dream(kernel, snapshot.session)
        standing = layers(kernel, snapshot, mood)
        gates = gates_at(snapshot)
    action = suggest(mood.entropy, mood.coherence, rows, gates)
    output = Output(
        coherence_score=round(mood.coherence, 4),
        entropy_level=round(mood.entropy, 4),
        learning_score=round(mood.learning, 4),
        phase=phase.name,
        node_count=nodes,
        quadrant_counts=counts,
        quadrants_judged=judged,
        top_active_concepts=tuple(map(_concept, active)),
        suggested_action=action,
        dream_available=rested,
        dream_reason=RESTED if rested else "Somebody dreams, or has within the last minute.",
        curation_tasks=tuple(_task(task) for task in tasks),
        curation_task_count=len(rows),
        not_yet_compared=ahead,
        layers={layer.name.lower(): _layer(layer) for layer in standing},
    )
    partly = f" ({ahead} entries are still to be looked through)" if ahead else ""
    return Answer(f"{nodes} nodes, {len(rows)} curation tasks{partly}; suggested: {action}.", NODES, output)


def suggest(entropy: float, coherence: float, tasks: Sequence[TaskRow], gates: Gates = PRIORS) -> str:
    """The first rule that applies (memory-model: Pulse)."""
    is_high, is_loose = entropy > gates["entropy_high"], coherence < gates["coherence_low"]
    rules = (
        (any(priority_of(task) == "high" for task in tasks), "curate"),
        (is_high and is_loose, "consolidate"),
        (is_high and coherence > gates["coherence_fair"], "clarify"),
        (entropy < gates["entropy_low"] and is_loose, "explore"),
    )
    return next((action for applies, action in rules if applies), "ready")


def _concept(active: Active) -> ConceptShape:
    return ConceptShape(
        node_id=active.entry.id,
        name=name_of(active.entry),
        citation=citation_of(active.entry),
        looks=active.looks,
        last_accessed=to_iso(active.last),
    )


def _task(task: CareTask) -> TaskShape:
    return TaskShape(
        id=task.row.id,
        task_type=task.type,
        kind=task.kind,
        target_nodes=tuple(entry.id for entry in task.entries),
        citations=tuple(citation_of(entry) for entry in task.entries),
        # What may be planted is shown to the person who decides, not to the agent that it addresses.
        sentences=tuple(said for said in (task.row.one_said, task.row.other_said) if said and task.kind != "held"),
        reason=task.reason,
        found_at=to_iso(task.row.found),
        suggested_tool=TOOLS[task.remedy],
        priority=task.priority,
    )


def _layer(layer: Layer) -> dict[str, Any]:
    return {"status": layer.status, **layer.counts}
