"""Correct drift."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.topics.correction import EXTEND, HELPS, REINFORCE, Correction, correct_drift
from memotheca.memory.topics.drift import GoalDrift
from memotheca.toolkit.fields import UNSET, Unset, choice, flag, integer, many, number, one, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

SHOWN_CHANGES = 20  # chosen: enough to see what it does; all are in the history


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    force: bool = flag("Carry it out, also where nothing has drifted.", False)
    target_alignment: float = number("Carry out as little as reaches this.", UNSET, minimum=0, maximum=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeShape:
    node_id: str | None = text("A memory that matters more.", nullable=True)
    topic_id: str | None = text("A topic that counts as part of the goal.", nullable=True)
    before: float | None = number("Its importance.", nullable=True)
    after: float | None = number(nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionShape:
    strategy_applied: str = choice((REINFORCE, EXTEND))
    alignment_before: float = number("The share of the last week's importance that serves the goal.")
    alignment_after: float = number("The same of the same memories afterwards.")
    improvement: float = number()
    success: bool = flag("Whether it was carried out and helps; with a target, whether that is reached.")
    applied: bool = flag("False: a proposal.")
    changes: tuple[ChangeShape, ...] = many(ChangeShape)
    change_count: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class StateShape:
    drift_level: str | None = text(nullable=True)
    goal_id: str | None = text(nullable=True)
    goal_topics: int = integer()
    alignment: float | None = number(nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    skipped: bool | Unset = flag(default=UNSET)
    reason: str | None = text(default=None, nullable=True)
    correction_result: CorrectionShape | None = one(CorrectionShape, default=None, nullable=True)
    before_state: StateShape = one(StateShape)
    after_state: StateShape = one(StateShape)
    forced: bool = flag()
    reversal_hash: str | None = text("Takes it back with restore_from_hash.", default=None, nullable=True)


EXAMPLE = Example(arguments={})


@tool(contract="memories", component="storage", effect="change", models=(Input, Output), example=EXAMPLE)
def trigger_drift_correction(call: Call[Kernel], input: Input) -> Answer:
    """What would bring the memory back to its goal, with its effect measured on the last week's memories before and
    after: what serves the goal matters more, or, where the work has moved, the goal takes in its topics. A proposal;
    force or target_alignment carries it out, in one transaction that can be taken back."""
    target = said(input).get("target_alignment")
    found = correct_drift(call.kernel, force=input.force, target=target, actor=call.actor)
    shape = _shape(found, target)
    output = Output(
        skipped=True if shape is None else UNSET,
        reason=found.reason or None,
        correction_result=shape,
        before_state=_state(found.drift, found.before),
        after_state=_state(found.drift_after or found.drift, found.after if found.is_applied else found.before),
        forced=input.force,
        reversal_hash=found.reversal_hash,
    )
    return Answer(_sentence(found), NODES, output)


def _shape(found: Correction, target: float | None) -> CorrectionShape | None:
    if found.before is None or found.after is None or found.improvement is None:
        return None
    helps = found.improvement >= HELPS if target is None else found.after >= target
    changes = [
        *(ChangeShape(node_id=each.id, topic_id=None, before=each.before, after=each.after) for each in found.raised),
        *(ChangeShape(node_id=None, topic_id=each.id, before=None, after=None) for each in found.adopted),
    ]
    return CorrectionShape(
        strategy_applied=found.strategy,
        alignment_before=found.before,
        alignment_after=found.after,
        improvement=found.improvement,
        success=found.is_applied and helps,
        applied=found.is_applied,
        changes=tuple(changes[:SHOWN_CHANGES]),
        change_count=len(changes),
    )


def _state(drift: GoalDrift, alignment: float | None) -> StateShape:
    return StateShape(
        drift_level=drift.level,
        goal_id=None if drift.goal is None else drift.goal.id,
        goal_topics=0 if drift.goal is None else len(drift.goal.topics),
        alignment=alignment,
    )


def _sentence(found: Correction) -> str:
    if found.improvement is None:
        return f"Skipped: {found.reason}"
    done = "Carried out" if found.is_applied else "Proposed"
    told = f"{done}: {found.strategy}, alignment {found.before:.2f} to {found.after:.2f}."
    undone = f"restore_from_hash takes back {found.reversal_hash}." if found.reversal_hash else ""
    return " ".join(part for part in (told, found.reason, undone) if part)
