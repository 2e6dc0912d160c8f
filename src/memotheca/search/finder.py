"""The finder: one hybrid search over everything, lexical and dense candidates together, fused by score."""

import logging
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from heapq import nsmallest
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np

from memotheca.kernel.kernel import Kernel
from memotheca.model.cancellation import heed
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import fold
from memotheca.search.index.index_parts import Array
from memotheca.search.index.live import Index, Texts
from memotheca.search.index.rest import NOTHING, Rest, Wanting, mixed, rest_of, to_key
from memotheca.search.index.score import (
    CANDIDATES,
    Filter,
    Lexical,
    QueryTerms,
    allowed,
    best,
    cosines_of,
    lexical,
    nearest,
)
from memotheca.search.index_folder import IndexFolder
from memotheca.search.neighbours import (
    Beside,
    as_asked,
    beside,
    beside_in_entry,
    lacking_cosines,
    lend,
    level,
    with_turns_beside,
)
from memotheca.storage.chunks import read_texts
from memotheca.storage.segments import missing_segments
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.vectors import vectors_by_number
from memotheca.text.terms import identifier_number, pair_number, word_number
from memotheca.text.words import identifiers, pairs, parts_of_names, query_words, quoted
from memotheca.vectors.fusion import (
    TRIGRAM_WEIGHT,
    Balance,
    WordEvidence,
    balance,
    is_code,
    known_share,
    readable_share,
    trigram_values,
)
from memotheca.vectors.profile import DEFAULT_VOICE, Voice

log = logging.getLogger(__name__)

LOOKED_AT = 50  # measured with the ranking recipe: the best fifty are looked at again (docs/decisions/search.md)
# Measured: whether a question is about code is told by so many of the nearest passages as well as by ten.
NEAREST_READ = 3
PHRASE_BONUS = 0.5  # chosen: a quoted phrase comes before what has its words apart
# What a filter lets through matches, whatever its words are worth.
_LEAST = np.float32(1e-30)
# Chosen: signs only choose: so many are compared where the nearest one is wanted.
_FEW = 10
_DIGITS = 32  # specification: of an id, without its dashes


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
    voice: Voice = DEFAULT_VOICE
    with_neighbours: bool = False
    # Whether a word that nobody has is taken for a misspelling, and the best passages compared letter by letter.
    may_be_misspelled: bool = True
    # What is wanted of everything beyond the best; none where they are enough. Where the filter is the question, what
    # passes it matches.
    wanting: Wanting | None = None
    is_filter: bool = False


@dataclass(slots=True)
class ChunkMatch:
    """A chunk that matches: its place in the entry's text, and both scores."""

    seq: int
    entry_id: str
    score: float
    lexical: float
    cosine: float | None


@dataclass(frozen=True, slots=True)
class Findings:
    """The best passages, best first, and by which means they were found."""

    passages: list[ChunkMatch]
    best_lexical: float
    mode: str
    matched: int
    near_enough: float = math.inf
    ceiling: float = 1.0
    # What matches by its words beyond the best, its passages in `beyond`, and whether there may be more that is as near
    # in meaning as the nearest.
    rest: Rest = NOTHING
    beyond: tuple[ChunkMatch, ...] = ()
    is_cut: bool = False


