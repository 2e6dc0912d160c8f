"""Accuracy of recall: how much of what a question should find it finds, and what became of the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memotheca.kernel.kernel import Kernel
from memotheca.memory.claims.goals import QueryType, query_type
from memotheca.memory.claims.ranking import Accuracy, measure
from memotheca.memory.curation.lineage import find_any
from memotheca.memory.curation.rewards import RECALLED
from memotheca.memory.recall.compare import compare
from memotheca.memory.recall.plan import hit_rates, note_hits
from memotheca.memory.session.learning import smooth
from memotheca.memory.session.state import activity_of
from memotheca.memory.traits import KNOWN, quarantine_of
from memotheca.model.knowledge import Entry
from memotheca.storage.snapshot import Snapshot

Reason = Literal["not_indexed", "tombstoned", "quarantined", "low_rank"]


@dataclass(frozen=True, slots=True)
class Missing:
    """Something expected that did not come: where it would have stood, and why it did not."""

    id: str
    best_rank: int | None
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """How the search fared, and how the fusion of thirteen rankings would have."""

    accuracy: Accuracy
    fusion: Accuracy
    missing: tuple[Missing, ...]
    unexpected: tuple[str, ...]
    returned: int
    query_type: QueryType
    rate: float


def measure_recall(kernel: Kernel, query: str, expected: Sequence[str], top_k: int) -> Tested:
    with kernel.read() as snapshot:
        wanted = list(dict.fromkeys(find_any(snapshot, handle, field="expected_node_ids") for handle in expected))
    compared = compare(kernel, query, top_k)
    ranking = compared.searched[:top_k]
    accuracy = measure(ranking, wanted)
    fusion = measure([id for id, _ in compared.fused()[:top_k]], wanted)
    type = query_type(query)
    with kernel.read() as snapshot:
        lacking = [id for id in wanted if id not in ranking]
        missing = tuple(_explain(kernel, snapshot, id, compared.searched) for id in lacking)
        note_hits(kernel, snapshot.session, type, hits=len(accuracy.hits), expected=len(wanted))
        rate = hit_rates(kernel, snapshot.session)[type]
        before: float | None = activity_of(kernel).state(snapshot.session, kernel.collection, RECALLED)
    now = accuracy.recall if before is None else smooth(before, accuracy.recall)
    activity_of(kernel).set_state(kernel.collection, RECALLED, now)
    return Tested(
        accuracy=accuracy,
        fusion=fusion,
        missing=missing,
        unexpected=tuple(id for id in ranking if id not in wanted),
        returned=len(ranking),
        query_type=type,
        rate=rate,
    )


def _explain(kernel: Kernel, snapshot: Snapshot, id: str, ranking: Sequence[str]) -> Missing:
    if id in ranking:
        return Missing(id, ranking.index(id) + 1, "low_rank")
    entry = snapshot.entry(id)
    if not isinstance(entry, Entry):
        return Missing(id, None, "tombstoned")
    if quarantine_of(entry, kernel.now()) is not None:
        return Missing(id, None, "quarantined")
    return Missing(id, None, "low_rank" if entry.kind in KNOWN and entry.body.strip() else "not_indexed")
