"""Values: what in a sentence can be replaced by another of its kind, each compared as what it is.

A date is compared as a date, a price in its currency, a duration in seconds, a version and an identifier letter by
letter: 3.12 is not nearly 3.13. A value is told as it was written."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from memotheca.memory.claims.small_words import AT_HOUR, CHANGES, FUNCTION, LASTING, MONTHS, NUMERALS, WEEKDAYS
from memotheca.model.knowledge import fold
from memotheca.text.words import stem

ValueKind = Literal["date", "weekday", "time", "amount", "number", "version", "identifier", "address"]

_MONTH_OF = {name: number for number, names in enumerate(MONTHS, 1) for name in names}
# Also each Monday: Mondays, montags.
_WEEKDAY_OF = {
    form: number
    for number, names in enumerate(WEEKDAYS, 1)
    for name in names
    for form in ((name, f"{name}s") if len(name) > 4 else (name,))
}
_LONG_MONTHS = sorted((name for name in _MONTH_OF), key=len, reverse=True)
_MONTH = "|".join(map(re.escape, _LONG_MONTHS))
# Chosen: what the words mean.
_SCALES = {"k": 1e3, "thousand": 1e3, "tausend": 1e3, "mille": 1e3, "mil": 1e3, "million": 1e6, "mio": 1e6, "bn": 1e9}
# Chosen: what the signs mean, a unit of each kind and how many of it.
_MEASURES = (
    ("m", "m metre meter metres meters", 1),
    ("m", "km kilometre kilometer kilometres kilometers", 1e3),
    ("m", "cm", 0.01),
    ("m", "mm", 1e-3),
    ("m", "µm", 1e-6),
    ("m", "nm", 1e-9),
    ("g", "g gram grams gramm", 1),
    ("g", "kg kilo kilos kilogram kilograms", 1e3),
    ("g", "mg milligram milligrams milligramm", 1e-3),
    ("g", "µg mcg microgram micrograms mikrogramm", 1e-6),
    ("g", "t tonne tonnes", 1e6),
    ("s", "s sec second seconds sekunde sekunden", 1),
    ("s", "ms millisecond milliseconds", 1e-3),
    ("s", "min minute minutes minuten", 60),
    ("s", "h hour hours stunde stunden heure heures hora horas ora ore uur timer", 3600),
    ("s", "day days tag tage tagen jour jours día días dia dias giorno giorni dag dagen dage", 86400),
    ("s", "week weeks woche wochen semaine semaines semana semanas settimana settimane weken uge uger", 604800),
    ("month", "month months monat monate monaten mois mes meses mês mese mesi maand maanden måned måneder", 1),
    ("month", "year years jahr jahre jahren ans año años ano anos anno anni jaar år", 12),
    ("l", "l litre liter litres liters", 1),
    ("l", "ml", 1e-3),
    ("b", "b byte bytes", 1),
    ("b", "kb", 1e3),
    ("b", "mb megabyte megabytes", 1e6),
    ("b", "gb gigabyte gigabytes", 1e9),
    ("b", "tb terabyte terabytes", 1e12),
    ("%", "% percent prozent procent pourcent", 1),
    ("€", "€ eur euro euros", 1),
    ("£", "£ gbp pound pounds quid", 1),
    ("$", "$ usd dollar dollars", 1),
    ("v", "v volt volts", 1),
    ("v", "mv", 1e-3),
    ("v", "kv", 1e3),
    ("w", "w watt watts", 1),
    ("w", "kw", 1e3),
    ("w", "mw", 1e6),
    ("a", "ma", 1e-3),
    ("°c", "°c", 1),
    ("k", "k kelvin", 1),
    ("pa", "pa", 1),
    ("mbar", "mbar", 1),
)
# Small words, and those that say that a figure has changed: raised to 960 now.
_COUNTS_NOTHING = FUNCTION | CHANGES
_UNITS = {name: (unit, factor) for unit, names, factor in _MEASURES for name in fold(names).split()}

# A plain word comes first, though it is what nothing else is: most parts are plain words, and are soon seen to be, by
# what stands behind them, no beginning of an address, of a compound name or of a date.
_SEEN = re.compile(
    rf"""
    (?P<plain>(?!(?:{_MONTH})(?!\w))[^\W\d_]++(?![\w@\#+/:'\u2019-]|\.(?!\s|\Z)))
    |(?P<link>https?://\S+|(?<![\w.+-])[\w.+-]++@[\w-]+\.[\w.]+)
    |(?P<ip>\b\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?::\d+)?\b)
    |(?P<iso>\b\d{{4}}-\d{{2}}-\d{{2}}\b)
    |(?P<dotted>\b\d{{1,2}}\.\d{{1,2}}\.(?:\d{{4}}|\d{{2}})?(?![\d.]))
    |(?P<slashed>\b\d{{1,2}}/\d{{1,2}}(?:/\d{{4}}|/\d{{2}})?\b(?!/))
    |(?P<phone>(?<![\w.])\+?\d{{2,5}}(?:[ -]\d{{3,4}}){{2,3}}(?!\w))
    |(?P<clock>\b\d{{1,2}}(?::\d{{2}}(?::\d{{2}})?|h\d{{2}})\b(?:\s*[ap]\.?m\b)?|\b\d{{1,2}}\s*(?:[ap]\.?m\b|uhr\b|o'clock\b))
    |(?P<dayfirst>\b\d{{1,2}}(?:st|nd|rd|th|º|\.)?\s+(?:of\s+|de\s+)?(?:{_MONTH})\b\.?(?:\s+(?:de\s+)?\d{{4}}\b)?)
    |(?P<monthfirst>\b(?:{_MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?![.:]\d)(?:,?\s+\d{{4}}\b)?)
    |(?P<month>\b(?:{_MONTH})\b(?:\s+\d{{4}}\b)?)
    |(?P<ordinal>\b(?:[12]?\d|3[01])(?:st|nd|rd|th)\b)
    |(?P<long>\bv?\d+(?:\.\d+){{2,}}(?:-?[a-z]+\d*)?\b)
    |(?P<joined>[#@]?(?=[\w#@/.:+-]{{0,60}}[a-z])(?=[\w#@/.:+-]{{0,60}}(?:\d|[-_/.:#]\w))\w+(?:[-_/.:+]\w+)+
      |[#@]\w+|\b[a-z]+\d\w*|\b\d+[a-z]+\d\w*)
    |(?P<amount>(?<![\w.])(?:(?P<money>[€£$])\s?)?(?P<sign>[-+\u2212])?
      (?P<digits>[1-9]\d{{0,2}}(?:[,.\u2019'\s]\d{{3}})+(?:[.,]\d{{1,2}})?(?!\d)|\d+(?:[.,]\d+)?(?:e-?\d+)?)
      \s?(?P<scale>(?:thousand|tausend|million|mio|bn|k)\b)?
      \s?-?(?P<unit>%|°\s?c\b|[€£$]|[^\W\d_]+(?:/[^\W\d_]+)?)?)
    |(?P<word>[^\W\d_]+(?:[-'\u2019][^\W\d_]+)*)
    """,
    re.VERBOSE | re.IGNORECASE,
)
# An hour as it is written with an h: at it, or so long.
_HOUR = re.compile(r"(\d{1,2})\s?h(\d{2})?", re.IGNORECASE)
_TO_HOUR = re.compile(r"\s*(?:à|às|a las?|alle|bis|to|tot|til|till|[-\u2013\u2014])\s*\d{1,2}\s?h", re.IGNORECASE)
_LAST_HOUR = 24  # chosen: the hours of a day
_CLOCK = re.compile(r"(\d{1,2})(?:[:h](\d{2}))?(?::\d{2})?\s*([ap])?", re.IGNORECASE)
_NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Value:
    """A value as it was written, with what it is compared by; `of` is the word it counts or measures, `unit` also the
    name that a plain number follows: pump 1."""

    kind: ValueKind
    key: str
    unit: str
    of: str
    text: str
    place: int

    @property
    def sort(self) -> str:
        """What it can be replaced by: another of the same sort."""
        return f"{self.kind}:{self.unit}"


class Word(NamedTuple):
    """A word as it was written, folded, and where it stands."""

    text: str
    folded: str
    place: int


def read(sentence: str) -> Iterator[Value | Word]:
    """The values and the other words of a sentence in their order."""
    before = ""
    for found in _SEEN.finditer(sentence):
        part = found.lastgroup or ""
        if part == "plain":
            word = _read_word(found[0], found.start())
            yield word
            before = word.text
            continue
        part = "amount" if found["amount"] is not None else part
        for each in _take(part, found, before):
            yield each
            before = each.text
    return


def _take(part: str, found: re.Match[str], before: str) -> Iterator[Value | Word]:
    text, place = found[0].strip(), found.start()
    if part == "word":
        yield _read_word(text, place)
    elif part in ("link", "ip"):
        yield Value("address", fold(text), part, "", text, place)
    elif part == "phone":
        yield Value("address", "".join(_NUMBERS.findall(text)), "phone", "", text, place)
    elif part == "clock":
        yield _hours(text, place) if _is_length(text, before) else Value("time", _minutes(text), "", "", text, place)
    elif part in ("iso", "dotted", "slashed", "dayfirst", "monthfirst", "month", "ordinal"):
        yield from _date(part, text, place, before)
    elif part == "long":
        yield Value("version", fold(text).lstrip("v"), "", fold(before), text, place)
    elif part == "joined":
        yield _identifier(text, place)
    else:
        yield from _amount(found, before)


def _is_length(text: str, before: str) -> bool:
    """Whether hours and minutes with an h between them are a length: dure 1h30."""
    return _HOUR.fullmatch(text) is not None and fold(before) in LASTING


def _hours(text: str, place: int) -> Value:
    found = _HOUR.fullmatch(text)
    assert found is not None
    return Value("amount", f"{int(found[1]) * 3600 + int(found[2] or 0) * 60:.6g}", "s", "", text, place)


def _is_at_hour(found: re.Match[str], before: str) -> bool:
    """Whether hours with an h behind them are one of the clock: à 10h, de 9h à 17h."""
    hour = _HOUR.fullmatch(found[0].strip())
    if hour is None or int(hour[1]) > _LAST_HOUR:
        return False
    return fold(before).replace("\u2019", "'") in AT_HOUR or _TO_HOUR.match(found.string, found.end()) is not None


def _read_word(text: str, place: int) -> Value | Word:
    folded = fold(text)
    if (day := _WEEKDAY_OF.get(folded)) is not None and (text[0].isupper() or len(folded) > 4):
        return Value("weekday", str(day), "", "", text, place)
    if (number := NUMERALS.get(folded)) is not None:
        return Value("number", f"{number:g}", "", "", text, place)
    return Word(text, folded, place)


def _identifier(text: str, place: int) -> Value | Word:
    folded = fold(text)
    has_digit = any(letter.isdigit() for letter in folded)
    is_plain = not has_digit and text.replace("-", "").replace("'", "").isalpha() and "-" in text
    if is_plain and text.lower() != text and text.upper() != text:
        return Word(text, folded, place)
    shape = _NUMBERS.sub("9", folded)
    return Value("identifier", folded, shape, shape.rstrip("9."), text, place)


def _date(part: str, text: str, place: int, before: str) -> Iterator[Value | Word]:
    year, month, day = _day(part, fold(text))
    if part == "month" and len(text) <= 4 and not text[0].isupper():
        yield Word(text, fold(text), place)
        return
    is_odd = (month is not None and not 1 <= month <= 12) or (day is not None and not 1 <= day <= 31)
    if is_odd or (part == "dotted" and text.count(".") == 2 and text.endswith(".") and not _may_be_dated(before)):
        yield Value(
            "number", text.rstrip(".").lstrip("0") if is_odd else text.rstrip("."), "", "", text.rstrip("."), place
        )
        return
    yield Value("date", f"{year or ''}-{month or ''}-{day or ''}", "month" if day is None else "day", "", text, place)


def _may_be_dated(before: str) -> bool:
    """Whether two numbers with a full stop each can be a day after this word: am 3.9., Do 3.9."""
    folded = fold(before)
    return folded in FUNCTION or folded in _WEEKDAY_OF or len(folded) <= 2 or folded.endswith((".", ","))


def _day(part: str, text: str) -> tuple[int | None, int | None, int | None]:
    numbers = [int(each) for each in _NUMBERS.findall(text)]
    if part == "iso":
        return numbers[0], numbers[1], numbers[2]
    if part in ("dotted", "slashed"):
        year = numbers[2] if len(numbers) > 2 else None
        return 2000 + year if year is not None and year < 100 else year, numbers[1], numbers[0]
    if part == "ordinal":
        return None, None, numbers[0]
    named = next((name for name in re.findall(r"[^\W\d_]+", text) if name in _MONTH_OF), "")
    years = [number for number in numbers if number > 31]
    days = [number for number in numbers if number <= 31]
    return years[0] if years else None, _MONTH_OF.get(named), days[0] if days and part != "month" else None


def _minutes(text: str) -> str:
    found = _CLOCK.match(text)
    assert found is not None
    hours, half = int(found[1]), (found[3] or "").lower()
    hours = hours % 12 + 12 if half == "p" else hours % 12 if half == "a" else hours
    return str(hours * 60 + int(found[2] or 0))


def _amount(found: re.Match[str], before: str) -> Iterator[Value | Word]:
    place, digits = found.start(), found["digits"]
    number = _number(digits)
    named = fold((found["unit"] or "").replace(" ", ""))
    known = _UNITS.get(named) or _UNITS.get(found["money"] or "")
    number *= _SCALES.get(fold(found["scale"] or ""), 1)
    if known is not None and _is_at_hour(found, before):
        yield Value("time", _minutes(found[0].strip()), "", "", found[0].strip(), place)
        return
    if known is not None:
        unit, factor = _UNITS[found["money"]] if found["money"] else known
        text = found[0].strip()
        yield Value("amount", f"{number * factor:.6g}", unit, "", text, place)
        if found["money"] and named and named not in _UNITS:
            yield _read_word(found["unit"], found.start("unit"))
        return
    is_year = not found["scale"] and len(digits) == 4 and digits.isdigit() and 1900 <= number <= 2100
    is_named = bool(before) and before[0].isupper() and before[0].isalpha() and fold(before) not in FUNCTION
    written = found[0][: found.start("unit") - place].strip() if found["unit"] else found[0].strip()
    if is_year:
        yield Value("date", f"{digits}--", "year", "", written, place)
    elif is_named and (not named or named in FUNCTION or "." in digits):
        yield Value("version", digits, "", fold(before), written, place)
    else:
        numbered, counted = fold(before) if is_named else "", stem(named) if named not in _COUNTS_NOTHING else ""
        yield Value("number", f"{number:.6g}", numbered, counted, written, place)
    if found["unit"]:
        yield _read_word(found["unit"], found.start("unit"))


def _number(digits: str) -> float:
    plain = (
        re.sub(r"[,.\u2019'\s](?=\d{3}(?:\D|$))", "", digits)
        if re.match(r"[1-9]\d{0,2}[,.\u2019'\s]\d{3}(?!\d)", digits)
        else digits
    )
    try:
        return float(plain.replace(",", "."))
    except ValueError:
        return 0.0


def agree(one: Value, other: Value) -> bool:
    """Whether two values of a sort are the same, as far as both say it: 14 August is 14 August 2026."""
    if one.kind == "date" and other.kind == "date":
        both = [(a, b) for a, b in zip(one.key.split("-"), other.key.split("-"), strict=True) if a and b]
        return bool(both) and all(a == b for a, b in both)
    return one.key == other.key
