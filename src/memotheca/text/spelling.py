"""Spelling: a word of a question that nobody wrote is read as the word it is one slip away from."""

import re
import string
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from memotheca.text.words import STOP_WORDS, identifiers, is_unspaced, quoted, spelled_words, stems, words

# Chosen: two letters that changed places are a slip in almost any word; another letter is one only in a longer
# word, and in a still longer one where nobody can say whether it is a word of its own.
SHORTEST_SWAPPED = 4
SHORTEST_CHANGED = 5  # chosen: as above
SHORTEST_GUESSED = 7  # chosen: as above

# Chosen: no word of any language that people misspell is longer; what is, is a sequence, a key or an attack.
LONGEST_CHANGED = 40

# Chosen: looking up every change of a word takes a millisecond or two, and nobody misspells every word of a
# question.
MOST_CHANGED = 3

_LETTERS = string.ascii_lowercase + "äöüßéèáñç"
_NAMES = re.compile(r"[\d._:/\\@#+]")


class Vocabulary(Protocol):
    """The terms that stand in the texts."""

    def has(self, term: str) -> bool: ...

    def count(self, terms: Sequence[str]) -> Sequence[int]:
        """In how many texts each of these stands."""
        ...


def respell(question: str, texts: Vocabulary, knows: Callable[[str], bool] | None = None) -> str:
    """The question with words that no text has as they were probably meant. `knows` says which words are right all
    the same; where nobody can say that, a short word is taken as it is unless letters changed places. Names, numbers
    and what is quoted are left as they are."""
    shortest = SHORTEST_GUESSED if knows is None else SHORTEST_CHANGED
    tried = 0
    for word in _strange(question, texts):
        if knows is not None and knows(word):
            continue
        meant = _meant(swapped(word), texts) if len(word) >= SHORTEST_SWAPPED else None
        if meant is None and len(word) >= shortest and tried < MOST_CHANGED:
            tried += 1
            meant = _meant(changed(word), texts)
        if meant is not None:
            question = re.sub(rf"\b{re.escape(word)}\b", meant, question, flags=re.IGNORECASE)
    return question


def _strange(question: str, texts: Vocabulary) -> list[str]:
    kept = " ".join([*quoted(question), *(name for name in identifiers(question) if _NAMES.search(name))])
    named = words(kept)
    return [
        word
        for term, word in spelled_words(question).items()
        if len(word) <= LONGEST_CHANGED
        and word.isalpha()
        and word not in STOP_WORDS
        and not is_unspaced(word)
        and term not in named
        and not texts.has(term)
    ]


def _meant(spellings: Iterable[str], texts: Vocabulary) -> str | None:
    """The word that stands in the most texts; of equals, the first in the alphabet."""
    tried = [word for word in dict.fromkeys(spellings) if word not in STOP_WORDS]
    terms = stems(tried)
    different = list(dict.fromkeys(terms))
    counted = dict(zip(different, texts.count(different), strict=True))
    found = [(-counted[term], word) for word, term in zip(tried, terms, strict=True) if counted[term]]
    return min(found)[1] if found else None


def swapped(word: str) -> Iterator[str]:
    """The word with two neighbouring letters the other way round."""
    for at in range(len(word) - 1):
        if word[at] != word[at + 1]:
            yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def changed(word: str) -> Iterator[str]:
    """The word with a letter less, another letter, or a letter more."""
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]
    for at in range(len(word)):
        for letter in _LETTERS:
            yield word[:at] + letter + word[at + 1 :]
    for at in range(len(word) + 1):
        for letter in _LETTERS:
            yield word[:at] + letter + word[at:]
