"""Robust nearness (E9): letters in threes, bound and bundled into 4,096 bits, which survive typing errors."""

from collections import Counter
from functools import lru_cache
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pinakes.model.knowledge import fold

Array = NDArray[Any]

BITS = 4096
BYTES = BITS // 8
GRAMS = 256
_SEED = 20_260_210


@lru_cache(maxsize=8192)
def _letter(letter: str, shift: int) -> Array:
    """The fixed random bits of a letter, permuted by its place in the gram."""
    bits = np.random.default_rng([_SEED, ord(letter)]).integers(0, 2, BITS, np.uint8)
    return np.packbits(np.roll(bits, shift), bitorder="little").view(np.uint64)


@lru_cache(maxsize=16384)
def _gram(gram: str) -> Array:
    bound = _letter(gram[0], 2) ^ _letter(gram[1], 1) ^ _letter(gram[2], 0)
    return np.unpackbits(bound.view(np.uint8), bitorder="little")


def represent(text: str) -> bytes:
    """A bit is set where most grams set it."""
    spaced = f" {' '.join(fold(text).split())} "
    counted = Counter(spaced[place : place + 3] for place in range(len(spaced) - 2))
    if not counted:
        return bytes(BYTES)
    kept = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))[:GRAMS]
    votes = np.zeros(BITS, np.int64)
    for times, group in groupby(kept, key=lambda pair: pair[1]):
        votes += times * np.add.reduce(np.array([_gram(gram) for gram, _ in group]), dtype=np.uint16)
    return np.packbits(votes * 2 > sum(times for _, times in kept), bitorder="little").tobytes()


def nearness(known: Array, probe: Array) -> Array:
    """How far agreement exceeds chance: 1 - 2 · differing bits / bits, not below nothing."""
    differing = np.bitwise_count(known ^ probe).sum(axis=1, dtype=np.int64)
    return np.maximum(0.0, 1 - 2 * differing / BITS).astype(np.float32)
