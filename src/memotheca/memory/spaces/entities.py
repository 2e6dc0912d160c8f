"""Nearness by what is named (E11): people, places, products, identifiers, addresses and amounts in common."""

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from memotheca.memory.spaces.space import Hung, SparseSpace
from memotheca.memory.spaces.sparse import Sparse, count
from memotheca.model.knowledge import fold
from memotheca.text.names_in_text import amounts, find
from memotheca.text.words import STOP_WORDS

Array = NDArray[Any]

TERMS = 128  # chosen: the names of a long text; bounds a row


class EntitySpace(SparseSpace):
    """What is named."""

    id, name, purpose = "E11", "Entity", "factuality"
    representation = "names, identifiers, addresses and amounts"
    silence = "nothing is named in it"

    @staticmethod
    def represent(text: str, modality: str = "text") -> Sparse:
        terms = [fold(name) for name in find(text)]
        # The parts of a long name too: who is first named in full is later called by one of them.
        terms += [part for name in terms if " " in name for part in name.split() if part not in STOP_WORDS]
        return count("n", terms + amounts(text), TERMS)

    def nearness(self, probes: Sequence[Hung]) -> Array:
        return self.columns.overlaps_of(self.parts(probes))

    def between(self, ones: Sequence[Hung], others: Sequence[Hung]) -> Array:
        return self.columns.overlaps_between(self.parts(ones), self.parts(others))
