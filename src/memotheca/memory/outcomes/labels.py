"""Labels: which retrievals helped, as somebody said or as what was used of them tells, and of which part of the
questions each is (memory-model: Calibrator)."""

import math
from collections import Counter
from dataclasses import dataclass
from hashlib import blake2b

from memotheca.memory.outcomes.calibrator import LabelledExample, features_of
from memotheca.memory.tuning.thresholds import GENERAL
from memotheca.model.knowledge import fold
from memotheca.storage.database import Session
from memotheca.storage.instruments.retrievals import RetrievalRow, labelled_retrievals

WEAK = 0.3  # chosen: what was used may not have helped, and what was not used may have
# How many labels it takes: in all, of those that helped and that did not, and to test what was learned.
NEEDED, EACH, TESTED = 40.0, 5, 8  # chosen: some for each of seven parameters
FOLDS = 4  # chosen: each question is predicted by what three quarters of the others teach
HALF = 0.5  # chosen: from here on something helped more than it did not


@dataclass(frozen=True, slots=True)
class Labels:
    """What is known of a domain, or of all: examples to learn from, how many were said and how many are only told by
    use."""

    examples: tuple[LabelledExample, ...]
    stated: int
    weak: int

    @property
    def counted(self) -> float:
        return round(self.stated + WEAK * self.weak, 1)

    @property
    def helped(self) -> int:
        return sum(each.helped >= HALF for each in self.examples)

    @property
    def often(self) -> float:
        """How often something helped."""
        return sum(each.helped for each in self.examples) / max(1, len(self.examples))

    @property
    def lacking(self) -> str:
        """What there is too little of to learn from; empty where there is enough."""
        wanted = (
            ("labels", self.counted, NEEDED),
            ("that helped", self.helped, EACH),
            ("that did not help", len(self.examples) - self.helped, EACH),
        )
        return ", ".join(f"{have:g} of {need:g} {what}" for what, have, need in wanted if have < need)


def read_labels(session: Session, collection: str, domain: str = GENERAL) -> Labels:
    """The labels of a domain; of the general one, all. What showed nothing teaches nothing, and a question that is
    asked often counts as fewer."""
    rows = [row for row in labelled_retrievals(session, collection) if row.shown and domain in (GENERAL, row.domain)]
    stated = sum(row.outcome is not None for row in rows)
    times = Counter(_spelled(row.query) for row in rows)
    examples = tuple(_example(row, times[_spelled(row.query)]) for row in rows)
    return Labels(examples, stated, len(rows) - stated)


def fold_of(query: str) -> int:
    """By a digest of its words, so that a question that is asked again is of the same part."""
    return blake2b(_spelled(query).encode(), digest_size=2).digest()[0] % FOLDS


def _spelled(query: str) -> str:
    return fold(query).strip()


def _example(row: RetrievalRow, times: int) -> LabelledExample:
    is_stated = row.outcome is not None
    surest = max(each.used for each in row.shown)
    return LabelledExample(
        features=features_of(row.shown),
        helped=1.0 if row.outcome is None else row.outcome,
        weight=(1.0 if is_stated else WEAK * surest) / math.sqrt(times),
        fold=fold_of(row.query),
        time=row.time,
        before=row.predicted,
        is_test=is_stated,
    )
