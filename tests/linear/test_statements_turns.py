"""While a long memory is taken apart others have their turn: no sentence is as long as a text may be."""

import re
from collections.abc import Callable
from time import thread_time
from typing import Any

import pytest

from memotheca.memory.claims.said_times import read_times
from memotheca.memory.claims.stated_causes import stated_causes
from memotheca.memory.claims.statement import statements_in
from tests.linear.turns import Longest

SIZE = 65_000
# One pattern of two letters over the whole text is the yardstick: what tries dozens of words at every letter of it
# takes far longer than ten times that.
TIMES = 10
TEXTS = {"brackets": "[", "combining marks": "\u0301", "open links": "[[a", "letters": "a", "words": "no end and "}
READERS: dict[str, Callable[[str], Any]] = {
    "statements": lambda text: statements_in.__wrapped__("", text),
    "causes": stated_causes,
    "times": lambda text: read_times(text, 0),
}


def yardstick(text: str) -> float:
    began = thread_time()
    re.findall(r"\r\n?|\n|[^\s]", text)
    return thread_time() - began


@pytest.mark.parametrize("unit", TEXTS.values(), ids=list(TEXTS))
@pytest.mark.parametrize("read", READERS.values(), ids=list(READERS))
def test_no_step_of_reading_a_memory_keeps_the_others_waiting(read: Callable[[str], Any], unit: str) -> None:
    text = (unit * SIZE)[:SIZE]
    found = [(Longest().of(lambda: read(text)), yardstick(text)) for _ in range(3)]
    longest, allowed = min(found, key=lambda each: each[0].seconds / each[1])
    assert longest.seconds < TIMES * allowed, longest.name