class Finder:
    """The indexes of this process, one for each collection and embedder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._texts: dict[str, Texts] = {}
        self._indexes: dict[tuple[str, str], Index] = {}
        self._guard = Lock()

    def index_of(self, collection: str, model: str) -> Index:
        with self._guard:
            texts = self._texts.setdefault(collection, Texts(self.folder, collection))
            return self._indexes.setdefault((collection, model), Index(texts, model))

    def forget(self, collection: str) -> int:
        """Let go of what this process holds of a collection's index; the next question reads it anew."""
        with self._guard:
            held = [place for place in self._indexes if place[0] == collection]
            for place in held:
                del self._indexes[place]
            self._texts.pop(collection, None)
        return len(held)

    def find(self, snapshot: Snapshot, search: Search, embedder: QuestionEmbedder | None) -> Findings:
        """Search with whatever vector `embed_question` has made of the question before the snapshot was opened."""
        vector = search.vector if search.vector is not None else embed_question(search.text, embedder)
        index = self.index_of(snapshot.collection, embedder.identity if embedder else "")
        with index.guard:
            heed()  # whoever has typed on meanwhile takes no turn
            index.catch_up(snapshot.session)
            return _find(index, snapshot, search, vector=vector, knows=getattr(embedder, "knows", None))

    def sharing(self, snapshot: Snapshot, text: str, wanted: Filter, *, count: int) -> list[str]:
        """The entries that share most words with a text, best first, as so many passages tell: by words alone, and
        nothing is read of them."""
        index = self.index_of(snapshot.collection, "")
        with index.guard:
            index.catch_up(snapshot.session)
            words = lexical(index, _wanted(text)[0], wanted.as_of)
            top = best(np.multiply(words.scores, allowed(index, wanted), out=words.scores), count)
            return list(dict.fromkeys(_to_ids(index.texts.gather("entry", top)))) if len(top) else []

    def nearest(
        self, snapshot: Snapshot, vectors: Sequence[Array], wanted: Filter, *, model: str, count: int
    ) -> list[dict[str, float]]:
        """The entries nearest to each of some vectors, best first, with the cosine of their nearest passage; so many
        passages are looked at for each."""
        index = self.index_of(snapshot.collection, model)

        def fetch(numbers: Array) -> Array:
            return vectors_by_number(snapshot.session, index.collection, numbers, width=len(vectors[0]))

        with index.guard:
            index.catch_up(snapshot.session)
            mask = allowed(index, wanted) if vectors else None
            found = [nearest(index, each, mask, fetch, count=count) for each in vectors] if mask is not None else []
            places = sorted({place for passages in found for place in passages})
            keys = list(index.texts.gather("entry", np.array(places))) if places else list[Array]()
            names = {place: to_id(key) for place, key in zip(places, keys, strict=True)}
        return [_best_of_each((names[place], value) for place, value in passages.items()) for passages in found]

    def missing(self, snapshot: Snapshot) -> list[str]:
        """Files of the index that should be there and are not, or are damaged."""
        return missing_segments(snapshot.session, snapshot.collection, self.folder)

    def filtered(self, snapshot: Snapshot, wanted: Filter) -> list[str]:
        """Ids of the entries that pass a filter, in the order of their making."""
        return _to_ids(self.passing(snapshot, wanted)[0])

    def passing(self, snapshot: Snapshot, wanted: Filter, last: str = "") -> tuple[Array, int]:
        """Keys of the entries that pass a filter and come after the last, in the order of their making, and how many
        pass in all."""
        index = self.index_of(snapshot.collection, "")
        with index.guard:
            index.catch_up(snapshot.session)
            mask = allowed(index, wanted)
            keys = index.texts.gather("entry", np.flatnonzero(mask)) if mask.any() else np.empty((0, 2), np.uint64)
        keys = keys[np.unique(mixed(keys), return_index=True)[1]]
        # Ids are in the order of their making as texts, so byte by byte.
        high, low = keys[:, 0].byteswap(), keys[:, 1].byteswap()
        order = np.lexsort((low, high))
        if last:
            after_high, after_low = to_key(last)[0].byteswap()
            is_after = (high > after_high) | ((high == after_high) & (low > after_low))
            order = order[is_after[order]]
        return keys[order], len(keys)

    def covering(self, snapshot: Snapshot, text: str, wanted: Filter) -> tuple[int, dict[str, float]]:
        """How many words of a text the fullest entry has, and every entry that has as many, with its best passage's
        lexical score: counted, not sampled."""
        index = self.index_of(snapshot.collection, "")
        with index.guard:
            index.catch_up(snapshot.session)
            return _covering(index, QueryTerms(_wanted(text)[0].words), wanted)

    def holding(self, snapshot: Snapshot, terms: Sequence[str]) -> dict[str, int]:
        """How many living passages have each of some words, as `words` gives them."""
        index = self.index_of(snapshot.collection, "")
        with index.guard:
            index.catch_up(snapshot.session)
            alive = allowed(index, Filter(as_of=snapshot.tx))
            numbers = [word_number(term) for term in terms]
            counts = np.zeros(len(terms), np.int64)
            for part, base in zip(index.text, index.bases[:-1], strict=True):
                counts += part.count_alive(numbers, alive[base : base + part.size])
            return dict(zip(terms, counts.tolist(), strict=True))


