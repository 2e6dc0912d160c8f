"""Sparse keywords (E6): the words the shared search finds an entry by, the rarer the more."""

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from memotheca.memory.spaces.space import Hung, Space, speak_by_words

Array = NDArray[Any]


class KeywordSpace(Space):
    """Words."""

    id, name, purpose = "E6", "Sparse", "selectivity"
    representation = "stems of the shared search, weighted by rarity"
    silence = "it has no words"

    def speaks(self, probes: Sequence[Hung]) -> Array:
        return speak_by_words(probes)

    def nearness(self, probes: Sequence[Hung]) -> Array:
        return self.members.words.cosines_of([probe.words for probe in probes])

    def between(self, ones: Sequence[Hung], others: Sequence[Hung]) -> Array:
        return self.members.words.cosines_between([one.words for one in ones], [other.words for other in others])
