"""From words to the numbers that postings are kept under, and the few bytes a chunk's terms are packed in."""

import hashlib
from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from pinakes.model.knowledge import fold
from pinakes.spaces.lexical import TITLE_WEIGHT
from pinakes.spaces.words import identifiers, pairs, stop_words, words

MAX_FREQUENCY = 255


@lru_cache(maxsize=262_144)
def number_of(space: str, term: str) -> int:
    """The 64-bit number of a term; words, pairs, identifiers and filters live in spaces of their own."""
    return int.from_bytes(hashlib.blake2b(f"{space}\0{term}".encode(), digest_size=8).digest(), "little")


def word_number(word: str) -> int:
    return number_of("w", word)


def pair_number(pair: tuple[str, str]) -> int:
    return number_of("p", f"{pair[0]} {pair[1]}")


def identifier_number(identifier: str) -> int:
    return number_of("i", identifier)


def filter_number(name: str, value: str) -> int:
    return number_of("f", f"{name}={fold(value)}")


@dataclass(frozen=True, slots=True)
class Terms:
    """What a chunk is found by: numbers with their frequencies, and its length in words."""

    length: int
    frequencies: Counter[int]


def analyse(title: str, body: str, filters: Iterable[int] = ()) -> Terms:
    """The terms of a chunk; a word of the title counts three times. Stop-words are kept for questions that have
    nothing else, but make no pairs and no length."""
    counted: Counter[int] = Counter()
    length = 0
    for text, weight in ((title, TITLE_WEIGHT), (body, 1)):
        terms = words(text)
        length += len(terms)
        for word in terms:
            counted[word_number(word)] += weight
        for pair in pairs(terms):
            counted[pair_number(pair)] += weight
        for name in identifiers(text):
            counted[identifier_number(name)] += weight
        for word in stop_words(text):
            counted[word_number(word)] += weight
    for number in filters:
        counted[number] = 1
    return Terms(length, counted)


def pack(terms: Terms) -> bytes:
    numbers = sorted(terms.frequencies)
    tail = bytes(min(terms.frequencies[number], MAX_FREQUENCY) for number in numbers)
    return terms.length.to_bytes(4, "little") + array("Q", numbers).tobytes() + tail
