"""Contradictions: two texts of which not both can hold, what kind of clash it is, and how sure that is (memory-model:
Contradictions)."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Literal

from memotheca.memory.claims.opposites import in_closed_set, opposites_between
from memotheca.memory.claims.priors import qualifiers
from memotheca.memory.claims.quantities import (
    DATE,
    MEASURES,
    MONTHS,
    NUMERALS,
    Day,
    days_in,
    is_same_day,
    quantities_in,
    without_quantities,
)
from memotheca.memory.spaces.causal import TELLING, clauses
from memotheca.memory.traits import text_of
from memotheca.memory.tuning.thresholds import PRIORS
from memotheca.model.knowledge import Entry, fold
from memotheca.text.caches import once
from memotheca.text.likeness import likeness
from memotheca.text.names_in_text import find
from memotheca.text.sentences import split_statements
from memotheca.text.words import STOP_WORDS, as_written, spoken, stem, terms_of, words

ContradictionKind = Literal["factual", "logical", "causal", "temporal"]

# Another scope takes off .3, since .4 would hide a superseded denial (memory-model: Contradictions).
FUNCTIONAL, LOGICAL, REVERSED, SCOPED = 0.9, 0.8, 0.7, 0.3  # chosen (memory-model: Contradictions)
SENTENCES = 12  # chosen: bounds the pairs (memory-model: Contradictions)
TOLERANCE = 0.05  # chosen (memory-model: Contradictions)
ALIKE, NEARLY_ALIKE = 0.6, 0.5  # chosen on the development pairs (memory-model: Contradictions)
OPPOSED, ROUNDING = 2, 1e-9  # chosen: pairs of opposites; arithmetic (memory-model: Contradictions)

_DIGIT = re.compile(r"\d")
_NEGATIONS = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|can't|won't|isn't|aren't|wasn't|weren't|doesn't|"
    r"don't|didn't|hasn't|haven't|hadn't|shouldn't|wouldn't|couldn't|no longer|stopped|fails? to|refuses? to|lacks?)\b"
)
_TIMED = re.compile(
    r"\b(?:as of|in|since|until|before|after|during|by)\s+(?:the\s+)?((?:early|late|mid)[ -]?)?((?:19|20)\d{2}s?|"
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)(?:\s+\d{4})?)\b"
)
_PAST = re.compile(
    r"\b(?:used to|previously|formerly|once|back then|in the past|originally|initially|at first|earlier|last year)\b"
)
_NOW = re.compile(
    r"\b(?:now|currently|today|these days|nowadays|since then|no longer|anymore|has since|have since|moved to|"
    r"switched to|migrated to|replaced by|replaced with|changed to)\b"
)
# Relations of which a subject has one object at a time.
_FUNCTIONAL = re.compile(
    r"^(?P<subject>.+?) (?P<relation>(?:is|are|was|were|has been|will be)(?: (?:called|named|located in|based in|"
    r"born in|born on|owned by|written in|led by|maintained by|hosted on|hosted in|hosted by|headquartered in|due on|"
    r"due|scheduled for|stored in|built with|set to|the|a|an|at|in|on|by))*|equals|lives? in|lived in|resides? in|"
    r"works? (?:for|at)|worked (?:for|at)|reports? to|belongs? to|runs? on|listens? on|starts? (?:at|on)|"
    r"ends? (?:at|on)|defaults? to|points? to|moved to|switched to|migrated to|chose|prefers?|drives an?|drinks?|"
    r"died in|graduated from|married|expires? (?:on|in)|costs?|weighs?|lasts|lasted|takes?|"
    r"comes? from) (?P<object>[^,;]+)"
)
_TITLE = re.compile(r"\b(Dr|Mr|Mrs|Ms|Prof|St)\.")
_LABEL = re.compile(r"^(?:[Ii]n [^,]+, )?(?:[Tt]he )?([A-Za-z]{3,}) (?:number )?([A-Z]|\d+)(?=:|\s+[a-z])")
_MOMENT = re.compile(
    rf"^(?:{_TIMED.pattern}|on \w+ \d+|in (?:version|release|production|staging|testing)(?: [\d.]+)?),?\s*+|"
    rf"{_PAST.pattern}\s*+|{_NOW.pattern}\s*+|(?:(?<!\s)\s++)?{_TIMED.pattern}$"
)
# Without one of these among a sentence's words, the pattern that is named after it cannot be found.
YEAR = 4  # chosen: digits of a year
_CONTRACTED = "can won isn aren wasn weren doesn don didn hasn haven hadn shouldn wouldn couldn".split()
_DENYING = frozenset(
    "not no never none nobody nothing neither nor without cannot t stopped fail fails refuse refuses lack lacks".split()
)
_AGING = frozenset(
    "used previously formerly once back past originally initially first earlier last now currently today days nowadays "
    "since longer anymore moved switched migrated replaced changed".split()
)
_RELATING = frozenset(
    "is are was were been be equals live lives lived reside resides work works worked report reports belong belongs "
    "run runs listen listens start starts end ends default defaults point points moved switched migrated chose "
    "prefer prefers drives drink drinks died graduated married expire expires cost costs weigh weighs lasts lasted "
    "take takes come comes".split()
)
# What may be left out before it is asked what a sentence is about.
_ASIDES = frozenset(stem(word) for word in {*_DENYING, *_CONTRACTED, *_AGING, *MONTHS, *NUMERALS, *MEASURES, "year"})
_NAMING = (stem("called"), stem("named"))
_TENSES = {"are": "is", "was": "is", "were": "is", "been": "is", "be": "is", "has": "", "will": ""}


@dataclass(frozen=True, slots=True)
class Contradiction:
    """How strongly two texts clash, of which kind, over which two sentences, and why in words."""

    score: float
    type: ContradictionKind
    one: str
    other: str
    explanation: str


class ParsedSentence:
    """A sentence taken apart: its words at once, all else when it is first asked for, since most sentences are found to
    be about something else by their words alone."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = fold(text)
        self._words = spoken(self.folded)
        self._is_ascii = self.folded.isascii()
        may_count = not self._is_ascii or _DIGIT.search(self.folded) is not None
        self._numbers = [word for word in self._words if word[0].isdigit()] if may_count else []
        self.stems = frozenset(terms_of(self._words) if self._is_ascii else words(self.folded))
        # How many words it is about at the least; a number is written together with what it counts, now and then.
        self.least = len(self.stems) - len(self.stems & _ASIDES) - len(self._numbers)
        self.is_odd = may_count and not all(number.isdigit() for number in self._numbers)
        # Its part of how many words two must share to be mostly the same.
        self.bar = -math.inf if self.is_odd else (ALIKE * (self.least - OPPOSED) - ROUNDING) / (1 + ALIKE)

    @once
    def _spoken(self) -> frozenset[str]:
        return frozenset(self._words)

    @once
    def _may_have_date(self) -> bool:
        return YEAR in map(len, self._numbers) or not self._spoken.isdisjoint(MONTHS)

    @once
    def _has_quantities(self) -> bool:
        return bool(self._numbers) or not self._spoken.isdisjoint(NUMERALS)

    @once
    def content(self) -> frozenset[str]:
        return self.stems if self._is_bare else frozenset(self._plain)

    @once
    def _is_bare(self) -> bool:
        """Whether it has no denials, no quantities, and nothing about when it holds."""
        is_timeless = self._is_ascii and not self._may_have_date and self._spoken.isdisjoint(_AGING)
        return is_timeless and not self._has_quantities and self._spoken.isdisjoint(_DENYING)

    @once
    def _plain(self) -> list[str]:
        """The words in their order, without denials, quantities, and when it holds."""
        if self._is_bare:
            return terms_of(self._words)
        plain = self._undated if self._spoken.isdisjoint(_DENYING) else _NEGATIONS.sub(" ", self._undated)
        plain = plain if self._spoken.isdisjoint(_AGING) else _NOW.sub(" ", _PAST.sub(" ", plain))
        plain = without_quantities(plain) if self._has_quantities else plain
        return [word for word in words(plain) if not word.isdigit()]

    @once
    def _undated(self) -> str:
        return DATE.sub(" ", self.folded) if self._may_have_date else self.folded

    @property
    def topic(self) -> str:
        """The first word that is about something."""
        return self._plain[0] if self._plain else ""

    @once
    def names(self) -> frozenset[str]:
        spoken = frozenset(
            part for name in find(_TITLE.sub(r"\1", self.text)) for part in fold(name).split() if part not in STOP_WORDS
        )
        return frozenset(name for name in spoken if not in_closed_set(stem(name)))

    @once
    def numbers(self) -> tuple[tuple[float, str], ...]:
        return quantities_in(self._undated) if self._has_quantities else ()

    @once
    def days(self) -> frozenset[Day]:
        return days_in(self.folded) if self._may_have_date else frozenset()

    @once
    def label(self) -> tuple[str, str] | None:
        """Which of several of a kind it speaks of: server B, room 12."""
        found = _LABEL.search(self.text)
        return None if found is None else (fold(found[1]), fold(found[2]))

    @once
    def is_negated(self) -> bool:
        return not self._spoken.isdisjoint(_DENYING) and len(_NEGATIONS.findall(self.folded)) % 2 == 1

    @once
    def claim(self) -> tuple[frozenset[str], str, frozenset[str]] | None:
        return None if self._spoken.isdisjoint(_RELATING) else _claim(self.folded)

    @once
    def subject(self) -> frozenset[str] | None:
        """What its claim is about, where it makes one."""
        return None if self.claim is None else self.claim[0]

    @once
    def causes(self) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
        stated = () if TELLING.isdisjoint(self._words) else clauses(self.text)
        return tuple((frozenset(words(cause)), frozenset(words(effect))) for cause, effect in stated)


