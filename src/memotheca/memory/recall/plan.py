"""Planning a search: three questions for three spaces, made of what a goal says and what the index knows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from memotheca.kernel.kernel import Kernel
from memotheca.memory.claims.goals import (
    QueryType,
    asks_for_causes,
    asks_for_effects,
    clause_of,
    periods,
    topic_of,
    without_request,
)
from memotheca.memory.claims.proper_names import is_of_calendar
from memotheca.memory.session.state import activity_of
from memotheca.memory.spaces.code import names
from memotheca.memory.standing.known_filter import everything_known
from memotheca.model.clock import DAY, to_iso
from memotheca.search.chosen_embedder import embedder_of
from memotheca.search.finder import Finder, Search, embed_question, finder_of
from memotheca.storage.chunks import read_texts
from memotheca.storage.database import Session
from memotheca.text.names_in_text import find
from memotheca.text.tokens import count_tokens
from memotheca.text.words import query_words, spelled_words, words
from memotheca.vectors.profile import voice_of

SPACES: Mapping[QueryType, str] = {"semantic": "E1", "causal": "E5", "code": "E7", "temporal": "E2", "entity": "E11"}
ORDER: tuple[QueryType, ...] = ("semantic", "causal", "code", "entity", "temporal")
QUERIES = 3  # specification: three questions a plan
PHRASE = 4  # chosen: the rarest words of a goal
APART = 0.8  # chosen: more in common is the same question
SHOWN, SNIPPET = 10, 240  # chosen: what a search shows

HIT_RATES = "hit_rates"

_REASONS: Mapping[QueryType, str] = {
    "semantic": "What the goal means as a whole.",
    "causal": "What brings it about or follows from it.",
    "code": "The words and names that tell most here, as they are written.",
    "temporal": "When it was.",
    "entity": "Whom and what it names.",
}
# What parts a question from others where its words do not: each has a word that a search counts.
_CUES: Mapping[QueryType, str] = {
    "semantic": "everything about",
    "causal": "cause of",
    "code": "details of",
    "temporal": "time of",
    "entity": "identity of",
}


@dataclass(frozen=True, slots=True)
class PlannedQuery:
    """A question, the space it is meant for, the share of its words that anything stored has, and the share of what was
    expected that searches of its type have found here, where that was measured."""

    text: str
    type: QueryType
    rationale: str
    coverage: float
    expected_recall: float | None

    @property
    def space(self) -> str:
        return SPACES[self.type]


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """Three queries, in which manner to put them, and what the answers will cost."""

    queries: tuple[PlannedQuery, ...]
    strategy: str
    tokens: int


def plan_search(kernel: Kernel, goal: str, focus: Sequence[str] = ()) -> SearchPlan:
    chosen = cast(list[QueryType], list(dict.fromkeys((*focus, *ORDER)))[:QUERIES])
    with kernel.read() as snapshot:
        finder: Finder = finder_of(kernel)
        topic = topic_of(goal)
        spelled = spelled_words(topic)
        known = finder.holding(snapshot, list(spelled))
        phrase = _rarest(spelled, known) or [topic]
        about = _about(goal, phrase, known)
        texts = _texts(chosen, goal, phrase, about=about, now=kernel.now())
        held = finder.holding(snapshot, list(dict.fromkeys(term for text in texts for term in words(text))))
        rates = hit_rates(kernel, snapshot.session)
    queries = tuple(
        PlannedQuery(text, type, _REASONS[type], _coverage(text, held), rates.get(type))
        for type, text in zip(chosen, texts, strict=True)
    )
    cost = sum(count_tokens(query.text) for query in queries) + _answers_cost(kernel, texts)
    return SearchPlan(queries, _strategy(queries), cost)


def hit_rates(kernel: Kernel, session: Session) -> dict[QueryType, float]:
    """The share of what was expected that searches of each type have found so far; of those that were tested."""
    held: Mapping[str, Any] = activity_of(kernel).state(session, kernel.collection, HIT_RATES) or {}
    return {type: held[type][0] / held[type][1] for type in SPACES if held.get(type, [0, 0])[1]}


def note_hits(kernel: Kernel, session: Session, type: QueryType, *, hits: int, expected: int) -> None:
    """Remember how a search of a type fared."""
    held: dict[str, Any] = dict(activity_of(kernel).state(session, kernel.collection, HIT_RATES) or {})
    before = held.get(type, [0, 0])
    held[type] = [before[0] + hits, before[1] + expected]
    activity_of(kernel).set_state(kernel.collection, HIT_RATES, held)


def _rarest(spelled: Mapping[str, str], known: Mapping[str, int]) -> list[str]:
    """The words of a goal that the index knows, the rarest of them, in their order; else all of them."""
    found = sorted((term for term in spelled if known[term]), key=lambda term: known[term])[:PHRASE]
    return [letters for term, letters in spelled.items() if term in found] or list(spelled.values())[:PHRASE]


def _about(goal: str, phrase: Sequence[str], known: Mapping[str, int]) -> str:
    """What a goal is about in its own words, or in those that anything stored has, where it has others."""
    clause = clause_of(goal)
    is_known = all(known.get(term) for term in spelled_words(clause)) or not any(known.values())
    return clause if is_known else " ".join(phrase)


def _texts(types: Sequence[QueryType], goal: str, phrase: Sequence[str], *, about: str, now: int) -> list[str]:
    made: list[str] = []
    for type in types:
        for size in range(len(phrase), 0, -1):
            text = _draft(type, goal, phrase[:size], about=about if size == len(phrase) else "", now=now)
            if _is_apart(text, made):
                break
        else:
            text = f"{_CUES[type]} {phrase[0]}"
        made.append(text)
    return made


def _is_apart(text: str, others: Sequence[str]) -> bool:
    mine = set(query_words(text))
    for other in others:
        theirs = set(query_words(other))
        if len(mine & theirs) >= APART * len(mine | theirs):
            return False
    return True


def _draft(type: QueryType, goal: str, phrase: Sequence[str], *, about: str, now: int) -> str:
    """A question as a person would type it."""
    spoken = " ".join(phrase)
    topic = about or spoken
    if type == "semantic":
        return without_request(goal)
    if type == "causal":
        if asks_for_effects(goal):
            return f"what follows from {topic}"
        return f"what makes {topic}" if asks_for_causes(goal) else f"reason for {topic}"
    if type == "code":
        return " ".join(dict.fromkeys(names(goal))) or spoken
    if type == "temporal":
        said = periods(goal)
        undated = " ".join(word for word in phrase if word.lower() not in " ".join(said).split()) or spoken
        dates = " ".join(dict.fromkeys(_dated(period, now) for period in said))
        return f"{undated} {dates}" if dates else f"when {topic}"
    named = [name for name in find(goal) if not is_of_calendar(name)]
    return " ".join(dict.fromkeys(named)) or f"who deals with {spoken}"


def _dated(period: str, now: int) -> str:
    """A time that is said from where one stands, as a date."""
    today = to_iso(now - now % DAY)[:10]
    if period == "today":
        return today
    if period in ("yesterday", "last night"):
        return to_iso(now - now % DAY - DAY)[:10]
    if period.endswith(" week"):
        return to_iso(now - now % DAY - 7 * DAY)[:10]
    if period.endswith(" month"):
        first = now - now % DAY - (int(today[8:]) - 1) * DAY
        return today[:7] if period.startswith("this") else to_iso(first - DAY)[:7]
    if period.endswith(" year"):
        return today[:4] if period.startswith("this") else str(int(today[:4]) - 1)
    return period


def _coverage(text: str, held: Mapping[str, int]) -> float:
    """The share of a question's words that anything stored has."""
    terms = set(words(text))
    return sum(1 for term in terms if held.get(term)) / len(terms) if terms else 0.0


