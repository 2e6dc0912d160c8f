"""Get how far the session's focus holds together."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.focus.awareness import LABELS, SUFFICIENT, Integration, integrate
from memotheca.memory.focus.ego import Ego, look_at_ego, status_of
from memotheca.memory.focus.workspace import ASLEEP, Workspace, look_at_workspace
from memotheca.toolkit.fields import UNSET, Unset, flag, integer, number, numbers, one, said, text
from memotheca.toolkit.tool import Answer, Call, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.focus_shapes import FOCUSED, MemoryShape, mean_phase, memory_shape, rounded, told_focus
from memotheca.tools.memories.get_ego_state import tell_ego


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    session_id: str = text("", UNSET, maxLength=256)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceShape:
    active_memory: MemoryShape | None = one(MemoryShape, nullable=True)
    is_broadcasting: bool = flag()
    has_conflict: bool = flag()
    coherence_threshold: float = number()
    competing_count: int = integer()
    time_in_workspace_ms: float | None = number("Since it is pinned, or was found.", nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityShape:
    coherence: float | None = number(nullable=True)
    continuity: float | None = number(nullable=True)
    status: str = text()
    trajectory_length: int = integer()
    purpose_vector: tuple[float | None, ...] = numbers(nullable=True)
    drift_warning: bool = flag()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisShape:
    integration_sufficient: bool | None = flag(nullable=True)
    reflection_sufficient: bool | None = flag(nullable=True)
    differentiation_sufficient: bool | None = flag(nullable=True)
    limiting_factor: str | None = text("The smallest of those that are known.", nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    C: float | None = number(
        "Integration times reflection times differentiation; null until all are known.", nullable=True
    )
    r: float | None = number("How far the spaces agree about the focus.", nullable=True)
    psi: float | None = number("Their mean phase.", nullable=True)
    meta_score: float | None = number("How right it was about what would help.", nullable=True)
    differentiation: float | None = number("How evenly the spaces agree.", nullable=True)
    integration: float | None = number("r.", nullable=True)
    reflection: float | None = number("The logistic function of 4 meta_score - 2.", nullable=True)
    state: str = text("A level of agreement, by r.")
    gwt_state: str = text("pinned, conflict, competing, open, or empty.")
    time_in_state_ms: float | None = number("Since the focus changed.", nullable=True)
    workspace: WorkspaceShape = one(WorkspaceShape)
    identity: IdentityShape = one(IdentityShape)
    component_analysis: AnalysisShape = one(AnalysisShape)
    insufficient_data: str | Unset = text(default=UNSET)
    meaning: str = text()


@tool(contract="memories", effect="read", models=(Input, Output), example=FOCUSED)
def get_consciousness_state(call: Call[Kernel], input: Input) -> Answer:
    """One page on a session's focus for whoever watches it: what it is on, how far the spaces agree, how right it was
    about what helps, whether the agent still works on the same, and what limits it. A measure of how retrieval hangs
    together; it says nothing about experience."""
    kernel, session = call.kernel, said(input).get("session_id") or call.session
    with kernel.read() as snapshot:
        focus = look_at_workspace(kernel, snapshot, session)
        ego = look_at_ego(kernel, snapshot, session)
        held = integrate(kernel, snapshot, focus.order, focus.agreed)
    now = kernel.now()
    output = Output(
        C=rounded(held.whole),
        r=rounded(focus.order),
        psi=mean_phase(focus),
        meta_score=rounded(held.accuracy),
        differentiation=rounded(held.differentiation),
        integration=rounded(held.integration),
        reflection=rounded(held.reflection),
        state=focus.state,
        gwt_state=_standing(focus),
        time_in_state_ms=_since(now, focus),
        workspace=_workspace(now, focus),
        identity=_identity(ego),
        component_analysis=_analysis(held),
        insufficient_data=_lacking(held),
        meaning=f"{told_focus(focus)} {tell_ego(ego)} This measures how retrieval hangs together, nothing else.",
    )
    return Answer(f"{output.state}: {output.meaning}", NODES, output)


def _standing(focus: Workspace) -> str:
    rules = (
        (focus.is_empty, "empty"),
        (bool(focus.disputed), "conflict"),
        (focus.pinned is not None, "pinned"),
        (bool(focus.competing), "competing"),
    )
    return next((name for holds, name in rules if holds), "open")


def _since(now: int, focus: Workspace) -> float | None:
    if focus.moved is None:
        return None
    return (now - focus.moved - (ASLEEP if focus.is_asleep else 0)) / 1000


def _workspace(now: int, focus: Workspace) -> WorkspaceShape:
    since = focus.pinned_since if focus.pinned_since is not None else focus.moved
    return WorkspaceShape(
        active_memory=memory_shape(focus.on),
        is_broadcasting=focus.pinned is not None,
        has_conflict=bool(focus.disputed),
        coherence_threshold=focus.threshold,
        competing_count=len(focus.competing),
        time_in_workspace_ms=None if since is None else (now - since) / 1000,
    )


def _identity(ego: Ego) -> IdentityShape:
    return IdentityShape(
        coherence=rounded(sum(ego.history) / len(ego.history) if ego.history else None),
        continuity=rounded(ego.continuity),
        status=status_of(ego.continuity),
        trajectory_length=ego.questions,
        purpose_vector=tuple(map(rounded, ego.agreed)),
        drift_warning=ego.is_in_crisis,
    )


def _analysis(held: Integration) -> AnalysisShape:
    enough = {name: None if value is None else value >= SUFFICIENT for name, value in held.parts.items()}
    return AnalysisShape(
        integration_sufficient=enough["integration"],
        reflection_sufficient=enough["reflection"],
        differentiation_sufficient=enough["differentiation"],
        limiting_factor=held.limiting,
    )


def _lacking(held: Integration) -> str | Unset:
    lacking = [name for name, value in held.parts.items() if value is None]
    if not lacking:
        return UNSET
    why = {
        "integration": "two memories have to be in focus",
        "reflection": f"{LABELS} outcomes have to be known, {held.outcomes} are",
        "differentiation": "two spaces have to speak of the focus",
    }
    return "; ".join(f"{name}: {why[name]}" for name in lacking)
