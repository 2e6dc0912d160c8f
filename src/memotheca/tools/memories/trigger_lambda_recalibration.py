"""Learn from outcomes."""

from dataclasses import dataclass
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.memory.outcomes.recalibration import Recalibration, RecalibrationRequest, recalibrate
from memotheca.memory.tuning.thresholds import DOMAINS, GENERAL
from memotheca.toolkit.fields import UNSET, choice, flag, integer, number, one, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.lambda_shapes import LabelsShape, LambdaShape, labels_shape, lambda_shape, shorten

STATUSES = ("recalibrated", "would_recalibrate", "no_improvement", "insufficient_labels")


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    force_bayesian: bool = flag("Learn everything anew, instead of in small steps from where it stands.", False)
    domain: str = choice(DOMAINS, "Of one domain; General, of all.", UNSET)
    dry_run: bool = flag("Only tell what it would do.", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustmentShape:
    delta_s: float = number()
    delta_c: float = number()
    alpha: float = number("How large a small step is.")
    trigger_error: float | None = number("The mean error of the last 100 predictions.", nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutShape:
    count: int = integer("Outcomes of questions it had not seen.")
    ece_before: float = number()
    ece_after: float = number()
    brier_before: float = number()
    brier_after: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    success: bool = flag()
    status: str = choice(STATUSES)
    reason: str = text()
    adjustment: AdjustmentShape | None = one(AdjustmentShape, nullable=True)
    previous_lambdas: LambdaShape = one(LambdaShape)
    new_lambdas: LambdaShape = one(LambdaShape)
    method: str = choice(("gradient", "bayesian", "none"))
    bo_iterations: int = integer("Steps until the likeliest weights were found.")
    expected_improvement: float | None = number("Of the calibration error of questions it had not seen.", nullable=True)
    held_out: HeldOutShape | None = one(HeldOutShape, nullable=True)
    labels: LabelsShape = one(LabelsShape)
    dry_run: bool = flag()
    reversal_hash: str | None = text("For restore_from_hash.", nullable=True)
    tx_id: int | None = integer(nullable=True)


EXAMPLE = Example(
    arguments={"dry_run": True},
    after=(
        ("store_memory", {"content": "The heron nests on the island.", "rationale": "Seen on Tuesday."}),
        ("inject_context", {"query": "Where does the heron nest?"}),
        ("observe_outcome", {"prediction_id": "$prediction_id", "actual_outcome": 1}),
    ),
)


@tool(contract="memories", component="gwt", effect="change", models=(Input, Output), example=EXAMPLE)
def trigger_lambda_recalibration(call: Call[Kernel], input: Input) -> Answer:
    """Learn from observed outcomes which signals tell that something helps, test it on questions it has not seen, and
    take it over where it predicts them better; restore_from_hash takes it back."""
    wanted = RecalibrationRequest(
        domain=input.domain or GENERAL, session=call.session, is_full=input.force_bayesian, is_dry=input.dry_run
    )
    found = recalibrate(call.kernel, wanted, actor=call.actor)
    status = _status(found, is_dry=input.dry_run)
    output = Output(
        success=found.learner is not None,
        status=status,
        reason=found.reason,
        adjustment=None if found.learner is None else _adjustment(found),
        previous_lambdas=lambda_shape(found.before.current),
        new_lambdas=lambda_shape(found.after),
        method=found.method,
        bo_iterations=found.steps,
        expected_improvement=shorten(found.improvement),
        held_out=None if found.held_out is None else HeldOutShape(**_rounded(found.held_out)),
        labels=labels_shape(
            found.labels.stated, found.labels.weak, found.labels.counted, enough=not found.labels.lacking
        ),
        dry_run=input.dry_run,
        reversal_hash=found.reversal_hash,
        tx_id=None if found.commit is None else found.commit.tx,
    )
    return Answer(f"{status.replace('_', ' ').capitalize()}. {found.reason}", NODES, output)


def _status(found: Recalibration, *, is_dry: bool) -> str:
    if found.labels.lacking:
        return "insufficient_labels"
    if found.learner is None:
        return "no_improvement"
    return "would_recalibrate" if is_dry else "recalibrated"


def _adjustment(found: Recalibration) -> AdjustmentShape:
    moved = round(found.after - found.before.current, 4)
    return AdjustmentShape(
        delta_s=moved, delta_c=-moved, alpha=round(found.alpha, 4), trigger_error=shorten(found.trigger)
    )


def _rounded(held_out: Any) -> dict[str, Any]:
    return {name: value if name == "count" else round(value, 4) for name, value in held_out.items()}
