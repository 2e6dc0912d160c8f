"""Observations: somebody says whether what was shown helped, and that is held against what was predicted
(memory-model: Accuracy)."""

from dataclasses import dataclass, replace

from memotheca.kernel.kernel import Kernel
from memotheca.memory.outcomes.calibrator import features_of
from memotheca.memory.outcomes.learner import (
    SURPRISE,
    accuracy_of,
    add_nudge,
    clamp_lambda,
    is_low,
    lead_of,
    usual_lead,
    view_lambda,
)
from memotheca.memory.outcomes.learning_log import LearningEvent, log_learning
from memotheca.memory.session.arousal import modulator_levels
from memotheca.memory.session.modulators import MODULATORS
from memotheca.memory.session.retrieval_log import LASTING
from memotheca.memory.session.state import activity_of
from memotheca.memory.tuning.thresholds import GENERAL
from memotheca.model.clock import to_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.storage.database import Session
from memotheca.storage.instruments.retrievals import (
    QUERY_TYPE,
    STATED,
    RetrievalRow,
    find_retrieval,
    observed_outcomes,
    set_outcome,
)

FASTEST, SLOWEST, USUAL = 0.1, 0.01, 0.05  # specification (memory-model: Lambda)
LEAST_STEP = 1e-4  # chosen: what is shown of λ


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedOutcome:
    """How well a retrieval helped, as somebody says, and about what it was."""

    prediction_id: str
    value: float
    session: str
    domain: str | None = None
    query_type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldAgainst:
    """An outcome held against its prediction: how far off that was, whether λ was moved, how accurate predictions
    are."""

    domain: str
    predicted: float | None
    error: float | None
    is_adjusted: bool
    accuracy: float | None
    overall: float | None
    events: tuple[LearningEvent, ...] = ()


def observe(kernel: Kernel, said: StatedOutcome) -> HeldAgainst:
    """Take what somebody says of a retrieval of the last day; saying it again corrects it."""
    # What this process has shown a moment ago is written first, so that the outcome finds it.
    activity_of(kernel).flush(kernel.store)
    now = kernel.now()
    with kernel.read() as snapshot:
        alpha = learning_rate(kernel, snapshot.session, said.session)
        before = view_lambda(kernel, snapshot, said.domain or GENERAL).current
        usual = usual_lead(kernel, snapshot.session, GENERAL)

    def act(session: Session) -> tuple[HeldAgainst, float, float | None]:
        row = _resolvable(session, kernel.collection, said.prediction_id, now)
        was_low = is_low(observed_outcomes(session, kernel.collection))
        facts = {**row.facts, **({QUERY_TYPE: said.query_type} if said.query_type else {})}
        row = replace(row, outcome=said.value, observed=now, how=STATED, domain=said.domain or row.domain, facts=facts)
        set_outcome(session, kernel.collection, row)
        outcomes = observed_outcomes(session, kernel.collection)
        lead = lead_of(features_of(row.shown)) if row.shown else None
        step = 0.0 if lead is None else _step(row, alpha * (lead - usual))
        held = HeldAgainst(
            domain=row.domain,
            predicted=row.predicted,
            error=None if row.predicted is None else abs(said.value - row.predicted),
            is_adjusted=bool(step),
            accuracy=accuracy_of(outcomes, row.domain),
            overall=accuracy_of(outcomes),
        )
        events = [*_adjusted(held, before, step, now=now), *_crossed(held, was_low, is_low(outcomes), now=now)]
        log_learning(session, kernel.collection, events)
        return replace(held, events=tuple(events)), step, lead

    held, step, lead = kernel.store.operate(act)
    for domain in {GENERAL, held.domain} if lead is not None else ():
        add_nudge(kernel, domain, lead or 0.0, step)
    return held


def learning_rate(kernel: Kernel, session: Session, name: str) -> float:
    """How fast a session learns: twice as fast where acetylcholine is at its height."""
    bounds = next(each for each in MODULATORS if each.name == "acetylcholine")
    level = modulator_levels(kernel, session, name).values["acetylcholine"]
    return min(FASTEST, max(SLOWEST, USUAL * (1 + (level - bounds.low) / bounds.span)))


def _resolvable(session: Session, collection: str, id: str, now: int) -> RetrievalRow:
    row = find_retrieval(session, collection, id.strip())
    if row is None:
        message = f"No context or search has the prediction id {id!r}, or what it showed was erased."
        raise Refusal(Failure.NOT_FOUND, message, field="prediction_id")
    if now - row.time > LASTING:
        message = f"That was predicted at {to_iso(row.time)}, more than 24 hours ago: too late to say."
        raise Refusal(Failure.NOT_FOUND, message, field="prediction_id", details={"expired": True})
    return row


def _step(row: RetrievalRow, weight: float) -> float:
    """By how much a surprise moves λ_S: towards novelty where what is newer than usual helped more than was thought."""
    if row.predicted is None or row.outcome is None:
        return 0.0
    error = row.outcome - row.predicted
    step = weight * error if abs(error) > SURPRISE else 0.0
    return step if abs(step) >= LEAST_STEP else 0.0


def _adjusted(held: HeldAgainst, before: float, step: float, *, now: int) -> list[LearningEvent]:
    if not step:
        return []
    after = clamp_lambda(before + step)
    moved = LearningEvent(
        type="lambda_adjustment",
        time=now,
        domain=held.domain,
        before=round(before, 4),
        after=round(after, 4),
        error=None if held.error is None else round(held.error, 4),
        note="a surprising outcome",
    )
    is_at_bound = after != before + step
    return [moved, *([replace(moved, type="weight_clamped", note="λ is at its bound")] if is_at_bound else [])]


def _crossed(held: HeldAgainst, before: bool, after: bool, *, now: int) -> list[LearningEvent]:
    """Accuracy that has fallen below the bar, or risen above it again."""
    if held.overall is None or before == after:
        return []
    return [
        LearningEvent(
            type="accuracy_alert" if after else "accuracy_recovery",
            time=now,
            domain=held.domain,
            error=round(1 - held.overall, 4),
            note=f"accuracy is {held.overall:.2f}",
        )
    ]
