"""Dates as texts name them: found with the small word before them, and placed in the calendar beside a given day."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Literal

from memotheca.text import calendar_words as table
from memotheca.text.language import likeliest

Unit = Literal["minute", "day", "week", "month", "year"]
Toward = Literal["past", "near", "future"]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO = timedelta(microseconds=1)
# What is said of a day or a month to come lies within so many days; else the one before is meant.
AHEAD = 270  # chosen: nine months, so that in autumn "until May" is the next May and "until July" the last July
NEAREST_YEAR, LATEST_YEAR = 1900, 2100  # chosen: what people give as a year and not as a number


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedDate:
    """A date as it is named: which parts were said, where, after which small words, in which language."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    clock: tuple[int, int] | None = None
    # Of days, weeks, months or years from now; a weekday with a sign is the last or the next one.
    shift: tuple[Unit, int] | None = None
    roles: frozenset[tuple[str, str]] = frozenset()
    start: int = 0
    stop: int = 0
    words: str = ""
    # The day on which it ends, where it is a stretch.
    until: "NamedDate | None" = None


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time in µs, its first and its last, and how exactly it was named."""

    first: int
    last: int
    unit: Unit


def place(named: NamedDate, now: int, toward: Toward) -> Span | None:
    """The stretch that is meant, as seen from a moment; nothing where there is no such day."""
    today = (_EPOCH + timedelta(microseconds=now)).date()
    if named.shift is not None:
        return _shifted(named, today)
    if named.weekday is not None and named.day is None:
        return _span(_weekday(named.weekday, today, toward), "day")
    if named.month is None:
        return None if named.year is None else _span(date(named.year, 1, 1), "year")
    years = (named.year,) if named.year is not None else range(today.year - 2, today.year + 3)
    found = [span for year in years if (span := _in_year(named, year)) is not None]
    return _choose(found, now, toward) if found else None


def _in_year(named: NamedDate, year: int) -> Span | None:
    assert named.month is not None
    try:
        first = date(year, named.month, named.day or 1)
    except ValueError:
        return None
    if named.day is None:
        return _span(first, "month")
    return _span(first, "day") if named.clock is None else _at(first, named.clock)


def _choose(found: list[Span], now: int, toward: Toward) -> Span:
    if len(found) == 1:
        return found[0]
    past = [each for each in found if each.first <= now]
    ahead = [each for each in found if each.last >= now]
    if toward == "past":
        return past[-1]
    if toward == "near":
        return min(found, key=lambda each: abs(each.first - now))
    return ahead[0] if ahead[0].first - now <= AHEAD * 86_400_000_000 else past[-1]


def _weekday(weekday: int, today: date, toward: Toward) -> date:
    if toward == "past":
        return today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1)
    return today + timedelta(days=(weekday - today.weekday()) % 7)


def _shifted(named: NamedDate, today: date) -> Span | None:
    unit, step = named.shift or ("day", 0)
    try:
        if named.weekday is not None:
            day = _weekday(named.weekday, today, "past" if step < 0 else "future")
            return _span(day + timedelta(days=7 if step > 0 and day == today else 0), "day")
        if unit == "day":
            day = today + timedelta(days=step)
            return _span(day, "day") if named.clock is None else _at(day, named.clock)
        if unit == "week":
            return _span(today - timedelta(days=today.weekday()) + timedelta(weeks=step), "week")
        if unit == "month":
            years, month = divmod(today.year * 12 + today.month - 1 + step, 12)
            return _span(date(years, month + 1, 1), "month")
        return _span(date(today.year + step, 1, 1), "year")
    except (ValueError, OverflowError):
        return None


def season_before(number: int, now: int) -> Span:
    """The last spring (0), summer, autumn or winter (3) of the north that has begun."""
    today = (_EPOCH + timedelta(microseconds=now)).date()
    month = 3 + 3 * number
    year = today.year if today >= date(today.year, month, 1) else today.year - 1
    after = date(year + (month + 2) // 12, (month + 2) % 12 + 1, 1)
    return Span(_span(date(year, month, 1), "month").first, _span(after, "day").first - 1, "month")


def _at(day: date, clock: tuple[int, int]) -> Span:
    at = (datetime(day.year, day.month, day.day, *clock, tzinfo=UTC) - _EPOCH) // _MICRO
    return Span(at, at, "minute")


def _span(first: date, unit: Unit) -> Span:
    if unit == "month":
        after = date(first.year + first.month // 12, first.month % 12 + 1, 1)
    elif unit == "year":
        after = date(first.year + 1, 1, 1)
    else:
        after = first + timedelta(days=7 if unit == "week" else 1)
    begin, end = ((datetime(each.year, each.month, each.day, tzinfo=UTC) - _EPOCH) // _MICRO for each in (first, after))
    return Span(begin, end - 1, unit)


def _numbered(rows: Iterable[str]) -> dict[str, int]:
    return {word: place for row in rows for place, words in enumerate(row.split()) for word in words.split("/")}


_MONTHS = {word: place + 1 for word, place in _numbered([*table.MONTHS.values(), table.SHORT_MONTHS]).items()}
_WEEKDAYS = _numbered(table.WEEKDAYS.values())
Spoken = Mapping[str, Collection[str]]


def _by_word(words: Iterable[tuple[str, str]]) -> Spoken:
    """The languages of each word."""
    found: dict[str, set[str]] = {}
    for word, language in words:
        found.setdefault(word, set()).add(language)
    return found


def _in_rows(rows: Mapping[str, str]) -> Spoken:
    return _by_word((word, language) for language, row in rows.items() for word in row.replace("/", " ").split())


_MONTH_LANGUAGES, _WEEKDAY_LANGUAGES = _in_rows(table.MONTHS), _in_rows(table.WEEKDAYS)
_STEPS = [
    (word, language, step)
    for days in (table.RELATIVE_DAYS, table.RELATIVE_AFTER_WORD)
    for language, steps in days.items()
    for word, step in steps.items()
]
_RELATIVE = {word: step for word, _, step in _STEPS}
_RELATIVE_LANGUAGES = _by_word((word, language) for word, language, _ in _STEPS)
_LANGUAGES = {
    "month": _MONTH_LANGUAGES,
    "monthly": _MONTH_LANGUAGES,
    "alone": _MONTH_LANGUAGES,
    "weekday": _WEEKDAY_LANGUAGES,
    "relative": _RELATIVE_LANGUAGES,
    "wordy": _RELATIVE_LANGUAGES,
}
_SAID = [
    (phrase, (role, language))
    for role, spoken in table.SMALL_WORDS.items()
    for language, phrases in spoken.items()
    for phrase in phrases.split("|")
]
_ROLES = {phrase: frozenset(role for other, role in _SAID if other == phrase) for phrase, _ in _SAID}


def _any(phrases: Iterable[str]) -> str:
    return "|".join(
        re.escape(phrase).replace(r"\ ", r"\s+") for phrase in sorted(set(phrases), key=lambda p: (-len(p), p))
    )


@cache
def _pattern() -> re.Pattern[str]:
    """Everything that may be a date, with the small word before it."""
    months, weekdays = _any(_MONTHS), _any([*_WEEKDAYS, *table.SHORT_WEEKDAYS.replace("/", " ").split()])
    named = _any(_WEEKDAYS)
    roles, edges = _any(_ROLES), _any(table.EDGES)
    before = {sign: _any(words.split()) for sign, words in table.BEFORE_WEEKDAY.items()}
    after = {sign: _any(words.split()) for sign, words in table.AFTER_WEEKDAY.items()}
    between = _any(table.BETWEEN_DAY_AND_MONTH)
    numerals = rf"\d{{1,3}}|{_any(table.NUMERALS)}"
    ago = "|".join(
        (rf"{pre}\s+" if pre else "")
        + rf"(?:{numerals})\s+(?:{'|'.join(units.values())})"
        + (rf"\s+{post}" if post else "")
        for pre, post, units in table.AGO
    )
    days, wordy = (
        _any(word for steps in by_language.values() for word in steps)
        for by_language in (table.RELATIVE_DAYS, table.RELATIVE_AFTER_WORD)
    )
    time = r"(?:,?\s+(?:at|um|à|a las|às|alle|om|kl\.?)?\s*(?P<hour>[01]?\d|2[0-3])[:h](?P<minute>[0-5]\d))?"
    year = r"(?:,?\s+(?:de\s+|del\s+|of\s+)?(?P<year>(?:19|20)\d\d))?"
    first = rf"(?:(?P<first>[0-3]?\d)(?:st|nd|rd|th|\.)?\s*(?:{_any(table.RANGE_WORDS)})\s*(?:(?:{weekdays})\s+)?)?"
    return re.compile(
        rf"(?<![\w.,/:@#-])(?:(?P<role>{roles})(?:\s+|(?<=['\u2019])))?(?:(?:{edges})\s*)?(?:the\s+week\s+of\s+)?(?:"
        rf"(?P<iso>\d{{4}}-\d\d-\d\d)(?:[T ](?P<isotime>\d\d:\d\d))?"
        rf"|(?P<dotted>[0-3]?\d\.\s?[01]?\d\.\s?(?:(?:19|20)\d\d|\d\d(?![\d.,:]))?)"
        rf"|(?:(?:{weekdays})\.?,?\s+(?:the\s+|den\s+)?)?{first}(?P<day>[0-3]?\d)(?:st|nd|rd|th|er|º|\.)?\s*"
        rf"(?:(?:{between})\s*)?(?P<month>{months})\b\.?{year}{time}"
        rf"|(?P<english>{_any(table.MONTHS['en'].split())}|{_any(table.SHORT_MONTHS.replace('/', ' ').split())})\.?\s+"
        rf"(?P<englishday>[12]\d|3[01]|[1-9])(?:st|nd|rd|th)?(?:,\s+(?P<englishyear>(?:19|20)\d\d))?(?!\d|[.,:]\d|\s?%)"
        rf"|(?P<monthly>{months})\.?\s+(?:de\s+|del\s+)?(?P<monthyear>(?:19|20)\d\d)"
        rf"|(?:(?P<before_last>{before['last']})|(?P<before_next>{before['next']}))?\s*(?P<weekday>{named})"
        rf"(?:\s+(?:(?P<after_last>{after['last']})|(?P<after_next>{after['next']})))?"
        rf"|(?P<unit>{_any(table.RELATIVE_UNITS)})|(?P<ago>{ago})|(?P<relative>{days})"
        rf"|(?P<wordy>{wordy})"
        rf"|(?P<alone>{_any(_MONTH_LANGUAGES)})|(?P<only>(?:19|20)\d\d)"
        r")(?![\w@])(?!['\u2019]s\b)",
        re.IGNORECASE,
    )


def find_dates(sentence: str) -> Iterator[NamedDate]:
    """The dates that a sentence names, in their order; two that make a stretch are one."""
    found = [named for each in _pattern().finditer(sentence) if (named := _read(each)) is not None]
    joined = False
    for place_, named in enumerate(found):
        if joined:
            joined = False
            continue
        after = found[place_ + 1] if place_ + 1 < len(found) else None
        if named.until is None and after is not None and _joins(sentence[named.stop : after.start], after):
            joined = True
            until, stop = after, after.stop
            yield _with(named, until=until, stop=stop, words=sentence[named.start : stop])
        else:
            yield named


_JOINT = re.compile(rf"\s*+(?:(?:{_any(table.RANGE_WORDS)}|a)\s*+)?", re.IGNORECASE)


def _joins(between: str, after: NamedDate) -> bool:
    is_until = any(role == "until" for role, _ in after.roles)
    said = between.strip()
    return (is_until and not said) or (bool(said) and _JOINT.fullmatch(between) is not None)


def _with(named: NamedDate, **changes: object) -> NamedDate:
    held = {name: getattr(named, name) for name in NamedDate.__slots__}
    return NamedDate(**{**held, **changes})  # pyright: ignore[reportArgumentType]


def _read(found: re.Match[str]) -> NamedDate | None:
    """What was named, or nothing where the same letters say something else."""
    said = {name: value for name, value in found.groupdict().items() if value is not None}
    folded = {name: " ".join(value.casefold().replace("\u2019", "'").split()) for name, value in said.items()}
    roles = _ROLES.get(folded.get("role", ""), frozenset())
    for name, languages in _LANGUAGES.items():
        known = languages.get(folded.get(name, ""))
        if known is not None:
            roles = frozenset((role, language) for role, language in roles if language in known)
    place_ = {"start": found.start(), "stop": found.end(), "words": found[0], "roles": roles}
    for name, reader in _READERS.items():
        if name in said:
            parts = reader(said, folded, roles)
            return None if parts is None else NamedDate(**{**parts, **place_})  # pyright: ignore[reportArgumentType]
    return None


Parts = dict[str, object] | None
Said = dict[str, str]
Roles = frozenset[tuple[str, str]]


def _read_iso(said: Said, folded: Said, roles: Roles) -> Parts:
    year, month, day = map(int, said["iso"].split("-"))
    parts, clock = _dated(year, month, day), said.get("isotime")
    if parts is None or clock is None:
        return parts
    hour, minute = map(int, clock.split(":"))
    return {**parts, "clock": (hour, minute)} if hour < 24 and minute < 60 else parts


def _read_dotted(said: Said, folded: Said, roles: Roles) -> Parts:
    """14.08. is a day only where a small word or a year says so: a number ends a sentence, too."""
    day, month, year = (part.strip() for part in said["dotted"].split("."))
    if not year and not roles:
        return None
    return _dated(int(year) + (2000 if len(year) == 2 else 0) if year else None, int(month), int(day))


def _read_day(said: Said, folded: Said, roles: Roles) -> Parts:
    year = int(said["year"]) if "year" in said else None
    month, clock = _MONTHS[folded["month"]], None
    if "hour" in said:
        clock = (int(said["hour"]), int(said["minute"]))
    parts = _dated(year, month, int(said["day"]))
    if parts is None or "first" not in said:
        return None if parts is None else {**parts, "clock": clock}
    begins = _dated(year, month, int(said["first"]))
    return None if begins is None else {**begins, "until": NamedDate(**parts)}  # pyright: ignore[reportArgumentType]


def _read_english(said: Said, folded: Said, roles: Roles) -> Parts:
    if said["english"][0].islower():
        return None
    year = int(said["englishyear"]) if "englishyear" in said else None
    return _dated(year, _MONTHS[folded["english"]], int(said["englishday"]))


def _dated(year: int | None, month: int, day: int) -> Parts:
    if not (1 <= month <= 12 and 1 <= day <= 31) or not (year is None or NEAREST_YEAR <= year <= LATEST_YEAR):
        return None
    return {"year": year, "month": month, "day": day}


def _read_weekday(said: Said, folded: Said, roles: Roles) -> Parts:
    parts: dict[str, object] = {"weekday": _WEEKDAYS[folded["weekday"]]}
    if "before_last" in said or "after_last" in said:
        parts["shift"] = ("day", -1)
    elif "before_next" in said or "after_next" in said:
        parts["shift"] = ("day", 1)
    return parts


def _read_ago(said: Said, folded: Said, roles: Roles) -> Parts:
    words = folded["ago"].split()
    number = next(int(w) if w.isdigit() else table.NUMERALS[w] for w in words if w.isdigit() or w in table.NUMERALS)
    units = [
        unit
        for _, _, spelled in table.AGO
        for unit, form in spelled.items()
        if re.search(rf"\b{form}\b", folded["ago"])
    ]
    return {"shift": (units[0], -number)}


def _read_alone(said: Said, folded: Said, roles: Roles) -> Parts:
    """A month without a day needs a small word of its own language, since may and mars are other words as well."""
    return {"month": _MONTHS[folded["alone"]]} if roles else None


def _read_monthly(said: Said, folded: Said, roles: Roles) -> Parts:
    return {"month": _MONTHS[folded["monthly"]], "year": int(said["monthyear"])}


def _read_unit(said: Said, folded: Said, roles: Roles) -> Parts:
    return {"shift": table.RELATIVE_UNITS[folded["unit"]]}


def _read_relative(said: Said, folded: Said, roles: Roles) -> Parts:
    return {"shift": ("day", _RELATIVE[folded["relative"]])}


def _read_wordy(said: Said, folded: Said, roles: Roles) -> Parts:
    return {"shift": ("day", _RELATIVE[folded["wordy"]])} if roles else None


def _read_year(said: Said, folded: Said, roles: Roles) -> Parts:
    return {"year": int(said["only"])} if roles else None


_READERS: dict[str, Callable[[Said, Said, Roles], Parts]] = {
    "iso": _read_iso,
    "dotted": _read_dotted,
    "day": _read_day,
    "english": _read_english,
    "monthly": _read_monthly,
    "weekday": _read_weekday,
    "unit": _read_unit,
    "ago": _read_ago,
    "relative": _read_relative,
    "wordy": _read_wordy,
    "alone": _read_alone,
    "only": _read_year,
}


def language_of(named: NamedDate, sentence: str) -> str:
    """The language that a date is named in, as its small word and the words around it tell."""
    spoken = [language for language in table.LANGUAGES if any(language == each for _, each in named.roles)]
    return likeliest(sentence, spoken or table.LANGUAGES)
