"""A note is read without loss: whatever the bytes, writing them back changes none."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memotheca.vault import structure
from memotheca.vault.lossless_text import decode, encode
from memotheca.vault.note_file import parse, read, render

PIECES = st.sampled_from(
    "| ¦|¦||¦---¦---\n¦\n¦\r\n¦\r¦\t¦title: a¦tags: [a, b]¦tags:\n  - x\n¦: ¦- ¦&a ¦*a¦{¦}¦[¦]¦[[¦]]¦#¦^¦![[¦](¦)¦`¦```"
    "¦~~~¦$¦$$¦%%¦<!--¦-->¦\\¦# ¦    ¦> ¦<div>¦\x00¦\ufeff¦é¦e\u0301¦😀¦日本¦\u2028¦\x85¦text¦.md¦?¦!!binary x¦'¦\""
    "¦!!python/object:os.system x".split("¦")
)
MARKDOWN = st.lists(PIECES | st.text(max_size=6), max_size=60).map("".join)
ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252", "utf-32"])


@settings(max_examples=200, deadline=None)
@given(MARKDOWN, ENCODINGS, st.binary(max_size=8))
def test_any_markdown_comes_back_byte_for_byte(text: str, encoding: str, tail: bytes) -> None:
    for raw in (text.encode(encoding, "ignore"), text.encode(encoding, "ignore") + tail):
        note = parse(raw, "a/b.md")
        assert render(note) == raw
        said = [note.title, note.id, note.tags, note.aliases, note.properties, note.body, note.warnings]
        found = [[link.target, link.label, link.fragment] for link in note.links]
        json.dumps([said, found, [heading.text for heading in note.headings]], ensure_ascii=False).encode()
        assert all(0 <= link.start <= link.target_start <= link.target_end <= link.end for link in note.links)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400) | st.binary(max_size=60).map(lambda tail: b"---\n" + tail + b"\n---\n" + tail))
def test_any_bytes_come_back(raw: bytes) -> None:
    assert render(parse(raw)) == raw
    text, encoding = decode(raw)
    assert encode(text, encoding) == raw


@pytest.mark.parametrize(
    ("raw", "encoding", "body"),
    [
        ("grün".encode(), "utf-8", "grün"),
        (b"\xef\xbb\xbfgr\xc3\xbcn", "utf-8-sig", "grün"),
        ("grün".encode("utf-16"), "utf-16-le", "grün"),
        (b"\xfe\xff" + "grün".encode("utf-16-be"), "utf-16-be", "grün"),
        (b"gr\xfcn \x93quoted\x94", "cp1252", "grün “quoted”"),
        (b"gr\xfcn \x81", "latin-1", "grün \x81"),
        ("grün, größer, schön".encode() + b"\xff", "utf-8", "grün, größer, schön\ufffd"),
        (b"\xff\xfeodd", "cp1252", "ÿþodd"),
    ],
)
def test_encodings(raw: bytes, encoding: str, body: str) -> None:
    note = parse(raw)
    assert (note.encoding, note.body) == (encoding, body)
    assert render(note) == raw


def test_what_is_no_character_is_kept_in_the_file_and_shown_as_a_replacement() -> None:
    raw = "é é é # [[gr\0n|x\0]] #t\0g é".encode().replace(b"\0", b"\xff")
    note = parse(raw)
    assert render(note) == raw
    assert [(link.target, link.label) for link in note.links] == [("gr\ufffdn", "x\ufffd")]
    assert note.tags == ("t\ufffdg",)
    assert note.text[note.links[0].target_start : note.links[0].target_end] == "gr\udcffn"


@pytest.mark.parametrize(
    ("frontmatter", "title"),
    [
        ("title: Machine Learning", "Machine Learning"),
        ("title: 'It: works'", "It: works"),
        ("title: 2024", "2024"),
        ("title: 2024-01-15", "2024-01-15"),
        ("title: yes", "yes"),
        ("title: |\n  two\n  lines", "two lines"),
        ("title: ''", "Ml Basics"),
        ("title:", "Ml Basics"),
        ("title: [a]", "Ml Basics"),
        ("title: true", "Ml Basics"),
        ("Title: x", "Ml Basics"),
        ("title: a: b", "Ml Basics"),
    ],
)
def test_the_title_is_the_frontmatter_s_or_the_path_s(frontmatter: str, title: str) -> None:
    assert parse(f"---\n{frontmatter}\n---\n# Heading\n".encode(), "notes/ml-basics.md").title == title


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("ml-basics.md", "Ml Basics"),
        ("a/b/snake_case_name.MD", "Snake Case Name"),
        ("MCP Server.md", "MCP Server"),
        ("v1.2-notes.md", "V1.2 Notes"),
        ("été.markdown", "Été"),
        ("---.md", "---"),
        (".md", ""),
    ],
)
def test_the_title_of_a_path(path: str, title: str) -> None:
    assert parse(b"", path).title == title


@pytest.mark.parametrize(
    ("frontmatter", "tags"),
    [
        ("tags: [a, b/c]", ("a", "b/c")),
        ("tags:\n- a\n- '#b'", ("a", "b")),
        ("tags:\n  - a\n  - two words", ("a", "two words")),
        ("tags: a, b", ("a", "b")),
        ("tags: a b", ("a", "b")),
        ("tags: '#a #b'", ("a", "b")),
        ("tags: a", ("a",)),
        ("tag: a\ntags: [b]", ("b", "a")),
        ("tags: [2024, true, null, [x], {y: z}]", ("2024", "True")),
        ("tags:", ()),
        ("tags: []", ()),
        ("tags: [a, A, a]", ("a",)),
    ],
)
def test_tags_of_the_frontmatter(frontmatter: str, tags: tuple[str, ...]) -> None:
    assert parse(f"---\n{frontmatter}\n---\n".encode()).own_tags == tags


def test_tags_of_both_places_are_given_once_and_a_repeated_one_is_warned_of() -> None:
    note = parse(b"---\ntags: [tutorial, ml, tutorial]\n---\n#ML #new")
    assert note.tags == ("tutorial", "ml", "new")
    assert note.warnings == ("Duplicate tag ignored: tutorial",)


def test_other_properties_stay_as_they_were_written() -> None:
    note = parse(
        b"---\nid: n-1\naliases: One, Two\ndate: 2024-01-15\ntime: 12:30\nnorway: no\nn: 3\nf: 2.5\nnothing: ~\n"
        b"bad: .nan\nbig: 123456789012345678901234567890\nnested: {a: [1, {b: c}]}\n1: key\n---\n"
    )
    assert (note.id, note.aliases) == ("n-1", ("One", "Two"))
    assert note.properties == {
        "date": "2024-01-15", "time": "12:30", "norway": "no", "n": 3, "f": 2.5, "nothing": None, "bad": ".nan",
        "big": "123456789012345678901234567890", "nested": {"a": [1, {"b": "c"}]}, "1": "key",
    }  # fmt: skip
    assert all(not isinstance(value, float) or math.isfinite(value) for value in note.properties.values())


LAUGHS = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(8)
)


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        ("title: a: b", "line 2: mapping values are not allowed"),
        ("a: 1\nb: [", "line 4"),
        ("- a\n- b", "no mapping"),
        ("just words", "no mapping"),
        ("title: {{title}}", "unhashable"),
        ("a: !!python/object/apply:os.system [x]", "could not determine a constructor"),
        ("a: \x07", "control characters"),
        ("a: " + "[" * 30_000, "nested"),
        ("- " * 30_000, "nested"),
        ("a: &a [*a]", "refers to itself"),
        (LAUGHS, "aliases"),
        ("a: " + "x" * 70_000, "longer"),
        ("a: &x {k: v}\nb: {<<: [" + "*x," * 30 + "]}", "aliases"),
    ],
)
def test_frontmatter_that_cannot_be_read_is_a_warning_and_the_rest_is_read(block: str, reason: str) -> None:
    raw = f"---\n{block}\n---\nSee [[other]] #tag".encode()
    note = parse(raw, "some-note.md")
    assert note.unreadable is not None
    assert reason in note.unreadable
    assert note.warnings == (f"Unreadable frontmatter: {note.unreadable}",)
    assert (note.title, note.body, note.tags) == ("Some Note", "See [[other]] #tag", ("tag",))
    assert render(note) == raw


@pytest.mark.parametrize(
    ("text", "frontmatter", "body"),
    [
        ("---\na: 1\n---\n\nbody", "a: 1\n", "body"),
        ("---\na: 1\n---\n\n\nbody", "a: 1\n", "\nbody"),
        ("---\n---\nbody", "", "body"),
        ("---\na: 1\n---", "a: 1\n", ""),
        ("---  \na: 1\n--- \nbody", "a: 1\n", "body"),
        ("---\na: |\n  --- not the end\n---\nbody", "a: |\n  --- not the end\n", "body"),
        ("---\na: 1\nbody without an end", "", "---\na: 1\nbody without an end"),
        ("----\na: 1\n---\n", "", "----\na: 1\n---\n"),
        (" ---\na: 1\n---\n", "", " ---\na: 1\n---\n"),
        ("\n---\na: 1\n---\n", "", "\n---\na: 1\n---\n"),
        ("text\n---\na: 1\n---\n", "", "text\n---\na: 1\n---\n"),
        ("---\r\na: 1\r\n---\r\n\r\nbody\r\n", "a: 1\r\n", "body\r\n"),
        ("---\ra: 1\r---\rbody", "a: 1\r", "body"),
    ],
)
def test_where_frontmatter_begins_and_ends(text: str, frontmatter: str, body: str) -> None:
    note = parse(text.encode())
    assert (note.frontmatter, note.body) == (frontmatter, body)


@pytest.mark.parametrize("piece", [1, 2, 5, 9, 32_768])
def test_underlined_headings_are_found_wherever_a_long_text_is_cut(monkeypatch, piece):
    text = "One\n===\ntext\n\nTwo\n---\nThree\n=\n\n- a\n---\n\nlast\n--"
    whole = [(heading.level, heading.text, heading.start) for heading in read(text).headings]
    assert [title for _, title, _ in whole] == ["One", "Two", "Three", "last"]
    monkeypatch.setattr(structure, "PIECE", piece)
    assert [(heading.level, heading.text, heading.start) for heading in read(text).headings] == whole
