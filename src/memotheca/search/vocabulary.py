"""Reading a question as it was meant, by the words that are in the index."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from memotheca.search.finder import Finder
from memotheca.search.index.live import Index
from memotheca.storage.snapshot import Snapshot
from memotheca.text.spelling import respell
from memotheca.text.terms import word_number


def read_as_meant(finder: Finder, snapshot: Snapshot, text: str, *, embedder: Any, as_of: int) -> str:
    """The question with misspelled words put right. Only an embedder that knows words can tell a slip from a word
    that nobody has written yet; without one, fewer words are touched."""
    index = finder.index_of(snapshot.collection, embedder.identity if embedder else "")
    with index.guard:
        index.catch_up(snapshot.session)
        return respell(text, _Indexed(index, as_of), getattr(embedder, "knows", None))


class _Indexed:
    """The words of the chunks that are alive after a transaction."""

    def __init__(self, index: Index, as_of: int) -> None:
        self._index = index
        self._as_of = as_of

    def has(self, term: str) -> bool:
        number = word_number(term)
        for part in self._index.text:
            documents = part.postings(number)[0]
            if len(documents) and part.alive(self._as_of)[documents].any():
                return True
        return False

    def count(self, terms: Sequence[str]) -> Sequence[int]:
        numbers = np.array([word_number(term) for term in terms], np.uint64)
        counted = np.zeros(len(numbers), np.int64)
        for part in self._index.text:
            held = part.arrays["terms"]
            places = np.minimum(np.searchsorted(held, numbers), max(len(held) - 1, 0))
            for place in np.flatnonzero(held[places] == numbers) if len(held) else ():
                documents = part.postings(int(numbers[place]))[0]
                counted[place] += np.count_nonzero(part.alive(self._as_of)[documents])
        return counted.tolist()
