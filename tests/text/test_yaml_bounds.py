"""Frontmatter from anywhere: what would exhaust a reader is refused before it is read, by every family."""

from contextlib import suppress

import pytest
import yaml

from memotheca.patterns import pattern_frontmatter
from memotheca.text.yaml_bounds import MAX_ALIASES, MAX_DEPTH, MAX_SIZE, TooMuch, guard, load_yaml
from memotheca.vault import frontmatter
from tests.linear.growth import MOST, growth_of

BOMB = "a: &a [x, x]\n" + "".join(f"k{place}: *a\n" for place in range(MAX_ALIASES + 1))
DEEP = "a: " + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1)
LONG = "a: " + "x" * MAX_SIZE
REFUSED = [(BOMB, "more than 20 aliases"), (DEEP, "nested more than 32 deep"), (LONG, "longer than 65,536 characters")]


@pytest.mark.parametrize(("block", "said"), REFUSED)
def test_what_would_exhaust_a_reader_is_refused(block: str, said: str) -> None:
    with pytest.raises(TooMuch, match=said):
        guard(block)
    with pytest.raises(frontmatter.UnreadableProperties, match=said):
        frontmatter.read_properties(block)
    with pytest.raises(pattern_frontmatter.UnreadablePattern, match=said):
        pattern_frontmatter.open_text(f"---\n{block}\n---\ntext")


def test_what_people_write_passes() -> None:
    guard("title: Tea\ntags: [a, b]\nbase: &b {x: 1}\nmore: *b\n")


def test_what_is_no_yaml_is_said_to_be_none() -> None:
    with pytest.raises(yaml.YAMLError):
        guard("] " + "- " * 40)


def test_what_no_value_can_hold_is_no_yaml() -> None:
    assert load_yaml("day: 2026-02-03\n")["day"].month == 2
    with pytest.raises(yaml.YAMLError):
        load_yaml("day: 2026-13-45\n")


@pytest.mark.parametrize("unit", ["- ", "[", "&a ", "a: ", "*a\n"])
def test_time_is_in_proportion_to_the_block(unit: str) -> None:
    def work(text: str) -> None:
        with suppress(TooMuch, yaml.YAMLError):
            guard(text)

    assert growth_of(work, lambda size: unit * (size // len(unit)), MAX_SIZE // 5) < MOST
