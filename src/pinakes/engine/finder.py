"""The finder: one hybrid search over everything, lexical and dense candidates together, fused by score."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np

from pinakes.engine.index.follower import Index
from pinakes.engine.index.matching import (
    CANDIDATES,
    Filter,
    Lexical,
    Wanted,
    alive,
    allowed,
    best,
    cosines_of,
    lexical,
    nearest,
)
from pinakes.engine.index.parts import Array
from pinakes.model.errors import Refusal
from pinakes.model.knowledge import Entry, fold
from pinakes.spaces.fusion import TRIGRAM_WEIGHT, balance, latin_share, trigram_values
from pinakes.spaces.terms import identifier_number, pair_number, word_number
from pinakes.spaces.words import identifiers, pairs, query_words, quoted
from pinakes.storage.reading import Reading
from pinakes.storage.vectors import vectors_by_number

log = logging.getLogger(__name__)

# A chunk counts as a match by its words, or by a cosine of at least this; unrelated texts lie below.
NEAR_ENOUGH = 0.2
LOOKED_AT = 50
PHRASE_BONUS = 0.5


class QuestionEmbedder(Protocol):
    identity: str

    def embed_question(self, text: str) -> Any: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What is looked for, among what, and how far down."""

    text: str
    filter: Filter
    depth: int = CANDIDATES
    vector: Array | None = None


@dataclass(slots=True)
class Passage:
    """A chunk that matches: its place in the entry's text, and both scores."""

    seq: int
    entry_id: str
    score: float
    lexical: float
    cosine: float | None


@dataclass(frozen=True, slots=True)
class Findings:
    """The best passages, best first, and by which means they were found."""

    passages: list[Passage]
    best_lexical: float
    mode: str
    matched: int


class Finder:
    """The indexes of this process, one for each collection and embedder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._indexes: dict[tuple[str, str], Index] = {}
        self._guard = Lock()

    def index_of(self, collection: str, model: str) -> Index:
        with self._guard:
            return self._indexes.setdefault((collection, model), Index(self.folder, collection, model))

    def find(self, reading: Reading, search: Search, embedder: QuestionEmbedder | None) -> Findings:
        """Search with whatever vector `embed_question` has made of the question before the snapshot was opened."""
        vector = search.vector if search.vector is not None else embed_question(search.text, embedder)
        index = self.index_of(reading.collection, embedder.identity if embedder else "")
        with index.guard:
            index.catch_up(reading.session)
            return _find(index, reading, search, vector)

    def filtered(self, reading: Reading, wanted: Filter) -> list[str]:
        """Ids of the entries that pass a filter, in the order of their making."""
        index = self.index_of(reading.collection, "")
        with index.guard:
            index.catch_up(reading.session)
            mask = allowed(index, wanted)
            keys = index.gather("entry", np.flatnonzero(mask)) if mask.any() else np.empty((0, 2), np.uint64)
        return sorted({to_id(key) for key in keys})


def embed_question(text: str, embedder: QuestionEmbedder | None) -> Array | None:
    """The question's vector; None where there is no embedder, or it does not answer."""
    if embedder is None:
        return None
    try:
        return embedder.embed_question(text)
    except Refusal as refusal:
        log.warning("searching by words alone: %s", refusal.message)
        return None


def to_id(key: Array) -> str:
    """An entry's id from the sixteen bytes it is kept as."""
    spelled = key.tobytes().hex()
    return "-".join((spelled[:8], spelled[8:12], spelled[12:16], spelled[16:20], spelled[20:]))


def _find(index: Index, reading: Reading, search: Search, vector: Array | None) -> Findings:
    living = alive(index, search.filter.as_of)
    mask = allowed(index, search.filter)
    wanted, terms = _wanted(search.text)
    words = lexical(index, wanted, living)
    visible = np.where(mask, words.scores, 0.0) if len(mask) else words.scores
    top = best(visible, search.depth)
    cosines = {} if vector is None else _cosines(index, reading, vector, (mask, top, search.depth))
    # Where the vectors have no voice, they must not bring in anything either.
    heard = latin_share(search.text) > 0
    near = [place for place, cosine in cosines.items() if heard and cosine >= NEAR_ENOUGH]
    matched = sorted({*top.tolist(), *near})
    best_lexical = float(visible[top[0]]) if len(top) else 0.0
    passages = _score(search, words, matched, cosines, best_lexical=best_lexical)
    _name(index, passages, matched)
    passages.sort(key=lambda passage: (-passage.score, passage.seq))
    _look_closer(reading, search, passages, has_unknown=words.unknown > 0 and bool(terms))
    mode = "lexical" if vector is None else "hybrid"
    return Findings(passages, best_lexical, mode, len(matched))


def _wanted(text: str) -> tuple[Wanted, list[str]]:
    terms = query_words(text)
    return Wanted(
        tuple(dict.fromkeys(word_number(word) for word in terms)),
        tuple(dict.fromkeys(pair_number(pair) for pair in pairs(terms))),
        tuple(dict.fromkeys(identifier_number(name) for name in identifiers(text))),
    ), terms


def _cosines(index: Index, reading: Reading, vector: Array, among: tuple[Array, Array, int]) -> dict[int, float]:
    """Cosines of the nearest chunks that a mask allows, and of every lexical candidate too."""
    mask, top, depth = among
    session = reading.session

    def fetch(numbers: Array) -> Array:
        return vectors_by_number(session, index.collection, numbers, width=len(vector))

    found = nearest(index, vector, mask, fetch, count=depth)
    lacking = [place for place in top.tolist() if place not in found]
    return found | (cosines_of(index, vector, np.array(lacking), fetch) if lacking else {})


def _score(
    search: Search, words: Lexical, matched: Sequence[int], cosines: dict[int, float], *, best_lexical: float
) -> list[Passage]:
    weighed = balance(search.text, best_lexical=best_lexical, idf_sum=words.idf_sum, has_unknown=words.unknown > 0)
    passages: list[Passage] = []
    for place in matched:
        value, cosine = float(words.scores[place]), cosines.get(place)
        passages.append(Passage(0, "", weighed.fuse(value, cosine), value, cosine))
    return passages


def _name(index: Index, passages: list[Passage], matched: Sequence[int]) -> None:
    if not passages:
        return
    places = np.array(matched)
    numbers, keys = index.gather("seq", places), index.gather("entry", places)
    for passage, number, key in zip(passages, numbers.tolist(), keys, strict=True):
        passage.seq, passage.entry_id = number, to_id(key)


def _look_closer(reading: Reading, search: Search, passages: list[Passage], *, has_unknown: bool) -> None:
    """Read the best passages: for quoted phrases, and letter by letter where a word is unknown."""
    phrases = quoted(search.text)
    if not passages or not (phrases or has_unknown):
        return
    head = passages[:LOOKED_AT]
    texts = [_text_of(reading, passage, search.filter.as_of) for passage in head]
    if has_unknown:
        for passage, value in zip(head, trigram_values(search.text, texts), strict=True):
            passage.score += TRIGRAM_WEIGHT * value
    for passage, text in zip(head, texts, strict=True):
        spaced = " ".join(fold(text).split())
        passage.score += PHRASE_BONUS * sum(1 for phrase in phrases if phrase in spaced)
    head.sort(key=lambda passage: (-passage.score, passage.seq))
    passages[:LOOKED_AT] = head


def _text_of(reading: Reading, passage: Passage, as_of: int) -> str:
    entry = reading.entry(passage.entry_id, as_of)
    if not isinstance(entry, Entry):
        return ""
    start, stop = reading.span(passage.seq)
    return f"{entry.title}\n{entry.body[start:stop]}"
