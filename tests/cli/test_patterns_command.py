"""memotheca patterns, and markdown on a terminal."""

import json
from functools import partial

import pytest

from memotheca.cli.markdown_view import render
from tests.engine.patterns.catalogues import write, write_many


@pytest.fixture
def run(run):
    return partial(run, "patterns")


@pytest.fixture
def folder(tmp_path):
    write_many(tmp_path / "gadgets", 3)
    write(tmp_path / "gadgets", "notes.md", "no frontmatter")
    write(tmp_path / "gadgets", "odd.md", "---\ntitle: Odd\ndifficulty: easy\ncategory: paint\nid: odd\n---\nWords.\n")
    return str(tmp_path / "gadgets")


def test_a_catalogue_is_imported_with_an_account(run, folder):
    code, out, _ = run("import", folder, "--no-wait")
    assert code == 0
    assert "| notes.md | not read | it has no frontmatter |" in out
    assert "its difficulty 'easy' is read as beginner" in out
    assert "gadgets: 4 read, 1 not read." in out
    assert "4 added, 0 changed, 0 removed, 0 unchanged in transaction 1." in out
    again = json.loads(run("import", folder, "--no-wait", "--json")[1])
    assert again["kept"]["transactions"] == []
    assert len(again["lines"]) == 5


def test_patterns_are_listed_shown_and_searched(run, folder):
    run("import", folder, "--no-wait")
    assert "| gadget-0 | Use a gadget number 0 | assembly | beginner | gadgets |" in run("list")[1]
    assert "circuit-breaker" not in run("list", "--catalogue", "gadgets")[1]
    listed = json.loads(run("list", "--json", "--category", "reliability")[1])
    assert {card["catalogue"] for card in listed} == {"starter"}
    assert run("show", "gadget-1")[1].startswith("# Use a gadget number 1\n")
    code, out, _ = run("search", "gadget", "--difficulty", "beginner", "--cards", "1")
    assert code == 0
    assert 'Search Results for "gadget"\nFound **2** patterns.' in out
    assert json.loads(run("search", "gadget", "--json", "--limit", "1")[1])["metadata"]["totalCount"] == 3


def test_what_is_wrong_is_said(run, tmp_path):
    assert run("show", "circut-breaker")[0] == 1
    assert run("import")[0] == 2
    assert run("import", str(tmp_path / "nowhere"))[0] == 2
    assert run("search", "x", "--limit", "0")[0] == 2


def plain(text, style):
    return f"<{style}>{text}</{style}>"


def test_markdown_is_laid_out_for_its_width():
    page = (
        "# Title\n\n<!-- kind:pattern-card:v1 -->\n\nSome **bold** and `code` words that are too long for one line.\n\n"
        "- one item that goes on\n  and on\n1. first\n\n---\n\n| A | B |\n|---|---|\n| x | a long cell indeed |\n\n"
        "```python\n# not a heading\n    indented | pipe\n```\n"
    )
    assert render(page, 30, plain).split("\n") == [
        "<bold>Title</bold>",
        "<dim>═════</dim>",
        "",
        "Some <bold>bold</bold> and <yellow>code</yellow> words",
        "that are too long for one",
        "line.",
        "",
        "• one item that goes on and on",
        "1. first",
        "",
        f"<dim>{'─' * 30}</dim>",
        "",
        "<bold>A  B</bold>",
        "x  a long cell indeed",
        "",
        "<green>    # not a heading</green>",
        "<green>        indented | pipe</green>",
        "",
    ]


def test_a_narrow_table_goes_on_below():
    table = "| name | what |\n|---|---|\n| heron | waits for a long time |\n| kite | circles |\n"
    assert render(table, 24, lambda text, style: text) == (
        "name   what\nheron  waits for a long\n       time\nkite   circles\n"
    )
