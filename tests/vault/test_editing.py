"""An edit changes only what it means to: the rest of the file stays byte for byte."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memotheca.model.errors import Failure, Refusal
from memotheca.vault.edit import compose, with_body, with_property, with_tags, with_title
from memotheca.vault.note_file import ParsedNote, parse, render

RICH = b"""---
# first comment
title: 'Old'   # its title
tags:
  - a  # keep me
  # between
  - "b"
  - c
date: 2024-01-15
text: |
  two
  lines

flow: {x: 1, y: [2]}
---

Body with [[link]]
"""


def edited(raw: bytes, edit: Callable[[ParsedNote], ParsedNote]) -> str:
    return render(edit(parse(raw, "n.md"))).decode()


@pytest.mark.parametrize(
    ("before", "title", "after"),
    [
        ("---\ntitle: Old\n---\nx", "New", "---\ntitle: New\n---\nx"),
        ("---\ntitle: 'Old' # c\n---\nx", "It's", "---\ntitle: 'It''s' # c\n---\nx"),
        ('---\ntitle: "Old"\n---\nx', 'A "b"', '---\ntitle: "A \\"b\\""\n---\nx'),
        ("---\ntitle: Old\n---\nx", "a: b", '---\ntitle: "a: b"\n---\nx'),
        ("---\ntitle: Old\n---\nx", "2024", '---\ntitle: "2024"\n---\nx'),
        ("---\ntitle: Old\n---\nx", "true", '---\ntitle: "true"\n---\nx'),
        ("---\ntitle: Old\n---\nx", "# not a comment", '---\ntitle: "# not a comment"\n---\nx'),
        ("---\ntitle:\nb: 1\n---\nx", "New", "---\ntitle: New\nb: 1\n---\nx"),
        ("---\ntitle: >-\n  Old\n  one\nb: 1\n---\nx", "New", "---\ntitle: New\nb: 1\n---\nx"),
        ('---\n"title": Old\n---\nx', "New", '---\n"title": New\n---\nx'),
        ("---\n{title: Old, b: 1}\n---\nx", "New", "---\n{title: New, b: 1}\n---\nx"),
        ("---\n? title\n: Old\n---\nx", "New", "---\n? title\n: New\n---\nx"),
        ("---\nb: 1\n---\nx", "New", "---\nb: 1\ntitle: New\n---\nx"),
        ("---\n---\nx", "New", "---\ntitle: New\n---\nx"),
        ("x", "New", "---\ntitle: New\n---\n\nx"),
        ("", "New", "---\ntitle: New\n---\n"),
        ("x\r\ny\r\n", "New", "---\r\ntitle: New\r\n---\r\n\r\nx\r\ny\r\n"),
        ("---\r\nb: 1\r\n---\r\nx", "New", "---\r\nb: 1\r\ntitle: New\r\n---\r\nx"),
        ("---\n# only a comment\n---\nx", "New", "---\n# only a comment\ntitle: New\n---\nx"),
        ("---\ntitle: Old\ntitle: Older\n---\nx", "New", "---\ntitle: Old\ntitle: New\n---\nx"),
        ("---\nmeta:\n  title: inner\ntitle: Old\n---\nx", "New", "---\nmeta:\n  title: inner\ntitle: New\n---\nx"),
        ("---\ntitle: Üñï 😀 # 日本\nb: 1\n---\nx", "日本: 語", '---\ntitle: "日本: 語" # 日本\nb: 1\n---\nx'),
    ],
)
def test_a_new_title(before: str, title: str, after: str) -> None:
    assert edited(before.encode(), lambda note: with_title(note, title)) == after


@pytest.mark.parametrize(
    ("before", "tags", "after"),
    [
        ("tags: [a, 'b', c]", ["a", "b", "d"], "tags: [a, 'b', d]"),
        ("tags: [a]  # c", ["b/c", "two words"], "tags: [b/c, two words]  # c"),
        ("tags: a, b", ["b", "c"], "tags: b, c"),
        ("tags: a b", ["b", "c"], "tags: b c"),
        ("tags: a, b", ["two words"], "tags: [two words]"),
        ("tags: a", ["b"], "tags: [b]"),
        ("tags:", ["a"], "tags: [a]"),
        ("tags: []", ["a"], "tags: [a]"),
        ("tags: [a]", [], "tags: []"),
        ("tags:\n- a\n- b", ["a", "c"], "tags:\n- a\n- c"),
        ("tags:\n  - a # x\n  # y\n  - b\n  # z", ["a", "b", "c"], "tags:\n  - a # x\n  # y\n  - b\n  - c\n  # z"),
        ("tags:\n  - a # x\n  - b", ["b", "a"], "tags:\n  - b\n  - a # x"),
        ("tags:\n  - a\n  - b\nx: 1", [], "tags: []\nx: 1"),
        ("tag: a", ["b"], "tag: [b]"),
        ("x: 1", ["a", "#b"], "x: 1\ntags: [a, b]"),
        ("tags: [a]", ["null", "1"], 'tags: ["null", "1"]'),
    ],
)
def test_new_tags(before: str, tags: list[str], after: str) -> None:
    for end in ("\n", "\r\n"):
        raw = f"---\n{before}\n---\nText #own\n".replace("\n", end).encode()
        expected = f"---\n{after}\n---\nText #own\n".replace("\n", end)
        assert edited(raw, lambda note: with_tags(note, tags)) == expected
    assert [*parse(expected.encode()).own_tags] == [tag.removeprefix("#") for tag in tags]


def test_everything_around_an_edit_stays() -> None:
    after = edited(RICH, lambda note: with_tags(with_title(note, "New"), ["a", "b", "d"]))
    assert after == RICH.decode().replace("'Old'", "'New'").replace("  - c\n", "  - d\n")
    assert edited(RICH, lambda note: with_body(note, "Other\n")) == RICH.decode().replace(
        "Body with [[link]]\n", "Other\n"
    )
    assert edited(RICH, lambda note: with_property(note, "text", "one")) == RICH.decode().replace(
        "|\n  two\n  lines\n", "one\n"
    )


def test_an_edit_that_changes_nothing_writes_nothing() -> None:
    note = parse(RICH, "n.md")
    assert with_title(note, "Old") is note
    assert with_tags(note, ["a", "b", "c"]) is note
    assert with_body(note, note.body) is note


def test_a_body_takes_the_file_s_line_ends_and_never_becomes_frontmatter() -> None:
    assert edited(b"---\r\na: 1\r\n---\r\n\r\nold\r\n", lambda note: with_body(note, "x\ny\r\n")) == (
        "---\r\na: 1\r\n---\r\n\r\nx\r\ny\r\n"
    )
    assert edited(b"---\na: 1\n---", lambda note: with_body(note, "x")) == "---\na: 1\n---\nx"
    note = with_body(parse(b"old"), "---\na: 1\n---\nx")
    assert (note.frontmatter, note.properties) == ("", {})


def test_marks_and_encodings_stay_and_a_character_they_lack_makes_the_file_utf8() -> None:
    assert render(with_title(parse(b"\xef\xbb\xbfx"), "é")) == b"\xef\xbb\xbf" + "---\ntitle: é\n---\n\nx".encode()
    assert render(with_title(parse("x\r\n".encode("utf-16")), "é")) == "---\r\ntitle: é\r\n---\r\n\r\nx\r\n".encode(
        "utf-16"
    )
    assert render(with_title(parse(b"gr\xfcn"), "\xe9")) == b"---\ntitle: \xe9\n---\n\ngr\xfcn"
    assert render(with_title(parse(b"gr\xfcn"), "日本")) == "---\ntitle: 日本\n---\n\ngrün".encode()


@pytest.mark.parametrize(
    "block",
    [
        "title: a: b",
        "- a",
        "words",
        "title: [",
        "{a: 1}\n",
        "a: &x 1\ntitle: *x",
        "title: &t Old\nb: *t",
    ],
)
def test_frontmatter_that_cannot_be_edited_safely_is_refused_and_kept(block: str) -> None:
    note = parse(f"---\n{block}\n---\nbody".encode(), "n.md")
    with pytest.raises(Refusal, match=r"n\.md.*'title' is not set") as refused:
        with_title(note, "New")
    assert refused.value.failure is Failure.CORRUPT


def test_a_new_note_says_its_title_only_where_its_path_does_not() -> None:
    assert render(compose("ml-basics.md", "Ml Basics", "# x\n")) == b"# x\n"
    assert render(compose("graphcore.md", "GraphCore", "# x\n", tags=["a", "b"])) == (
        b"---\ntitle: GraphCore\ntags: [a, b]\n---\n\n# x\n"
    )
    assert (
        render(compose("graphcore.md", "GraphCore", "---\nx: 1\n---\n# x\n"))
        == b"---\nx: 1\ntitle: GraphCore\n---\n# x\n"
    )


LINES = """title: Old
title: 'x' # c
title:
tags: [a, b]
tags: a, b
tags:
tags:¦  - a¦  - 'b' # c
# comment

x: |¦  a¦¦  b
aliases:¦- z
nested:¦  title: no¦  tags: [no]
date: 2024-01-15
é: 😀
last: >-¦  folded"""
BLOCKS = st.lists(st.sampled_from([line.replace("¦", "\n") + "\n" for line in LINES.split("\n")]), max_size=6).map(
    "".join
)


@settings(max_examples=100, deadline=None)
@given(BLOCKS, st.text(max_size=20), st.lists(st.text(max_size=8), max_size=4), st.sampled_from(["\n", "\r\n"]))
def test_whatever_the_frontmatter_an_edit_does_what_it_says_or_refuses(
    block: str, title: str, tags: list[str], end: str
) -> None:
    note = parse(f"---\n{block}---\nBody\n".replace("\n", end).encode(), "n.md")
    for edit, wanted in ((lambda: with_title(note, title), title), (lambda: with_tags(note, tags), note.title)):
        try:
            after = edit()
        except Refusal:
            continue
        again = parse(render(after), "n.md")
        assert again.text == after.text
        assert again.body == note.body
        assert again.aliases == note.aliases
        assert again.properties == note.properties
        assert again.title == " ".join(wanted.split()) or not wanted.strip()
