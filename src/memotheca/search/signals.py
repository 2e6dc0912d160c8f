"""Signals a caller can ask for beside nearness: age, importance, kind of memory, closeness in the graph; what
neighbours lend is counted where chunks are scored."""

from collections.abc import Sequence
from typing import Literal, Protocol

from memotheca.kernel.handles import ENTITY_NAMES
from memotheca.model.clock import DAY
from memotheca.model.knowledge import fold
from memotheca.storage.adjacency import triples_at
from memotheca.storage.snapshot import Snapshot

Signal = Literal["recency", "importance", "memory_type", "graph", "neighbours"]
SIGNALS: tuple[Signal, ...] = ("recency", "importance", "memory_type", "graph", "neighbours")

HALF_LIFE = 90 * DAY  # specification: of the entries family
MEMORY_WEIGHTS = {"core": 1.25, "factual": 1.1, "fleeting": 0.9}  # specification: of the entries family
GRAPH_WEIGHT = 0.2  # chosen: less than a word in common
LONGEST_NAME = 4  # chosen: names of people and products have fewer words


class Weighed(Protocol):
    """An entry with a score that a signal may change."""

    entry_id: str
    score: float
    hops: int | None


TRIPLES = 1000  # chosen: milliseconds, however many name it


def weigh(
    snapshot: Snapshot, wanted: Sequence[Signal], ranked: Sequence[Weighed], *, text: str, at: tuple[int, int]
) -> None:
    """Weigh entries by what they were after a transaction, as it looks at a moment; `at` is that moment and that."""
    now, as_of = at
    near = _names_near(snapshot, text) if "graph" in wanted else {}
    best = max((each.score for each in ranked), default=0.0)
    for each in ranked:
        entry = snapshot.entry(each.entry_id, as_of)
        if entry is None:
            continue
        if "recency" in wanted:
            each.score *= 0.5 ** ((now - entry.updated_at) / HALF_LIFE)
        if "importance" in wanted:
            each.score *= 0.5 + float(entry.attributes.get("importance", 0.5))
        if "memory_type" in wanted:
            each.score *= MEMORY_WEIGHTS.get(str(entry.attributes.get("memory_type")), 1.0)
        each.hops = near.get(fold(entry.title))
        if each.hops is not None:
            each.score += GRAPH_WEIGHT * best / (1 + each.hops)


def _names_near(snapshot: Snapshot, text: str) -> dict[str, int]:
    """Names of entities in the question (no hop), and of those one triple away (one hop)."""
    words = fold(text).split()
    spoken = {
        " ".join(words[i : i + n]).strip(".,;:!?\"'") for n in range(1, LONGEST_NAME + 1) for i in range(len(words))
    }
    near: dict[str, int] = {}
    for name in spoken:
        id = snapshot.find_alias(ENTITY_NAMES, name)
        if id is None or snapshot.head(id) is None:
            continue
        near[name] = 0
        for triple in triples_at(snapshot, [id], limit=TRIPLES):
            near.setdefault(triple.subject, 1)
            near.setdefault(triple.object, 1)
    return near
