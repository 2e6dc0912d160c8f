"""The times that a text says of itself: when what it tells happened, since and until when it holds (memory-model:
Time).

Precision before recall: where a clause may be a plan, a wish, a quotation or another's ground, nothing is read."""

import re
from dataclasses import dataclass
from functools import cache
from itertools import islice

from memotheca.memory.claims.when import Point, Precision, Times
from memotheca.text import calendar_words as table
from memotheca.text.markdown_lines import MARKS
from memotheca.text.named_dates import NamedDate, Span, find_dates, language_of, place
from memotheca.text.sentences import brief_sentences

READ = 1_000  # chosen: what a text is about stands at its beginning; longer ones have many dates
SENTENCES = 3  # chosen: likewise
_CLAUSES = re.compile(r";|\s[\u2013\u2014]\s")
_QUOTES = re.compile(rf"[\"“”„«»]|{MARKS}|(?<!\w)'(?=\w)")
_WORDS = re.compile(r"n't\b|[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_PASSIVE = re.compile(table.PASSIVE, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _ToldDate:
    """A date in its clause: which one of the text, its words before and after, and in which language it is said."""

    named: NamedDate
    clause: str
    number: int
    language: str

    @property
    def roles(self) -> set[str]:
        return {role for role, _ in self.named.roles}

    @property
    def is_plain(self) -> bool:
        """Whether it is said to be a date by more than the name of a weekday."""
        return bool(self.named.roles) or self.named.weekday is None

    @property
    def before(self) -> str:
        return self.clause[: self.named.start]

    @property
    def after(self) -> str:
        return self.clause[self.named.stop :]

    def has(self, words: dict[str, str], where: str) -> bool:
        return bool(_spoken(where) & frozenset(words[self.language].split()))


def read_times(text: str, now: int) -> Times:
    """What a text says of its times, as seen from the moment it is stored."""
    beginning = text[:READ]
    if len(text) > READ:
        beginning = beginning[: beginning.rfind(" ") + 1]
    times, named = Times(), _tell(beginning)
    events: list[tuple[int, Point]] = []
    for told in named:
        if _is_no_statement(told):
            continue
        times = _hold(times, told, now, is_only=sum(each.is_plain for each in named) == 1)
        event = _event(told, now)
        if event is not None:
            events.append((told.number, event))
    if not events or times.since is not None or times.until is not None:
        return times
    return Times(_one_event(events), None, None)


def _one_event(events: list[tuple[int, Point]]) -> Point | None:
    """The one of the first clause, or the only one: of a text that tells of several days later on nobody knows which of
    them is its own."""
    number, first = events[0]
    is_same = all(each.first <= first.last and first.first <= each.last for _, each in events)
    return first if number == 0 or is_same else None


def _tell(text: str) -> list[_ToldDate]:
    found: list[_ToldDate] = []
    number = 0
    for sentence in islice(brief_sentences(text), SENTENCES):
        for clause in _CLAUSES.split(" ".join(sentence.split())):
            if not sentence.endswith("?"):
                found += [_ToldDate(each, clause, number, language_of(each, sentence)) for each in find_dates(clause)]
            number += 1
    return found


def _is_no_statement(told: _ToldDate) -> bool:
    """Within quotation marks or brackets, in a clause that only gives a ground, or of what ought to be."""
    quotes = len(_QUOTES.findall(told.before)) % 2 == 1
    brackets = told.before.count("(") > told.before.count(")") or told.before.count("[") > told.before.count("]")
    part = told.before[told.before.rfind(",") + 1 :]
    opening = _WORDS.search(part)
    grounds = table.SUBORDINATE[told.language].split()
    grounds += table.RELATIVES[told.language].split() if part != told.before else []
    is_ground = opening is not None and opening[0].casefold() in grounds
    is_ground = is_ground or bool(_spoken(part) & table.GROUNDS)
    is_relative = told.language == "en" and bool(_spoken(told.before) & table.RELATIVE_PRONOUNS)
    return quotes or brackets or is_ground or is_relative or told.has(table.UNREAL, told.clause)


def _hold(times: Times, told: _ToldDate, now: int, *, is_only: bool) -> Times:
    """With what a clause says of since and until when the text holds. Of several dates none is the end of all."""
    if times.since is not None or times.until is not None or told.number > 0:
        return times
    roles = told.roles
    if told.named.until is not None:
        return _stretch(told, now) if is_only and roles & {"since", "from"} else times
    if "until" in roles:
        return _until(told, now) if is_only else times
    if "since" in roles:
        return _since(told, now)
    return _from(told, now) if "from" in roles else times


def _stretch(told: _ToldDate, now: int) -> Times:
    """A stretch that is over when it is told is an event, one that is not is when the text holds."""
    assert told.named.until is not None
    end = place(told.named.until, now, "future")
    begin = place(told.named, now, "near")
    if begin is None or end is None or _is_weekly(told):
        return Times()
    if end.first < begin.first:
        begin = place(told.named, end.first, "past")
    if begin is None or end.last < now or told.named.until.clock is not None:
        return Times()
    words = told.named.words
    return Times(None, _point(begin, words), _point(end, words))


def _is_weekly(told: _ToldDate) -> bool:
    """From Monday to Friday is every week."""
    until = told.named.until
    return until is not None and told.named.weekday is not None and told.named.day is None and until.day is None


def _until(told: _ToldDate, now: int) -> Times:
    end = place(told.named, now, "future")
    if end is None or end.last < now or told.has(table.NEGATIONS, told.before):
        return Times()
    if _spoken(told.after) & table.THEN or _spoken(told.before) & table.TERMS or _is_over(told):
        return Times()
    return Times(None, None, _point(end, told.named.words))


def _since(told: _ToldDate, now: int) -> Times:
    # Some languages have one word for since and from.
    begin = place(told.named, now, "near" if told.language in ("es", "it", "pt") else "past")
    if begin is None or _is_subject(told) or _spoken(told.before[told.before.rfind(",") + 1 :]) & table.FIRSTS:
        return Times()
    return Times(None, _point(begin, told.named.words), None)


def _from(told: _ToldDate, now: int) -> Times:
    """What begins today or later, or stands first: a letter from June does not hold since June."""
    begin = place(told.named, now, "future" if told.named.shift is None else "near")
    if begin is None or (begin.last < now and told.before.strip()) or _is_subject(told):
        return Times()
    return Times(None, _point(begin, told.named.words), None)


def _is_subject(told: _ToldDate) -> bool:
    """Since Monday is a holiday: a verb right after the day makes it what is spoken of."""
    following = _WORDS.match(told.after.lstrip())
    verbs = ("is", "was", "will", "has")
    return told.language == "en" and following is not None and following[0].casefold() in verbs


def _event(told: _ToldDate, now: int) -> Point | None:
    """When something happened: a day that is over or today, and a clause that tells of the past."""
    named, roles = told.named, told.roles
    if roles & {"since", "until"} or ("from" in roles and named.until is None):
        return None
    is_weekday = named.weekday is not None and named.day is None
    span = place(named, now, "past" if is_weekday else "near")
    if span is None or span.first > now or (named.until is not None and _ends_later(named.until, now)):
        return None
    is_relative = named.shift is not None and (named.shift[1] <= 0)
    if is_relative and not roles & {"from"}:
        return _point(span, told.named.words)
    if _is_leading(told):
        return _point(span, told.named.words)
    if (not roles & {"on", "in", "from"} and named.until is None) or "," in told.before:
        return None
    if named.day is None and named.weekday is None and told.number > 0:
        return None
    return _point(span, told.named.words) if _tells_of_past(told) else None


def _ends_later(until: NamedDate, now: int) -> bool:
    end = place(until, now, "near")
    return end is None or end.last > now


def _is_leading(told: _ToldDate) -> bool:
    """7 July: the pipe burst."""
    is_first = told.number == 0 and not told.before.strip(" -*•\t")
    return is_first and not told.named.roles and told.named.day is not None and told.named.shift is None


def _tells_of_past(told: _ToldDate) -> bool:
    clause = _PASSIVE.sub("", told.clause) if told.language == "en" else told.clause
    return _past(told.language).search(clause) is not None


def _is_over(told: _ToldDate) -> bool:
    return told.has(table.OVER, told.clause) or (told.language == "en" and _tells_of_past(told))


@cache
def _past(language: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{table.PAST[language]})(?![\w-])", re.IGNORECASE if language == "en" else 0)


def _spoken(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORDS.findall(text))


def _point(span: Span, words: str) -> Point:
    precision: Precision = span.unit
    return Point(span.first, span.last, precision, "read", " ".join(words.split()).rstrip(".,"))
