"""Quantities and dates as they are said, made comparable: units of one kind, words for numbers, days with or without a
year (memory-model: Contradictions)."""

import re
from typing import NamedTuple

MONTHS: tuple[str, ...] = tuple(
    "january february march april may june july august september october november december".split()
)
_MONTH = "|".join(MONTHS)
DATE = re.compile(
    rf"\b(?:(?P<iso>\d{{4}}-\d{{2}}-\d{{2}})|(?P<before>\d{{1,2}})?(?:st|nd|rd|th)?(?:\s+of)?\s*\b(?P<month>{_MONTH})\b"
    r"(?:\s+(?P<after>\d{1,2})(?:st|nd|rd|th)?(?!\d))?(?:,?\s+(?P<of>\d{4}))?|(?P<year>(?:1[0-9]|20)\d{2})(?!\s?[a-z%]|[,.]\d))\b"
)
_CLOCK = re.compile(r"\b(?:(\d{1,2}):(\d{2})\s*([ap]\.?m\b)?|(\d{1,2})\s*([ap]\.?m\b))")
_SMALL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS: dict[str, int] = {
    **{word: value for value, word in enumerate(_SMALL)},
    **{word: 10 * value for value, word in enumerate(_TENS, 2)},
    "dozen": 12,
}
# One of these, or a digit, is in everything that says a quantity.
NUMERALS = frozenset({*_WORDS, "hundred", "thousand", "million", "billion", "half", "hour"})
# Chosen: what the words mean.
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1e6, "billion": 1e9}
_SPOKEN = "|".join([*_WORDS, "an?(?= (?:hundred|thousand|million|billion|dozen|hour|half))"])
NUMBER = re.compile(
    rf"(?<![\w.])(?P<money>[$€£])?(?:(?P<digits>\d+(?:[.,]\d{{3}})*(?:\.\d+)?)|(?P<spoken>(?:{_SPOKEN})\b))"
    r"(?:\s(?P<scale>hundred|thousand|million|billion)s?\b)?\s?(?P<unit>%|[a-z]{1,24}\b)?(?P<half> and a half\b)?"
)
_FIGURES = re.compile(r"\d+(?:[.,:]\d+)*")
_MONEY = {"$": "dollar", "€": "euro", "£": "pound", "usd": "dollar", "eur": "euro", "gbp": "pound"}
_UNITS = {
    "m": ("m", 1), "metre": ("m", 1), "meter": ("m", 1), "km": ("m", 1e3), "kilometre": ("m", 1e3),
    "kilometer": ("m", 1e3), "cm": ("m", 0.01), "centimetre": ("m", 0.01), "mm": ("m", 0.001),
    "g": ("g", 1), "gram": ("g", 1), "kg": ("g", 1e3), "kilogram": ("g", 1e3), "kilo": ("g", 1e3), "mg": ("g", 1e-3),
    "s": ("s", 1), "sec": ("s", 1), "second": ("s", 1), "minute": ("s", 60), "min": ("s", 60), "hour": ("s", 3600),
    "h": ("s", 3600), "day": ("s", 86400), "week": ("s", 604800), "ms": ("s", 0.001), "millisecond": ("s", 0.001),
    "month": ("month", 1), "year": ("month", 12), "percent": ("%", 1),
    "l": ("l", 1), "litre": ("l", 1), "liter": ("l", 1), "ml": ("l", 0.001),
    "kb": ("b", 1e3), "mb": ("b", 1e6), "megabyte": ("b", 1e6), "gb": ("b", 1e9), "gigabyte": ("b", 1e9),
    "tb": ("b", 1e12), "terabyte": ("b", 1e12),
}  # fmt: skip
# Whatever is taken away together with a number.
MEASURES = frozenset({*_UNITS, *_MONEY, *_MONEY.values(), *"am pm a p st nd rd th".split()})


class Day(NamedTuple):
    """A date as exactly as it was given."""

    year: int | None
    month: int | None
    day: int | None


def days_in(folded: str) -> frozenset[Day]:
    """The dates that a folded text names."""
    return frozenset(_day(found) for found in DATE.finditer(folded))


def _day(found: re.Match[str]) -> Day:
    if found["iso"]:
        year, month, day = map(int, found["iso"].split("-"))
        return Day(year, month, day)
    if found["year"]:
        return Day(int(found["year"]), None, None)
    day = found["before"] or found["after"]
    year = int(found["of"]) if found["of"] else None
    return Day(year, MONTHS.index(found["month"]) + 1, int(day) if day else None)


def is_same_day(one: Day, other: Day) -> bool:
    """Whether two dates agree in all that both of them say, and have something in common."""
    both = [(mine, theirs) for mine, theirs in zip(one, other, strict=True) if mine is not None and theirs is not None]
    return bool(both) and all(mine == theirs for mine, theirs in both)


def quantities_in(undated: str) -> tuple[tuple[float, str], ...]:
    """Value and unit of every quantity in a folded text without its dates; times of day are minutes."""
    clocks = tuple((_minutes(found), "o'clock") for found in _CLOCK.finditer(undated))
    return clocks + tuple(_quantity(found) for found in NUMBER.finditer(_CLOCK.sub(" ", undated)))


def without_quantities(undated: str) -> str:
    """What is left of a text: the words, and the units that say what is measured."""
    return NUMBER.sub(_said_of, _CLOCK.sub(" ", undated))


def _said_of(found: re.Match[str]) -> str:
    unit = _singular(found["unit"] or "")
    return " " if unit in _UNITS or unit in _MONEY or unit in _MONEY.values() else f" {found['unit'] or ''} "


def _minutes(found: re.Match[str]) -> float:
    hours, minutes = int(found[1] or found[4]), int(found[2] or 0)
    half = found[3] or found[5] or ""
    return float((hours % 12 + 12 if half.startswith("p") else hours % 12 if half else hours) * 60 + minutes)


def _quantity(found: re.Match[str]) -> tuple[float, str]:
    value = float(found["digits"].replace(",", "")) if found["digits"] else float(_WORDS.get(found["spoken"], 1))
    value = value * _SCALES[found["scale"]] if found["scale"] else value
    value += 0.5 if found["half"] else 0
    named = _singular(found["unit"] or "")
    unit, factor = _UNITS.get(named, (_MONEY.get(named, named), 1))
    return value * factor, _MONEY.get(found["money"] or "", unit)


def _singular(unit: str) -> str:
    return unit[:-1] if len(unit) > 3 and unit.endswith("s") else unit


def differ_in_figures(one: str, other: str) -> bool:
    """Whether each names a figure that the other does not: pump 1 is not pump 2, however alike they read."""
    mine, theirs = (frozenset(_FIGURES.findall(text)) for text in (one, other))
    return not (mine <= theirs or theirs <= mine)
