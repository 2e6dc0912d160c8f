"""Two models as one embedder: an English one and one of many languages, heard by how much of a question is English."""

import numpy as np

from memotheca.text.words import split_words
from memotheca.vectors.onnx_embedder import BuiltModel, Vector, unit

# How long the second model's part of a vector is where the first one's is 1: a spread of its cosines is half of one of
# the first's, so that both are heard alike by whoever weighs them by one voice.
SECOND = 2.0  # measured: docs/decisions/search.md, "Other embedders"
# How loud the second model is where a question is in English, against 1 of the first, which is silent where it is not.
BESIDE_ENGLISH = 0.25  # measured: as above
# Of English questions most words are the first model's own, of German ones hardly half.
FOREIGN, ENGLISH = 0.5, 0.8  # measured: shares of 4,400 questions, as above


class PairedModels:
    """A passage is the vectors of both, side by side; a question is that too, each as loud as it deserves."""

    def __init__(self, first: BuiltModel, second: BuiltModel, identity: str) -> None:
        self.identity = identity
        self.width = first.width + second.width
        self._first, self._second = first, second

    def embed_question(self, text: str) -> Vector:
        share = self._english_share(text)
        beside = share * BESIDE_ENGLISH + (1 - share)
        return _joined(share * self._first.embed_question(text), beside / SECOND * self._second.embed_question(text))

    def embed_passage(self, title: str, text: str) -> list[Vector]:
        """A vector for each window of the first model; the second, whose vectors are means anyhow, has read it all."""
        read = unit(np.mean(self._second.embed_passage(title, text), axis=0))
        return [_joined(vector, SECOND * read) for vector in self._first.embed_passage(title, text)]

    def knows(self, word: str) -> bool:
        """Whether a word is one of the second model's own, which has those of all its languages."""
        return self._second.knows(word)

    def _english_share(self, text: str) -> float:
        spoken = split_words(text)
        known = sum(1 for word in spoken if self._first.knows(word)) / max(len(spoken), 1)
        return min(max((known - FOREIGN) / (ENGLISH - FOREIGN), 0.0), 1.0)


def _joined(one: Vector, other: Vector) -> Vector:
    return unit(np.concatenate([one, other]))