def contradict(one: Entry, other: Entry, least: float = PRIORS["clash"]) -> Contradiction | None:
    """The strongest clash of two entries, or None (memory-model: Contradictions)."""
    return contradict_texts(text_of(one), text_of(other), least)


@lru_cache(maxsize=8192)
def contradict_texts(one: str, other: str, least: float = PRIORS["clash"]) -> Contradiction | None:
    """The strongest clash of two texts from a score on."""
    left, right = _take_apart(one), _take_apart(other)
    likely = [(mine, theirs) for mine in left for theirs in right if not cannot_be_alike(mine, theirs)]
    found = [clash for mine, theirs in likely if (clash := _clash(mine, theirs)) is not None]
    best = max(found, key=lambda clash: clash.score, default=None)
    return best if best is not None and best.score >= least else None


@lru_cache(maxsize=1024)
def _take_apart(text: str) -> tuple[ParsedSentence, ...]:
    return tuple(ParsedSentence(sentence) for sentence in islice(split_statements(text), SENTENCES))


def _clash(one: ParsedSentence, other: ParsedSentence) -> Contradiction | None:
    if not _are_about_the_same(one, other):
        return None
    rules = (_differing_value, _differing_object, _opposition, _reversal)
    found = [verdict for rule in rules if (verdict := rule(one, other)) is not None]
    if not found:
        return None
    score, kind, why = max(found)
    if _has_other_scope(one, other):
        score, kind, why = score - SCOPED, "temporal", f"{why}, at different times or versions"
    return Contradiction(round(score, 4), kind, one.text, other.text, why)


