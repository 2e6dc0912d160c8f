"""Every regular expression of the package takes time in proportion to the text, whatever the text is."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.linear.attacks import Found, attacks_on, find_patterns, repeated
from tests.linear.growth import TooSlow, growth_of, seconds_for, stopped_after

# Linear patterns take a tenth of this, quadratic ones ten times as much.
SIZE = 3000
QUICK = 0.0015
MOST = 9.0


def explosions(found: Found) -> Iterator[str]:
    """The attacks under which a pattern takes more than its share of time."""

    def search(text: str) -> Any:
        subject: Any = text if isinstance(found.pattern.pattern, str) else text.encode("latin-1", "replace")
        if found.is_anchored:
            return found.pattern.match(subject), found.pattern.fullmatch(subject)
        return sum(1 for _ in found.pattern.finditer(subject))

    for start, unit, end in attacks_on(found.pattern):

        def make(size: int, start: str = start, unit: str = unit, end: str = end) -> str:
            return repeated(unit, size, start=start, end=end)

        try:
            with stopped_after(2.0):
                is_quick = seconds_for(search, make(SIZE)) < QUICK
        except TooSlow:
            is_quick = False
        if not is_quick and (growth := growth_of(search, make, SIZE)) > MOST:
            yield f"{found.where}: {start!r} + {unit!r} * n + {end!r} takes {growth:.1f} times as long for 4 n"
            return


PATTERNS = find_patterns()


@pytest.mark.parametrize("found", PATTERNS, ids=[each.where for each in PATTERNS])
def test_a_pattern_is_linear(found: Found) -> None:
    assert not list(explosions(found))


@pytest.mark.parametrize("text", [r"(a+)+$", r"a+b", r"\s*x$", r"(?:[A-Za-z]+\d?)+!", r"^(.+?)\s*#*$"])
def test_a_pattern_that_is_not_is_seen(text: str) -> None:
    assert list(explosions(Found("here", re.compile(text), is_anchored=False)))
