"""Get the workspace status."""

from dataclasses import dataclass

from memotheca.kernel.citations import citation_of, name_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.focus.workspace import look_at_workspace
from memotheca.toolkit.fields import UNSET, flag, integer, many, number, one, said, text, texts
from memotheca.toolkit.tool import Answer, Call, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.focus_shapes import FOCUSED, MemoryShape, memory_shape, told_focus


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    session_id: str = text("", UNSET, maxLength=256)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompetitorShape:
    id: str = text()
    name: str = text()
    citation: str = text()
    r: float = number("How far it agrees with the rest of the focus.")
    score: float = number("r times its importance.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    active_memory: MemoryShape | None = one(MemoryShape, "What is pinned, else what was found first.", nullable=True)
    is_broadcasting: bool = flag("Whether it is pinned, so that contexts contain it.")
    has_conflict: bool = flag()
    coherence_threshold: float = number("From which r on a memory competes.")
    conflict_memories: tuple[str, ...] = texts()
    broadcast_duration_ms: float = number("For how long it is pinned by now.")
    competing: tuple[CompetitorShape, ...] = many(CompetitorShape)
    in_focus: int = integer("Memories of the last questions and stores.")
    history_len: int = integer("Memories that were pinned in this session.")
    is_empty: bool = flag("Nothing near was found for five seconds.")
    meaning: str = text()


@tool(contract="memories", effect="read", models=(Input, Output), example=FOCUSED)
def get_workspace_status(call: Call[Kernel], input: Input) -> Answer:
    """What this session's attention is on: what is pinned, what competes with it by how far it agrees with the rest of
    the last questions and stores, what of it is disputed, and whether nothing was found."""
    kernel, session = call.kernel, said(input).get("session_id") or call.session
    with kernel.read() as snapshot:
        focus = look_at_workspace(kernel, snapshot, session)
    since = focus.pinned_since
    output = Output(
        active_memory=memory_shape(focus.on),
        is_broadcasting=focus.pinned is not None,
        has_conflict=bool(focus.disputed),
        coherence_threshold=focus.threshold,
        conflict_memories=focus.disputed,
        broadcast_duration_ms=0.0 if since is None else (kernel.now() - since) / 1000,
        competing=tuple(
            CompetitorShape(
                id=each.entry.id,
                name=name_of(each.entry),
                citation=citation_of(each.entry),
                r=round(each.order, 4),
                score=round(each.score, 4),
            )
            for each in focus.competing
        ),
        in_focus=len(focus.members),
        history_len=focus.pinned_before,
        is_empty=focus.is_empty,
        meaning=told_focus(focus),
    )
    return Answer(output.meaning, NODES, output)
