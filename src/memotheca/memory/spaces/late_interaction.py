"""Late interaction (E12): each word on its own, as 64 signs of its letters, matched with the best of the other."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.memory.spaces.space import Hung, KeptSpace, Members, distinct
from memotheca.text.caches import LruCache
from memotheca.text.terms import number_of
from memotheca.text.words import words

Array = NDArray[Any]

TOKENS = 24  # chosen: the words that say most; all pairs of them are compared
BITS = 64  # chosen: a word of the machine
MANY = 65_536  # chosen: the vocabulary of a large collection, a few MB
# Chosen: so many words compared with those of a sample at once stay in the processor's cache.
FEW = 16

_signed = LruCache[str, int](MANY)


def signatures(words: Sequence[str]) -> list[int]:
    """The signature of each word."""
    found = _signed.find(words)
    fresh = [word for word in dict.fromkeys(words) if word not in found]
    if fresh:
        made = dict(zip(fresh, _sign(fresh), strict=True))
        for word, signature in made.items():
            _signed.put(word, signature)
        found |= made
    return [found[word] for word in words]


def _sign(words: Sequence[str]) -> list[int]:
    """The signs of the sum of what the letters of each word in threes (and itself) stand for."""
    grams = [[word, *_threes(f"#{word}#")] for word in words]
    sizes = np.array([len(each) for each in grams])
    hashed = np.array([number_of("t", gram) for each in grams for gram in each], np.uint64)
    bits = np.unpackbits(hashed.view(np.uint8).reshape(len(hashed), 8), axis=1, bitorder="little")
    starts = np.cumsum(sizes) - sizes
    votes = np.add.reduceat(bits, starts, axis=0, dtype=np.int32) * 2 - sizes[:, None]
    # A tie is decided by the word itself.
    decided = (votes > 0) | ((votes == 0) & (bits[starts] > 0))
    signed: list[int] = np.packbits(decided, axis=1, bitorder="little").view(np.uint64).ravel().tolist()
    return signed


def _threes(padded: str) -> list[str]:
    return [padded[place : place + 3] for place in range(len(padded) - 2)]


class LateInteractionSpace(KeptSpace[Array]):
    """Single words. Those of many texts stand side by side: the first of each text, then the second of each, and so on,
    so that the best matches of many texts are found in one step; one with fewer words than another repeats its last."""

    id, name, purpose = "E12", "Late interaction", "precision"
    representation = "each word's 64 signs, best match"
    marks = "B"
    silence = "it has no words"

    def __init__(self, members: Members) -> None:
        super().__init__(members)
        parts = self.parts(members.hung)
        self._empty = np.array([not len(part) for part in parts], bool)
        spoken, starts = _side_by_side(parts)
        sizes = np.diff(starts, append=len(spoken))
        most = int(sizes.max(initial=0))
        self._tokens = spoken[starts + np.minimum(np.arange(most)[:, None], sizes - 1)]

    @staticmethod
    def represent(text: str, modality: str = "text") -> Array:
        """The first occurrences of a text's words, the longest where there are many."""
        distinct = list(dict.fromkeys(words(text)))
        if len(distinct) > TOKENS:
            kept = set(sorted(distinct, key=lambda word: (-len(word), word))[:TOKENS])
            distinct = [word for word in distinct if word in kept]
        return np.array(signatures(distinct), np.uint64)

    @staticmethod
    def to_marks(part: Array) -> tuple[int, ...]:
        return (len(part),)

    @staticmethod
    def to_bytes(part: Array) -> bytes:
        return part.tobytes()

    @staticmethod
    def from_bytes(marks: tuple[int, ...], packed: bytes, start: int) -> tuple[Array, int]:
        return np.frombuffer(packed, np.uint64, marks[0], start), start + 8 * marks[0]

    def speaks(self, probes: Sequence[Hung]) -> Array:
        return np.array([len(part) > 0 for part in self.parts(probes)], bool)

    def nearness(self, probes: Sequence[Hung]) -> Array:
        """The mean over a probe's words of their best match in each text."""
        parts = self.parts(probes)
        spoken, starts = _side_by_side(parts)
        different, places = np.unique(spoken, return_inverse=True)
        nearest = np.concatenate([self._nearest(different[at : at + FEW]) for at in range(0, len(different), FEW)])
        best = np.maximum(0.0, 1 - 2 * nearest.astype(np.float32) / BITS)[places]
        sizes = np.diff(starts, append=len(spoken))
        means = np.add.reduceat(best, starts, axis=0) / sizes[:, None]
        is_empty = self._empty | np.array([not len(part) for part in parts], bool)[:, None]
        return np.where(is_empty, 0.0, means).astype(np.float32)

    def between(self, ones: Sequence[Hung], others: Sequence[Hung]) -> Array:
        (mine, rows), (theirs, columns) = distinct(ones), distinct(others)
        return LateInteractionSpace(Members(theirs)).nearness(mine)[rows, columns]

    def _nearest(self, words: Array) -> Array:
        """How many signs the best match of each of some words differs in, in each text."""
        return np.minimum.reduce(np.bitwise_count(words[:, None, None] ^ self._tokens), axis=1)


def _side_by_side(texts: Sequence[Array]) -> tuple[Array, Array]:
    """The words of texts one after the other, and where each text begins; one without any has a word that is none."""
    filled = [text if len(text) else np.zeros(1, np.uint64) for text in texts]
    starts = np.cumsum([0, *(len(text) for text in filled[:-1])])
    return np.concatenate(filled) if filled else np.empty(0, np.uint64), starts
