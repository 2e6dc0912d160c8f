"""Neighbours: the chunks before and after a chunk, in its entry or in its conversation, lend it their evidence."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from memotheca.model import kinds
from memotheca.search.index.index_parts import Array
from memotheca.search.index.live import Index
from memotheca.search.index.score import cosines_of
from memotheca.storage.snapshot import Snapshot
from memotheca.text.terms import filter_number
from memotheca.vectors.fusion import Balance

# Measured with the ranking recipe (docs/decisions/search.md): measured with the ranking recipe
# (docs/decisions/search.md): what a turn says often needs the turn before it to be understood, and the turn after it to
# be answered.
LEXICAL_SHARE = 0.3
DENSE_SHARE = 0.2  # measured: as above
# What a turn answers tells more of it than what is said after it.
ASKED = 2  # measured: docs/benchmarks.md, "Evidence of neighbours"

CONVERSATION = "session_id"
TURNS = filter_number("kind", kinds.CONVERSATION)

Beside = dict[int, list[int]]


def beside(index: Index, snapshot: Snapshot, places: Sequence[int], entries: Sequence[str], *, as_of: int) -> Beside:
    """The living chunks before and after each place: of the same entry, else of the same conversation."""
    found = beside_in_entry(index, places, as_of=as_of)
    for place, entry_id in zip(places, entries, strict=True):
        if not found[place]:
            found[place] = _in_conversation(index, snapshot, place, entry_id, as_of=as_of)
    return found


def beside_in_entry(index: Index, places: Sequence[int], *, as_of: int) -> Beside:
    """The living chunks before and after each place, of the same entry."""
    found: Beside = {place: [] for place in places}
    here = np.repeat(np.array(places, np.int64), 2)
    near = here + np.tile([-1, 1], len(places))
    inside = np.flatnonzero((near >= 0) & (near < int(index.bases[-1])))
    here, near = here[inside], near[inside]
    own, its = np.split(index.texts.gather("entry", np.concatenate([here, near])), 2)
    together = (own == its).all(axis=1)
    for place, other in zip(here[together].tolist(), near[together].tolist(), strict=True):
        if _is_alive(index, other, as_of):
            found[place].append(other)
    return found


def with_turns_beside(index: Index, places: Sequence[int], mask: Array, *, as_of: int) -> list[int]:
    """Which of some places are turns of conversations, and the turns beside them that a mask allows: an answer seldom
    has the words of its question."""
    every = _having(index, TURNS, as_of) if places else np.empty(0, np.int64)
    turns = [place for place, found in zip(places, np.isin(places, every).tolist(), strict=True) if found]
    near = beside_in_entry(index, turns, as_of=as_of) if turns else {}
    return sorted({*turns, *(other for others in near.values() for other in others if mask[other])})


def level(before: Sequence[float], after: Sequence[float]) -> float:
    """By what turns are multiplied once they were lent to, so that the best of them scores as the best did before:
    neighbours order turns among themselves, and lift none above what is no turn."""
    once, now = max(before), max(after)
    return once / now if once > 0 and now > 0 else 1.0


def _in_conversation(index: Index, snapshot: Snapshot, place: int, entry_id: str, *, as_of: int) -> list[int]:
    entry = snapshot.entry(entry_id, as_of)
    named = None if entry is None else entry.attributes.get(CONVERSATION)
    if named is None:
        return []
    turns = _having(index, filter_number(CONVERSATION, str(named)), as_of)
    at = int(np.searchsorted(turns, place))
    return [int(turns[other]) for other in (at - 1, at + 1) if 0 <= other < len(turns)]


def _having(index: Index, term: int, as_of: int) -> Array:
    found = [np.empty(0, np.int64)]
    for part, base in zip(index.text, index.bases[:-1].tolist(), strict=True):
        documents = part.postings(term)[0]
        if not len(documents):
            continue
        found.append(documents[part.alive(as_of)[documents]].astype(np.int64) + base)
    return np.concatenate(found)


def _is_alive(index: Index, ordinal: int, as_of: int) -> bool:
    part = int(np.searchsorted(index.bases, ordinal, side="right")) - 1
    return bool(index.text[part].alive(as_of)[ordinal - int(index.bases[part])])


def as_asked(near: Beside) -> Beside:
    """What stands before a turn, as often as it counts."""
    return {
        place: [other for other in others for _ in range(ASKED if other < place else 1)]
        for place, others in near.items()
    }


def lend(
    near: Beside, lexical: Array, cosines: Mapping[int, float], *, best_lexical: float, weighed: Balance
) -> dict[int, float]:
    """What is added to the score of each place; one without neighbours takes its own evidence. As with its own, what
    counts of a cosine is how far it is from that of unrelated texts."""
    lent: dict[int, float] = {}
    for place, others in near.items():
        sources = others or [place]
        words = sum(float(lexical[other]) for other in sources) / len(sources)
        meant = [cosines[other] for other in sources if other in cosines]
        lent[place] = LEXICAL_SHARE * words / best_lexical if best_lexical else 0.0
        above = sum(meant) / len(meant) - weighed.centre if meant else 0.0
        lent[place] += DENSE_SHARE * weighed.dense_weight * above
    return lent


def lacking_cosines(
    index: Index, near: Beside, cosines: Mapping[int, float], *, query: Array, fetch: Callable[[Array], Array]
) -> dict[int, float]:
    """The cosines of neighbours that were no candidates themselves."""
    lacking = sorted({other for others in near.values() for other in others} - cosines.keys())
    return cosines_of(index, query, np.array(lacking), fetch) if lacking else {}
