"""Get how far the spaces are in step."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.focus.oscillators import APART, AS_ONE, FREQUENCIES, IN_STEP, order_at, standard_frequencies
from memotheca.memory.focus.workspace import look_at_workspace
from memotheca.memory.spaces.space_table import IDS, SPACES
from memotheca.model.clock import SECOND
from memotheca.toolkit.fields import UNSET, number, numbers, one, said, text, texts
from memotheca.toolkit.tool import Answer, Call, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.focus_shapes import FOCUSED, mean_phase, phases_of, rounded, told_focus, voting


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    session_id: str = text("", UNSET, maxLength=256)


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsShape:
    conscious: float = number()
    fragmented: float = number()
    hypersync: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    r: float | None = number("How far the spaces agree about the focus; null: nothing to compare.", nullable=True)
    psi: float | None = number("Their mean phase: 0 where they agree.", nullable=True)
    synchronization: float | None = number("The share of voting spaces that see it nearer than usual.", nullable=True)
    state: str = text("A level of agreement, by r.")
    phases: tuple[float | None, ...] = numbers("0: as near as any two are; pi: as far. Null: abstains.", nullable=True)
    natural_freqs: tuple[float, ...] = numbers("Of the model, in Hz.")
    effective_freqs: tuple[float, ...] = numbers("The same with mean 0 and spread 1, as the model uses them.")
    coupling: float = number("K.")
    predicted_r: float = number("Of the model at K.")
    elapsed_seconds: float | None = number("Since the focus changed.", nullable=True)
    embedding_labels: tuple[str, ...] = texts()
    thresholds: LimitsShape = one(LimitsShape)
    meaning: str = text()


@tool(contract="memories", effect="read", models=(Input, Output), example=FOCUSED)
def get_kuramoto_sync(call: Call[Kernel], input: Input) -> Answer:
    """How far each of the thirteen spaces agrees that what this session is on belongs to the rest of it, as phases,
    and together as r; beside that the model of coupled oscillators at the session's coupling."""
    kernel, session = call.kernel, said(input).get("session_id") or call.session
    with kernel.read() as snapshot:
        focus = look_at_workspace(kernel, snapshot, session)
    agreed = voting(focus)
    near = sum(each > 0.5 for each in agreed) / len(agreed) if agreed else None
    output = Output(
        r=rounded(focus.order),
        psi=mean_phase(focus),
        synchronization=rounded(near),
        state=focus.state,
        phases=phases_of(focus),
        natural_freqs=FREQUENCIES,
        effective_freqs=tuple(round(each, 4) for each in standard_frequencies()),
        coupling=focus.coupling,
        predicted_r=round(order_at(focus.coupling), 4),
        elapsed_seconds=None if focus.moved is None else round((kernel.now() - focus.moved) / SECOND, 3),
        embedding_labels=tuple(f"{id} {space.name}" for id, space in zip(IDS, SPACES, strict=True)),
        thresholds=LimitsShape(conscious=IN_STEP, fragmented=APART, hypersync=AS_ONE),
        meaning=told_focus(focus),
    )
    return Answer(f"{output.state}: {output.meaning}", NODES, output)
