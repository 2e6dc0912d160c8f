"""Hostile notes: any of them is read in time and memory in proportion to its size, and keeps its text."""

from itertools import count

import pytest

from memotheca.memory.spaces.code import names
from memotheca.parsing.markdown import find_headings
from memotheca.vault.note_file import LONGEST_TAG, MOST_LEVELS, MOST_LINKS, MOST_TAGS, read
from tests.conftest import Writer
from tests.linear.attacks import UNITS, repeated
from tests.linear.growth import (
    MOST,
    MOST_TENFOLD,
    growth_of,
    memory_growth_of,
    seconds_for,
    stopped_after,
    tenfold_growth_of,
)

SIZE = 6_000
MORE = (
    "[" * 9 + "](a)" * 9,
    "[x](a)",
    "[[a|b]]",
    "- [ ] a\n",
    "`a``b```c",
    "$a",
    "<a b='c' ",
    "\t\n",
    " x\n\n    y\n\n",
    "\n\n",
)


@pytest.mark.parametrize("unit", [*UNITS, *MORE])
def test_a_note_is_read_in_proportion(unit: str) -> None:
    def make(size: int) -> str:
        return repeated(unit, size, start="# t\n")

    assert growth_of(read_text, make, SIZE) < MOST
    assert memory_growth_of(read_text, make, SIZE) < MOST


@pytest.mark.parametrize(
    "unit", ["a", "[", "(", "#", "/", "7", "\u0301", "\n", "`", "- a\n", "[[a|b]] ", "#a/", "<a ", "[x](a)"]
)
def test_a_long_note_is_read_in_proportion(unit: str) -> None:
    assert tenfold_growth_of(read_text, lambda size: repeated(unit, size, start="# t\n")) < MOST_TENFOLD


@pytest.mark.parametrize("unit", ["a", "#a/", "[[a|b]] "])
def test_a_long_note_is_held_in_proportion(unit: str) -> None:
    assert memory_growth_of(read_text, lambda size: repeated(unit, size), 30_000, factor=10) < MOST_TENFOLD


@pytest.mark.parametrize("unit", ["a", "[", "#", "\u0301", "a "])
def test_a_long_note_is_taken_in_proportion(writer: Writer, unit: str) -> None:
    numbers = count()

    def take(text: str) -> None:
        writer.save(f"n{next(numbers)}.md", text)
        writer.sync()

    sizes = (10_000, 100_000)
    assert tenfold_growth_of(take, lambda size: repeated(unit, size), sizes) < MOST_TENFOLD


def read_text(text: str) -> None:
    read(text)
    find_headings(text)
    names(text)


@pytest.mark.parametrize(
    "shape", ["[" * 2000 + "](a)" * 2000, "`".join("`" * n for n in range(300)), "# " + " " * 3000]
)
def test_what_opens_and_never_closes_is_read_at_once(shape: str) -> None:
    with stopped_after(5.0):
        assert seconds_for(read_text, shape) < 5.0


def test_tags_have_bounds_and_what_is_beyond_is_told() -> None:
    deep, long = "#" + "a/" * MOST_LEVELS + "a", "#" + "b" * (LONGEST_TAG + 1)
    note = read(f"{deep} {long} #fine " + " ".join(f"#tag{n}" for n in range(MOST_TAGS)))
    assert note.text_tags[:2] == ("fine", "tag0")
    assert len(note.text_tags) == MOST_TAGS
    assert [warning[:11] for warning in note.warnings] == ["Tag ignored", "Tag ignored", "Only the fi"]


def test_links_have_a_bound_and_what_is_beyond_is_told() -> None:
    note = read("[[a]] " * (MOST_LINKS + 1))
    assert len(note.links) == MOST_LINKS
    assert note.warnings == (f"Only the first {MOST_LINKS:,} of {MOST_LINKS + 1:,} links are read.",)


def test_a_note_that_takes_too_long_is_kept_as_plain_text() -> None:
    note = read("---\ntitle: T\n---\n# h\n#tag [[link]]", patience=-1)
    assert (note.title, note.text_tags, note.links, note.headings) == ("T", (), (), ())
    assert note.body == "# h\n#tag [[link]]"
    assert "plain text" in note.warnings[0]


@pytest.mark.parametrize("unit", ["#a/", "[[a^", "#", "\n", "# ", "aA", "@a", "    a\n", "[[a", "`"])
def test_a_vault_with_a_hostile_note_is_served(writer: Writer, unit: str) -> None:
    writer.save("hostile.md", "# t" + " " * 3000 + "x\n" + repeated(unit, 60_000))
    writer.save("plain.md", "a [[hostile]] note")
    with stopped_after(30.0):
        writer.sync()
        assert [each["id"] for each in writer.ask("search", query="note", limit=1)]
        assert unit[0] in writer.ask("get_node", id="hostile.md")["content"]


def test_many_tags_in_one_note_are_taken_in_proportion(writer: Writer) -> None:
    numbers = count()

    def take(text: str) -> None:
        writer.save(f"n{next(numbers)}.md", text)
        writer.sync()

    def make(size: int) -> str:
        return " ".join(f"#tag{n}" for n in range(size))

    assert growth_of(take, make, 3000) < MOST


def test_the_headings_above_a_chunk_are_found_in_proportion(writer: Writer) -> None:
    writer.save("long.md", "# " + "#" * 16_000 + "x\n" + "word " * 1000)
    with stopped_after(20.0):
        writer.sync()
    assert writer.ask("search", query="word")[0]["id"] == "long.md"
