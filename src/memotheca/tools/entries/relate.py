"""Relate two things."""

from dataclasses import dataclass

from memotheca.entries import edges
from memotheca.entries.refusals import LONGEST_NAME
from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import to_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.toolkit.fields import UNSET, choice, flag, free, number, text, texts, to_json
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.entries.contract import TRIPLES, TripleShape, address, triple_shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    subject: str = text("A name.", minLength=1, maxLength=1000)
    predicate: str = text("Such as works_at.", minLength=1, maxLength=200)
    object: str = text("A name.", minLength=1, maxLength=1000)
    source: str = text("", UNSET, longest=LONGEST_NAME)
    actor: str = text("", UNSET, longest=LONGEST_NAME)
    confidence: float = number("", UNSET, minimum=0, maximum=1)
    multi: bool = flag("Several objects are fine.", False)
    valid_from: str = text("", UNSET)
    valid_to: str = text("", UNSET)
    conflict_id: str = text("Settles it; repeat the triple.", UNSET)
    resolution: edges.Resolution = choice(edges.RESOLUTIONS, "", UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    conflict_id: str = text()
    scope: str = text()
    existing: dict[str, object] = free()
    incoming: dict[str, object] = free()
    candidate_resolutions: tuple[str, ...] = texts()
    expires_at: str = text()


EXAMPLE = Example(arguments={"subject": "Ada", "predicate": "works_at", "object": "Analytical Engines Ltd"})


@tool(contract="entries", effect="change", models=(Input, TripleShape, Conflict), example=EXAMPLE)
def relate(call: Call[Kernel], input: Input) -> Answer:
    """Record a triple. If the predicate already has another object, nothing is written: call again with the
    returned conflict_id and a resolution."""
    claim = edges.Claim(
        subject=input.subject,
        predicate=input.predicate,
        object=input.object,
        multi=input.multi,
        source=input.source,
        actor=input.actor,
        confidence=input.confidence,
        valid_from=input.valid_from,
        valid_to=input.valid_to,
    )
    if bool(input.conflict_id) != bool(input.resolution):
        raise Refusal(Failure.INVALID, "conflict_id and resolution belong together.", field="resolution")
    if input.conflict_id:
        return _answer(edges.settle(call.kernel, input.conflict_id, input.resolution, claim, actor=call.actor))
    result = edges.relate(call.kernel, claim, actor=call.actor)
    return _conflict(result, input) if isinstance(result, edges.ClaimConflict) else _answer(result)


def _answer(related: edges.EdgeWithEnds) -> Answer:
    shape = triple_shape(related.version, related.source, related.target)
    sentence = f"{shape.id}: {shape.subject} {shape.predicate} {shape.object}, as of transaction {shape.tx_id}."
    return Answer(sentence, address(TRIPLES, handle=shape.id), shape)


def _conflict(clash: edges.ClaimConflict, input: Input) -> Answer:
    existing = triple_shape(clash.existing.version, clash.existing.source, clash.existing.target)
    content = Conflict(
        conflict_id=clash.conflict_id,
        scope="subject+predicate",
        existing=to_json(existing),
        incoming={"subject": input.subject, "predicate": input.predicate, "object": input.object},
        candidate_resolutions=edges.RESOLUTIONS,
        expires_at=to_iso(clash.expires_at),
    )
    sentence = (
        f"Nothing was written: {existing.id} already says {existing.subject} {existing.predicate} {existing.object}. "
        f"Call relate again with conflict_id {clash.conflict_id} and a resolution: {', '.join(edges.RESOLUTIONS)}."
    )
    asked = {"subject": input.subject, "predicate": input.predicate}
    return Answer(sentence, address(TRIPLES, asked), content)
