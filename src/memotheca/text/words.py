"""From text to the words that are matched: folded, stemmed, without stop-words; bigrams where no blanks part words."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, cast

import Stemmer

from memotheca.model.knowledge import fold
from memotheca.text.caches import WordCache

MANY = 65_536  # chosen: the vocabulary of a large collection, a few MB

STOP_WORDS = frozenset(
    """a about after all also an and any are as at be because been before being between both but by can could did
    do does doing down during each few for from further had has have having he her here hers him his how i if in
    into is it its just me more most my no nor not now of off on once only or other our out over own s same she
    should so some such t than that the their them then there these they this those through to too under until up
    very was we were what when where which while who whom why will with would you your""".split()
)

# Thai, Lao, Burmese and Khmer, Chinese, Japanese and Korean.
UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1050-\u108f\u1780-\u17d3"
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
)
# Vowels of Arabic and Hebrew, which most people leave out, and the stroke that makes a word longer.
_POINTS = (
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"
)
# Signs that belong to a word and are no letters to Python: accents that stand apart, and the vowels of India's scripts.
_SIGNS = rf"{_POINTS}\u0300-\u036f\u0483-\u0487\u0900-\u0963\u0966-\u096f\u0971-\u0df3"
_RUNS = re.compile(rf"[{UNSPACED}]+|[^\W_{UNSPACED}]+(?:[{_SIGNS}]+[^\W_{UNSPACED}]*)*")
_WITHOUT_POINTS = re.compile(f"[{_POINTS}]")
_IS_UNSPACED = re.compile(f"[{UNSPACED}]").search
# Words joined by punctuation without a blank: paths, versions, dotted, dashed and underscored names.
_STRETCHES = re.compile(rf"(?:[^\W{UNSPACED}]++|[.:/\\@#+-]++)++")
_JOINTS = re.compile(r"\w[._:/\\@#+-]+\w")
_JOINT = re.compile(r"[._:/\\@#+-]")
_QUOTED = re.compile(r'"([^"]++)"|“')

# What stands between the runs of an ASCII text becomes blanks, which is sooner done than matching; and sooner with
# bytes than with letters.
_APART = bytes(code if chr(code).isalnum() else ord(" ") for code in range(128)).ljust(256)

# Small and capital letters, so that names that capitals part are looked for in those texts alone that have some.
_LETTERS = bytes(ord("A" if chr(code).isupper() else "a" if chr(code).isalnum() else " ") for code in range(128)).ljust(
    256
)
# Where capitals part a name: `parseConfig`, `HTTPServer`; not where they only end it (`PDFs`).
_CAPITALS = re.compile(r"[a-z\d][A-Z][a-z]|[a-z]{2}[A-Z]|[A-Z]{2}[a-z]{2}")
_PLAIN_RUNS = re.compile(r"[^\W_]+")
_NAME_PARTS = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")
LONGEST_NAME = 64  # chosen: longer than names that people give
LEAST_PART = 2.5  # chosen: letters a part in the mean; what is coded in letters and digits has fewer

# Without its own memory, which takes longer than stemming anew; what is met often `stem` remembers.
_stemmer = cast(Any, Stemmer).Stemmer("porter", 0)


@lru_cache(maxsize=MANY)
def stem(word: str) -> str:
    plain = word if word.isascii() else _WITHOUT_POINTS.sub("", word)
    return _stemmer.stemWord(plain) or word


def stems(many: Sequence[str]) -> list[str]:
    """The stems of words that will hardly be seen again."""
    return _stemmer.stemWords(many)


def words(text: str, *, keep_stop_words: bool = False) -> list[str]:
    """The terms of a text in their order."""
    folded = fold(text)
    if folded.isascii() and not keep_stop_words:
        return terms_of(spoken(folded))
    found: list[str] = []
    for run in spoken(folded):
        if is_unspaced(run[0]):
            found += _bigrams(run)
        elif run not in STOP_WORDS:
            found.append(stem(run))
        elif keep_stop_words:
            found.append(_marked(run))
    return found


def terms_of(runs: Sequence[str]) -> list[str]:
    """The terms of runs of letters with blanks between them; a stop-word has none."""
    return list(filter(None, map(_terms.__getitem__, runs)))


def _term_of(run: str) -> str:
    return "" if run in STOP_WORDS else stem(run)


_terms = WordCache(_term_of, MANY)


def words_of_run(run: str) -> list[str]:
    """The terms of one run of letters of a folded text; a stop-word has none."""
    if is_unspaced(run[0]):
        return _bigrams(run)
    return [] if run in STOP_WORDS else [stem(run)]


def _bigrams(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]


def _marked(stop_word: str) -> str:
    """A stop-word as a term: whole and apart from all others, since `his` is no form of `hi`."""
    return f"{stop_word}'"


def query_words(text: str) -> list[str]:
    """The terms of a question; its stop-words count only when it has nothing else."""
    return words(text) or words(text, keep_stop_words=True)


def spelled_words(text: str) -> dict[str, str]:
    """The terms of a question, each with the letters it was written in."""
    found: dict[str, str] = {}
    for run in _RUNS.findall(fold(text)):
        if is_unspaced(run[0]):
            found |= {term: term for term in words(run)}
        elif run not in STOP_WORDS:
            found.setdefault(stem(run), run)
    return found or {_marked(run): run for run in _RUNS.findall(fold(text))}


def runs(text: str) -> set[str]:
    """The different words of a text, folded but as they are written; where no blanks part words, runs of them."""
    return set(spoken(fold(text)))


def spoken(folded: str) -> list[str]:
    """The words of a folded text in their order, as they are written; where no blanks part words, runs of them."""
    if folded.isascii():
        return folded.encode().translate(_APART).decode().split()
    return _RUNS.findall(folded)


def find_runs(text: str) -> Iterator[re.Match[str]]:
    """Where the words of a text stand, before it is folded."""
    return _RUNS.finditer(text)


def as_written(text: str, terms: Collection[str]) -> str:
    """The words of a text that have some of these terms, once each and as they stand in it."""
    found = [run[0] for run in find_runs(text) if not set(words(run[0])).isdisjoint(terms)]
    return " ".join(dict.fromkeys(found)) or " ".join(sorted(terms))


def identifiers(text: str) -> list[str]:
    """Compound names that should be found as they are written."""
    return _joined(fold(text))


def _joined(folded: str) -> list[str]:
    # Most words are no compound names, and to see that of a word letter by letter takes longer than all the rest.
    found = [each for each in folded.split() if not each.isalnum() and _JOINTS.search(each)]
    stretches = (each.strip(".:/\\@#+-") for each in _STRETCHES.findall(" ".join(found)))
    return [each for each in stretches if _JOINT.search(each, 1, len(each) - 1)]


def quoted(text: str) -> list[str]:
    """Phrases in double quotes, folded."""
    found: list[str] = []
    at, last = 0, text.rfind("”")
    while opened := _QUOTED.search(text, at):
        at = opened.end()
        phrase = opened[1]
        if phrase is None:
            closing = text.find("”", at) if at <= last else -1
            if closing <= at:
                continue
            phrase, at = text[at:closing], closing + 1
        found.append(" ".join(fold(phrase).split()))
    return found


def pairs(terms: list[str]) -> list[tuple[str, str]]:
    """Neighbouring words, which make a phrase likely; bigrams overlap already."""
    return [(one, other) for one, other in pairwise(terms) if not is_unspaced(one[0] + other[0])]


def is_unspaced(text: str) -> bool:
    """Whether any of it is in a script that puts no blanks between words."""
    return not text.isascii() and _IS_UNSPACED(text) is not None


def read_run(run: str) -> tuple[tuple[str, ...], bool, bool]:
    """The terms of one run of letters, whether it is a stop-word, and whether its terms overlap already."""
    is_stop = run in STOP_WORDS
    if run.isascii():
        return (_marked(run) if is_stop else stem(run),), is_stop, False
    return tuple(words(run, keep_stop_words=True)), is_stop, is_unspaced(run[0])


def split_words(text: str) -> list[str]:
    """A text's runs of letters in their order."""
    return spoken(fold(text))


