"""Preference: which of several hits that match about equally well comes first: what holds now before what is over, the
important, the sure, the used and the recent before the rest (memory-model: Ranking)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from memotheca.kernel.kernel import Kernel
from memotheca.memory.claims.past import PastQuestion, read_past
from memotheca.memory.claims.when import times_of
from memotheca.memory.graph.relations import SUPERSEDES
from memotheca.memory.session.state import activity_of
from memotheca.memory.traits import importance_of
from memotheca.model.clock import DAY
from memotheca.model.kinds import MEMORY
from memotheca.model.knowledge import Entry
from memotheca.search.hits import Hit
from memotheca.storage.adjacency import pairs_saying

# By how much of its score each signal may move a hit at most (memory-model: Ranking).
IMPORTANT, SURE, USED, RECENT = 0.05, 0.05, 0.02, 0.12  # measured: recency and importance; chosen: the others
HALF_LIFE = 90 * DAY  # chosen: as the shared search has it
OFTEN = 64  # chosen: looks from which on more say nothing more
OVER = 0.6  # chosen: what is over stays findable behind what holds
THEN = 0.15  # chosen: what held or happened at the time that is asked about
BEHIND = 0.999  # chosen: right behind
MORE = 10  # chosen: so many further ones may move up


@dataclass(frozen=True, slots=True)
class _Moment:
    """When is asked, about what past, and how often each was looked at."""

    now: int
    past: PastQuestion | None
    looks: Mapping[str, tuple[int, int]]


def prefer(kernel: Kernel, hits: Sequence[Hit], query: str) -> list[Hit]:
    """The hits in their order of preference; their scores are moved within bounds, and the best is 1 again. Where
    nothing tells them apart they stay in the order of the search."""
    if not hits:
        return []
    ids = [hit.version.id for hit in hits]
    now = kernel.now()
    with kernel.read() as snapshot:
        moment = _Moment(
            now, read_past(query, now), activity_of(kernel).looks(snapshot.session, snapshot.collection, ids)
        )
        replaced = pairs_saying(snapshot, ids, SUPERSEDES)
    scores = {hit.version.id: (hit.score or 0.0) * _factor(cast(Entry, hit.version.thing), moment) for hit in hits}
    for newer, older in replaced if moment.past is None else ():
        scores[older] = min(scores[older], BEHIND * scores[newer])
    best = max(scores.values()) or 1.0
    return sorted(
        [replace(hit, score=scores[hit.version.id] / best) for hit in hits], key=lambda hit: -(hit.score or 0.0)
    )


def _factor(entry: Entry, moment: _Moment) -> float:
    times, _ = moment.looks.get(entry.id, (0, 0))
    confidence = entry.attributes.get("confidence")
    factor = 1 + IMPORTANT * (2 * importance_of(entry) - 1)
    factor *= 1.0 if confidence is None else 1 + SURE * (2 * float(confidence) - 1)
    factor *= 1 + USED * min(1.0, math.log1p(times) / math.log1p(OFTEN))
    return factor * _timely(entry, moment)


def _timely(entry: Entry, moment: _Moment) -> float:
    """Of a question about now the recent and what is not over; of one about the past what held or happened then."""
    end = entry.validity.end
    is_over = end is not None and end < moment.now
    told = entry.created_at if entry.kind == MEMORY else entry.updated_at
    # In whole days, so that what was told on one day keeps the order of the search.
    fresh = 0.5 ** (max(0, moment.now // DAY - told // DAY) * DAY / HALF_LIFE)
    if moment.past is None:
        return (OVER if is_over else 1.0) * (1 + RECENT * fresh)
    if moment.past.span is None:
        return (1 + THEN if is_over else 1.0) * (1 + RECENT * (1 - fresh))
    return 1 + THEN if _was_so(entry, moment.past.span.first, moment.past.span.last) else 1.0


def _was_so(entry: Entry, first: int, last: int) -> bool:
    """Whether it happened or held within a stretch; where only its storing is known, that counts as both."""
    times = times_of(entry)
    if times.occurred is not None:
        return times.occurred.first <= last and times.occurred.last >= first
    if times.since is None and times.until is None:
        return first <= entry.created_at <= last
    start, end = entry.validity.start, entry.validity.end
    return (start is None or start <= last) and (end is None or end >= first)
