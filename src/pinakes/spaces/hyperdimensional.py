"""Robust nearness (E9): letters in threes, bound and bundled into 4,096 bits, which survive typing errors."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pinakes.model.knowledge import fold

Array = NDArray[Any]

BITS = 4096
BYTES = BITS // 8
GRAMS = 256
FEW = 255
_SEED = 20_260_210


@lru_cache(maxsize=8192)
def _letter(letter: str, shift: int) -> Array:
    """The fixed random bits of a letter, permuted by its place in the gram."""
    bits = np.random.default_rng([_SEED, ord(letter)]).integers(0, 2, BITS, np.uint8)
    return np.packbits(np.roll(bits, shift), bitorder="little").view(np.uint64)


@lru_cache(maxsize=16384)
def _gram(gram: str) -> bytes:
    return (_letter(gram[0], 2) ^ _letter(gram[1], 1) ^ _letter(gram[2], 0)).tobytes()


def represent(text: str) -> bytes:
    """A bit is set where most grams set it."""
    spaced = f" {' '.join(fold(text).split())} "
    counted = Counter(map("".join, zip(spaced, spaced[1:], spaced[2:], strict=False)))
    votes, total = np.zeros(BITS, np.int64), 0
    for times, grams in _most(counted):
        votes += times * _sum([_gram(gram) for gram in grams])
        total += times * len(grams)
    return np.packbits(votes * 2 > total, bitorder="little").tobytes()


def _most(counted: Mapping[str, int]) -> Iterator[tuple[int, list[str]]]:
    """The grams that occur most, those that occur as often together; where not all have room, the first."""
    alike: dict[int, list[str]] = {}
    for gram, times in counted.items():
        alike.setdefault(times, []).append(gram)
    room = GRAMS
    for times in sorted(alike, reverse=True):
        grams = alike[times]
        yield times, grams if len(grams) <= room else sorted(grams)[:room]
        room -= len(grams)
        if room <= 0:
            return


def _sum(grams: list[bytes]) -> Array:
    """How many grams set each bit; so many at a time that their sum fits into a byte, in which adding is quickest."""
    total = np.zeros(BITS, np.int64)
    for start in range(0, len(grams), FEW):
        packed = np.frombuffer(b"".join(grams[start : start + FEW]), np.uint8)
        total += np.add.reduce(np.unpackbits(packed, bitorder="little").reshape(-1, BITS), dtype=np.uint8)
    return total


def nearness(known: Array, probe: Array) -> Array:
    """How far agreement exceeds chance: 1 - 2 · differing bits / bits, not below nothing."""
    differing = np.bitwise_count(known ^ probe).sum(axis=1, dtype=np.int64)
    return np.maximum(0.0, 1 - 2 * differing / BITS).astype(np.float32)