def embed_question(text: str, embedder: QuestionEmbedder | None) -> Array | None:
    """The question's vector; None where there is no embedder, or it does not answer."""
    if embedder is None:
        return None
    try:
        return embedder.embed_question(text)
    except Refusal as refusal:
        if refusal.failure is Failure.CANCELLED:
            raise
        log.warning("searching by words alone: %s", refusal.message)
        return None


def _best_of_each(passages: Iterable[tuple[str, float]]) -> dict[str, float]:
    """The first of each entry."""
    found: dict[str, float] = {}
    for id, value in passages:
        found.setdefault(id, value)
    return found


def to_id(key: Array) -> str:
    """An entry's id from the sixteen bytes it is kept as."""
    return _spell(key.tobytes().hex())


def _to_ids(keys: Array) -> list[str]:
    """As `to_id`, of many, of which only the spelling is done one by one."""
    spelled = keys.tobytes().hex()
    return [_spell(spelled[start : start + _DIGITS]) for start in range(0, len(spelled), _DIGITS)]


def _spell(digits: str) -> str:
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def _find(
    index: Index, snapshot: Snapshot, search: Search, *, vector: Array | None, knows: Callable[[str], bool] | None
) -> Findings:
    mask = allowed(index, search.filter)
    wanted, terms = _wanted(search.text)
    words = lexical(index, wanted, search.filter.as_of)
    visible = np.multiply(words.scores, mask, out=words.scores)
    top = best(visible, search.depth)
    among = _Among(mask, top, search.depth)
    cosines, least = ({}, -math.inf) if vector is None else _cosines(index, snapshot, vector, among)
    # Where the vectors have no voice, they must not bring in anything either.
    enough = search.voice.near if readable_share(search.text, search.voice) > 0 else math.inf
    near = [place for place, cosine in cosines.items() if cosine >= enough]
    matched = sorted({*top.tolist(), *near})
    turns = [] if search.with_neighbours else with_turns_beside(index, matched, mask, as_of=search.filter.as_of)
    count, matched = len(matched), sorted({*matched, *turns})
    best_lexical = float(visible[top[0]]) if len(top) else 0.0
    known = known_share(search.text, knows, search.voice)
    code = _code_share(index, snapshot, cosines) if known else 0.0
    weighed = balance(search.text, _evidence(words, best_lexical), voice=search.voice, known=known, code=code)
    passages = _score(weighed, words, matched, cosines)
    _name(index, passages, matched)
    held = _Held(index, snapshot, words.scores, vector, cosines, turns)
    if passages:
        named = dict(zip(matched, passages, strict=True))
        _lend(held, search, passages=named, best_lexical=best_lexical, weighed=weighed)
    passages.sort(key=lambda passage: (-passage.score, passage.seq))
    has_unknown = search.may_be_misspelled and words.unknown > 0 and bool(terms)
    _look_closer(snapshot, search, passages, has_unknown=has_unknown)
    ceiling = weighed.ceiling(has_vectors=vector is not None)
    findings = Findings(passages, best_lexical, "lexical" if vector is None else "hybrid", count, enough, ceiling)
    if search.wanting is None:
        return findings
    scores = np.maximum(visible, mask * _LEAST) if search.is_filter else visible
    rest = rest_of(index, scores, {each.entry_id for each in passages}, search.wanting)
    far = {} if vector is None or not len(rest.places) else _cosines_at(index, snapshot, vector, rest.places)
    beyond = _score(weighed, words, rest.places.tolist(), far)
    _name(index, beyond, rest.places.tolist())
    is_cut = vector is not None and least >= enough
    if vector is not None and is_cut:
        is_cut = _nearest_left(index, snapshot, vector, mask=mask & (scores <= 0), matched=matched) >= enough
    return replace(findings, rest=rest, beyond=tuple(beyond), is_cut=is_cut)


