"""Pin a memory for this session."""

from dataclasses import dataclass
from typing import cast

from memotheca.kernel.citations import citation_of, name_of
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.nodes import find_node
from memotheca.memory.focus.workspace import broadcast, pinned_entry, unpin
from memotheca.model.knowledge import Entry
from memotheca.toolkit.fields import UNSET, flag, number, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    memory_id: str = text("", format="uuid")
    importance: float = number("How much it matters now.", 0.8, minimum=0, maximum=1)
    alignment: float = number("How far it serves the goal.", 0.8, minimum=0, maximum=1)
    force: bool = flag("Whether or not it agrees with the focus.", False)
    unpin: bool = flag("Take it off instead.", False)
    session_id: str = text("", UNSET, maxLength=256)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    success: bool = flag()
    memory_id: str = text()
    new_r: float | None = number("How far it agrees with the focus; null: nothing to compare.", nullable=True)
    score: float | None = number("new_r times importance times alignment.", nullable=True)
    was_selected: bool = flag()
    is_broadcasting: bool = flag("Whether contexts of this session contain it now.")
    dopamine_triggered: float = number("By how much dopamine rose.")
    reason: str = text()
    meaning: str = text()


EXAMPLE = Example(
    arguments={"memory_id": "$node_id", "force": True},
    after=(("store_memory", {"content": "Never deploy on a Friday.", "rationale": "Twice it went wrong."}),),
)


@tool(contract="memories", effect="change", models=(Input, Output), example=EXAMPLE, idempotent=True)
def trigger_workspace_broadcast(call: Call[Kernel], input: Input) -> Answer:
    """Pin a memory: every context of this session contains it, within the budget, until another is pinned or it is
    taken off. It must agree with what the session is about, or be forced."""
    session = said(input).get("session_id") or call.session
    with call.kernel.read() as snapshot:
        entry = cast(Entry, find_node(snapshot, input.memory_id, field="memory_id").thing)
        held = pinned_entry(call.kernel, snapshot, session)
    if input.unpin:
        return _take_off(call, session, entry, is_held=held is not None and held.id == entry.id)
    weight = input.importance * input.alignment
    done = broadcast(call.kernel, entry, session, weight=weight, force=input.force)
    told = f"{name_of(entry)} {citation_of(entry)}"
    output = Output(
        success=done.is_selected,
        memory_id=entry.id,
        new_r=None if done.order is None else round(done.order, 4),
        score=round(done.score, 4),
        was_selected=done.is_selected,
        is_broadcasting=done.is_pinned,
        dopamine_triggered=round(done.dopamine, 4),
        reason=done.reason,
        meaning=f"Every context of this session now contains {told}."
        if done.is_selected
        else f"{told} was not pinned: {done.reason}. Use force to pin it all the same.",
    )
    return Answer(output.meaning, f"{NODES}/{entry.id}", output)


def _take_off(call: Call[Kernel], session: str, entry: Entry, *, is_held: bool) -> Answer:
    if is_held:
        unpin(call.kernel, session)
    reason = "it was pinned" if is_held else "it was not pinned"
    output = Output(
        success=is_held,
        memory_id=entry.id,
        new_r=None,
        score=None,
        was_selected=False,
        is_broadcasting=False,
        dopamine_triggered=0.0,
        reason=reason,
        meaning=f"Contexts of this session contain {citation_of(entry)} only where a question brings it.",
    )
    return Answer(output.meaning, f"{NODES}/{entry.id}", output)