def _answers_cost(kernel: Kernel, texts: Sequence[str]) -> int:
    """The tokens of what each question would show at first; as it is spelled, since that decides little here."""
    with kernel.store.database.read() as session:
        embedder, voice = embedder_of(kernel, session), voice_of(session, kernel.collection)
    vectors = [embed_question(text, embedder) for text in texts]
    finder: Finder = finder_of(kernel)
    cost = 0
    with kernel.read() as snapshot:
        passing = everything_known(snapshot)
        for text, vector in zip(texts, vectors, strict=True):
            search = Search(text=text, filter=passing, vector=vector, voice=voice, depth=SHOWN, may_be_misspelled=False)
            best: dict[str, int] = {}
            for passage in finder.find(snapshot, search, None if vector is None else embedder).passages:
                best.setdefault(passage.entry_id, passage.seq)
            shown = read_texts(snapshot.session, snapshot.collection, list(best.values())[:SHOWN])
            cost += sum(count_tokens(said.partition("\n")[2][:SNIPPET]) for said in shown.values())
    return cost


def _strategy(queries: Sequence[PlannedQuery]) -> str:
    """Names first where there are any; one after the other where only one can be expected to find anything."""
    if any(query.type == "entity" for query in queries):
        return "cascade"
    return "sequential" if sum(query.coverage > 0 for query in queries) == 1 else "parallel"
