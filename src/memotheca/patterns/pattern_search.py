"""Finding patterns: in the connection's collection and in the shipped catalogue, with a cut that can be counted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.model.kinds import PATTERN
from memotheca.patterns.near_names import spelled
from memotheca.patterns.pattern_cache import Card
from memotheca.patterns.pattern_file import PATTERN_FORM, to_slug
from memotheca.patterns.read_patterns import view_of
from memotheca.search.chosen_embedder import embedder_of
from memotheca.search.finder import ChunkMatch, Finder, Findings, Search, embed_question, finder_of
from memotheca.search.index.score import Filter
from memotheca.search.question_listener import tell_of_question
from memotheca.text.terms import filter_number
from memotheca.text.words import query_words

# Chosen: a pattern matches when it has as many words of the question as any pattern has; or when it is at least
# this near in meaning and scores at least this share of the best.
SHARE_OF_BEST = 0.6
NEAR = 0.3  # chosen: as above; for the shipped model unrelated texts stay below it

NEAR_IDS = 5  # chosen: a list that is read at once


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternQuery:
    """What is looked for; a filter that is empty lets everything through."""

    words: str
    category: str = ""
    difficulty: str = ""
    form: str = PATTERN_FORM


@dataclass(frozen=True, slots=True)
class PatternMatches:
    """All matches, best first, and by which means they were found."""

    cards: list[Card]
    mode: str


# What questions mean, by embedder and words.
Vectors = dict[tuple[str, str], Any]


def find_patterns(kernel: Kernel, wanted: PatternQuery, vectors: Vectors | None = None) -> PatternMatches:
    """Every pattern that matches, best first; one whose id is asked for comes before all. Who asks again gives the
    vectors of the questions before."""
    tell_of_question(kernel)
    view = view_of(kernel, wanted.form)
    kernels = [replace(kernel, collection=name) for name in view.collections]
    is_known, covered = _cover(kernels, wanted)
    known = {} if vectors is None else vectors
    findings = [_look(each, wanted, known, is_known=is_known) for each in kernels]
    passages = [passage for each in findings for passage in each.passages]
    named = view.by_slug.get(to_slug(wanted.words))
    first = [named.entry_id] if named is not None and _passes(named, wanted) else []
    ranked = dict.fromkeys([*first, *_cut(passages, covered)])
    mode = "hybrid" if any(each.mode == "hybrid" for each in findings) else "lexical"
    return PatternMatches([view.by_id[id] for id in ranked if id in view.by_id], mode)


def _cut(passages: Sequence[ChunkMatch], covered: dict[str, float]) -> list[str]:
    """Ids of what matches: first what was ranked, then what only has the words."""
    scores: dict[str, float] = {}
    cosines: dict[str, float | None] = {}
    for passage in passages:
        scores[passage.entry_id] = max(passage.score, scores.get(passage.entry_id, passage.score))
        known = [each for each in (passage.cosine, cosines.get(passage.entry_id)) if each is not None]
        cosines[passage.entry_id] = max(known, default=None)
    least = SHARE_OF_BEST * max(scores.values(), default=0.0)
    kept = [(-score, id) for id, score in scores.items() if id in covered or _is_close(score, cosines[id], least)]
    rest = [(-covered[id], id) for id in covered.keys() - scores.keys()]
    return [id for _, id in [*sorted(kept), *sorted(rest)]]


def _is_close(score: float, cosine: float | None, least: float) -> bool:
    return score >= least and cosine is not None and cosine >= NEAR


def _passes(card: Card, wanted: PatternQuery) -> bool:
    return wanted.category in ("", card.category) and wanted.difficulty in ("", card.difficulty)


def _look(kernel: Kernel, wanted: PatternQuery, vectors: Vectors, *, is_known: bool) -> Findings:
    """Search one collection; the question is embedded once for all that have the same embedder."""
    finder: Finder = finder_of(kernel)
    with kernel.read() as snapshot:
        embedder: Any = embedder_of(kernel, snapshot.session)
    # Before the snapshot: an embedder may be slow to answer, and no snapshot should wait for it.
    key = "" if embedder is None else embedder.identity, spelled(wanted.words)
    if key not in vectors:
        vectors[key] = embed_question(wanted.words, embedder)
    vector = vectors[key]
    with kernel.read() as snapshot:
        passing = _filter(wanted, as_of=snapshot.tx)
        search = Search(text=wanted.words, filter=passing, vector=vector, may_be_misspelled=not is_known)
        return finder.find(snapshot, search, None if vector is None else embedder)


def _cover(kernels: Sequence[Kernel], wanted: PatternQuery) -> tuple[bool, dict[str, float]]:
    """What has as many words of the question as anything has, in whichever collection, and whether that is at
    least half of them: then a word that is unknown is no reason to compare letter by letter."""
    most, covered = 0, dict[str, float]()
    for kernel in kernels:
        finder: Finder = finder_of(kernel)
        with kernel.read() as snapshot:
            count, fullest = finder.covering(snapshot, wanted.words, _filter(wanted, as_of=snapshot.tx))
        if count >= most:
            covered = covered | fullest if count == most else fullest
            most = count
    return 2 * most >= len(set(query_words(wanted.words))), covered


def _filter(wanted: PatternQuery, *, as_of: int) -> Filter:
    named = [("kind", PATTERN), ("form", wanted.form), ("category", wanted.category), ("difficulty", wanted.difficulty)]
    return Filter(groups=tuple((filter_number(name, value),) for name, value in named if value), as_of=as_of)


def near_cards(kernel: Kernel, handle: str, form: str = PATTERN_FORM, vectors: Vectors | None = None) -> list[Card]:
    """At most five patterns that somebody may have meant: by slug and title, letter by letter, then by meaning."""
    said = spelled(handle)
    if not said:
        return []
    view = view_of(kernel, form)
    alike = [view.by_slug[slug] for slug in view.names.near(said)[:NEAR_IDS]]
    wanted = PatternQuery(words=said, form=form)
    meant = find_patterns(kernel, wanted, vectors).cards if len(alike) < NEAR_IDS else []
    return list({card.slug: card for card in [*alike, *meant]}.values())[:NEAR_IDS]
