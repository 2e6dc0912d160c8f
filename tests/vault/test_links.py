"""Links, tags and headings are found wherever Obsidian finds them, and nowhere else."""

import re
from pathlib import Path
from typing import Any

import pytest

from memotheca.vault.note_file import ParsedNote, parse
from memotheca.vault.wikilinks import LinkSyntax

CORPUS = Path(__file__).with_name("corpus.md")


def links_of(text: str) -> list[str]:
    return [link.target for link in parse(text.encode()).links]


def tags_of(text: str) -> tuple[str, ...]:
    return parse(text.encode()).text_tags


@pytest.fixture(scope="module")
def corpus() -> ParsedNote:
    return parse(CORPUS.read_bytes(), "notes/every-form.md")


def test_every_form_of_a_link_is_read_as_the_golden_says(corpus: ParsedNote, golden: Any) -> None:
    golden(
        "vault/corpus",
        {
            "title": corpus.title,
            "aliases": list(corpus.aliases),
            "tags": list(corpus.tags),
            "headings": [[heading.level, heading.text] for heading in corpus.headings],
            "warnings": list(corpus.warnings),
            "links": [
                {
                    "written": corpus.text[link.start : link.end],
                    "form": link.form,
                    "target": link.target,
                    "fragment": link.fragment,
                    "label": link.label,
                    **({"embed": True} if link.is_embed else {}),
                    **({"attachment": True} if link.is_attachment else {}),
                }
                for link in corpus.links
            ],
        },
    )


def test_no_link_is_taken_from_where_it_is_only_shown(corpus: ParsedNote) -> None:
    assert corpus.text.count("hidden ") > 20
    assert [link.target for link in corpus.links if "hidden" in link.target] == []
    seen = {"target", "after", "between", "in"}
    shown = [name for name in re.findall(r"\[\[([^\]|#^\\]+)", corpus.text) if seen & {*name.split()[:1]}]
    assert set(shown) <= {link.target for link in corpus.links}


def test_a_link_knows_where_its_target_is_written(corpus: ParsedNote) -> None:
    for link in corpus.links:
        written = corpus.text[link.target_start : link.target_end]
        assert written == link.target or link.form is not LinkSyntax.WIKI
        assert corpus.text[link.start : link.end].find(written) >= 0


def test_line_ends_of_any_system_give_the_same_links(corpus: ParsedNote) -> None:
    for end in ("\r\n", "\r"):
        other = parse(corpus.text.replace("\n", end).encode(), corpus.path)
        assert [link.target for link in other.links] == [link.target for link in corpus.links]
        assert other.tags == corpus.tags
        assert [heading.text for heading in other.headings] == [heading.text for heading in corpus.headings]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a `` ` `` [[x]]", ["x"]),
        ("an unclosed ` tick and [[x]]", ["x"]),
        ("`code over\nlines [[x]]` and [[y]]", ["y"]),
        ("a tick ` here\n\nand ` there [[x]]", ["x"]),
        ("```js `inline` [[no]]``` [[x]]", ["x"]),
        ("```\n[[no]]", []),
        ("   ```\n[[no]]\n   ```\n[[x]]", ["x"]),
        ("```\n[[no]]\n````\n[[x]]", ["x"]),
        ("~~~ [[info]]\n[[no]]\n~~~\n[[x]]", ["x"]),
        ("~~struck [[x]]~~", ["x"]),
        ("<!-- never closed, within a line: [[no]]", []),
        ("text <!-- [[x]]", ["x"]),
        ("100 %% of [[x]]", ["x"]),
        ("%%\n[[no]]", []),
        ("$a$ [[x]] $b$", ["x"]),
        ("$ a [[x]] b$", ["x"]),
        ("$$ unclosed [[x]]", ["x"]),
        ("costs 5$ [[x]] and 6$ more", ["x"]),
        ("a < b [[x]] c > d", ["x"]),
        ("[[a]] [[b]][[c]]", ["a", "b", "c"]),
        ("[[[a]]]", ["a"]),
        ("![[a]]", ["a"]),
        ("\\![[a]]", ["a"]),
        ("[[a\\|b]]", ["a"]),
        ("[[folder\\note]]", ["folder\\note"]),
        ("- one\n\n    [[in item]]\n\ntext\n\n    [[no]]", ["in item"]),
        ("1. one\n\n   two\n\n    [[x]]", ["x"]),
        ("    [[no]]\n[[x]]", ["x"]),
        ("[a](b.md) [c](<d e.md>) [f](g(h).md)", ["b.md", "d e.md", "g(h).md"]),
        ("[a](b c.md)", []),
        ("[a]()", []),
        ("[a](#here)", [""]),
        ("[a]\n\n(b.md)", []),
        ("[open\n\nclosed](b.md)", []),
        ("[a]: <>", []),
        ("text [a]: b.md", []),
        ("[//begin]: # \"comment\"", []),
        ("[x](C:\\a.md)", ["C:\\a.md"]),
    ],
)  # fmt: skip
def test_odd_places(text: str, found: list[str]) -> None:
    assert links_of(text) == found


def test_an_escaped_sign_makes_an_embed_a_link() -> None:
    assert [link.is_embed for link in parse(b"![[a]] \\![[b]] ![c](d.png)").links] == [True, False, True]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("#a #b/c", ("a", "b/c")),
        ("#a/ #/b #//", ("a", "b")),
        ("#12 #1a #12/34", ("1a",)),
        ("x#a (#b) #c) #d.e", ("c", "d")),
        ("## #a", ("a",)),
        ("#a #A", ("a",)),
        ("```\n#a\n```\n`#b` <!-- #c --> %% #d %% $#e$", ()),
        ("[see #a](b.md) [[#c]] #d", ("d",)),
        ("- #a\n> #b\n\t#c", ("a", "b", "c")),
    ],
)
def test_tags_in_text(text: str, found: tuple[str, ...]) -> None:
    assert tags_of(text) == found


def test_a_long_note_of_nasty_openers_is_read_in_time() -> None:
    for piece in (
        "`",
        "[",
        "[[",
        "[[a|",
        "](",
        "$a ",
        "%%",
        "<!--",
        "~~~\n",
        "- ```\n",
        "<a ",
        "#",
        "\\",
        "[a]: ",
        "\n\n    x",
        "> ",
    ):
        parse((piece * 20_000).encode())
