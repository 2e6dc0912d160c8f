"""Find the goal."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation.reversal import hash_of
from memotheca.memory.topics.bootstrap import Bootstrap, bootstrap_goal
from memotheca.memory.topics.drift_checks import CHECKS
from memotheca.memory.topics.topics import Field
from memotheca.toolkit.fields import choice, integer, many, number, one, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.goal_shapes import FoundShape, GoalShape, tell_field, tell_found

STATUSES = ("bootstrapped", "already_bootstrapped", "insufficient_data")
DAILY = CHECKS.rstrip(":")


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    confidence_threshold: float = number("What is less sure is no goal.", 0.7, minimum=0, maximum=1)
    max_candidates: int = integer("", 10, minimum=1, maximum=100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    status: str = choice(STATUSES)
    bootstrap_result: GoalShape | None = one(GoalShape, default=None, nullable=True)
    reason: str | None = text("Why there is no goal.", default=None, nullable=True)
    candidates: tuple[GoalShape, ...] = many(GoalShape, "What it is or could be, the largest first.")
    discovery_metadata: FoundShape = one(FoundShape)
    initialized_services: tuple[str, ...] = texts("Jobs that run from now on.")
    recommendations: tuple[str, ...] = texts()
    reversal_hash: str | None = text("Takes it back with restore_from_hash.", default=None, nullable=True)


EXAMPLE = Example(
    arguments={"confidence_threshold": 0.4},
    after=tuple(
        (
            "store_memory",
            {"content": f"The {part} of the reactor was {state} by Ada.", "rationale": "Seen on the tour."},
        )
        for part in ("pump", "valve", "gauge", "core")
        for state in ("cleaned", "checked", "replaced")
    ),
)


@tool(contract="memories", component="storage", effect="change", models=(Input, Output), example=EXAMPLE)
def auto_bootstrap_north_star(call: Call[Kernel], input: Input) -> Answer:
    """Find what this memory is mostly about: the goal that drift is measured against. Topics are found from what is
    stored, by meaning, words and names; where they say too little, insufficient_data."""
    found = bootstrap_goal(call.kernel, least=input.confidence_threshold, actor=call.actor)
    known, goal = found.known, found.goal
    with call.kernel.read() as snapshot:
        told = None if goal is None else tell_field(snapshot, known, Field(id=goal.id, topics=goal.topics), goal.share)
        candidates = tuple(
            tell_field(snapshot, known, each.field, each.field.count / max(known.memories, 1))
            for each in found.candidates[: input.max_candidates]
        )
    output = Output(
        status=found.status,
        bootstrap_result=told,
        reason=found.reason or None,
        candidates=candidates,
        discovery_metadata=tell_found(known),
        initialized_services=(DAILY,) if found.status == "bootstrapped" else (),
        recommendations=_advice(found),
        reversal_hash=None if found.commit is None else hash_of(found.commit),
    )
    said = f"{found.status}: {told.goal_text}" if told is not None else f"{found.status}: {found.reason}"
    return Answer(" ".join((said, *output.recommendations)), NODES, output)


def _advice(found: Bootstrap) -> tuple[str, ...]:
    if found.status == "insufficient_data":
        return ("Store more, or ask again with a lower confidence_threshold.",) if found.known.topics else ()
    advice = ("get_alignment_drift says whether the last days keep to it.",)
    if found.known.unsorted > found.known.memories / 2:
        return (*advice, "More than half of what is stored is of no topic: the goal speaks for a part of it.")
    return advice
