"""The learner: what was learned of a domain, how well predictions have held, and λ, its view of novelty against fit
(memory-model: Learner)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from memotheca.kernel.kernel import Kernel
from memotheca.memory.outcomes.calibrator import SIGNALS, Calibrator
from memotheca.memory.outcomes.labels import NEEDED
from memotheca.memory.session.learning import lambdas
from memotheca.memory.session.state import activity_of
from memotheca.memory.tuning.thresholds import GENERAL
from memotheca.memory.tuning.tunings import read_tuning
from memotheca.storage.database import Session
from memotheca.storage.instruments.retrievals import ObservedOutcome
from memotheca.storage.snapshot import Snapshot

LEARNER = "learner:"
NUDGE = "lambda-nudge:"
WINDOW = 100  # specification (memory-model: Accuracy)
LOW = 0.7  # specification (memory-model: Accuracy)
FEWEST = 10  # chosen: of fewer outcomes the accuracy is chance
SURPRISE = 0.2  # specification (memory-model: Lambda)
LEAST_LAMBDA, MOST_LAMBDA = 0.05, 0.9  # specification (memory-model: Lambda)
# The signals that speak for what is new, and for what fits the question; with a minus, against.
NOVEL = {"recency": 1, "use": -1}  # chosen (memory-model: Lambda)
FITTING = {"lexical": 1, "cosine": 1, "distance": -1}  # chosen (memory-model: Lambda)


@dataclass(frozen=True, slots=True, kw_only=True)
class Learner:
    """What was learned of a domain: the calibrator, λ_S as it saw it then, by which method, how it did on questions
    that were held out, and since which transaction. `nudged` is how far surprises had moved λ_S until then."""

    domain: str
    calibrator: Calibrator
    lambda_s: float
    nudged: float
    method: Literal["bayesian", "gradient"]
    labels: float
    held_out: Mapping[str, Any]
    tx: int
    time: int

    def to_json(self) -> dict[str, Any]:
        facts = {name: getattr(self, name) for name in ("lambda_s", "nudged", "method", "labels")}
        return {**self.calibrator.to_json(), **facts, "held_out": dict(self.held_out)}


@dataclass(frozen=True, slots=True)
class LambdaView:
    """How much novelty counts against fit: by the age of the memory, and as outcomes have it; together each are 1."""

    base: float
    current: float


def read_own_learner(snapshot: Snapshot, domain: str) -> Learner | None:
    found = read_tuning(snapshot, LEARNER + domain)
    if found is None:
        return None
    value = found.value
    return Learner(
        domain=domain,
        calibrator=Calibrator.from_json(value),
        lambda_s=float(value["lambda_s"]),
        nudged=float(value["nudged"]),
        method=value["method"],
        labels=float(value["labels"]),
        held_out=value["held_out"],
        tx=found.tx,
        time=found.time,
    )


def read_learner(snapshot: Snapshot, domain: str) -> Learner | None:
    """What was learned of a domain; where nothing was, of all."""
    return read_own_learner(snapshot, domain) or (read_own_learner(snapshot, GENERAL) if domain != GENERAL else None)


def view_lambda(kernel: Kernel, snapshot: Snapshot, domain: str = GENERAL) -> LambdaView:
    """λ_S by age and as outcomes have it: learned, and moved since by what was surprising."""
    activity = activity_of(kernel)
    base, _ = lambdas(activity.count(snapshot.session, kernel.collection))
    learner = read_learner(snapshot, domain)
    moved = nudge_of(kernel, snapshot.session, learner.domain if learner is not None else domain)
    start = base if learner is None else learner.lambda_s
    return LambdaView(base, clamp_lambda(start + moved - (0.0 if learner is None else learner.nudged)))


def nudge_of(kernel: Kernel, session: Session, domain: str) -> float:
    """How far surprising outcomes have moved λ_S of a domain, all together."""
    return float(_nudges(kernel, session, domain)["moved"])


def usual_lead(kernel: Kernel, session: Session, domain: str) -> float:
    """The mean lead of what was observed of a domain, drawn to none as long as that is little."""
    held = _nudges(kernel, session, domain)
    return float(held["leads"]) / (FEWEST + int(held["count"]))


def add_nudge(kernel: Kernel, domain: str, lead: float, step: float) -> None:
    """Take an outcome into what moves λ_S of a domain."""
    with kernel.read() as snapshot:
        held = _nudges(kernel, snapshot.session, domain)
        current = view_lambda(kernel, snapshot, domain).current
    # Beyond its bounds nothing adds up, so that λ leaves them soon.
    moved = clamp_lambda(current + step) - current
    value = {
        "moved": round(held["moved"] + moved, 6),
        "leads": round(held["leads"] + lead, 6),
        "count": held["count"] + 1,
    }
    activity_of(kernel).set_state(kernel.collection, NUDGE + domain, value)


def _nudges(kernel: Kernel, session: Session, domain: str) -> dict[str, Any]:
    held = activity_of(kernel).state(session, kernel.collection, NUDGE + domain)
    return held or {"moved": 0.0, "leads": 0.0, "count": 0}


def clamp_lambda(value: float) -> float:
    return min(MOST_LAMBDA, max(LEAST_LAMBDA, value))


def lambda_of(calibrator: Calibrator, base: float, labels: float) -> float:
    """λ_S as a calibrator has it: the share of what speaks for help that is novelty, drawn to the age's as long as
    there are few labels."""
    weights = dict(zip(SIGNALS, calibrator.weights, strict=True))
    novel, fitting = (sum(max(0.0, sign * weights[name]) for name, sign in signs.items()) for signs in (NOVEL, FITTING))
    share = novel / (novel + fitting) if novel + fitting > 0 else base
    return clamp_lambda((NEEDED * base + labels * share) / (NEEDED + labels))


def lead_of(features: Sequence[float]) -> float:
    """By how much novelty spoke for what was shown rather than fit, from -1 to 1."""
    signal = dict(zip(SIGNALS, features, strict=True))
    return (signal["recency"] + 1 - signal["use"]) / 2 - (signal["cosine"] or signal["lexical"])


def accuracy_of(outcomes: Sequence[ObservedOutcome], domain: str | None = None) -> float | None:
    """1 less the mean error of the last hundred predictions whose outcome is known; unknown where there is none."""
    errors = errors_of(outcomes, domain)[:WINDOW]
    return 1 - sum(errors) / len(errors) if errors else None


def errors_of(outcomes: Sequence[ObservedOutcome], domain: str | None = None) -> list[float]:
    """By how much the predictions of a domain, or of all, were off whose outcome is known; the latest first."""
    return [
        abs(each.outcome - each.predicted)
        for each in outcomes
        if each.predicted is not None and domain in (None, GENERAL, each.domain)
    ]


def is_low(outcomes: Sequence[ObservedOutcome], domain: str | None = None) -> bool:
    """Whether predictions hold badly; of a few nobody can say."""
    accuracy = accuracy_of(outcomes, domain)
    return accuracy is not None and accuracy < LOW and len(errors_of(outcomes, domain)) >= FEWEST
