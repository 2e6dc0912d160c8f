"""From text to the words that are matched: folded, stemmed, without stop-words, CJK as bigrams."""

import re
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
_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”')

_stemmer = cast(Any, Stemmer).Stemmer("porter")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    return _stemmer.stemWord(word) or word


def words(text: str, *, keep_stop_words: bool = False) -> list[str]:
    """The terms of a text in their order."""
    found: list[str] = []
    for run in _RUNS.findall(fold(text)):
        if _is_cjk(run[0]):
            found += [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]
        elif keep_stop_words or run not in STOP_WORDS:
            found.append(stem(run))
    return found


def stop_words(text: str) -> list[str]:
    """The stop-words of a text, stemmed like all others."""
    return [stem(run) for run in _RUNS.findall(fold(text)) if run in STOP_WORDS]


def query_words(text: str) -> list[str]:
    """The terms of a question; its stop-words count only when it has nothing else."""
    return words(text) or words(text, keep_stop_words=True)


def identifiers(text: str) -> list[str]:
    """Compound names that should be found as they are written."""
    return _IDENTIFIERS.findall(fold(text))


def quoted(text: str) -> list[str]:
    """Phrases in double quotes, folded."""
    return [" ".join(fold(one or other).split()) for one, other in _QUOTED.findall(text)]


def pairs(terms: list[str]) -> list[tuple[str, str]]:
    """Neighbouring words, which make a phrase likely; CJK bigrams overlap already."""
    return [(one, other) for one, other in pairwise(terms) if not _is_cjk(one[0] + other[0])]


def _is_cjk(text: str) -> bool:
    return any(
        "\u3040" <= letter <= "\u30ff"
        or "\u3400" <= letter <= "\u9fff"
        or "\uac00" <= letter <= "\ud7af"
        or "\uf900" <= letter <= "\ufaff"
        for letter in text
    )
