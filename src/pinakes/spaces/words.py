"""From text to the words that are matched: folded, stemmed, without stop-words, CJK as bigrams."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, cast

import Stemmer

from pinakes.model.knowledge import fold

STOP_WORDS = frozenset(
    """a about after all also an and any are as at be because been before being between both but by can could did
    do does doing down during each few for from further had has have having he her here hers him his how i if in
    into is it its just me more most my no nor not now of off on once only or other our out over own s same she
    should so some such t than that the their them then there these they this those through to too under until up
    very was we were what when where which while who whom why will with would you your""".split()
)

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUNS = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
# Words joined by punctuation without a blank: paths, versions, dotted, dashed and underscored names.
_IDENTIFIERS = re.compile(rf"[^\W{_CJK}]+(?:[._:/\\@#+-]+[^\W{_CJK}]+)+|[^\W_{_CJK}]+(?:_+[^\W_{_CJK}]+)+")
_JOINTS = re.compile(r"\w[._:/\\@#+-]+\w")
_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”')

_stemmer = cast(Any, Stemmer).Stemmer("porter")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    return _stemmer.stemWord(word) or word


def stems(many: Sequence[str]) -> list[str]:
    """The stems of words that will hardly be seen again."""
    return _stemmer.stemWords(many)


def words(text: str, *, keep_stop_words: bool = False) -> list[str]:
    """The terms of a text in their order."""
    found: list[str] = []
    for run in _RUNS.findall(fold(text)):
        if is_cjk(run[0]):
            found += [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]
        elif run not in STOP_WORDS:
            found.append(stem(run))
        elif keep_stop_words:
            found.append(_marked(run))
    return found


def _marked(stop_word: str) -> str:
    """A stop-word as a term: whole and apart from all others, since `his` is no form of `hi`."""
    return f"{stop_word}'"


def stop_words(text: str) -> list[str]:
    """The stop-words of a text, as terms."""
    return [_marked(run) for run in _RUNS.findall(fold(text)) if run in STOP_WORDS]


def query_words(text: str) -> list[str]:
    """The terms of a question; its stop-words count only when it has nothing else."""
    return words(text) or words(text, keep_stop_words=True)


def spelled_words(text: str) -> dict[str, str]:
    """The terms of a question, each with the letters it was written in."""
    found: dict[str, str] = {}
    for run in _RUNS.findall(fold(text)):
        if is_cjk(run[0]):
            found |= {term: term for term in words(run)}
        elif run not in STOP_WORDS:
            found.setdefault(stem(run), run)
    return found or {_marked(run): run for run in _RUNS.findall(fold(text))}


def runs(text: str) -> set[str]:
    """The different words of a text, folded but as they are written; CJK runs whole."""
    return set(_RUNS.findall(fold(text)))


def identifiers(text: str) -> list[str]:
    """Compound names that should be found as they are written."""
    return _IDENTIFIERS.findall(fold(text))


def quoted(text: str) -> list[str]:
    """Phrases in double quotes, folded."""
    return [" ".join(fold(one or other).split()) for one, other in _QUOTED.findall(text)]


def pairs(terms: list[str]) -> list[tuple[str, str]]:
    """Neighbouring words, which make a phrase likely; CJK bigrams overlap already."""
    return [(one, other) for one, other in pairwise(terms) if not is_cjk(one[0] + other[0])]


def is_cjk(text: str) -> bool:
    return not text.isascii() and any(
        "\u3040" <= letter <= "\u30ff"
        or "\u3400" <= letter <= "\u9fff"
        or "\uac00" <= letter <= "\ud7af"
        or "\uf900" <= letter <= "\ufaff"
        for letter in text
    )


def read_run(run: str) -> tuple[tuple[str, ...], bool, bool]:
    """The terms of one run of letters, whether it is a stop-word, and whether its terms overlap already."""
    terms = tuple(words(run, keep_stop_words=True))
    return terms, run in STOP_WORDS, is_cjk(run[0])


def split(text: str) -> tuple[list[str], list[str]]:
    """A text's runs of letters in their order, and its compound names."""
    folded = fold(text)
    # Most words are no compound names, and to see that of a word letter by letter takes longer than all the rest.
    joined = [each for each in folded.split() if not each.isalnum() and _JOINTS.search(each)]
    return _RUNS.findall(folded), _IDENTIFIERS.findall(" ".join(joined)) if joined else []
