"""Labels: which retrievals helped, as somebody said or as what was used of them tells, and which questions are held out
(memory-model: Calibrator)."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from memotheca.memory.outcomes.calibrator import LabelledExample, features_of
from memotheca.memory.outcomes.shown_signals import GENERAL
from memotheca.model.knowledge import fold
from memotheca.storage.database import Session
from memotheca.storage.instruments.retrievals import RetrievalRow, labelled_retrievals

FIT = "fit"
WEAK = 0.3  # chosen: what was used may not have helped, and what was not used may have
# How many labels it takes: in all, of those that helped and that did not, and held out.
NEEDED, EACH, HELD_OUT = 40.0, 5, 8  # chosen: some for each of seven parameters
EVERY = 4  # chosen: of the questions, one in so many is never learned from
HALF = 0.5  # chosen: from here on something helped more than it did not


@dataclass(frozen=True, slots=True)
class Labels:
    """What is known of a domain, or of all: examples to learn from and examples that are held out to test it, how many
    were said and how many are only told by use."""

    learned: tuple[LabelledExample, ...]
    held_out: tuple[LabelledExample, ...]
    stated: int
    weak: int

    @property
    def counted(self) -> float:
        return round(self.stated + WEAK * self.weak, 1)

    @property
    def helped(self) -> int:
        return sum(each.helped >= HALF for each in self.learned)

    @property
    def not_helped(self) -> int:
        return len(self.learned) - self.helped

    @property
    def lacking(self) -> str:
        """What there is too little of to learn from; empty where there is enough."""
        wanted = (
            ("labels", self.counted, NEEDED),
            ("that helped", self.helped, EACH),
            ("that did not help", self.not_helped, EACH),
            ("held out", len(self.held_out), HELD_OUT),
        )
        return ", ".join(f"{have:g} of {need:g} {what}" for what, have, need in wanted if have < need)


def read_labels(session: Session, collection: str, domain: str = GENERAL) -> Labels:
    """The labels of a domain; of the general one, all. What showed nothing teaches nothing."""
    rows = [row for row in labelled_retrievals(session, collection) if row.shown and domain in (GENERAL, row.domain)]
    stated = [row for row in rows if row.outcome is not None]
    return Labels(
        learned=tuple(_example(row) for row in rows if not is_held_out(row.query)),
        # What is only told by use tests nothing: of what was not used nobody knows.
        held_out=tuple(_example(row) for row in stated if is_held_out(row.query)),
        stated=len(stated),
        weak=len(rows) - len(stated),
    )


def is_held_out(query: str) -> bool:
    """By a digest of its words, so that a question that is asked again is on the same side."""
    return blake2b(fold(query).strip().encode(), digest_size=2).digest()[0] % EVERY == 0


def _example(row: RetrievalRow) -> LabelledExample:
    fit = row.facts.get(FIT)
    before = None if fit is None else float(fit)
    if row.outcome is not None:
        return LabelledExample(features_of(row.shown), row.outcome, before=before)
    surest = max(each.used for each in row.shown)
    return LabelledExample(features_of(row.shown), 1.0, WEAK * surest, before)


def pairs_of(examples: Sequence[LabelledExample], predicted: Sequence[float | None]) -> list[tuple[float, float]]:
    return [(p, each.helped) for p, each in zip(predicted, examples, strict=True) if p is not None]
