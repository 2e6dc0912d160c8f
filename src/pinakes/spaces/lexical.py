"""Lexical nearness: BM25 over words and neighbouring pairs, with a reward for phrases and identifiers."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pinakes.model.knowledge import fold
from pinakes.spaces.words import identifiers, pairs, query_words, quoted, trace, words

K1 = 0.9
B = 0.75
EXTRA_LENGTH = 40
TITLE_WEIGHT = 3
PAIR_WEIGHT = 0.2


@dataclass(frozen=True, slots=True)
class Text:
    """What is compared with a question."""

    title: str
    body: str


@dataclass(frozen=True, slots=True)
class _Candidate:
    position: int
    length: int
    words: Counter[str]
    pairs: Counter[tuple[str, str]]
    exact: Counter[str]


def scores(question: str, texts: Sequence[Text]) -> list[float]:
    """The BM25 score of each text, zero where nothing matches; statistics are over these texts alone."""
    terms = query_words(question)
    all_stop_words = bool(terms) and not words(question)
    exact = [*identifiers(question), *quoted(question)]
    candidates, mean_length = _candidates(texts, terms, exact, all_stop_words)
    result = [0.0] * len(texts)
    counts = _document_counts(candidates)
    for candidate in candidates:
        norm = K1 * (1 - B + B * (candidate.length + EXTRA_LENGTH) / (mean_length + EXTRA_LENGTH))
        total = 0.0
        for term in dict.fromkeys(terms):
            total += _weigh(candidate.words[term], counts[0][term], len(texts), norm)
        for pair in dict.fromkeys(pairs(terms)):
            total += PAIR_WEIGHT * _weigh(candidate.pairs[pair], counts[1][pair], len(texts), norm)
        for phrase in dict.fromkeys(exact):
            total += _weigh(candidate.exact[phrase], counts[2][phrase], len(texts), norm)
        result[candidate.position] = total
    return result


def carries(title: str, wanted: str) -> bool:
    """Whether a title has every word that is wanted."""
    held = set(words(title, keep_stop_words=True))
    return all(word in held for word in query_words(wanted))


def share(title: str, wanted: str) -> float:
    """How much of a title is made of what is wanted: 1 where it says nothing else."""
    held = words(title, keep_stop_words=True)
    return len(query_words(wanted)) / max(len(held), 1)


def _candidates(
    texts: Sequence[Text], terms: list[str], exact: list[str], keep_stop_words: bool
) -> tuple[list[_Candidate], float]:
    """Tokenise only the texts that can match; the rest cost a few substring tests."""
    traces = {trace(term) for term in terms}
    wanted_terms, wanted_pairs = set(terms), set(pairs(terms))
    found: list[_Candidate] = []
    total_length = 0
    for position, text in enumerate(texts):
        folded = fold(f"{text.title}\n{text.body}")
        length = _length(folded)
        total_length += length
        if not any(letters in folded for letters in traces):
            continue
        titled = words(text.title, keep_stop_words=keep_stop_words)
        bodied = words(text.body, keep_stop_words=keep_stop_words)
        counted = Counter(word for word in bodied if word in wanted_terms)
        for word in titled:
            if word in wanted_terms:
                counted[word] += TITLE_WEIGHT
        if counted:
            neighbours = Counter(pair for pair in [*pairs(titled), *pairs(bodied)] if pair in wanted_pairs)
            spaced = " ".join(folded.split()) if exact else ""
            phrases = Counter({phrase: spaced.count(phrase) for phrase in exact})
            found.append(_Candidate(position, length, counted, neighbours, phrases))
    return found, total_length / max(len(texts), 1)


def _length(folded: str) -> int:
    """About as many words as there are; every text is measured, so it has to be cheap."""
    return folded.count(" ") + 1


def _document_counts(
    candidates: list[_Candidate],
) -> tuple[Counter[str], Counter[tuple[str, str]], Counter[str]]:
    by_word, by_pair, by_phrase = Counter[str](), Counter[tuple[str, str]](), Counter[str]()
    for candidate in candidates:
        by_word.update(candidate.words.keys())
        by_pair.update(candidate.pairs.keys())
        by_phrase.update(phrase for phrase, times in candidate.exact.items() if times)
    return by_word, by_pair, by_phrase


def _weigh(frequency: int, documents: int, total: int, norm: float) -> float:
    if not frequency:
        return 0.0
    idf = math.log(1 + (total - documents + 0.5) / (documents + 0.5))
    return idf * frequency * (K1 + 1) / (frequency + norm)
