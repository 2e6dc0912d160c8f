"""A gallery: many entries hung in every space, and how near another one is to all."""

from collections.abc import Sequence
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from memotheca.memory.spaces.semantic import SemanticSpace
from memotheca.memory.spaces.space import Hung, Members, Space
from memotheca.memory.spaces.space_table import SPACES
from memotheca.memory.spaces.sparse import Sparse

Array = NDArray[Any]
S = TypeVar("S", bound=Space)


class Gallery:
    """Entries to compare with, in all spaces; what a space needs is laid out when something is first compared in it."""

    def __init__(self, members: Sequence[Hung]) -> None:
        self.members = tuple(members)
        self.ids = tuple(member.id for member in members)
        self.places = {id: place for place, id in enumerate(self.ids)}
        self._shared = Members(members)
        self._made: dict[type[Space], Space] = {}

    def __len__(self) -> int:
        return len(self.members)

    def nearness(self, space: int, probe: Hung) -> Array:
        """How near a probe is to every member in one space, from 0 to 1."""
        return self.nearness_of(space, [probe])[0]

    def nearness_of(self, space: int, probes: Sequence[Hung]) -> Array:
        """As `nearness`, a row for each of several probes."""
        if not self.members or not probes:
            return np.zeros((len(probes), len(self)), np.float32)
        return self._space(SPACES[space]).nearness(probes).astype(np.float32, copy=False)

    def speaking(self, space: int, probes: Sequence[Hung]) -> Array:
        """Of which of several probes there is anything to compare in one space."""
        return self._space(SPACES[space]).speaks(probes)

    def matrix(self, space: int) -> Array:
        """How near the members are to each other in one space."""
        return self.nearness_of(space, self.members)

    def between(self, ones: Sequence[Hung], others: Sequence[Hung]) -> Array:
        """How near each of some entries is to its counterpart, a space a row; members or not, with the statistics of
        the members."""
        if len(ones) != len(others):
            raise ValueError("each needs a counterpart")
        if not ones:
            return np.zeros((len(SPACES), 0), np.float32)
        return np.array([self.between_in(space, ones, others) for space in range(len(SPACES))], np.float32)

    def between_in(self, space: int, ones: Sequence[Hung], others: Sequence[Hung]) -> Array:
        """As `between`, in one space."""
        return np.asarray(self._space(SPACES[space]).between(ones, others), np.float32)

    def rarity(self, probe: Hung) -> float:
        """How rare the probe's words are among the members, on average: near 0 if all have them, 1 if none has."""
        words = self._shared.words
        rare = words.rarities(probe.words)
        return float(rare.mean()) / words.unseen if len(rare) else 0.0

    def weights(self, space: int, probe: Hung) -> tuple[Sparse, Array]:
        """The terms by which a probe stands in a space, each with its weight."""
        return self._space(SPACES[space]).weights(probe)

    def meaning(self, one: Hung, other: Hung) -> float:
        """E1 of two entries."""
        return self._space(SemanticSpace).meaning(one, other)

    def wording(self, one: Sparse, other: Sparse) -> float:
        """How near two texts are by their words, the rarer the word the more."""
        return float(self._shared.words.cosines_between([one], [other])[0])

    def _space(self, kind: type[S]) -> S:
        found = self._made.get(kind)
        return cast(S, self._made.setdefault(kind, kind(self._shared)) if found is None else found)
