"""Whether learning from outcomes is under way."""

from dataclasses import dataclass
from typing import get_args

from memotheca.kernel.kernel import Kernel
from memotheca.memory.outcomes.learning_state import Escalation, LearningState, learning_state
from memotheca.memory.outcomes.space_accuracy import space_accuracy
from memotheca.toolkit.fields import UNSET, Unset, choice, flag, integer, many, number, numbers, one, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.lambda_shapes import LabelsShape, LambdaShape, labels_shape, lambda_shape, shorten

UNKNOWN = "What it finds near is no signal of its own, or nothing is known to have helped, or not to."
MEANINGS: dict[Escalation, str] = {
    "insufficient_labels": "Too few outcomes were observed to learn from.",
    "none": "Predictions hold.",
    "pending": "Predictions hold badly: a recalibration would learn everything anew.",
    "human_review": "Three attempts to learn anew brought nothing: look at what is observed.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    include_accuracy_history: bool = flag("Accuracy over the last 100 outcomes in tens, oldest first.", False)
    include_embedder_breakdown: bool = flag("How often each space is nearer to what helped.", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceShape:
    embedder: str = text()
    accuracy: float | None = number(nullable=True)
    reason: str | Unset = text(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    enabled: bool = flag("Whether predictions are learned ones by now.")
    current_accuracy: float | None = number(nullable=True)
    consecutive_low_count: int = integer("Of the latest outcomes, how many in a row were missed by more than 0.2.")
    current_lambdas: LambdaShape = one(LambdaShape)
    base_lambdas: LambdaShape = one(LambdaShape, "By the age of the memory.")
    lambda_deviation: float = number()
    escalation_status: str = choice(get_args(Escalation))
    meaning: str = text()
    labels: LabelsShape = one(LabelsShape)
    adjustment_count: int = integer("How often something was learned and taken over, or taken back.")
    recent_events_count: int = integer("Within 24 hours.")
    accuracy_history: tuple[float, ...] | Unset = numbers(default=UNSET)
    embedder_accuracy: tuple[SpaceShape, ...] | Unset = many(SpaceShape, default=UNSET)


EXAMPLE = Example(
    arguments={"include_accuracy_history": True},
    after=(
        ("store_memory", {"content": "The heron nests on the island.", "rationale": "Seen on Tuesday."}),
        ("inject_context", {"query": "Where does the heron nest?"}),
        ("observe_outcome", {"prediction_id": "$prediction_id", "actual_outcome": 1}),
    ),
)


@tool(contract="memories", component="gwt", effect="read", models=(Input, Output), example=EXAMPLE)
def get_meta_learning_status(call: Call[Kernel], input: Input) -> Answer:
    """Whether the memory has learned from outcomes, how its predictions hold, how λ stands against its age, and whether
    learning anew is due."""
    state = learning_state(call.kernel)
    view = state.view
    output = Output(
        enabled=state.learner is not None,
        current_accuracy=shorten(state.accuracy.accuracy),
        consecutive_low_count=state.low_in_a_row,
        current_lambdas=lambda_shape(view.current),
        base_lambdas=lambda_shape(view.base),
        lambda_deviation=round(abs(view.current - view.base), 4),
        escalation_status=state.escalation,
        meaning=MEANINGS[state.escalation],
        labels=labels_shape(state.stated, state.weak, state.labels, enough=state.has_enough),
        adjustment_count=state.adjustments,
        recent_events_count=state.recent_events,
        accuracy_history=tuple(round(each, 4) for each in state.history) if input.include_accuracy_history else UNSET,
        embedder_accuracy=_spaces(call.kernel) if input.include_embedder_breakdown else UNSET,
    )
    return Answer(_tell(state), NODES, output)


def _spaces(kernel: Kernel) -> tuple[SpaceShape, ...]:
    return tuple(
        SpaceShape(embedder=name, accuracy=shorten(value), reason=UNKNOWN if value is None else UNSET)
        for name, value in space_accuracy(kernel).items()
    )


def _tell(state: LearningState) -> str:
    learned = "Predictions are learned ones." if state.learner is not None else "Nothing was learned yet."
    return f"{learned} {MEANINGS[state.escalation]}"
