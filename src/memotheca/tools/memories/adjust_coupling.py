"""Adjust the coupling."""

from dataclasses import dataclass

from memotheca.kernel.citations import citation_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.focus.oscillators import LEAST, MOST, order_at
from memotheca.memory.focus.pull import effect_on_last
from memotheca.memory.focus.workspace import look_at_workspace, set_coupling
from memotheca.toolkit.fields import UNSET, flag, integer, many, number, one, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    new_K: float = number("0: no pull; 10: what agrees with the focus counts up to twice. Clamped to 0 to 10.")
    session_id: str = text("", UNSET, maxLength=256)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveShape:
    id: str = text()
    citation: str = text()
    old_place: int = integer()
    new_place: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectShape:
    results: int = integer("Of the session's last question.")
    moved: tuple[MoveShape, ...] = many(MoveShape)
    focus: int = integer("Memories that pull.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    old_K: float = number()
    new_K: float = number()
    K_clamped: bool = flag()
    predicted_r: float = number("Of thirteen oscillators at this coupling: the model's, not this session's.")
    current_r: float | None = number("How far the spaces agree about this session's focus: measured.", nullable=True)
    effect: EffectShape | None = one(EffectShape, "What would stand elsewhere in the last question.", nullable=True)
    meaning: str = text()


EXAMPLE = Example(
    arguments={"new_K": 4},
    after=(
        ("store_memory", {"content": "The nightly job holds the lock.", "rationale": "Seen on Tuesday."}),
        ("store_memory", {"content": "Deploys wait for the lock.", "rationale": "Seen on Tuesday."}),
        ("search_graph", {"query": "Who holds the lock?"}),
    ),
)


@tool(contract="memories", effect="change", models=(Input, Output), example=EXAMPLE, idempotent=True)
def adjust_coupling(call: Call[Kernel], input: Input) -> Answer:
    """Say how strongly what this session is about pulls what its next questions find: a result counts 1 + K/10 · r
    times its score, where r is how far it agrees with the focus. Tells what that would have moved in the last
    question."""
    session = said(input).get("session_id") or call.session
    new = min(MOST, max(LEAST, input.new_K))
    old = set_coupling(call.kernel, session, new)
    with call.kernel.read() as snapshot:
        focus = look_at_workspace(call.kernel, snapshot, session)
        effect = effect_on_last(call.kernel, snapshot, session, old=old, new=new)
    shape = None
    if effect is not None:
        moves = tuple(
            MoveShape(id=each.entry.id, citation=citation_of(each.entry), old_place=each.old, new_place=each.new)
            for each in effect.moves
        )
        shape = EffectShape(results=effect.results, moved=moves, focus=effect.members)
    output = Output(
        old_K=old,
        new_K=new,
        K_clamped=new != input.new_K,
        predicted_r=round(order_at(new), 4),
        current_r=None if focus.order is None else round(focus.order, 4),
        effect=shape,
        meaning=_meaning(new, shape),
    )
    return Answer(f"K is {new:g}. {output.meaning}", NODES, output)


def _meaning(new: float, effect: EffectShape | None) -> str:
    if not new:
        pull = "The focus of this session pulls nothing: results stand by how well they answer."
    else:
        pull = f"What agrees with the focus of this session counts up to {1 + new / 10:.2f} times its score."
    if effect is None:
        return f"{pull} Nothing was asked after something else yet, so that no effect can be told."
    return f"{pull} In the last question {len(effect.moved)} of {effect.results} results would have stood elsewhere."
