"""Recalibration: the calibrator learns from outcomes, is tested on questions that were held out, and is taken over
where it predicts them better (memory-model: Calibrator)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation.reversal import hash_of
from memotheca.memory.outcomes.calibrator import (
    Calibrator,
    brier_score,
    calibration_error,
    fit_calibrator,
    step_calibrator,
)
from memotheca.memory.outcomes.labels import Labels, pairs_of, read_labels
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
        """By how much predictions of held-out questions get better: the Brier score before less that after."""
        found = self.held_out
        return None if found is None else found["brier_before"] - found["brier_after"]

    @property
    def reversal_hash(self) -> str | None:
        return None if self.commit is None else hash_of(self.commit)


def recalibrate(kernel: Kernel, wanted: RecalibrationRequest, *, actor: str) -> Recalibration:
    """Learn from what outcomes there are, and take that over where it does better on what was held out."""
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
    if wanted.is_full or own is None or is_low(outcomes, wanted.domain):
        (calibrator, steps), method = fit_calibrator(labels.learned), "bayesian"
    else:
        calibrator, steps, method = step_calibrator(own.calibrator, labels.learned, unchanged.alpha), 0, "gradient"
    current = read_learner(snapshot, wanted.domain)
    tested = _test(labels, None if current is None else current.calibrator, calibrator)
    if tested["brier_before"] - tested["brier_after"] < BETTER:
        reason = "What was learned predicts the questions that were held out no better, and is not taken over."
        return replace(unchanged, steps=steps, held_out=tested, reason=reason)
    learner = Learner(
        domain=wanted.domain,
        calibrator=calibrator,
        lambda_s=round(lambda_of(calibrator, view.base, labels.counted), 6),
        nudged=nudge_of(kernel, session, wanted.domain),
        method=method,
        labels=labels.counted,
        held_out=tested,
        tx=0,
        time=kernel.now(),
    )
    reason = f"Brier score of held-out questions {tested['brier_before']:.3f} before, {tested['brier_after']:.3f} after"
    after = learner.lambda_s
    return replace(unchanged, method=method, after=after, steps=steps, held_out=tested, learner=learner, reason=reason)


def _test(labels: Labels, current: Calibrator | None, learned: Calibrator) -> dict[str, Any]:
    """How what is held out was predicted so far, by the fit of the best where nothing was learned, or by how often
    others helped where no fit is known, and how it would be."""
    held_out = labels.held_out
    often = sum(each.helped for each in labels.learned) / len(labels.learned)
    usual = [often if each.before is None else each.before for each in held_out]
    before = usual if current is None else [current.predict(each.features) for each in held_out]
    after = [learned.predict(each.features) for each in held_out]
    found: dict[str, Any] = {"count": len(held_out)}
    for name, predicted in (("before", before), ("after", after)):
        pairs = pairs_of(held_out, predicted)
        found[f"ece_{name}"] = round(calibration_error(pairs) or 0.0, 4)
        found[f"brier_{name}"] = round(brier_score(pairs) or 0.0, 6)
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
