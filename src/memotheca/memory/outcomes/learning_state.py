"""How learning stands: accuracy by domain and by kind of question, labels, what was learned, whether more is due
(memory-model: Learner)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memotheca.kernel.kernel import Kernel
from memotheca.memory.outcomes.calibrator import brier_score, calibration_error
from memotheca.memory.outcomes.labels import NEEDED, WEAK
from memotheca.memory.outcomes.learner import (
    LEARNER,
    SURPRISE,
    WINDOW,
    LambdaView,
    Learner,
    accuracy_of,
    errors_of,
    is_low,
    read_learner,
    view_lambda,
)
from memotheca.memory.outcomes.learning_log import RECENT, LearningEvent, LearningLogFilter, read_learning
from memotheca.memory.session.state import activity_of
from memotheca.memory.tuning.thresholds import GENERAL
from memotheca.memory.tuning.tunings import read_tunings, tuning_versions
from memotheca.storage.instruments.retrievals import (
    STATED,
    USED,
    ObservedOutcome,
    count_retrievals,
    observed_outcomes,
)

Escalation = Literal["insufficient_labels", "none", "pending", "human_review"]
BATCH, BATCHES = 10, 10  # chosen: points of a history that can be read
FAILURES = 3  # specification (memory-model: Learner)


@dataclass(frozen=True, slots=True)
class AccuracyOf:
    """How accurate predictions of some kind were; unknown where none of them was told before."""

    accuracy: float | None
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningState:
    """Everything that is told of how learning stands, of a domain or of all."""

    predictions: int
    stated: int
    weak: int
    accuracy: AccuracyOf
    domains: Mapping[str, AccuracyOf]
    query_types: Mapping[str, AccuracyOf]
    low_in_a_row: int
    history: tuple[float, ...]
    ece: float | None
    brier: float | None
    view: LambdaView
    learner: Learner | None
    escalation: Escalation
    adjustments: int
    recent_events: int

    @property
    def labels(self) -> float:
        return round(self.stated + WEAK * self.weak, 1)

    @property
    def has_enough(self) -> bool:
        return self.labels >= NEEDED


def learning_state(kernel: Kernel, domain: str = GENERAL) -> LearningState:
    activity_log = activity_of(kernel).retrievals
    now = kernel.now()
    with kernel.read() as snapshot:
        session, collection = snapshot.session, kernel.collection
        outcomes = observed_outcomes(session, collection)
        counts = count_retrievals(session, collection)
        events = read_learning(session, collection, LearningLogFilter(), now=now)
        view = view_lambda(kernel, snapshot, domain)
        learner = read_learner(snapshot, domain)
        names = read_tunings(snapshot, LEARNER)
        adjustments = sum(len(tuning_versions(snapshot, name)) for name in names)
    own = [each for each in outcomes if domain in (GENERAL, each.domain)]
    told = {how: _count(counts, domain, (how,)) for how in ("", USED, STATED)}
    stated, weak = told[STATED], told[USED]
    accuracy = accuracy_of(own)
    errors = errors_of(own)
    pairs = [(each.predicted, each.outcome) for each in own if each.predicted is not None][:WINDOW]
    return LearningState(
        predictions=sum(told.values()) + activity_log.count(collection, None if domain == GENERAL else domain),
        stated=stated,
        weak=weak,
        accuracy=AccuracyOf(accuracy, len(errors[:WINDOW])),
        domains=_grouped(own, [each.domain for each in own]),
        query_types=_grouped(own, [each.query_type for each in own]),
        low_in_a_row=next((at for at, error in enumerate(errors) if error <= SURPRISE), len(errors)),
        history=tuple(_batches(errors)),
        ece=calibration_error(pairs),
        brier=brier_score(pairs),
        view=view,
        learner=learner,
        escalation=_escalation(stated + WEAK * weak, events, holds_badly=is_low(own)),
        adjustments=adjustments,
        recent_events=sum(event.time >= now - RECENT for event in events),
    )


def _count(counts: Mapping[tuple[str, str], int], domain: str, ways: Iterable[str]) -> int:
    return sum(n for (named, how), n in counts.items() if how in ways and domain in (GENERAL, named))


def _grouped(outcomes: Sequence[ObservedOutcome], names: Sequence[str]) -> dict[str, AccuracyOf]:
    groups: dict[str, list[ObservedOutcome]] = defaultdict(list)
    for name, each in zip(names, outcomes, strict=True):
        if name:
            groups[name].append(each)
    return {name: AccuracyOf(accuracy_of(held), len(held)) for name, held in sorted(groups.items())}


def _batches(errors: Sequence[float]) -> list[float]:
    """Accuracy over the last outcomes in tens, the oldest first."""
    newest = [errors[at : at + BATCH] for at in range(0, min(len(errors), BATCH * BATCHES), BATCH)]
    return [1 - sum(each) / len(each) for each in reversed(newest)]


def _escalation(labels: float, events: Sequence[LearningEvent], *, holds_badly: bool) -> Escalation:
    """Whether predictions hold so badly that more than small steps is due, or that only a person can say why."""
    if labels < NEEDED:
        return "insufficient_labels"
    tried = [event for event in events if event.type == "bayesian_escalation"][:FAILURES]
    if len(tried) == FAILURES and all(event.before == event.after for event in tried):
        return "human_review"
    return "pending" if holds_badly else "none"
