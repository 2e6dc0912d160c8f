"""Hostile turns: what is to be kept of them is found in proportion to their size."""

import pytest

from memotheca.memory.claims import said_to_keep
from tests.linear.attacks import UNITS, repeated
from tests.linear.growth import MOST, growth_of

SIZE = 6_000
MORE = (
    "remember that ",
    "no, the ",
    "we decided ",
    "wir haben uns für ",
    "please and also ",
    "I don't like ",
    "`a",
    "```",
    "- 1. ",
    "whenever I ask ",
    "no, wait, ",
    "it is, not ",
    "x, please and so ",
    "write saying ",
    '"a" ',
    " 'a",
    "we picked x ",
    "use in every ",
)


@pytest.mark.parametrize("unit", [*UNITS, *MORE])
def test_a_turn_is_read_in_proportion(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(said_to_keep, "LOOKED_AT", 10**9)
    assert growth_of(said_to_keep.find_said_to_keep, lambda size: repeated(unit, size), SIZE) < MOST