@dataclass(frozen=True, slots=True)
class _Held:
    """What was found out about every chunk for a question: its words' scores, the cosines that are known, and which are
    turns of conversations that match, or stand beside one that does."""

    index: Index
    snapshot: Snapshot
    scores: Array
    vector: Array | None
    cosines: dict[int, float]
    turns: list[int]


def _lend(
    held: _Held, search: Search, *, passages: dict[int, ChunkMatch], best_lexical: float, weighed: Balance
) -> None:
    """Add what neighbours lend: to whatever was asked for with them, else to turns of conversations alone, which then
    stand among other kinds where they stood before."""
    index, as_of, vector = held.index, search.filter.as_of, held.vector
    places = list(passages) if search.with_neighbours else held.turns
    if not places:
        return
    if search.with_neighbours:
        near = beside(index, held.snapshot, places, [passages[each].entry_id for each in places], as_of=as_of)
    else:
        near = as_asked(beside_in_entry(index, places, as_of=as_of))
    known = held.cosines
    if vector is not None:
        known = known | _cosines_beside(index, held.snapshot, vector=vector, near=near, cosines=known)
    lent = lend(near, held.scores, known, best_lexical=best_lexical, weighed=weighed)
    before = [passages[place].score for place in places]
    after = [score + lent[place] for place, score in zip(places, before, strict=True)]
    factor = 1.0 if search.with_neighbours else level(before, after)
    for place, score in zip(places, after, strict=True):
        passages[place].score = score * factor


def _evidence(words: Lexical, best_lexical: float) -> WordEvidence:
    return WordEvidence(
        best_lexical=best_lexical,
        idf_sum=words.idf_sum,
        has_unknown=words.unknown > 0,
        words=words.asked,
        texts=words.texts,
    )


def _code_share(index: Index, snapshot: Snapshot, cosines: dict[int, float]) -> float:
    """How much of what is nearest is code."""
    if not cosines:
        return 0.0
    places = nsmallest(NEAREST_READ, cosines, key=lambda place: (-cosines[place], place))
    numbers = index.texts.gather("seq", np.array(places)).tolist()
    texts = read_texts(snapshot.session, snapshot.collection, numbers)
    return sum(is_code(text) for text in texts.values()) / len(numbers)


def _nearest_left(index: Index, snapshot: Snapshot, vector: Array, *, mask: Array, matched: Sequence[int]) -> float:
    """The cosine of the nearest chunk that a mask allows beside those that were matched."""
    mask[matched] = False
    found, _ = _cosines(index, snapshot, vector, _Among(mask, np.empty(0, np.intp), _FEW)) if mask.any() else ({}, 0.0)
    return max(found.values(), default=-math.inf)


def _covering(index: Index, wanted: QueryTerms, passing: Filter) -> tuple[int, dict[str, float]]:
    mask = allowed(index, passing)
    words = lexical(index, wanted, passing.as_of)
    having = np.flatnonzero(mask & (words.scores > 0)) if len(mask) else np.empty(0, np.int64)
    if not len(having):
        return 0, {}
    keys = index.texts.gather("entry", having)
    _, firsts, owners = np.unique(mixed(keys), return_index=True, return_inverse=True)
    counts = np.zeros(len(firsts), np.int64)
    for term in wanted.words:
        has_term = np.zeros(len(firsts), bool)
        has_term[owners[np.isin(having, _places(index, term))]] = True
        counts += has_term
    scores = np.zeros(len(firsts), np.float32)
    np.maximum.at(scores, owners, words.scores[having])
    most = int(counts.max())
    fullest = np.flatnonzero(counts == most).tolist()
    return most, {to_id(keys[firsts[place]]): float(scores[place]) for place in fullest}


def _places(index: Index, term: int) -> Array:
    """The ordinals of the chunks that have a term."""
    found = [part.postings(term)[0] + base for part, base in zip(index.text, index.bases[:-1], strict=True)]
    return np.concatenate(found) if found else np.empty(0, np.int64)


