"""Finding entries: filters first, then BM25 over what is left."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeGuard

from pinakes.engine.kernel import Kernel
from pinakes.engine.paging import Place, start, to_cursor
from pinakes.engine.validity import moment
from pinakes.model import kinds
from pinakes.model.history import Version
from pinakes.model.knowledge import Entry, fold
from pinakes.spaces.lexical import Text, carries, scores, share
from pinakes.spaces.words import query_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked of the entries of a collection."""

    topic: str | None = None
    content: str | None = None
    tags: tuple[str, ...] = ()
    as_of: str | None = None
    knowledge_type: str | None = None
    memory_type: str | None = None
    strict_substring: bool = False
    kinds: tuple[str, ...] = (kinds.ENTRY,)
    as_of_tx_id: int | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry that matches, and how well; without words to match there is nothing to score."""

    version: Version
    score: float | None


@dataclass(frozen=True, slots=True)
class Page:
    """One page of hits, the whole number of matches, and the snapshot it was taken from."""

    hits: list[Hit]
    total: int
    as_of_tx: int
    next_cursor: str | None


def find_entries(kernel: Kernel, question: Question, *, limit: int, cursor: str | None = None) -> Page:
    """A page of the entries that match, best first, then in the order of their making."""
    asked: dict[str, Any] = asdict(question)
    with kernel.read() as reading:
        place = start(asked, cursor, newest=reading.tx, now=kernel.now())
        candidates = reading.entries(question.kinds, as_of=place.tx)
    hits = _ranked(question, candidates, place.now)
    begin = _position(hits, place.last)
    page = hits[begin : begin + limit]
    more = begin + limit < len(hits)
    following = to_cursor(Place(place.tx, place.now, page[-1].version.id), asked) if more else None
    return Page(page, len(hits), place.tx, following)


def _position(hits: Sequence[Hit], last: str) -> int:
    return next((place + 1 for place, hit in enumerate(hits) if hit.version.id == last), 0) if last else 0


def _ranked(question: Question, candidates: Sequence[Version], now: int) -> list[Hit]:
    valid_at = None if question.as_of is None else moment(question.as_of, "as_of")
    kept = [version for version in candidates if _passes(question, version.thing, now, valid_at)]
    asked = (
        [] if question.strict_substring else [said for said in (question.topic, question.content) if _has_words(said)]
    )
    if not asked:
        return [Hit(version, None) for version in kept]
    texts = [_text_of(version.thing) for version in kept]
    each = [scores(said, texts) for said in asked]
    if _has_words(question.topic):
        each[0] = [_topical(value, text.title, question.topic) for value, text in zip(each[0], texts, strict=True)]
    matching = [(version, sum(values)) for version, *values in zip(kept, *each, strict=True) if all(values)]
    best = max((value for _, value in matching), default=0.0)
    hits = [Hit(version, value / best) for version, value in matching]
    return sorted(hits, key=lambda hit: (-(hit.score or 0.0), hit.version.id))


def _topical(value: float, title: str, topic: str) -> float:
    """A topic that says just what was asked ranks above one that says more."""
    return value * (1 + min(share(title, topic), 1.0)) / 2


def _has_words(said: str | None) -> TypeGuard[str]:
    return said is not None and bool(query_words(said))


def _text_of(thing: Any) -> Text:
    return Text(thing.title, "\n".join([thing.body, *thing.tags]))


def _passes(question: Question, thing: Any, now: int, valid_at: int | None) -> bool:
    entry: Entry = thing
    if entry.expires_at is not None and entry.expires_at <= now:
        return False
    if valid_at is not None and not entry.validity.covers(valid_at):
        return False
    for name in ("knowledge_type", "memory_type"):
        wanted = getattr(question, name)
        if wanted is not None and entry.attributes.get(name) != wanted:
            return False
    if question.tags and not {fold(tag) for tag in question.tags} <= {fold(tag) for tag in entry.tags}:
        return False
    return _carries_text(question, entry)


def _carries_text(question: Question, entry: Entry) -> bool:
    """Whether the topic has the wanted words, and, where there are no words to rank by, the very letters."""
    topic, content = question.topic, question.content
    if _has_words(topic) and not question.strict_substring:
        if not carries(entry.title, topic):
            return False
    elif topic and fold(topic) not in fold(entry.title):
        return False
    if content and (question.strict_substring or not _has_words(content)):
        return fold(content) in fold("\n".join([entry.title, entry.body, *entry.tags]))
    return True
