"""Recalibration: the calibrator learns from outcomes, is tested on questions that it has not seen, and is taken over
where it predicts them better (memory-model: Calibrator)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation.reversal import hash_of
from memotheca.memory.outcomes.calibrator import (
    Calibrator,
    LabelledExample,
    brier_score,
    calibration_error,
    fit_calibrator,
    step_calibrator,
)
from memotheca.memory.outcomes.labels import TESTED, Labels, read_labels
from memotheca.memory.outcomes.learner import (
    LEARNER,
    LambdaView,
    Learner,
    accuracy_of,
    is_low,
    lambda_of,
    nudge_of,
    read_learner,
    read_own_learner,
    view_lambda,
)
from memotheca.memory.outcomes.learning_log import LearningEvent, log_learning
from memotheca.memory.outcomes.observation import learning_rate
from memotheca.memory.tuning.tunings import change_tunings
from memotheca.memory.verbs import Verb
from memotheca.model.commits import Commit
from memotheca.storage.instruments.retrievals import observed_outcomes
from memotheca.storage.snapshot import Snapshot

Method = Literal["gradient", "bayesian", "none"]
BETTER = 1e-4  # chosen: less is chance
BLURRED = 0.02  # chosen on one halving of three corpora (docs/benchmarks.md: Learning)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalibrationRequest:
    domain: str
    session: str
    is_full: bool = False
    is_dry: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalibration:
    """What a recalibration found and did: with which labels, by which method, how λ_S moved, how the calibrator did on
    what was held out before and after, and by which transaction it was taken over."""

    labels: Labels
    method: Method
    before: LambdaView
    after: float
    alpha: float
    steps: int = 0
    trigger: float | None = None
    held_out: Mapping[str, Any] | None = None
    learner: Learner | None = None
    commit: Commit | None = None
    reason: str = ""

    @property
    def improvement(self) -> float | None:
        """By how much predictions of questions it has not seen get better: their ECE before less that after."""
        found = self.held_out
        return None if found is None else found["ece_before"] - found["ece_after"]

    @property
    def reversal_hash(self) -> str | None:
        return None if self.commit is None else hash_of(self.commit)


def recalibrate(kernel: Kernel, wanted: RecalibrationRequest, *, actor: str) -> Recalibration:
    """Learn from what outcomes there are, and take that over where it does better on questions it has not seen."""
    with kernel.read() as snapshot:
        found = _learn(kernel, snapshot, wanted)
    if wanted.is_dry or found.labels.lacking:
        return found
    commit = None
    if found.learner is not None:
        rationale = f"{found.reason} ({found.labels.stated} outcomes, {found.labels.weak} uses)"
        changes = {LEARNER + wanted.domain: found.learner.to_json()}
        commit = change_tunings(kernel, changes, verb=Verb.LEARN, actor=actor, rationale=rationale)
    events = _events(found, wanted, kernel.now())
    kernel.store.operate(lambda session: log_learning(session, kernel.collection, events))
    return replace(found, commit=commit)


def _learn(kernel: Kernel, snapshot: Snapshot, wanted: RecalibrationRequest) -> Recalibration:
    session, collection = snapshot.session, kernel.collection
    labels = read_labels(session, collection, wanted.domain)
    view = view_lambda(kernel, snapshot, wanted.domain)
    outcomes = observed_outcomes(session, collection)
    accuracy = accuracy_of(outcomes, wanted.domain)
    unchanged = Recalibration(
        labels=labels,
        method="none",
        before=view,
        after=view.current,
        alpha=learning_rate(kernel, session, wanted.session),
        trigger=None if accuracy is None else 1 - accuracy,
        reason=f"There are {labels.lacking}.",
    )
    if labels.lacking:
        return unchanged
    own = read_own_learner(snapshot, wanted.domain)
    # From nothing there is nothing to step from; where predictions hold badly, small steps are not enough.
    starts = [None] if own is None or wanted.is_full or is_low(outcomes, wanted.domain) else [None, own.calibrator]
    current = read_learner(snapshot, wanted.domain)
    tested = [each for each in labels.examples if each.is_test and (current is None or each.time > current.time)]
    if len(tested) < TESTED:
        reason = f"Since it learned last, {len(tested)} of {TESTED} outcomes were observed that could test it."
        return replace(unchanged, reason=reason)
    start, held_out = _tried(labels, tested, starts, unchanged.alpha)
    calibrator, steps = _learned(labels.examples, start, unchanged.alpha)
    if not _is_better(held_out):
        reason = "What was learned predicts questions that it has not seen no better, and is not taken over."
        return replace(unchanged, steps=steps, held_out=held_out, reason=reason)
    learner = Learner(
        domain=wanted.domain,
        calibrator=calibrator,
        lambda_s=round(lambda_of(calibrator, view.base, labels.counted), 6),
        nudged=nudge_of(kernel, session, wanted.domain),
        method="bayesian" if start is None else "gradient",
        labels=labels.counted,
        held_out=held_out,
        tx=0,
        time=kernel.now(),
    )
    return replace(
        unchanged,
        method=learner.method,
        after=learner.lambda_s,
        steps=steps,
        held_out=held_out,
        learner=learner,
        reason=f"Calibration error {held_out['ece_before']:.3f} before, {held_out['ece_after']:.3f} after",
    )


def _tried(
    labels: Labels, tested: Sequence[LabelledExample], starts: Sequence[Calibrator | None], alpha: float
) -> tuple[Calibrator | None, dict[str, Any]]:
    """From where to learn, the first that does better on what is held out, and how it does: the likeliest weights keep
    nothing of what early outcomes taught; where they do no better, small steps may."""
    start, held_out = None, dict[str, Any]()
    for start in starts:
        teach = partial(_learned, start=start, alpha=alpha)
        held_out = _test(labels, tested, lambda taught, teach=teach: teach(taught)[0])
        if _is_better(held_out):
            break
    return start, held_out


def _is_better(held_out: Mapping[str, Any]) -> bool:
    is_blurred = held_out["brier_after"] - held_out["brier_before"] > BLURRED
    return not is_blurred and held_out["ece_before"] - held_out["ece_after"] >= BETTER


def _learned(examples: Sequence[LabelledExample], start: Calibrator | None, alpha: float) -> tuple[Calibrator, int]:
    """The likeliest weights and how many steps that took; or small steps from a start."""
    return fit_calibrator(examples) if start is None else (step_calibrator(start, examples, alpha), 0)


def _test(
    labels: Labels, tested: Sequence[LabelledExample], teach: Callable[[Sequence[LabelledExample]], Calibrator]
) -> dict[str, Any]:
    """How outcomes were predicted, by how often others helped where they were not, and how each would be by what the
    other parts of the questions teach."""
    taught = {part: [each for each in labels.examples if each.fold != part] for part in {each.fold for each in tested}}
    learned = {part: teach(examples) for part, examples in taught.items() if examples}
    before = [(labels.often if each.before is None else each.before, each.helped) for each in tested]
    after = [(learned[each.fold].predict(each.features), each.helped) for each in tested if each.fold in learned]
    found: dict[str, Any] = {"count": len(tested)}
    for name, pairs in (("before", before), ("after", after)):
        found[f"ece_{name}"] = round(calibration_error(pairs) or 0.0, 4)
        found[f"brier_{name}"] = round(1.0 if not pairs else brier_score(pairs) or 0.0, 6)
    return found


def _events(found: Recalibration, wanted: RecalibrationRequest, now: int) -> list[LearningEvent]:
    adjusted = LearningEvent(
        type="lambda_adjustment",
        time=now,
        domain=wanted.domain,
        before=round(found.before.current, 4),
        after=round(found.after, 4),
        error=None if found.trigger is None else round(found.trigger, 4),
        note=found.reason,
    )
    escalated = [] if found.method == "gradient" else [replace(adjusted, type="bayesian_escalation")]
    return [*escalated, *([adjusted] if found.learner is not None else [])]
