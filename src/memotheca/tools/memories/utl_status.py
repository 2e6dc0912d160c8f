"""How learning stands."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.learning import consolidation_phase, lambdas, phase_angle, phase_at
from memotheca.memory.session.quadrants import quadrant
from memotheca.memory.session.state import activity_of
from memotheca.memory.tuning.gates import gates_at
from memotheca.toolkit.fields import UNSET, integer, number, one, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    session_id: str = text("", UNSET, maxLength=256)


@dataclass(frozen=True, slots=True, kw_only=True)
class LambdaShape:
    s: float = number()
    c: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdsShape:
    entropy_trigger: float = number()
    coherence_trigger: float = number()
    min_importance_store: float = number()
    consolidation_threshold: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    lifecycle_phase: str = text()
    interaction_count: int = integer()
    entropy: float = number()
    coherence: float = number()
    learning_score: float = number()
    johari_quadrant: str = text()
    consolidation_phase: str = text()
    phase_angle: float = number()
    lambda_: LambdaShape = one(LambdaShape)
    thresholds: ThresholdsShape = one(ThresholdsShape)
    thresholds_reason: str = text(
        default="What the specification values at this age; the pulse keeps to borders of its own."
    )


EXAMPLE = Example(
    arguments={},
    after=(("store_memory", {"content": "Ada takes her tea black.", "rationale": "She told us at lunch."}),),
)


@tool(contract="memories", effect="read", models=(Input, Output), example=EXAMPLE)
def utl_status(call: Call[Kernel], input: Input) -> Answer:
    """How new and how fitting the memories of this session were, and what this age of the memory values."""
    name = said(input).get("session_id") or call.session
    kernel = call.kernel
    with kernel.read() as snapshot:
        mood, gates = activity_of(kernel).mood(snapshot.session, kernel.collection, name), gates_at(snapshot)
        interactions = activity_of(kernel).count(snapshot.session, kernel.collection)
    phase = phase_at(interactions)
    lambda_s, lambda_c = lambdas(interactions)
    output = Output(
        lifecycle_phase=phase.name,
        interaction_count=interactions,
        entropy=round(mood.entropy, 4),
        coherence=round(mood.coherence, 4),
        learning_score=round(mood.learning, 4),
        johari_quadrant=quadrant(mood.entropy, mood.coherence, gates["johari"]),
        consolidation_phase=consolidation_phase(mood.entropy, mood.coherence, gates),
        phase_angle=round(phase_angle(mood.entropy, mood.coherence), 4),
        lambda_=LambdaShape(s=round(lambda_s, 4), c=round(lambda_c, 4)),
        thresholds=ThresholdsShape(
            entropy_trigger=phase.entropy_trigger,
            coherence_trigger=phase.coherence_trigger,
            min_importance_store=phase.min_importance_store,
            consolidation_threshold=phase.consolidation_threshold,
        ),
    )
    told = f"entropy {mood.entropy:.2f}, coherence {mood.coherence:.2f}"
    sentence = f"{phase.name} after {interactions} exchanges: {told}."
    return Answer(sentence, NODES, output)
