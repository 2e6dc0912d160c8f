"""Settle what waited for a decision, from a page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast, get_args

from memotheca.entries.edges import RESOLUTIONS, ClaimConflict, Resolution, pending_conflicts
from memotheca.entries.edges import settle as settle_claim
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.settle import CHOICES, Choice, settle
from memotheca.model.errors import Failure, Refusal
from memotheca.toolkit.fields import choice, integer, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.views.open_tasks import find_task

ANSWERS = (*cast(tuple[Choice, ...], get_args(Choice)), *RESOLUTIONS)
TOLD: Mapping[str, str] = {
    "replace": "The new one holds; it replaced the other.",
    "retain_both": "The new one holds from now on, the other held until now.",
    "reject": "The new one was dropped; the other one holds.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    task_id: str = text("The id of a task", minLength=1, maxLength=100)
    choice: Choice | Resolution = choice(ANSWERS, "What a person decided")


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    task_id: str = text()
    told: str = text()
    tx: int | None = integer(nullable=True)


EXAMPLE = Example(
    arguments={"task_id": "$task_id", "choice": "second"},
    # While next to nothing is known, a person is asked in general.
    after=(
        *(("store", {"topic": f"shelf {number}", "content": "A shelf."}) for number in range(9)),
        ("store_memory", {"content": "The standup is at 9:00.", "rationale": "Asked for the time."}),
        ("store_memory", {"content": "The standup is at 10:30 now.", "rationale": "It was moved."}),
        ("epistemic_action", {"force": True}),
    ),
)


@tool(contract="console", effect="change", models=(Input, Output), example=EXAMPLE, idempotent=False)
def console_settle(call: Call[Kernel], input: Input) -> Answer:
    """Carry out what a person decided about a task, in one transaction that can be undone."""
    claims = (each for each in pending_conflicts(call.kernel) if each.conflict_id == input.task_id)
    clash = next(claims, None)
    if clash is not None:
        return _settle_clash(call, clash, input)
    task = find_task(call.kernel, input.task_id)
    _refuse_others(input, CHOICES.get(task.kind, ()))
    chosen = cast(Choice, input.choice)
    why = f"A person was shown the task ({task.reason}) and chose: {chosen}."
    done = settle(call.kernel, task, chosen, rationale=why, actor=call.actor)
    return Answer(done.told, content=Output(task_id=input.task_id, told=done.told, tx=done.tx))


def _settle_clash(call: Call[Kernel], clash: ClaimConflict, input: Input) -> Answer:
    _refuse_others(input, RESOLUTIONS)
    resolution = cast(Resolution, input.choice)
    related = settle_claim(call.kernel, clash.conflict_id, resolution, clash.incoming, actor=call.actor)
    tx = None if resolution == "reject" else related.version.tx
    return Answer(TOLD[resolution], content=Output(task_id=input.task_id, told=TOLD[resolution], tx=tx))


def _refuse_others(input: Input, offered: Sequence[str]) -> None:
    if input.choice not in offered:
        told = ", ".join(offered) or "nothing: nobody is asked about it"
        raise Refusal(Failure.INVALID, f"About such a task can be answered: {told}.", field="choice")
