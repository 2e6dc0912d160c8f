"""The calibrator: from the signals of what was shown to how likely it helps, a logistic regression of a few weights
(memory-model: Calibrator). Pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.storage.instruments.retrievals import ShownEntry

SIGNALS: tuple[str, ...] = ("lexical", "cosine", "recency", "importance", "use", "distance")
# How strongly weights are drawn to 0, in outcomes: as if so many more had been seen that say nothing.
PRIOR = 5.0  # measured on three corpora: 3 and 10 alike (docs/benchmarks.md: Learning)
NARROW = 0.02  # chosen: signals that hardly vary are not blown up
STEPS = 30  # chosen: Newton's method is done after a few
SETTLED = 1e-8  # chosen: far below anything that is shown
BINS = 10  # specification (memory-model: Calibration error)
PASSES = 5  # chosen: a step of each outcome, a few times over
_TINY = 1e-9  # chosen: nothing, but not exactly


@dataclass(frozen=True, slots=True)
class LabelledExample:
    """What was shown, by its signals, whether it helped, and how much that counts; `before` is what was predicted then,
    and `key` tells questions apart."""

    features: tuple[float, ...]
    helped: float
    weight: float = 1.0
    before: float | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class Calibrator:
    """Weights of the signals, each counted from its usual value in its usual spread."""

    weights: tuple[float, ...]
    bias: float
    centre: tuple[float, ...]
    spread: tuple[float, ...]

    def predict(self, features: Sequence[float]) -> float:
        return _sigmoid(self.bias + sum(w * z for w, z in zip(self.weights, self._scaled(features), strict=True)))

    def _scaled(self, features: Sequence[float]) -> list[float]:
        return [(x - c) / s for x, c, s in zip(features, self.centre, self.spread, strict=True)]

    def stepped(self, example: LabelledExample, alpha: float) -> "Calibrator":
        """A step of gradient descent towards one outcome."""
        error = alpha * example.weight * (example.helped - self.predict(example.features))
        moved = [w + error * z for w, z in zip(self.weights, self._scaled(example.features), strict=True)]
        return Calibrator(tuple(moved), self.bias + error, self.centre, self.spread)

    def to_json(self) -> dict[str, Any]:
        named = {
            name: dict(zip(SIGNALS, (round(value, 6) for value in values), strict=True))
            for name, values in (("weights", self.weights), ("centre", self.centre), ("spread", self.spread))
        }
        return {**named, "bias": round(self.bias, 6)}

    @classmethod
    def from_json(cls, held: Mapping[str, Any]) -> "Calibrator":
        weights, centre, spread = (
            tuple(float(held[part][name]) for name in SIGNALS) for part in ("weights", "centre", "spread")
        )
        return cls(weights, float(held["bias"]), centre, spread)


def features_of(shown: Sequence[ShownEntry]) -> tuple[float, ...]:
    """Of each signal, the greatest that was shown; 0 where none has it."""
    return tuple(max((each.signals.get(name, 0.0) for each in shown), default=0.0) for name in SIGNALS)


def fit_calibrator(examples: Sequence[LabelledExample]) -> tuple[Calibrator, int]:
    """The likeliest weights under a prior that draws them to 0, and after how many steps of Newton's method."""
    values = np.array([each.features for each in examples], np.float64)
    helped = np.array([each.helped for each in examples], np.float64)
    counts = np.array([each.weight for each in examples], np.float64)
    centre = values.mean(0)
    spread = np.maximum(values.std(0), NARROW)
    rows = np.column_stack([(values - centre) / spread, np.ones(len(values))])
    found = np.zeros(rows.shape[1])
    steps = 0
    for _ in range(STEPS):
        steps += 1
        step = _newton_step(rows, helped, counts, found)
        found = found + step
        if float(np.abs(step).max()) < SETTLED:
            break
    *weights, bias = (float(each) for each in found)
    return Calibrator(tuple(weights), bias, tuple(map(float, centre)), tuple(map(float, spread))), steps


def _newton_step(rows: NDArray[Any], helped: NDArray[Any], counts: NDArray[Any], found: NDArray[Any]) -> NDArray[Any]:
    prior = np.diag([PRIOR] * len(SIGNALS) + [_TINY])
    predicted = 1 / (1 + np.exp(-np.clip(rows @ found, -30, 30)))
    slope = rows.T @ (counts * (helped - predicted)) - prior @ found
    curvature = (rows * (counts * predicted * (1 - predicted))[:, None]).T @ rows + prior + _TINY * np.eye(len(found))
    return np.clip(np.linalg.solve(curvature, slope), -2, 2)


def step_calibrator(calibrator: Calibrator, examples: Sequence[LabelledExample], alpha: float) -> Calibrator:
    """A few passes of small steps from where it stands."""
    for _ in range(PASSES):
        for each in examples:
            calibrator = calibrator.stepped(each, alpha)
    return calibrator


def calibration_error(pairs: Sequence[tuple[float, float]]) -> float | None:
    """ECE: by how much what was predicted and what was observed differ, in ten bins of what was predicted, each by its
    share."""
    if not pairs:
        return None
    bins: dict[int, list[tuple[float, float]]] = {}
    for predicted, observed in pairs:
        bins.setdefault(min(BINS - 1, int(predicted * BINS)), []).append((predicted, observed))
    return sum(abs(sum(p for p, _ in held) - sum(o for _, o in held)) for held in bins.values()) / len(pairs)


def brier_score(pairs: Sequence[tuple[float, float]]) -> float | None:
    """The mean square of what each prediction was off by."""
    return sum((p - o) ** 2 for p, o in pairs) / len(pairs) if pairs else None


def _sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, value))))