def _are_about_the_same(one: ParsedSentence, other: ParsedSentence) -> bool:
    """What is left when two pairs of opposites are taken out must be mostly the same, unless both make a claim of one
    subject; and something must be shared at all."""
    shared = len(one.content & other.content)
    differing = len(one.content) + len(other.content) - 2 * shared - 2 * OPPOSED
    if differing > 0 and shared < ALIKE * (shared + differing) and not _claim_of_one_subject(one, other):
        return False
    return bool(shared) or not one.names.isdisjoint(other.names)


def cannot_be_alike(one: ParsedSentence, other: ParsedSentence) -> bool:
    """Whether even with all the words they share they would not be mostly the same, which is sooner seen than what each
    is about."""
    return len(one.stems & other.stems) < one.bar + other.bar and not _claim_of_one_subject(one, other)


def _claim_of_one_subject(one: ParsedSentence, other: ParsedSentence) -> bool:
    return one.subject is not None and one.subject == other.subject


Verdict = tuple[float, ContradictionKind, str] | None


def _likeness(one: Iterable[str], other: Iterable[str]) -> float:
    """Sentences without a word of their own are not about the same."""
    return likeness(one, other, of_nothing=0.0)


def _differs_in_subject(one: ParsedSentence, other: ParsedSentence, ignoring: frozenset[str] = frozenset()) -> bool:
    """Each names or begins with somebody or something that the other does not, or with another one of its kind."""
    if one.label and other.label and one.label[0] == other.label[0] and one.label != other.label:
        return True
    if one.topic not in other.content and other.topic not in one.content:
        return True
    return bool(one.names - other.names - ignoring) and bool(other.names - one.names - ignoring)


def _differing_value(one: ParsedSentence, other: ParsedSentence) -> Verdict:
    """The same said with another number or another date."""
    if not (one.days and other.days) and not (one.numbers and other.numbers):
        return None
    if one.is_negated != other.is_negated or _likeness(one.content, other.content) < ALIKE:
        return None
    numeric = frozenset(word for word in one.names | other.names if any(letter.isdigit() for letter in word))
    if _differs_in_subject(one, other, numeric):
        return None
    if one.days and other.days and not any(is_same_day(mine, theirs) for mine in one.days for theirs in other.days):
        return FUNCTIONAL, "factual", "the dates differ"
    for value, unit in one.numbers:
        rivals = [number for number, measure in other.numbers if measure == unit]
        if rivals and all(abs(value - rival) > TOLERANCE * max(abs(value), abs(rival)) for rival in rivals):
            return FUNCTIONAL, "factual", f"the numbers differ ({value:g} and {rivals[0]:g})"
    return None


