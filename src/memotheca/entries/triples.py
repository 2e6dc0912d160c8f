"""Triples as sentences: "Ada works_at Analytical Engines" answers who works there, whichever words were asked in."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from memotheca.entries.edge_ends import EdgeWithEnds, with_ends
from memotheca.entries.triple_texts import as_entry, sentence_of, spoken_predicate
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.projection import Projection
from memotheca.model.kinds import ENTITY
from memotheca.model.knowledge import Edge, handle_of
from memotheca.search.finder import finder_of
from memotheca.search.hits import Hit
from memotheca.search.index.score import Filter
from memotheca.storage.adjacency import Spoken, predicates_of, triples_at, triples_saying
from memotheca.storage.snapshot import Snapshot
from memotheca.text.terms import filter_number
from memotheca.text.words import query_words, words

ANCHORS = 100  # chosen: as many as a search looks at (`search/index/score.py`)
LOOKED_AT = 5000  # chosen: milliseconds, also for a name that everything is said of
# Chosen: half of a question's words make a triple an answer; fewer do where it is about somebody the question
# names in full.
ENOUGH = 0.5
# Chosen: what a triple gets for an end that is named in full, so that it comes before one that shares a word by
# chance.
NAMED = 0.25


@dataclass(frozen=True, slots=True)
class TripleMatch:
    """A triple, its sentence, and how much of the question it answers, from 0 to 1."""

    related: EdgeWithEnds
    sentence: str
    score: float

    @property
    def handle(self) -> str:
        return handle_of(cast(Edge, self.related.version.thing))


@dataclass(frozen=True, slots=True)
class TripleMatches:
    """The triples that answer best, best first, and how many there are."""

    triples: list[TripleMatch]
    total: int


class _Predicates(Projection[frozenset[str], set[str]]):
    """What is said in the triples of a collection, or was: looking for it through all edges takes the longer the more
    is stored, and most of them are no triples."""

    def load(self, snapshot: Snapshot) -> frozenset[str]:
        return frozenset(predicates_of(snapshot))

    def read(self, snapshot: Snapshot, after: int, held: frozenset[str]) -> set[str]:
        changed = [id for id, subject, _ in snapshot.changed_after(after) if subject == "edge"]
        return predicates_of(snapshot, changed) if changed else set()

    def apply(self, held: frozenset[str], changes: set[str]) -> frozenset[str]:
        return held | changes


def find_sentences(kernel: Kernel, question: str, *, limit: int, valid_at: int | None = None) -> TripleMatches:
    """Triples of entities that a question is about, those with most of its words first."""
    asked = set(query_words(question))
    if not asked:
        return TripleMatches([], 0)
    with kernel.read() as snapshot:
        scored = _scored(triples_at(snapshot, _anchors(kernel, snapshot, question), limit=LOOKED_AT), asked)
        if not any(score >= ENOUGH for score, _ in scored):
            known = kernel.keep(_Predicates, kernel.collection).at(snapshot)
            saying = [each for each in known if asked & set(words(spoken_predicate(each)))]
            scored += _scored(triples_saying(snapshot, saying, limit=LOOKED_AT) if saying else [], asked)
        ranked = sorted({id: score for score, id in sorted(scored)}.items(), key=lambda pair: (-pair[1], pair[0]))
        if not ranked:
            return TripleMatches([], 0)
        versions = snapshot.versions_at([id for id, _ in (ranked[:limit] if valid_at is None else ranked)], snapshot.tx)
        if valid_at is not None:
            ranked = [pair for pair in ranked if cast(Edge, versions[pair[0]].thing).validity.covers(valid_at)]
        shown = with_ends(snapshot, [versions[id] for id, _ in ranked[:limit]], snapshot.tx)
        told = [TripleMatch(each, sentence_of(each), score) for each, (_, score) in zip(shown, ranked, strict=False)]
        return TripleMatches(told, len(ranked))


def _anchors(kernel: Kernel, snapshot: Snapshot, question: str) -> list[str]:
    """The entities whose names share most with a question."""
    passing = Filter(groups=((filter_number("kind", ENTITY),),), as_of=snapshot.tx)
    return finder_of(kernel).sharing(snapshot, question, passing, count=ANCHORS)


def _scored(triples: Iterable[Spoken], asked: set[str]) -> list[tuple[float, str]]:
    scored: list[tuple[float, str]] = []
    for each in triples:
        ends = [set(words(each.subject)), set(words(each.object))]
        said = ends[0] | ends[1] | set(words(spoken_predicate(each.predicate)))
        share = len(asked & said) / len(asked)
        is_named = any(end and end <= asked for end in ends)
        if share >= ENOUGH or is_named:
            scored.append((min(1.0, share + (NAMED if is_named else 0.0)), each.id))
    return scored


def as_hit(said: TripleMatch) -> Hit:
    """A triple as something that was found, its sentence for a text."""
    return Hit(as_entry(said.related), said.score, said.score)
