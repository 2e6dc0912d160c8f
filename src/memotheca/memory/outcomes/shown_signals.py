"""Signals: what speaks for each entry that a retrieval showed, as it was at that moment (memory-model: Signals)."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import cast

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.state import activity_of
from memotheca.memory.traits import importance_of
from memotheca.memory.tuning.thresholds import GENERAL
from memotheca.model.clock import DAY
from memotheca.model.kinds import MEMORY
from memotheca.model.knowledge import Entry
from memotheca.search.hits import Hit
from memotheca.storage.instruments.retrievals import ShownEntry

HALF_LIFE = 90 * DAY  # chosen: as the ranking has it
OFTEN = 64  # chosen: looks from which on more say nothing more, as the ranking has it


def shown_entries(kernel: Kernel, hits: Sequence[Hit], now: int) -> tuple[ShownEntry, ...]:
    """What was shown for a question, with what speaks for it; not what stands there for other reasons, without a
    score. What is not known, such as a cosine without vectors, is left out."""
    scored = [hit for hit in hits if hit.score is not None]
    ids = [hit.version.id for hit in scored]
    with kernel.store.database.read() as session:
        looks = activity_of(kernel).looks(session, kernel.collection, ids)
    return tuple(
        ShownEntry(
            entry_id=hit.version.id,
            score=round(hit.score or 0.0, 4),
            signals=_signals(hit, looks.get(hit.version.id, (0, 0))[0], now),
        )
        for hit in scored
    )


def _signals(hit: Hit, looks: int, now: int) -> Mapping[str, float]:
    entry = cast(Entry, hit.version.thing)
    told = entry.created_at if entry.kind == MEMORY else entry.updated_at
    found = {
        "lexical": hit.lexical,
        "cosine": hit.cosine,
        "recency": 0.5 ** (max(0, now - told) / HALF_LIFE),
        "importance": importance_of(entry),
        "use": min(1.0, math.log1p(looks) / math.log1p(OFTEN)),
        "distance": float(hit.graph_hops or 0),
    }
    return {name: round(float(value), 4) for name, value in found.items() if value is not None}


def domain_of(hits: Sequence[Hit]) -> str:
    """What most of the entries are about that say so."""
    said = Counter(
        str(entry.attributes["domain"])
        for hit in hits
        if isinstance(entry := hit.version.thing, Entry) and entry.attributes.get("domain")
    )
    return min(said, key=lambda name: (-said[name], name)) if said else GENERAL
