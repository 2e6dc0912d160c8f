"""Every regular expression of the package takes time in proportion to the text, whatever the text is."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from tests.linear.attacks import ENDS, Found, attacks_on, find_patterns, repeated
from tests.linear.growth import (
    MOST,
    MOST_TENFOLD,
    SIZES,
    TooSlow,
    growth_of,
    seconds_for,
    stopped_after,
    tenfold_growth_of,
)

# Linear patterns take a tenth of this, quadratic ones ten times as much.
SIZE = 3000
QUICK = 0.0015
# So many of the attacks, those that took longest on a short text, are tried with long ones.
TRIED = 2
# Whether a pattern that takes more than this for 100 kB is linear can be seen without 1 MB.
SEEN = 0.08

Attack = tuple[str, str, str]


def search(found: Found, text: str) -> Any:
    subject: Any = text if isinstance(found.pattern.pattern, str) else text.encode("latin-1", "replace")
    if found.is_anchored:
        return found.pattern.match(subject), found.pattern.fullmatch(subject)
    return sum(1 for _ in found.pattern.finditer(subject))


def explosions(found: Found) -> Iterator[str]:
    """The attacks under which a pattern takes more than its share of time."""
    took: dict[Attack, float] = {}
    work = partial(search, found)
    for attack in attacks_on(found.pattern):
        make = partial(make_text, attack)
        try:
            with stopped_after(2.0):
                took[attack] = seconds_for(work, make(SIZE))
        except TooSlow:
            yield f"{found.where}: {attack} takes more than two seconds for {SIZE} letters"
            return
        if took[attack] > QUICK and (growth := growth_of(work, make, SIZE)) > MOST:
            yield f"{found.where}: {attack} takes {growth:.1f} times as long for 4 n"
            return
    yield from long_explosions(found, [("", "a", ENDS[-1]), *sorted(took, key=lambda each: -took[each])[:TRIED]])


def long_explosions(found: Found, attacks: list[Attack]) -> Iterator[str]:
    """The same for long texts; the longest only of the last attack."""
    work = partial(search, found)
    for attack in attacks:
        make = partial(make_text, attack)
        growth = tenfold_growth_of(work, make, SIZES[:2])
        if growth < MOST_TENFOLD and attack == attacks[-1] and seconds_for(work, make(SIZES[1])) < SEEN:
            growth = tenfold_growth_of(work, make, SIZES[1:])
        if growth >= MOST_TENFOLD:
            yield f"{found.where}: {attack} takes {growth:.1f} times as long for 10 n"
            return


def make_text(attack: Attack, size: int) -> str:
    start, unit, end = attack
    return repeated(unit, size, start=start, end=end)


PATTERNS = find_patterns()


@pytest.mark.parametrize("found", PATTERNS, ids=[each.where for each in PATTERNS])
def test_a_pattern_is_linear(found: Found) -> None:
    assert not list(explosions(found))


@pytest.mark.parametrize("text", [r"(a+)+$", r"a+b", r"\s*x$", r"(?:[A-Za-z]+\d?)+!", r"^(.+?)\s*#*$"])
def test_a_pattern_that_is_not_is_seen(text: str) -> None:
    assert list(explosions(Found("here", re.compile(text), is_anchored=False)))
