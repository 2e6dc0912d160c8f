"""From words to the numbers that postings are kept under, and the few bytes a chunk's terms are packed in."""

import hashlib
import struct
from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from memotheca.model.knowledge import fold
from memotheca.text.caches import WordCache
from memotheca.text.words import (
    parts_of_name,
    read_run,
    runs_with_capitals,
    split,
    split_words,
    words_of_run,
)

MAX_FREQUENCY = 255  # chosen: what a byte holds
# A word of the title counts as often as if the text had it three times.
TITLE_WEIGHT = 3  # measured: the ranking recipe (docs/decisions/search.md; docs/benchmarks.md, retrieval)
MANY = 65_536  # chosen: the vocabulary of a large collection, a few MB

Reading = tuple[tuple[int, ...], tuple[bytes, bytes] | None]

_PAIR = hashlib.blake2b(b"p\0", digest_size=8)


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


def _read(run: str) -> Reading:
    """The numbers of a run's terms, and how it begins and ends as half of a pair: None for a stop-word, which pairs
    pass over, and nothing where its terms overlap."""
    terms, stops, overlaps = read_run(run)
    ends = (b"", b"") if overlaps else (terms[0].encode(), f"{terms[-1]} ".encode())
    return tuple(word_number(term) for term in terms), None if stops else ends


_readings = WordCache(_read, MANY)


def _number(text: str) -> tuple[list[int], int]:
    """The numbers of a text's words, pairs and compound names, each as often as it stands there, and how many words
    there are. Every text that is stored passes through here, so each run of letters is looked at once."""
    runs, names = split(text)
    numbers = [identifier_number(name) for name in names]
    paired: list[bytes] = []
    length = 0
    last = b""
    for run in runs:
        found, ends = _readings[run]
        numbers += found
        if ends is None:
            continue
        length += len(found)
        if last and ends[0]:
            paired.append(last + ends[0])
        last = ends[1]
    for name in runs_with_capitals(text):
        parts = _parted[name]
        numbers += parts
        length += len(parts)
    numbers += _number_pairs(paired)
    return numbers, length


def _number_parts(name: str) -> tuple[int, ...]:
    return tuple(word_number(part) for part in parts_of_name(name))


_parted = WordCache(_number_parts, MANY)


def number_words(text: str) -> list[int]:
    """The numbers of a text's words in their order, without its stop-words."""
    return list(chain.from_iterable(map(_spoken.__getitem__, split_words(text))))


def _number_run(run: str) -> tuple[int, ...]:
    return tuple(word_number(word) for word in words_of_run(run))


_spoken = WordCache(_number_run, MANY)


def _number_pairs(paired: list[bytes]) -> list[int]:
    """What `pair_number` gives for each. Most pairs are met once, so nothing is gained by remembering them."""
    digests = bytearray()
    for pair in paired:
        hashed = _PAIR.copy()
        hashed.update(pair)
        digests += hashed.digest()
    return list(struct.unpack(f"<{len(paired)}Q", digests))


def pack(terms: Terms) -> bytes:
    numbers = sorted(terms.frequencies)
    counts = map(terms.frequencies.__getitem__, numbers)
    if max(terms.frequencies.values(), default=0) > MAX_FREQUENCY:
        counts = (min(count, MAX_FREQUENCY) for count in counts)
    return terms.length.to_bytes(4, "little") + array("Q", numbers).tobytes() + bytes(counts)
