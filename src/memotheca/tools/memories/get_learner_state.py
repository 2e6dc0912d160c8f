"""How well the memory knows what helps."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.memory.outcomes.calibrator import SIGNALS
from memotheca.memory.outcomes.learner import Learner
from memotheca.memory.outcomes.learning_state import AccuracyOf, LearningState, learning_state
from memotheca.memory.tuning.thresholds import DOMAINS, GENERAL
from memotheca.model.clock import to_iso
from memotheca.model.knowledge import counted
from memotheca.toolkit.fields import UNSET, choice, flag, free, integer, number, one, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.lambda_shapes import LabelsShape, LambdaShape, labels_shape, lambda_shape, shorten

UNOBSERVED = "No outcome of a prediction was observed yet."
UNLEARNED = "Nothing was learned yet: what is predicted is how surely the best fits."


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    domain: str = choice(DOMAINS, "Of one domain; General, of all.", UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustmentShape:
    at: str = text()
    tx_id: int = integer()
    domain: str = text()
    method: str = text()
    labels: float = number("How many it was learned from.")
    held_out: int = integer("How many outcomes tested it.")
    ece_before: float = number()
    ece_after: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    accuracy: float | None = number("1 less the mean error of the last 100 predictions.", nullable=True)
    reason: str | None = text(nullable=True)
    prediction_count: int = integer()
    domain_stats: dict[str, Any] = free("Accuracy and count of observed outcomes of each domain.")
    query_types: dict[str, Any] = free("The same by the kind of question that was stated.")
    calibration_error: float | None = number("ECE of the last 100 as they were predicted.", nullable=True)
    brier: float | None = number(nullable=True)
    labels: LabelsShape = one(LabelsShape)
    lambda_weights: LambdaShape = one(LambdaShape)
    signal_weights: dict[str, Any] = free("What was learned of each signal: above 0 speaks for help.")
    last_adjustment: AdjustmentShape | None = one(AdjustmentShape, nullable=True)
    escalation_pending: bool = flag()


EXAMPLE = Example(
    arguments={},
    after=(
        ("store_memory", {"content": "The heron nests on the island.", "rationale": "Seen on Tuesday."}),
        ("inject_context", {"query": "Where does the heron nest?"}),
        ("observe_outcome", {"prediction_id": "$prediction_id", "actual_outcome": 1}),
    ),
)


@tool(contract="memories", component="gwt", effect="read", models=(Input, Output), example=EXAMPLE)
def get_learner_state(call: Call[Kernel], input: Input) -> Answer:
    """How accurately the memory predicts whether what it shows helps, by domain, with how many labels, and what it has
    learned from outcomes."""
    state = learning_state(call.kernel, input.domain or GENERAL)
    learner = state.learner
    output = Output(
        accuracy=shorten(state.accuracy.accuracy),
        reason=UNOBSERVED if state.accuracy.accuracy is None else UNLEARNED if learner is None else None,
        prediction_count=state.predictions,
        domain_stats=_stats(state.domains),
        query_types=_stats(state.query_types),
        calibration_error=shorten(state.ece),
        brier=shorten(state.brier),
        labels=labels_shape(state.stated, state.weak, state.labels, enough=state.has_enough),
        lambda_weights=lambda_shape(state.view.current),
        signal_weights={} if learner is None else _weights(learner),
        last_adjustment=None if learner is None else _adjustment(learner),
        escalation_pending=state.escalation in ("pending", "human_review"),
    )
    return Answer(_tell(state), NODES, output)


def _stats(found: Mapping[str, AccuracyOf]) -> dict[str, Any]:
    return {name: {"accuracy": shorten(each.accuracy), "count": each.count} for name, each in found.items()}


def _weights(learner: Learner) -> dict[str, Any]:
    return {name: round(weight, 4) for name, weight in zip(SIGNALS, learner.calibrator.weights, strict=True)}


def _adjustment(learner: Learner) -> AdjustmentShape:
    return AdjustmentShape(
        at=to_iso(learner.time),
        tx_id=learner.tx,
        domain=learner.domain,
        method=learner.method,
        labels=learner.labels,
        held_out=learner.held_out["count"],
        ece_before=learner.held_out["ece_before"],
        ece_after=learner.held_out["ece_after"],
    )


def _tell(state: LearningState) -> str:
    if state.accuracy.accuracy is None:
        return UNOBSERVED
    learned = UNLEARNED if state.learner is None else f"Learned from {state.learner.labels:g} labels."
    due = " trigger_lambda_recalibration learns anew." if state.escalation == "pending" else ""
    of = counted(state.accuracy.count, "prediction")
    return f"Accuracy {state.accuracy.accuracy:.2f} over {of}. {learned}{due}"
