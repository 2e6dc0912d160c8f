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
PRIOR = 10.0  # measured on three corpora: 5, 10 and 20 alike (docs/benchmarks.md: Learning)
NARROW = 0.02  # chosen: signals that hardly vary are not blown up
STEPS = 30  # chosen: Newton's method is done after a few
SETTLED = 1e-8  # chosen: far below anything that is shown
BINS = 10  # specification (memory-model: Calibration error)
PASSES = 5  # chosen: a quarter to two fifths of the way
_TINY = 1e-9  # chosen: nothing, but not exactly


@dataclass(frozen=True, slots=True)
class LabelledExample:
    """What was shown, by its signals, whether it helped, how much that counts, of which part of the questions it is,
    and when; `before` is what was predicted then, and what is only told by use tests nothing."""

    features: tuple[float, ...]
    helped: float
    weight: float = 1.0
    fold: int = 0
    time: int = 0
    before: float | None = None
    is_test: bool = True


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
    centre, spread = values.mean(0), np.maximum(values.std(0), NARROW)
    scales = tuple(map(float, centre)), tuple(map(float, spread))
    calibrator = Calibrator((0.0,) * len(SIGNALS), 0.0, *scales)
    steps = 0
    for _ in range(STEPS):
        steps += 1
        calibrator, moved = _newton_step(calibrator, examples, 1.0)
        if moved < SETTLED:
            break
    return calibrator, steps


def step_calibrator(calibrator: Calibrator, examples: Sequence[LabelledExample], alpha: float) -> Calibrator:
    """A few small steps from where it stands towards the likeliest weights."""
    for _ in range(PASSES):
        calibrator, _ = _newton_step(calibrator, examples, alpha)
    return calibrator


def _newton_step(calibrator: Calibrator, examples: Sequence[LabelledExample], share: float) -> tuple[Calibrator, float]:
    """A share of a step of Newton's method, and how far that went."""
    values: NDArray[Any] = np.array([each.features for each in examples], np.float64)
    helped = np.array([each.helped for each in examples], np.float64)
    counts = np.array([each.weight for each in examples], np.float64)
    centre, spread = np.array(calibrator.centre), np.array(calibrator.spread)
    rows = np.column_stack([(values - centre) / spread, np.ones(len(values))])
    found = np.array([*calibrator.weights, calibrator.bias])
    prior = np.diag([PRIOR] * len(SIGNALS) + [_TINY])
    predicted = 1 / (1 + np.exp(-np.clip(rows @ found, -30, 30)))
    slope = rows.T @ (counts * (helped - predicted)) - prior @ found
    curvature = (rows * (counts * predicted * (1 - predicted))[:, None]).T @ rows + prior + _TINY * np.eye(len(found))
    step = share * np.clip(np.linalg.solve(curvature, slope), -2, 2)
    *weights, bias = (float(each) for each in found + step)
    return Calibrator(tuple(weights), bias, calibrator.centre, calibrator.spread), float(np.abs(step).max())


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
