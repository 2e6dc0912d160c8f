"""The order of a dream's work: what nrem tends first, by λ, the calibrator's view of novelty against fit (memory-model:
Dreams)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.memory.outcomes.learner import view_lambda
from memotheca.memory.traits import KNOWN
from memotheca.storage.care_tasks import newest_ids
from memotheca.storage.instruments.retrievals import most_shown
from memotheca.storage.snapshot import Snapshot

FIRST = 64  # chosen: what a short dream gets done, some hundred milliseconds
TOLD = 5  # chosen: enough to see by which side it began


@dataclass(frozen=True, slots=True)
class WorkOrder:
    """What is tended first: of the newest entries the share λ_S, of those that are shown most the rest, in turn."""

    lambda_s: float
    newest: tuple[str, ...]
    shown: tuple[str, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(_in_turn(self.newest, self.shown, self.lambda_s))

    def to_json(self) -> dict[str, Any]:
        return {
            "lambda_s": round(self.lambda_s, 4),
            "newest": len(self.newest),
            "most_shown": len(self.shown),
            "first": list(self.ids[:TOLD]),
        }


def order_work(kernel: Kernel, snapshot: Snapshot) -> WorkOrder:
    """Novelty is for what has just come in, fit for what questions are answered with; what is both counts as shown."""
    share = view_lambda(kernel, snapshot).current
    fresh = round(share * FIRST)
    shown = most_shown(snapshot.session, snapshot.collection, KNOWN, limit=FIRST - fresh)
    newest = [id for id in newest_ids(snapshot, KNOWN, limit=FIRST) if id not in set(shown)]
    return WorkOrder(share, tuple(newest[:fresh]), tuple(shown))


def _in_turn(newest: Sequence[str], shown: Sequence[str], share: float) -> Iterator[str]:
    """Each side as often as its share says, at any point of the way; where one is at its end, the other goes on."""
    fresh, fitting = 0, 0
    while fresh < len(newest) or fitting < len(shown):
        is_due = share * (fresh + fitting + 1) - fresh >= (1 - share) * (fresh + fitting + 1) - fitting
        if fresh < len(newest) and (is_due or fitting >= len(shown)):
            yield newest[fresh]
            fresh += 1
        else:
            yield shown[fitting]
            fitting += 1