def _wanted(text: str) -> tuple[QueryTerms, list[str]]:
    terms = query_words(text)
    return QueryTerms(
        tuple(dict.fromkeys(word_number(word) for word in (*terms, *parts_of_names(text)))),
        tuple(dict.fromkeys(pair_number(pair) for pair in pairs(terms))),
        tuple(dict.fromkeys(identifier_number(name) for name in identifiers(text))),
    ), terms


@dataclass(frozen=True, slots=True)
class _Among:
    """Which chunks' cosines are wanted: the nearest that a mask allows, so many, and some in any case."""

    mask: Array
    top: Array
    depth: int


def _cosines(index: Index, snapshot: Snapshot, vector: Array, among: _Among) -> tuple[dict[int, float], float]:
    """Cosines of the nearest chunks that a mask allows, and of every lexical candidate too; and from which cosine on
    there may be more of them."""
    depth, session = among.depth, snapshot.session

    def fetch(numbers: Array) -> Array:
        return vectors_by_number(session, index.collection, numbers, width=len(vector))

    found = nearest(index, vector, among.mask, fetch, count=depth)
    lacking = [place for place in among.top.tolist() if place not in found]
    least = min(found.values()) if len(found) == depth else -math.inf
    return found | (_cosines_at(index, snapshot, vector, np.array(lacking)) if lacking else {}), least


def _cosines_at(index: Index, snapshot: Snapshot, vector: Array, places: Array) -> dict[int, float]:
    def fetch(numbers: Array) -> Array:
        return vectors_by_number(snapshot.session, index.collection, numbers, width=len(vector))

    return cosines_of(index, vector, places, fetch)


def _cosines_beside(
    index: Index, snapshot: Snapshot, *, vector: Array, near: Beside, cosines: dict[int, float]
) -> dict[int, float]:
    def fetch(numbers: Array) -> Array:
        return vectors_by_number(snapshot.session, index.collection, numbers, width=len(vector))

    return lacking_cosines(index, near, cosines, query=vector, fetch=fetch)


def _score(weighed: Balance, words: Lexical, matched: Sequence[int], cosines: dict[int, float]) -> list[ChunkMatch]:
    passages: list[ChunkMatch] = []
    for place, value in zip(matched, words.scores[matched].tolist() if matched else (), strict=True):
        cosine = cosines.get(place)
        passages.append(ChunkMatch(0, "", weighed.fuse(value, cosine), value, cosine))
    return passages


def _name(index: Index, passages: list[ChunkMatch], matched: Sequence[int]) -> None:
    if not passages:
        return
    places = np.array(matched)
    numbers, keys = index.texts.gather("seq", places), index.texts.gather("entry", places)
    for passage, number, id in zip(passages, numbers.tolist(), _to_ids(keys), strict=True):
        passage.seq, passage.entry_id = number, id


def _look_closer(snapshot: Snapshot, search: Search, passages: list[ChunkMatch], *, has_unknown: bool) -> None:
    """Read the best passages: for quoted phrases, and letter by letter where a word is unknown."""
    phrases = quoted(search.text)
    if not passages or not (phrases or has_unknown):
        return
    head = passages[:LOOKED_AT]
    held = read_texts(snapshot.session, snapshot.collection, [passage.seq for passage in head])
    texts = [held.get(passage.seq, "") for passage in head]
    if has_unknown:
        for passage, value in zip(head, trigram_values(search.text, texts), strict=True):
            passage.score += TRIGRAM_WEIGHT * value
    for passage, text in zip(head, texts if phrases else (), strict=bool(phrases)):
        spaced = " ".join(fold(text).split())
        passage.score += PHRASE_BONUS * sum(1 for phrase in phrases if phrase in spaced)
    head.sort(key=lambda passage: (-passage.score, passage.seq))
    passages[:LOOKED_AT] = head


def finder_of(kernel: Kernel) -> Finder:
    """The finder of this process, made when something is first searched for."""
    folder = kernel.part(IndexFolder).path
    return kernel.keep(Finder, folder, partial(Finder, folder))