def _differing_object(one: ParsedSentence, other: ParsedSentence) -> Verdict:
    """The same subject and a relation of which there is one object, with another object."""
    mine, theirs = one.claim, other.claim
    if mine is None or theirs is None or one.is_negated or other.is_negated:
        return None
    if mine[1] != theirs[1] or mine[0] != theirs[0]:
        return None
    left, right = mine[2] - theirs[2], theirs[2] - mine[2]
    if not left or not right:
        return None
    if not mine[1].endswith(_NAMING) and not (_is_value(left, one) and _is_value(right, other)):
        return None
    one_says, other_says = as_written(one.text, left), as_written(other.text, right)
    return FUNCTIONAL, "factual", f"the same is said to be {one_says} and {other_says}"


def _claim(folded: str) -> tuple[frozenset[str], str, frozenset[str]] | None:
    """Subject, relation and object of a sentence, without when it holds."""
    timeless = _MOMENT.sub("", " ".join(folded.split()).rstrip(". !?")).strip()
    found = _FUNCTIONAL.match(timeless)
    if found is None:
        return None
    spoken = [_TENSES.get(word, word) for word in found["relation"].split() if word not in ("the", "a", "an")]
    relation = " ".join(stem(word) for word in spoken if word)
    subject = frozenset(words(found["subject"])) or frozenset(found["subject"].split())
    values = re.split(r"\b(?:because|since|which|who|and|but|for|with|as of|in (?:19|20)\d\d)\b", found["object"])[0]
    return subject, relation, frozenset(words(values)) or frozenset(values.split())


def _is_value(stems: frozenset[str], said: ParsedSentence) -> bool:
    """Names and what has a number in it exclude others, and nothing may stand beside them; what merely describes does
    not. Quantities and dates are compared as such."""
    named = {stem(name) for name in said.names} & stems
    is_measured = bool(said.numbers or said.days)
    coded = {word for word in stems if not is_measured and any(letter.isdigit() for letter in word)}
    return bool(named | coded) and len(stems - named - coded) == 0


def _opposition(one: ParsedSentence, other: ParsedSentence) -> Verdict:
    """The same said once with and once without a denial, or with a word and its opposite."""
    only_one, only_other = one.content - other.content, other.content - one.content
    opposites = opposites_between(only_one, only_other)
    if bool(opposites) == (one.is_negated != other.is_negated):
        return None
    left_over = (only_one - {left for left, _ in opposites}) | (only_other - {right for _, right in opposites})
    shared = one.content & other.content
    likeness = len(shared) / (len(shared) + len(left_over)) if shared or left_over else 0.0
    if not shared or likeness < ALIKE or _differs_in_subject(one, other) or _are_of_subjects(one, other, opposites):
        return None
    if opposites:
        left, right = min(opposites)
        closed = in_closed_set(left) and in_closed_set(right)
        why = f"{as_written(one.text, {left})} and {as_written(other.text, {right})} exclude each other"
        return (FUNCTIONAL, "factual", why) if closed else (LOGICAL, "logical", why)
    return LOGICAL, "logical", "one denies what the other says"


def _are_of_subjects(one: ParsedSentence, other: ParsedSentence, opposites: set[tuple[str, str]]) -> bool:
    """Opposites that tell two things apart (the front door, the back door) instead of saying what one thing is."""
    if len({frozenset(pair) for pair in opposites}) > 1:
        return True
    return any(
        {left, right} & said.claim[0] for said in (one, other) if said.claim is not None for left, right in opposites
    )


def _reversal(one: ParsedSentence, other: ParsedSentence) -> Verdict:
    """Cause and effect exchanged."""
    for mine in one.causes:
        for theirs in other.causes:
            crossed = min(_likeness(mine[0], theirs[1]), _likeness(mine[1], theirs[0]))
            straight = max(_likeness(mine[0], theirs[0]), _likeness(mine[1], theirs[1]))
            if crossed >= NEARLY_ALIKE and crossed > straight:
                return REVERSED, "causal", "cause and effect are exchanged"
    return None


def _has_other_scope(one: ParsedSentence, other: ParsedSentence) -> bool:
    """Each is limited to another version, place or time, or one to the past and the other to the present."""
    mine, theirs = qualifiers(one.text), qualifiers(other.text)
    if mine and theirs and not mine & theirs:
        return True
    times = (
        {" ".join(found).strip() for found in _TIMED.findall(one.folded)},
        {" ".join(found).strip() for found in _TIMED.findall(other.folded)},
    )
    if times[0] and times[1] and not times[0] & times[1]:
        return True
    return bool(_PAST.search(one.folded)) != bool(_PAST.search(other.folded)) or bool(_NOW.search(one.folded)) != bool(
        _NOW.search(other.folded)
    )
