"""No path leaves the vault, and every title becomes a name that each system and each link can bear."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memotheca.model.errors import Failure, Refusal
from memotheca.vault.paths import check_inside, check_new, file_name, new_path, same_place

TRAVERSALS = [
    "",
    "/",
    "/etc/passwd.md",
    "//server/share.md",
    "\\\\server\\share.md",
    "\\etc.md",
    "C:\\x.md",
    "c:x.md",
    "c:/x.md",
    "~/x.md",
    "..",
    "../x.md",
    "a/../x.md",
    "a/../../x.md",
    "a/..",
    "./x.md",
    "a/./x.md",
    "a//x.md",
    "a/",
    "/a",
    ".",
    "a\\..\\x.md",
    "..\\x.md",
    "x\x00.md",
    ".hidden.md",
    ".obsidian/x.md",
    "a/.git/x.md",
    ".trash/x.md",
    ".memotheca-x.tmp",
    "x" * 256 + ".md",
    "é" * 130 + ".md",
    "a/" * 600 + "x.md",
]
UNPORTABLE = [
    "con.md",
    "CON.md",
    "a/nul.md",
    "aux",
    "com1.md",
    "COM9.txt.md",
    "lpt¹.md",
    "conin$.md",
    "x:y.md",
    "x:stream",
    "a?.md",
    "a*.md",
    'a".md',
    "<a>.md",
    "a|b.md",
    "a#b.md",
    "a^b.md",
    "a[b].md",
    "a\n.md",
    "a\x7f.md",
    "a\x9f.md",
    "a\u2028.md",
    "a\ud800.md",
    "a./x.md",
    "a /x.md",
    " a.md",
    "x.md ",
    "x.md.",
    "x.txt",
    "x",
    "md",
    "folder.md/x",
]


@pytest.mark.parametrize("path", TRAVERSALS)
def test_a_path_that_leads_out_or_to_what_is_hidden_is_refused(path: str) -> None:
    for check in (check_inside, check_new):
        with pytest.raises(Refusal) as refused:
            check(path)
        assert refused.value.failure is Failure.FORBIDDEN


@pytest.mark.parametrize("path", UNPORTABLE)
def test_a_new_name_that_some_system_or_link_cannot_bear_is_refused(path: str) -> None:
    with pytest.raises(Refusal) as refused:
        check_new(path)
    assert refused.value.failure is Failure.FORBIDDEN


@pytest.mark.parametrize(
    "path", ["x.md", "a/b c/x.md", "a/x..md", "é/日本.md", "x.MARKDOWN", "console.md", "a/com10.md"]
)
def test_a_plain_path_is_taken(path: str) -> None:
    assert check_new(path) == path


def test_a_new_path_is_composed_as_links_are_written() -> None:
    assert check_new("e\u0301.md") == "é.md"
    assert same_place("E\u0301.md", "é.md")
    assert not same_place("a.md", "b.md")


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Meeting Notes 2024-01-15", "meeting-notes-2024-01-15.md"),
        ("GraphCore", "graphcore.md"),
        ('a*b"c<d>e|f?g:h\\i[j]k#l^m', "abcdefghijklm.md"),
        ("Either/Or", "either-or.md"),
        ("../../etc/passwd", "etc-passwd.md"),
        ("  spaced   out  ", "spaced-out.md"),
        ("line\nbreak\ttab", "line-break-tab.md"),
        ("What? Why!", "what-why!.md"),
        (".hidden", "hidden.md"),
        ("ends in dots...", "ends-in-dots.md"),
        ("CON", "con-note.md"),
        ("nul.txt", "nul.txt-note.md"),
        ("C# and F#", "c-and-f.md"),
        ("v1.2", "v1.2.md"),
        ("Übermut É e\u0301", "übermut-é-é.md"),
        ("日本語 ノート", "日本語-ノート.md"),
        ("snake_case", "snake_case.md"),
        ("x" * 300, "x" * 252 + ".md"),
        ("é" * 200, "é" * 126 + ".md"),
        ("note.md", "note.md.md"),
    ],
)
def test_the_file_name_of_a_title(title: str, name: str) -> None:
    assert file_name(title) == name


@pytest.mark.parametrize("title", ["", "   ", "???", "..", "/", "\x00", "---", "[]#^"])
def test_a_title_without_a_letter_to_keep_is_refused(title: str) -> None:
    with pytest.raises(Refusal) as refused:
        file_name(title)
    assert refused.value.failure is Failure.INVALID


@given(st.text(max_size=300))
@example("~")
def test_whatever_the_title_its_file_is_a_plain_one_in_the_vault(title: str) -> None:
    try:
        name = file_name(title)
    except Refusal:
        return
    assert check_new(name) == name
    assert file_name(name.removesuffix(".md")) == name or "note" in name


@pytest.mark.parametrize(
    ("directory", "path"),
    [
        ("", "a-b.md"),
        (".", "a-b.md"),
        ("x", "x/a-b.md"),
        ("x/y/", "x/y/a-b.md"),
        ("./x", "x/a-b.md"),
        (" My Notes ", "My Notes/a-b.md"),
        ("x\\y", "x/y/a-b.md"),
    ],
)
def test_where_a_new_note_is_made(directory: str, path: str) -> None:
    assert new_path("A b", directory) == path


@pytest.mark.parametrize(
    "directory", ["..", "../x", "/x", "a/../..", "~", "C:/x", ".obsidian", "a/.hidden", "con", "a:b", "x" * 300]
)
def test_a_directory_outside_is_refused(directory: str) -> None:
    with pytest.raises(Refusal):
        new_path("A b", directory)
