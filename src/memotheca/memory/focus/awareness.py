"""How far a session's focus holds together: integration, reflection and differentiation, and their product
(memory-model: Integration). Measures of how retrieval goes, and nothing else."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.state import activity_of
from memotheca.memory.spaces.space_table import COUNT
from memotheca.storage.snapshot import Snapshot

SUFFICIENT = 0.5  # specification (memory-model: Integration)
LABELS = 5  # chosen: of fewer outcomes no accuracy can be told
LOOKED_BACK = 200  # chosen: questions among which outcomes are looked for


@dataclass(frozen=True, slots=True)
class Integration:
    """The three parts, each nothing where it cannot be told yet, and how many outcomes are known."""

    integration: float | None
    accuracy: float | None
    differentiation: float | None
    outcomes: int

    @property
    def reflection(self) -> float | None:
        """The logistic function of 4 · accuracy - 2: how right it was about what would help."""
        return None if self.accuracy is None else 1 / (1 + math.exp(2 - 4 * self.accuracy))

    @property
    def parts(self) -> dict[str, float | None]:
        return {
            "integration": self.integration,
            "reflection": self.reflection,
            "differentiation": self.differentiation,
        }

    @property
    def whole(self) -> float | None:
        values = list(self.parts.values())
        return None if None in values else math.prod(value or 0.0 for value in values)

    @property
    def limiting(self) -> str | None:
        """The smallest of those that are known."""
        known = {name: value for name, value in self.parts.items() if value is not None}
        return min(known, key=lambda name: known[name]) if known else None


def integrate(kernel: Kernel, snapshot: Snapshot, order: float | None, agreed: Sequence[float | None]) -> Integration:
    accuracy, outcomes = _accuracy(kernel, snapshot)
    return Integration(order, accuracy, _differentiation(agreed), outcomes)


def _differentiation(agreed: Sequence[float | None]) -> float | None:
    """The entropy of how far the spaces agree, of what it could be: 1 where all of them agree alike."""
    values = [value for value in agreed if value]
    if len(values) < 2:
        return None
    shares = [value / sum(values) for value in values]
    return -sum(share * math.log(share) for share in shares) / math.log(COUNT)


def _accuracy(kernel: Kernel, snapshot: Snapshot) -> tuple[float | None, int]:
    """1 - the mean error of what was predicted to help, of those whose outcome is known."""
    rated = activity_of(kernel).retrievals.ratings(snapshot.session, kernel.collection, among=LOOKED_BACK)
    errors = [abs(predicted - outcome) for predicted, outcome in rated]
    return (1 - sum(errors) / len(errors) if len(errors) >= LABELS else None), len(errors)
