"""Fences: what opens one, what closes it, and what only looks like it."""

import re

import pytest

from memotheca.cli.markdown_view import render
from memotheca.text.markdown_lines import FENCED, closes, closes_chunk, fence_of
from tests.linear.growth import MOST, growth_of


@pytest.mark.parametrize(
    ("line", "mark", "language"),
    [("```", "```", ""), ("   ~~~~ py", "~~~~", "py"), ("```c++ {.x}", "```", "c++"), ("``` f#", "```", "f#")],
)
def test_a_fence_opens_with_its_marks_and_its_language(line: str, mark: str, language: str) -> None:
    assert fence_of(line) == (mark, language)


@pytest.mark.parametrize("line", ["    ```", "``", "text ```", "", "-~~~"])
def test_other_lines_open_none(line: str) -> None:
    assert fence_of(line) is None


def test_a_fence_is_closed_by_its_own_marks_alone() -> None:
    assert closes("```", "```")
    assert closes("  ````  ", "```")
    assert not closes("```", "````")
    assert not closes("~~~", "```")
    assert not closes("```python", "```")
    assert closes_chunk("```python", "```")


def test_marks_with_a_language_inside_a_fence_are_shown_as_code() -> None:
    shown = render("```\n```python\nx = 1\n```\nafter", 60, lambda text, _: text)
    assert shown == "    ```python\n    x = 1\nafter\n"


@pytest.mark.parametrize("unit", ["`", "```\n", " ", "``` a", "~~~~"])
def test_lines_of_any_length_take_time_in_proportion(unit: str) -> None:
    def work(text: str) -> None:
        fence_of(text)
        closes(text, "```")

    assert growth_of(work, lambda size: unit * (size // len(unit)), 200_000) < MOST


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("say ```x\ny``` so", "say … so"),
        ("a ```open\nto the end", "a …"),
        ("``` ` ``` b ```c```", "… b …"),
        ("`a`", "`a`"),
    ],
)
def test_code_in_what_people_say_stands_between_marks_wherever_they_are(text: str, left: str) -> None:
    assert re.sub(FENCED, "…", text) == left
