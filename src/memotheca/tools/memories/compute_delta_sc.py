"""Compute novelty and fit, and their change."""

from dataclasses import dataclass
from typing import Any, cast

from memotheca.kernel.citations import citation_of
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.nodes import find_node
from memotheca.memory.focus.delta import DeltaSC, DeltaStanding, compute_delta
from memotheca.memory.session.quadrants import QUADRANTS, quadrant
from memotheca.memory.spaces.space_table import IDS, SPACES
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.toolkit.fields import UNSET, Unset, flag, integer, many, number, numbers, one, said, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES


@dataclass(frozen=True, slots=True, kw_only=True)
class OldFingerprint:
    content: str = text("A text.", UNSET, minLength=1, maxLength=65536)
    tx_id: int = integer("As this transaction left it.", UNSET, minimum=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFingerprint:
    content: str = text("A text.", UNSET, minLength=1, maxLength=65536)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    vertex_id: str = text("", format="uuid")
    content: str = text("Judge this text in its place; nothing is stored.", UNSET, minLength=1, maxLength=65536)
    old_fingerprint: dict[str, Any] = one(OldFingerprint, "What to compare with; else its previous version.", UNSET)
    new_fingerprint: dict[str, Any] = one(NewFingerprint, "Same as content.", UNSET)
    johari_threshold: float = number("", 0.5, minimum=0.35, maximum=0.65)
    include_diagnostics: bool = flag("", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeShape:
    delta_s: float = number("How much newer it is than before.")
    delta_c: float = number("How much better it fits.")
    utl_learning_potential: float = number()
    quadrant_before: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceShape:
    space: str = text()
    method: str = text()
    delta_s_before: float | None = number(nullable=True)
    delta_c_before: float | None = number(nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosticsShape:
    compared_with: str = text()
    counted: tuple[str, ...] = texts("Spaces that speak of it and see what it says.")
    spaces: tuple[SpaceShape, ...] = many(SpaceShape)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    vertex_id: str = text()
    delta_s_per_embedder: tuple[float | None, ...] = numbers("Novelty. Null where a space abstains.", nullable=True)
    delta_s_aggregate: float = number()
    delta_c: float = number("Fit.")
    delta_c_per_embedder: tuple[float | None, ...] = numbers(nullable=True)
    johari_quadrants: tuple[str, ...] = texts(values=QUADRANTS)
    johari_aggregate: str = text()
    utl_learning_potential: float = number("Novelty times fit.")
    change: ChangeShape | None = one(ChangeShape, "Since what it is compared with.", nullable=True)
    diagnostics: DiagnosticsShape | Unset = one(DiagnosticsShape, default=UNSET)
    meaning: str = text()


EXAMPLE = Example(
    arguments={"vertex_id": "$node_id", "content": "Deploys wait for the lock until two, then fail."},
    after=(("store_memory", {"content": "Deploys wait for the lock.", "rationale": "Seen on Tuesday."}),),
)


@tool(
    contract="memories",
    effect="read",
    models=(Input, Output),
    example=EXAMPLE,
    name="gwt/compute_delta_sc",
    aliases=("compute_delta_sc",),
)
def compute_delta_sc(call: Call[Kernel], input: Input) -> Answer:
    """How new a memory is and how well it fits, space by space, and how its last edit, or another text in its place,
    changes that. Nothing is stored: try an edit before you make it. Also called compute_delta_sc."""
    given = said(input)
    new = given.get("content", given.get("new_fingerprint", {}).get("content"))
    if "content" in given and "content" in given.get("new_fingerprint", {}):
        raise Refusal(Failure.INVALID, "Give content or new_fingerprint, not both.", field="new_fingerprint")
    with call.kernel.read() as snapshot:
        entry = cast(Entry, find_node(snapshot, input.vertex_id, field="vertex_id").thing)
    found = compute_delta(call.kernel, entry, new=new, old=given.get("old_fingerprint"))
    after, threshold = found.after, input.johari_threshold
    output = Output(
        vertex_id=entry.id,
        delta_s_per_embedder=_spoken(after, after.judged.delta_s),
        delta_s_aggregate=round(after.delta_s, 4),
        delta_c=round(after.delta_c, 4),
        delta_c_per_embedder=_spoken(after, after.judged.delta_c),
        johari_quadrants=after.quadrants(threshold),
        johari_aggregate=quadrant(after.delta_s, after.delta_c, threshold),
        utl_learning_potential=round(after.potential, 4),
        change=_change(found, threshold),
        diagnostics=_diagnostics(found) if input.include_diagnostics else UNSET,
        meaning=_meaning(entry, found, quadrant(after.delta_s, after.delta_c, threshold)),
    )
    return Answer(output.meaning, f"{NODES}/{entry.id}", output)


def _spoken(stand: DeltaStanding, values: tuple[float, ...]) -> tuple[float | None, ...]:
    speaking = stand.judged.speaking
    return tuple(round(value, 4) if speaks else None for value, speaks in zip(values, speaking, strict=True))


def _change(found: DeltaSC, threshold: float) -> ChangeShape | None:
    before, after = found.before, found.compared
    if before is None:
        return None
    return ChangeShape(
        delta_s=round(after.delta_s - before.delta_s, 4),
        delta_c=round(after.delta_c - before.delta_c, 4),
        utl_learning_potential=round(after.potential - before.potential, 4),
        quadrant_before=quadrant(before.delta_s, before.delta_c, threshold),
    )


def _diagnostics(found: DeltaSC) -> DiagnosticsShape:
    counted = found.after.judged.counted
    before = found.before
    nothing: tuple[float | None, ...] = (None,) * len(IDS)
    was_new = nothing if before is None else _spoken(before, before.judged.delta_s)
    did_fit = nothing if before is None else _spoken(before, before.judged.delta_c)
    return DiagnosticsShape(
        compared_with=found.basis,
        counted=tuple(id for id, counts in zip(IDS, counted, strict=True) if counts),
        spaces=tuple(
            SpaceShape(
                space=space.id,
                method=space.representation if speaks else f"abstains: {space.silence}",
                delta_s_before=new,
                delta_c_before=fits,
            )
            for space, speaks, new, fits in zip(SPACES, found.after.judged.speaking, was_new, did_fit, strict=True)
        ),
    )


def _meaning(entry: Entry, found: DeltaSC, stands: str) -> str:
    told = f"{citation_of(entry)} is {stands}: novelty {found.after.delta_s:.2f}, fit {found.after.delta_c:.2f}."
    if found.before is None:
        return f"{told} Compared with {found.basis}."
    newer, fitter = found.compared.delta_s - found.before.delta_s, found.compared.delta_c - found.before.delta_c
    return f"{told} Compared with {found.basis}, novelty moves by {newer:+.2f} and fit by {fitter:+.2f}."