def split(text: str) -> tuple[list[str], list[str]]:
    """A text's runs of letters in their order, and its compound names."""
    folded = fold(text)
    return spoken(folded), _joined(folded)


def runs_with_capitals(text: str) -> list[str]:
    """The runs of letters of a text as they are written, where capitals may part any of them; else none."""
    seen = text.encode("utf-8", "replace").translate(_LETTERS)
    return _PLAIN_RUNS.findall(text) if b"aA" in seen or b"AAaa" in seen else []


def parts_of_name(name: str) -> dict[str, str]:
    """The terms of a name that capitals part, as `parseConfig`, each with its letters; none of any other, nor of what
    is no name."""
    if len(name) > LONGEST_NAME or not name.isascii() or not _CAPITALS.search(name):
        return {}
    parts = [part.lower() for part in _NAME_PARTS.findall(name)]
    if len(parts) < 2 or len(name) < LEAST_PART * len(parts):
        return {}
    return {stem(part): part for part in parts if part not in STOP_WORDS}


def parts_of_names(text: str) -> dict[str, str]:
    """The terms of all such names in a text."""
    found: dict[str, str] = {}
    for name in runs_with_capitals(text):
        found |= parts_of_name(name)
    return found


def share(title: str, wanted: str) -> float:
    """How much of a title is made of what is wanted: 1 where it says nothing else."""
    held = words(title, keep_stop_words=True)
    return len(query_words(wanted)) / max(len(held), 1)
