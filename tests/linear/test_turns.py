"""While a long note is read others have their turn: no single step of it is long."""

import re
from time import thread_time

import pytest

from memotheca.vault.note_file import parse
from tests.linear.turns import Longest

SIZE = 1_000_000
# A pattern that goes through a text of this size in one call takes about as long as the yardstick; a quarter of it
# is far more than any step needs.
SHARE = 0.25


def yardstick() -> float:
    ends = "\r\n" * (SIZE // 2)
    began = thread_time()
    re.findall(r"\r\n?|\n", ends)
    return thread_time() - began


NOTES = {
    "line ends of two letters": "x\r\n" + "\r\n" * (SIZE // 2),
    "line ends of one letter": "x\r" + "\r" * SIZE,
    "frontmatter of line ends": "---\n" + "\n" * SIZE + "---\nbody\n",
    "frontmatter without an end": "---\n" + "a\n" * (SIZE // 2),
    "frontmatter of brackets": "---\n" + "[" * SIZE + "\n---\nbody\n",
    "frontmatter of open links": "---\n" + "[[a" * (SIZE // 3) + "\n---\nbody\n",
    "frontmatter of one open link": "---\n[[" + "a" * SIZE + "\n---\nbody\n",
}


@pytest.mark.parametrize("note", NOTES.values(), ids=list(NOTES))
def test_no_step_of_reading_a_note_keeps_the_others_waiting(note: str) -> None:
    raw = note.encode()
    found = [(Longest().of(lambda: parse(raw, "a.md")), yardstick()) for _ in range(2)]
    longest, allowed = min(found, key=lambda each: each[0].seconds / each[1])
    assert longest.seconds < SHARE * allowed, longest.name
