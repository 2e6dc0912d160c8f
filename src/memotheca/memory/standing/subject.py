"""Subject: what else was said about what an entry is about, sentence against sentence, and what it makes of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memotheca.kernel.kernel import Kernel
from memotheca.memory.claims.alignment import TermWeights, Weighing, align, closeness_of
from memotheca.memory.claims.evidence import Pair
from memotheca.memory.claims.told import ToldEntry, tell
from memotheca.memory.claims.verdict import PairVerdict, Ruling, Slot, decide_all, follow, may_be_otherwise, slots_of
from memotheca.memory.standing.known_filter import everything_known
from memotheca.memory.standing.meanings import meanings
from memotheca.memory.standing.rarity import rarity_of
from memotheca.memory.standing.sample import Array
from memotheca.memory.traits import KNOWN, quarantine_of
from memotheca.memory.tuning.gates import gates_at
from memotheca.memory.tuning.thresholds import Decided, Gates
from memotheca.model.cancellation import heed
from memotheca.model.knowledge import Entry
from memotheca.search.census import take_census
from memotheca.search.finder import Search, finder_of
from memotheca.storage.snapshot import Snapshot
from memotheca.text.caches import LruCache

FOUND = 20  # chosen: candidates by meaning, and as many by words
ALIGNED = 20  # chosen: of which so many are compared sentence by sentence
SHOWN = 5  # specification: statements about the same subject in an answer
WORDS = 400  # chosen: letters of a text by which others are looked for
TAGS = 0.3  # measured on the corpora of docs/benchmarks.md: what common tags add to a subject
COMPARISONS = 2048  # chosen: memory of a process
UNWEIGHED = 0.6  # chosen: a term that is neither rare nor common


@dataclass(frozen=True, slots=True)
class ComparedEntry:
    """An older entry beside a newer one: how much they have to do with each other, their closest sentences, and what is
    asserted of them; `pair` is how those were compared, where they say anything together."""

    entry: Entry
    cosine: float | None
    closeness: float
    is_about_the_same: bool
    newer: str
    older: str
    verdict: PairVerdict | None
    pair: Pair | None = None
    decided: tuple[Decided, ...] = ()

    @property
    def slots(self) -> tuple[Slot, ...]:
        """In what the closest sentences differ."""
        return () if self.pair is None else tuple(slots_of(self.pair))


@dataclass(frozen=True, slots=True)
class Near:
    """The meaning of an entry where it has a vector, and what is nearest to it by that, with the cosines."""

    vector: Array | None
    cosines: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class _PairCandidate:
    entry: Entry
    told: ToldEntry
    cosine: float | None
    rank: float


def compare_with_stored(
    kernel: Kernel, snapshot: Snapshot, entry: Entry, near: Near, *, besides: Sequence[str] = ()
) -> list[ComparedEntry]:
    """What is stored about the subject of a new entry, the closest first; `besides` are looked at in any case."""
    found = _candidates(kernel, snapshot, entry, near, besides=besides)
    told = tell(entry)
    weigh = _weighing(kernel, snapshot, [told, *(tell(each) for each, _ in found)])
    ranked = sorted((_rank(told, each, cosine, weigh) for each, cosine in found), key=lambda each: -each.rank)
    chosen = [*ranked[:ALIGNED], *(each for each in ranked[ALIGNED:] if each.entry.id in besides)]
    gates = gates_at(snapshot, entry.attributes.get("domain"))
    compared = _follow_on(snapshot, _compare([(told, each, gates) for each in chosen], weigh), gates)
    return sorted(compared, key=lambda each: -each.closeness)


def compare_pairs(
    kernel: Kernel | None, snapshot: Snapshot, pairs: Sequence[tuple[Entry, Entry]], vectors: Mapping[str, Array]
) -> list[ComparedEntry]:
    """Each pair, given as (older, newer), compared; without the kernel every word tells as much as another."""
    told = {entry.id: tell(entry) for pair in pairs for entry in pair}
    weigh = Weighing(TermWeights(UNWEIGHED)) if kernel is None else _weighing(kernel, snapshot, list(told.values()))
    kept = _Kept() if kernel is None else kernel.keep(_Kept, snapshot.collection, _Kept)
    held = gates_at(snapshot)
    asked: list[_PairAsked] = []
    for older, newer in pairs:
        mine, theirs = vectors.get(newer.id), vectors.get(older.id)
        cosine = None if mine is None or theirs is None else float(mine @ theirs)
        gates = held.of(newer.attributes.get("domain"))
        asked.append(_PairAsked(told[newer.id], told[older.id], cosine, weigh.weights, gates))
    found = [kept.find(each) for each in asked]
    lacking = [at for at, compared in enumerate(found) if compared is None]
    ranked = [_rank(asked[at].newer, pairs[at][0], asked[at].cosine, weigh) for at in lacking]
    made = _compare([(asked[at].newer, each, asked[at].gates) for at, each in zip(lacking, ranked, strict=True)], weigh)
    for at, compared in zip(lacking, made, strict=True):
        found[at] = compared
        kept.put(asked[at], compared)
    return [replace(each, entry=older) for each, (older, _) in zip(found, pairs, strict=True) if each is not None]


@dataclass(frozen=True, slots=True)
class _PairAsked:
    """All that a comparison of two entries depends on."""

    newer: ToldEntry
    older: ToldEntry
    cosine: float | None
    weights: Mapping[str, float]
    gates: Gates

    def is_the_same(self, other: "_PairAsked") -> bool:
        is_told = self.newer is other.newer and self.older is other.older and self.weights is other.weights
        return is_told and self.cosine == other.cosine and self.gates == other.gates


class _Kept:
    """Comparisons made lately: what is recent is compared with the same again and again."""

    def __init__(self) -> None:
        self._made: LruCache[tuple[str, str], tuple[_PairAsked, ComparedEntry]] = LruCache(COMPARISONS)

    def find(self, asked: _PairAsked) -> ComparedEntry | None:
        held = self._made.get((asked.newer.id, asked.older.id))
        return held[1] if held is not None and held[0].is_the_same(asked) else None

    def put(self, asked: _PairAsked, compared: ComparedEntry) -> None:
        self._made.put((asked.newer.id, asked.older.id), (asked, compared))


def _candidates(
    kernel: Kernel, snapshot: Snapshot, entry: Entry, near: Near, *, besides: Sequence[str]
) -> list[tuple[Entry, float | None]]:
    """The nearest by meaning, and those that share words with what it says and why, with their cosines."""
    said = f"{entry.title} {entry.body[:WORDS]} {entry.attributes.get('rationale') or ''} {' '.join(entry.tags)}"
    search = Search(text=said, filter=everything_known(snapshot), depth=FOUND, may_be_misspelled=False)
    spoken = [each.entry_id for each in finder_of(kernel).find(snapshot, search, None).passages]
    ids = [id for id in dict.fromkeys([*near.cosines, *spoken, *besides]) if id != entry.id]
    # What is held is compared with nothing: it would be quoted, and could end what it says the like of.
    living = {id: each for id, each in snapshot.living(ids).items() if quarantine_of(each, entry.created_at) is None}
    cosines = dict(near.cosines)
    if near.vector is not None:
        vectors = meanings(snapshot, [id for id in living if cosines.get(id) is None])
        cosines |= {id: float(near.vector @ vector) for id, vector in vectors.items()}
    return [(each, cosines.get(id)) for id, each in living.items()]


def _weighing(kernel: Kernel, snapshot: Snapshot, told: Sequence[ToldEntry]) -> Weighing:
    size = take_census(kernel, snapshot).nodes(KNOWN)
    return rarity_of(kernel, snapshot).learn(snapshot, size, {term for each in told for term in each.about})


def _rank(told: ToldEntry, entry: Entry, cosine: float | None, weigh: Weighing) -> _PairCandidate:
    other = tell(entry)
    either = told.tags | other.tags
    tags = TAGS * len(told.tags & other.tags) / len(either) if either else 0.0
    return _PairCandidate(entry, other, cosine, (cosine or 0.0) + closeness_of(told.about, other.about, weigh) + tags)


def _compare(asked: Sequence[tuple[ToldEntry, _PairCandidate, Gates]], weigh: Weighing) -> list[ComparedEntry]:
    """Each against a candidate, sentence by sentence."""
    pairs: list[tuple[Pair, Gates] | None] = []
    for told, other, gates in asked:
        heed()
        aligned = align(told, other.told, weigh)
        pairs.append(None if aligned is None else (Pair(told, other.told, aligned, other.cosine, weigh), gates))
    rulings = iter(decide_all([each for each in pairs if each is not None]))
    return [
        _unaligned(other) if pair is None else _compared(other, pair, next(rulings))
        for (_, other, _), pair in zip(asked, pairs, strict=True)
    ]


def _unaligned(other: _PairCandidate) -> ComparedEntry:
    beginning = other.entry.body.strip().partition("\n")[0]
    return ComparedEntry(other.entry, other.cosine, other.rank, False, "", beginning, None)


def _compared(other: _PairCandidate, judged: tuple[Pair, Gates], ruling: Ruling) -> ComparedEntry:
    pair, gates = judged
    closeness = other.rank + pair.aligned.closeness
    return ComparedEntry(
        entry=other.entry,
        cosine=other.cosine,
        closeness=closeness,
        is_about_the_same=closeness >= gates["about"],
        newer=pair.aligned.newer.text,
        older=pair.aligned.older.text,
        verdict=ruling.verdict,
        pair=pair,
        decided=(Decided("about", closeness, closeness >= gates["about"]), *ruling.decided),
    )


def _follow_on(snapshot: Snapshot, compared: Sequence[ComparedEntry], gates: Gates) -> list[ComparedEntry]:
    """With what follows: whoever repeats or replaces B replaces what B has replaced, and who replaces B its twins."""
    asserted = [each for each in compared if each.verdict is not None]
    likely = {
        each.entry.id
        for each in (compared if asserted else ())
        if each.verdict is None and each.pair is not None and may_be_otherwise(each.pair, None, gates)
    }
    if not likely:
        return list(compared)
    vectors = meanings(snapshot, [*likely, *(each.entry.id for each in asserted)])
    return [_follow_one(each, asserted, vectors, gates) if each.entry.id in likely else each for each in compared]


def _follow_one(
    each: ComparedEntry, asserted: Sequence[ComparedEntry], vectors: Mapping[str, Array], gates: Gates
) -> ComparedEntry:
    for other in asserted:
        if each.pair is None or other.pair is None or other.verdict is None:
            continue
        mine, theirs = vectors.get(each.entry.id), vectors.get(other.entry.id)
        is_older = (each.entry.created_at, each.entry.id) < (other.entry.created_at, other.entry.id)
        older, newer = (each.pair.older, other.pair.older) if is_older else (other.pair.older, each.pair.older)
        aligned = align(newer, older, each.pair.weigh)
        if aligned is None:
            continue
        cosine = None if mine is None or theirs is None else float(mine @ theirs)
        (between,) = decide_all([(Pair(newer, older, aligned, cosine, each.pair.weigh), gates)])
        found = (
            None if between.verdict is None else follow(each.pair, other.verdict, between.verdict, is_older=is_older)
        )
        if found is not None:
            return replace(each, verdict=found)
    return each
