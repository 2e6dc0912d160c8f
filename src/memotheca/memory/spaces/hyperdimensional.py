"""Robust nearness (E9): letters in threes, bound and bundled into 4,096 bits, which survive typing errors."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.memory.spaces.space import Hung, KeptSpace, Members, one_by_one
from memotheca.model.knowledge import fold

Array = NDArray[Any]

BITS = 4096  # chosen: the least that the family names, since a row is kept for each memory (memory-model: Spaces)
BYTES = BITS // 8  # specification: eight bits each
GRAMS = 256  # chosen: the sense of a long text is in its beginning; bounds the time
_SEED = 20_260_210  # chosen: any, but the same for ever, since bits are stored


@lru_cache(maxsize=8192)
def _letter(letter: str, shift: int) -> int:
    """The fixed random bits of a letter, permuted by its place in the gram."""
    bits = np.random.default_rng([_SEED, ord(letter)]).integers(0, 2, BITS, np.uint8)
    return int.from_bytes(np.packbits(np.roll(bits, shift), bitorder="little").tobytes(), "little")


@lru_cache(maxsize=16384)
def _gram(gram: str) -> int:
    return _letter(gram[0], 2) ^ _letter(gram[1], 1) ^ _letter(gram[2], 0)


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


def _sums(worth: list[list[int]]) -> list[int]:
    """How many grams set each bit, the binary digits of all bits side by side and the lowest first, from those that
    count once, twice, four times, and so on: as an adder does it, with numbers of as many bits as there are sums."""
    digits: list[int] = []
    carried: list[int] = []
    for grams in chain(worth, repeat(list[int]())):
        if not grams and not carried and len(digits) >= len(worth):
            return digits
        left, carried = [*grams, *carried], []
        while len(left) > 2:
            one, two, three = left.pop(), left.pop(), left.pop()
            either = one ^ two
            left.append(either ^ three)
            carried.append(one & two | either & three)
        if len(left) == 2:
            carried.append(left[0] & left[1])
            left = [left[0] ^ left[1]]
        digits += left or [0]
    return digits


def _at_least(digits: list[int], least: int) -> int:
    """The bits whose sum is so large, decided by the highest digit that differs."""
    more, equal = 0, (1 << BITS) - 1
    for place in reversed(range(max(len(digits), least.bit_length()))):
        digit = digits[place] if place < len(digits) else 0
        if least >> place & 1:
            equal &= digit
        else:
            more |= equal & digit
            equal &= ~digit
    return more | equal


def nearness(known: Array, probe: Array) -> Array:
    """How far agreement exceeds chance: 1 - 2 · differing bits / bits, not below nothing."""
    differing = np.bitwise_count(known ^ probe).sum(axis=1, dtype=np.int64)
    return np.maximum(0.0, 1 - 2 * differing / BITS).astype(np.float32)


class HyperdimensionalSpace(KeptSpace[bytes]):
    """Letters, whatever the typing errors."""

    id, name, purpose = "E9", "Hyperdimensional", "robustness"
    representation = "4,096 bits of bundled letters in threes"
    sees_content = False
    silence = "it has no letters"

    def __init__(self, members: Members) -> None:
        super().__init__(members)
        self._bits = self._bits_of(members.hung)

    @staticmethod
    def represent(text: str, modality: str = "text") -> bytes:
        """A bit is set where most grams set it."""
        spaced = f" {' '.join(fold(text).split())} "
        counted = Counter(map("".join, zip(spaced, spaced[1:], spaced[2:], strict=False)))
        worth: list[list[int]] = []
        total = 0
        for times, grams in _most(counted):
            bits = [_gram(gram) for gram in grams]
            total += times * len(grams)
            worth += [[] for _ in range(times.bit_length() - len(worth))]
            for place in range(times.bit_length()):
                worth[place] += bits if times >> place & 1 else []
        return _at_least(_sums(worth), total // 2 + 1).to_bytes(BYTES, "little")

    @staticmethod
    def to_bytes(part: bytes) -> bytes:
        return part

    @staticmethod
    def from_bytes(marks: tuple[int, ...], packed: bytes, start: int) -> tuple[bytes, int]:
        return packed[start : start + BYTES], start + BYTES

    def speaks(self, probes: Sequence[Hung]) -> Array:
        return np.array([any(part) for part in self.parts(probes)], bool)

    def nearness(self, probes: Sequence[Hung]) -> Array:
        return one_by_one(nearness(self._bits, probe) for probe in self._bits_of(probes))

    def between(self, ones: Sequence[Hung], others: Sequence[Hung]) -> Array:
        return nearness(self._bits_of(others), self._bits_of(ones))

    @classmethod
    def _bits_of(cls, hung: Sequence[Hung]) -> Array:
        joined = np.frombuffer(b"".join(cls.parts(hung)), np.uint64)
        return joined.reshape(len(hung), BYTES // 8)
