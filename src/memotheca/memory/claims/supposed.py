"""Supposed sentences: what a sentence only supposes, asks about or makes a condition, and so does not state.

Told by closed classes of words in the nine languages of `small_words.py`. What is supposed is no evidence against what
is stated: "if the pool opened at 9" says nothing of when it opens."""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from memotheca.memory.claims.evidence import Pair
from memotheca.memory.claims.small_words import BORROWED_CONDITIONS, CONDITIONS, MOODS
from memotheca.memory.claims.statement import Statement, terms_of_text
from memotheca.text.language import likeliest

MOSTLY = 0.5  # chosen: of the words that two sentences share
TRIED = 4  # chosen: words of a sentence that may begin a condition

# After these begins what is only supposed, all of it.
_OPENING = (
    r"imagine|imagining|suppos(?:e|ing)|pretend|assum(?:e|ing) (?:that|the|an?|we|our|it|there|each|every)|"
    r"let(?:'|\u2019| u)s (?:say|assume|suppose|imagine|pretend)|what if|"
    r"angenommen|nehmen wir an|gesetzt den fall|stell(?:t|en sie)? (?:dir|euch|sich) vor|was(?: wäre| ist)?,? wenn|"
    r"imagin(?:ons|ez)|suppos(?:ons|ez)|admettons|et si|imagina|imaginemos|supongamos|supón|pongamos|y si|"
    r"imaginem|suponha|suponhamos|digamos|e se|immagina|immaginiamo|supponi|supponiamo|mettiamo che|"
    r"stel (?:dat|je voor|u voor)|veronderstel|wat als|forestill? (?:dig|deg)|antag|hva(?:d)? (?:hvis|om)|"
    r"tænk hvis|tenk om|föreställ dig|anta att|tänk om|vad händer om|w[äa]re|hätte|würden?|"
    r"(?:were|should) (?:the|an?|this|that|we|they|he|she|it|our|my|your|their|his|her|there)"
)
_START = r"^\W*(?:(?:and|but|so|und|aber|et|mais|y|pero|ma|en|maar|og|men|och)\s)?"
_OPENS = re.compile(rf"{_START}(?:{_OPENING})(?!\w)")
# Conditions of several words.
_PHRASES = (
    r"in case|provided that|on condition that|es sei denn|außer wenn|für den fall|au cas où|à moins que|pourvu que|"
    r"en caso de que|a menos que|a não ser que|nel caso in cui|a meno che|in het geval dat|i tilfælde af|i fall"
)
_WORDS = "|".join(sorted(CONDITIONS))
_LENT = "|".join(sorted(BORROWED_CONDITIONS))
_CONDITION = re.compile(rf"(?<![\w-])(?:{_WORDS}|{_PHRASES})(?![\w-])|(?:{_START}|,\s)(?P<lent>{_LENT})(?!\s*\d|[\w-])")
_MOOD = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(MOODS))})(?!\w)|\w['\u2019]d(?!\w)")
_CLAUSE_END = re.compile(r"[,;:)]\s")


@dataclass(frozen=True, slots=True)
class Supposed:
    """From where to where a sentence only supposes, and whether it is all made up: the pool would open at 9."""

    start: int
    end: int
    is_unreal: bool


def is_only_supposed(pair: Pair) -> bool:
    """Whether one of two sentences is made up, or supposes what the other states; what both say under a condition is
    compared."""
    sides = (pair.aligned.newer, pair.aligned.older)
    newer, older = (supposed_in(side.text) for side in sides)
    if newer is None and older is None:
        return False
    if any(each is not None and each.is_unreal for each in (newer, older)):
        return True
    if any(_holds(newer, new.place) != _holds(older, old.place) for old, new in pair.aligned.differing):
        return True
    shared = {*sides[0].own} & {*sides[1].own}
    return _is_mostly_in(newer, sides[0], shared) != _is_mostly_in(older, sides[1], shared)


def _holds(supposed: Supposed | None, place: int) -> bool:
    return supposed is not None and supposed.start <= place < supposed.end


def _is_mostly_in(supposed: Supposed | None, statement: Statement, shared: set[str]) -> bool:
    if supposed is None or not shared:
        return False
    inside = shared.intersection(terms_of_text(statement.text[supposed.start : supposed.end]))
    return len(inside) > MOSTLY * len(shared)


@lru_cache(maxsize=4096)
def supposed_in(sentence: str) -> Supposed | None:
    """What of a sentence is supposed: all of it where it begins with a condition, what follows from that being said
    only under it; else the clause that one begins."""
    said = sentence.lower()
    if _OPENS.match(said):
        return Supposed(0, len(sentence), is_unreal=True)
    found = next((each for each in islice(_CONDITION.finditer(said), TRIED) if _is_condition(each, sentence)), None)
    if found is None:
        return None
    if _MOOD.search(said):
        return Supposed(0, len(sentence), is_unreal=True)
    if not any(map(str.isalnum, said[: found.start()])):
        return Supposed(0, len(sentence), is_unreal=False)
    end = _CLAUSE_END.search(said, found.end())
    return Supposed(found.start(), len(sentence) if end is None else end.start(), is_unreal=False)


def _is_condition(found: re.Match[str], sentence: str) -> bool:
    """Whether a word is a condition in the language of the sentence, not as Italian si is none; where its other words
    do not tell the language, whether a comma ends the condition."""
    if found["lent"] is None:
        return True
    meant, others = BORROWED_CONDITIONS[found["lent"]]
    before, after = sentence[: found.start()], sentence[found.end() :]
    languages = (*meant, *others) if "," in after else (*others, *meant)
    return likeliest(f"{before} {after}", languages) in meant
