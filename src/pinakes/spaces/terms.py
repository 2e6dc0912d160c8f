"""From words to the numbers that postings are kept under, and the few bytes a chunk's terms are packed in."""

import hashlib
from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from pinakes.model.knowledge import fold
from pinakes.spaces.lexical import TITLE_WEIGHT
from pinakes.spaces.words import read_run, split

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
        numbers, words = _number(text)
        length += words
        for _ in range(weight):
            counted.update(numbers)
    for number in filters:
        counted[number] = 1
    return Terms(length, counted)


@lru_cache(maxsize=65_536)
def _read(run: str) -> tuple[tuple[int, ...], tuple[str, str] | None, bool]:
    """The numbers of a run's terms, the first and the last unless it is a stop-word, and whether they overlap."""
    terms, stops, overlaps = read_run(run)
    return tuple(word_number(term) for term in terms), None if stops else (terms[0], terms[-1]), overlaps


def _number(text: str) -> tuple[list[int], int]:
    """The numbers of a text's words, pairs and compound names, each as often as it stands there, and how many words
    there are. Every text that is stored passes through here, so each run of letters is looked at once."""
    runs, names = split(text)
    numbers = [identifier_number(name) for name in names]
    length = 0
    last, last_overlaps = "", True
    for run in runs:
        found, ends, overlaps = _read(run)
        numbers += found
        if ends is None:
            continue
        length += len(found)
        if not (overlaps or last_overlaps):
            numbers.append(number_of("p", f"{last} {ends[0]}"))
        last, last_overlaps = ends[1], overlaps
    return numbers, length


def pack(terms: Terms) -> bytes:
    numbers = sorted(terms.frequencies)
    counts = [terms.frequencies[number] for number in numbers]
    tail = bytes(counts if max(counts, default=0) <= MAX_FREQUENCY else [min(count, MAX_FREQUENCY) for count in counts])
    return terms.length.to_bytes(4, "little") + array("Q", numbers).tobytes() + tail
