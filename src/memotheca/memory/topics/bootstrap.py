"""The first goal: found in what is stored, and never typed in (memory-model: Goals)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memotheca.kernel.kernel import Kernel
from memotheca.memory.topics.north_star import Goal, read_goal, set_goal
from memotheca.memory.topics.survey import up_to_date
from memotheca.memory.topics.topics import FEWEST, Field, TopicMap, confidence_of
from memotheca.model.commits import Commit
from memotheca.model.knowledge import counted

BootstrapStatus = Literal["bootstrapped", "already_bootstrapped", "insufficient_data"]


@dataclass(frozen=True, slots=True)
class GoalCandidate:
    """A field that may be the goal, and how sure that is."""

    field: Field
    confidence: float


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """What looking for a goal came to: the goal where there is one, what else it could be, and why there is none."""

    status: BootstrapStatus
    known: TopicMap
    goal: Goal | None
    candidates: tuple[GoalCandidate, ...]
    reason: str = ""
    commit: Commit | None = None


def bootstrap_goal(kernel: Kernel, *, least: float, actor: str) -> Bootstrap:
    """Find the goal in what is stored, where none was found yet; one transaction, which can be taken back."""
    known = up_to_date(kernel)
    with kernel.read() as snapshot:
        goal = read_goal(snapshot, known)
    candidates = weigh_fields(known)
    if goal is not None:
        return Bootstrap("already_bootstrapped", known, goal, candidates)
    best = next((each for each in candidates if each.confidence >= least), None)
    if best is None:
        return Bootstrap("insufficient_data", known, None, candidates, _why_none(known, candidates, least))
    share = best.field.count / max(known.memories, 1)
    found = Goal(id=best.field.id, topics=best.field.topics, share=share, since=0)
    rationale = f"{best.field.count} of {known.memories} memories are about {best.field.name}."
    commit = set_goal(kernel, found, rationale, actor=actor)
    with kernel.read() as snapshot:
        return Bootstrap("bootstrapped", known, read_goal(snapshot, known), candidates, commit=commit)


def weigh_fields(known: TopicMap) -> tuple[GoalCandidate, ...]:
    """The fields, the largest first, and how sure each is."""
    weighed = [
        GoalCandidate(field, confidence_of(field.coherence, field.count, field.occasions, memories=known.memories))
        for field in known.fields
    ]
    return tuple(
        sorted(weighed, key=lambda each: (-each.field.count, -each.confidence, each.field.topics[0].members[0]))
    )


def _why_none(known: TopicMap, candidates: Sequence[GoalCandidate], least: float) -> str:
    if known.memories < FEWEST:
        return f"{counted(known.memories, 'memory')}, and topics are looked for among {FEWEST} or more."
    if not candidates:
        return f"No four of {known.memories} memories are about one subject."
    surest = max(candidates, key=lambda each: each.confidence)
    return f"The surest is {surest.field.name} with {surest.confidence:.3f}; {least:g} was asked for."
