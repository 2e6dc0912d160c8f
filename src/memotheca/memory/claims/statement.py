"""Statements: the sentences of a text, each with its terms, its values, and what kind of sentence it is."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from memotheca.memory.claims.small_words import (
    AIMS,
    ARTICLES,
    AUXILIARIES,
    BORROWED,
    CHANGES,
    DENIALS,
    DISPUTES,
    FUNCTION,
    GOALS,
    PLANS,
    PRONOUNS,
    REPETITIONS,
    SAYINGS,
)
from memotheca.memory.claims.values import Value, Word, read
from memotheca.model.knowledge import fold
from memotheca.text.caches import once
from memotheca.text.language import likeliest
from memotheca.text.markdown_lines import MARKS
from memotheca.text.sentences import brief_sentences
from memotheca.text.words import spoken, words

MOST = 24  # chosen: sentences of a text that are looked at
VALUES = 32  # chosen: values of a sentence that are compared; each is held against each
CONTEXT = 0.5  # chosen: what a title or the sentence before says counts half
_LINES = re.compile(r"\n+|(?<=[^\s;]);\s+")
_FENCE = re.compile(rf"^\s*+(?:{MARKS}|(?:\|\s*+)?-{{3,}})")
_NUMBERED = re.compile(r"^\s*(?:[-*•#>]+|\d{1,2}[.)])\s+")
_CLASSES = {
    "change": CHANGES,
    "denial": DENIALS,
    "plan": PLANS,
    "goal": GOALS,
    "aim": AIMS,
    "saying": SAYINGS,
    "repetition": REPETITIONS,
    "dispute": DISPUTES,
}
# Said in two words: any more, no longer.
_ANY_MORE = re.compile(r"\b(?:any more|ya no|j\u00e1 n\u00e3o|non pi\u00f9|niet meer|ne \w+ plus)\b", re.IGNORECASE)
_VERB_ENDINGS = ("t", "r", "e", "s")  # het sluit, det regner, det virkede, det finns
_FRENCH_ENDINGS = ("t", "e", "d", "a", "c")  # il part, il coûte, il prend, il va, il vainc
_QUESTION = re.compile(r"\?[\"”\u2019)]*\s*$")


@dataclass(frozen=True)
class Statement:
    """A sentence taken apart. `terms` are what it is about, with how surely they belong to it: 1 for its own words,
    less for those of the title and, where it begins with a pronoun, of the sentence before."""

    text: str
    terms: dict[str, float]
    names: frozenset[str]
    values: tuple[Value, ...]
    cues: frozenset[str]
    has_subject: bool

    @once
    def own(self) -> list[str]:
        """The terms of its own words, in their order."""
        return [term for term, weight in self.terms.items() if weight == 1]

    @once
    def bare(self) -> list[str]:
        """Its words alone, without capitals and signs."""
        return spoken(fold(self.text))

    @once
    def says_something(self) -> bool:
        """Whether it is more than a word: a name below a letter, or a heading, states nothing."""
        own = len(self.own)
        return own >= 2 or (own == 1 and bool(self.values))


@lru_cache(maxsize=2048)
def statements_in(title: str, body: str) -> tuple[Statement, ...]:
    """The statements of an entry, in their order."""
    named = dict.fromkeys(terms_of_text(title), CONTEXT)
    found: list[Statement] = []
    before: dict[str, float] = {}
    for sentence in islice(_sentences(body), MOST):
        made = _take_apart(sentence, named, before)
        if made is not None:
            found.append(made)
            before = {term: CONTEXT for term, weight in made.terms.items() if weight == 1}
    return tuple(found)


def _sentences(body: str) -> Iterator[str]:
    for sentence in brief_sentences(body):
        for line in _LINES.split(sentence):
            bare = _NUMBERED.sub("", line).strip()
            if bare and _FENCE.match(bare) is None:
                yield bare


@lru_cache(maxsize=2048)
def terms_of_text(text: str) -> tuple[str, ...]:
    """What any text is about: the stems of its words and its identifiers, without what sentences are made with."""
    found: list[str] = []
    for part in read(text):
        if isinstance(part, Word):
            found += _stems(part.folded)
        elif part.kind == "identifier":
            found += [part.key, *_stems(part.key)]
    return tuple(found)


@lru_cache(maxsize=65536)
def _stems(folded: str) -> tuple[str, ...]:
    return tuple(term for term in words(folded) if term not in FUNCTION) if folded not in FUNCTION else ()


def _take_apart(sentence: str, named: dict[str, float], before: dict[str, float]) -> Statement | None:
    parts = list(read(sentence))
    said = [part for part in parts if isinstance(part, Word)]
    own: dict[str, float] = {}
    names: set[str] = set()
    for part in parts:
        if isinstance(part, Word):
            stems = _stems(part.folded)
            if part.text[0].isupper() and (part.place > 0 or len(parts) < 4 or part.text.isupper()):
                names.update(stems)
        elif part.kind == "identifier":
            stems = (part.key, *_stems(part.key))
        else:
            stems = ()
        own.update(dict.fromkeys(stems, 1.0))
    values = tuple(islice((part for part in parts if isinstance(part, Value)), VALUES))
    if not own and not values:
        return None
    starts_with_pronoun = bool(said) and said[0] is parts[0] and _is_pronoun(said, sentence)
    context = {**named, **before} if starts_with_pronoun else named
    return Statement(
        text=sentence,
        terms={**own, **{term: weight for term, weight in context.items() if term not in own}},
        names=frozenset(names),
        values=values,
        cues=_cues(sentence, frozenset(part.folded.replace("\u2019", "'") for part in said)),
        has_subject=not starts_with_pronoun or bool(context),
    )


def _is_pronoun(said: Sequence[Word], sentence: str) -> bool:
    """Whether the first word of a sentence stands for something said before. One that may be an article is one before
    a word with a capital, before one that can be no verb, and where the verb comes only then: het magazijn, det hus
    er. What only one of two languages has as an article is one where the other small words are of that language."""
    first = said[0].folded
    if first not in ARTICLES or len(said) < 3:
        return first in PRONOUNS
    own, *others = BORROWED.get(first, ("",))
    if others and likeliest(sentence, (*others, own)) == own:
        return False
    if others and likeliest(sentence, (own, *others)) != own:
        return True
    named, behind = said[1], said[2].folded
    if named.folded in FUNCTION | AUXILIARIES:
        return True
    endings = _FRENCH_ENDINGS if own == "it" else _VERB_ENDINGS
    return not named.text[0].isupper() and named.folded.endswith(endings) and behind not in AUXILIARIES


def _cues(sentence: str, said: frozenset[str]) -> frozenset[str]:
    found = {name for name, class_ in _CLASSES.items() if not said.isdisjoint(class_)}
    if _ANY_MORE.search(sentence):
        found.add("change")
    if _QUESTION.search(sentence):
        found.add("question")
    if len(said & DENIALS) % 2 == 0:
        found.discard("denial")
    if "\u201c" in sentence or sentence.count('"') >= 2:
        found.add("quote")
    return frozenset(found)


@lru_cache(maxsize=2048)
def cues_of(text: str) -> frozenset[str]:
    """What kind of sentence a text is."""
    return _cues(text, frozenset(part.folded.replace("\u2019", "'") for part in read(text) if isinstance(part, Word)))
