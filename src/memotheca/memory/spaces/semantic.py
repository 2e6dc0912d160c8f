"""Semantic nearness (E1): the cosine of the vectors of the shared search, or of words where something has no vector."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.memory.spaces.space import Hung, Space, one_by_one

Array = NDArray[Any]


class SemanticSpace(Space):
    """Meaning."""

    id, name, purpose = "E1", "Semantic", "meaning"
    representation = "sentence vectors of the shared search"

    @cached_property
    def _vectors(self) -> Array | None:
        """The vectors of all members, where all have one."""
        vectors = [member.vector for member in self.members.hung]
        return None if any(vector is None for vector in vectors) else np.array(vectors, np.float32)

    def nearness(self, probes: Sequence[Hung]) -> Array:
        return one_by_one(self._meant(probe) for probe in probes)

    def between(self, ones: Sequence[Hung], others: Sequence[Hung]) -> Array:
        return np.array([self.meaning(one, other) for one, other in zip(ones, others, strict=True)])

    def meaning(self, one: Hung, other: Hung) -> float:
        """Of two entries: the cosine of their vectors, or of their words where one has none."""
        if one.vector is not None and other.vector is not None and len(one.vector) == len(other.vector):
            return min(1.0, max(0.0, float(one.vector @ other.vector)))
        return float(self.members.words.cosines_between([one.words], [other.words])[0])

    def _meant(self, probe: Hung) -> Array:
        if self._vectors is None or probe.vector is None or len(probe.vector) != self._vectors.shape[1]:
            return self.members.words.cosines(probe.words)
        return np.clip(np.einsum("ij,j->i", self._vectors, probe.vector), 0.0, 1.0).astype(np.float32)
