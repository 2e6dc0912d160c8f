"""The lens: entries as topics see them, half by what they mean and half by their words and names, where words that
hardly tell subjects apart count little (memory-model: Topics)."""

import math
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.text.terms import number_of

Array = NDArray[Any]

WIDTH = 1024  # chosen: numbers that words are spread over, so many that two seldom meet
WORDS = 0.5  # measured on three corpora (memory-model: Topics)
KNOWN_TERMS = 4096  # chosen: bounds what is kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """How much each term tells, by its number, and the mean of all vectors, from which each is taken off: empty
    without an embedder."""

    model: str
    weights: Mapping[int, float]
    mean: Array

    def see(self, terms: Sequence[Mapping[str, str]], vectors: Sequence[Array | None]) -> Array:
        """Entries as rows of length 1, or shorter where half of it is not known."""
        rows = np.zeros((len(terms), len(self.mean) + WIDTH), np.float32)
        share = WORDS if len(self.mean) else 1.0
        for place, (spoken, vector) in enumerate(zip(terms, vectors, strict=True)):
            if vector is not None and len(vector) == len(self.mean):
                rows[place, : len(self.mean)] = _unit(vector - self.mean) * math.sqrt(1 - share)
            rows[place, len(self.mean) :] = _unit(self._spread(spoken)) * math.sqrt(share)
        return rows

    def _spread(self, spoken: Mapping[str, str]) -> Array:
        found = np.zeros(WIDTH, np.float32)
        for term in spoken:
            number = _number(term)
            if weight := self.weights.get(number):
                found[number % WIDTH] += weight if number >> 31 & 1 else -weight
        return found

    def to_json(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "weights": {str(number): round(weight, 3) for number, weight in self.weights.items()},
            "mean": to_text(self.mean),
        }


def lens_from(held: Mapping[str, Any]) -> Lens:
    weights = {int(number): float(weight) for number, weight in held["weights"].items()}
    return Lens(model=str(held["model"]), weights=weights, mean=from_text(held["mean"]))


def numbers_in(terms: Sequence[Mapping[str, str]]) -> Iterator[int]:
    """The numbers of the terms of some entries, each as often as there are entries that have it."""
    return (_number(term) for spoken in terms for term in spoken)


def grind(model: str, size: int, held: Mapping[int, int], vectors: Sequence[Array | None]) -> Lens:
    """The lens for so many entries, by how many have each term: one counts the more the rarer it is; one that a single
    entry has joins nothing."""
    telling = {number: times for number, times in held.items() if times > 1}
    kept = sorted(telling, key=lambda number: (-telling[number], number))[:KNOWN_TERMS]
    known = [vector for vector in vectors if vector is not None]
    return Lens(
        model=model,
        weights={number: math.log1p(size / telling[number]) for number in kept},
        mean=np.mean(known, axis=0).astype(np.float32) if known else np.zeros(0, np.float32),
    )


def to_text(values: Array) -> str:
    return b64encode(values.astype("<f2").tobytes()).decode()


def from_text(text: str) -> Array:
    return np.frombuffer(b64decode(text), "<f2").astype(np.float32)


def _number(term: str) -> int:
    return number_of("t", term) & 0xFFFFFFFF


def _unit(values: Array) -> Array:
    length = float(np.linalg.norm(values))
    return values / length if length > 0 else values
