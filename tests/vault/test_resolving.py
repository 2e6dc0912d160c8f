"""A link means the note that Obsidian would open, and where it would open none, the one that is called so."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memotheca.vault.note_file import parse
from memotheca.vault.resolve import LinkMatch, Named, Resolved, Resolver, link_key, note_keys
from memotheca.vault.wikilinks import title_of

VAULT = [
    Named("index.md", "Index"),
    Named("Machine Learning.md", "Machine Learning", ("ML", "learning machines")),
    Named("notes/graphcore.md", "GraphCore"),
    Named("notes/Über uns.md", "Über uns"),
    Named("notes/readme.md", "Readme"),
    Named("projects/readme.md", "Readme"),
    Named("projects/deep/er/readme.md", "Readme"),
    Named("projects/v1.2.md", "Release"),
    Named("projects/some-dashed-name.md", "Some Dashed Name"),
    Named("a/b/c/unique.md", "The Unique One"),
    Named("titles/other.md", "unique"),
    Named("titles/slashed.md", "Either/Or"),
    Named("long.markdown", "Long"),
]


@pytest.fixture(scope="module")
def resolver() -> Resolver:
    return Resolver(VAULT)


@pytest.mark.parametrize(
    ("target", "source", "path", "means"),
    [
        ("Machine Learning", "", "Machine Learning.md", LinkMatch.NAME),
        ("machine learning", "", "Machine Learning.md", LinkMatch.NAME),
        ("MACHINE LEARNING.MD", "", "Machine Learning.md", LinkMatch.NAME),
        ("machine-learning", "", "Machine Learning.md", LinkMatch.VARIANT),
        ("Machine_Learning", "", "Machine Learning.md", LinkMatch.VARIANT),
        ("ml", "", "Machine Learning.md", LinkMatch.ALIAS),
        ("Learning Machines", "", "Machine Learning.md", LinkMatch.ALIAS),
        ("GraphCore", "index.md", "notes/graphcore.md", LinkMatch.NAME),
        ("U\u0308ber Uns", "", "notes/Über uns.md", LinkMatch.NAME),
        ("notes/graphcore", "", "notes/graphcore.md", LinkMatch.PATH),
        ("/notes/graphcore.md", "a/b/c/unique.md", "notes/graphcore.md", LinkMatch.PATH),
        ("/graphcore", "", None, None),
        ("b/c/unique", "", "a/b/c/unique.md", LinkMatch.PATH),
        ("c/unique.md", "", "a/b/c/unique.md", LinkMatch.PATH),
        ("x/unique", "", None, None),
        ("unique", "", "a/b/c/unique.md", LinkMatch.NAME),
        ("the unique one", "", "a/b/c/unique.md", LinkMatch.TITLE),
        ("Release", "", "projects/v1.2.md", LinkMatch.TITLE),
        ("v1.2", "", "projects/v1.2.md", LinkMatch.NAME),
        ("v1.2.md", "", "projects/v1.2.md", LinkMatch.NAME),
        ("Some dashed name", "", "projects/some-dashed-name.md", LinkMatch.TITLE),
        ("some dashed-name", "", "projects/some-dashed-name.md", LinkMatch.VARIANT),
        ("Either/Or", "", "titles/slashed.md", LinkMatch.TITLE),
        ("./readme", "projects/v1.2.md", "projects/readme.md", LinkMatch.RELATIVE),
        ("../notes/readme", "projects/v1.2.md", "notes/readme.md", LinkMatch.RELATIVE),
        ("../../../index", "a/b/c/unique.md", "index.md", LinkMatch.RELATIVE),
        ("../../etc/passwd", "notes/readme.md", None, None),
        ("./graphcore", "projects/v1.2.md", None, None),
        ("notes\\graphcore", "", "notes/graphcore.md", LinkMatch.PATH),
        ("long", "", "long.markdown", LinkMatch.NAME),
        ("nowhere", "", None, None),
        ("", "index.md", "index.md", LinkMatch.PATH),
        ("", "gone.md", None, None),
    ],
)
def test_what_a_wikilink_means(
    resolver: Resolver, target: str, source: str, path: str | None, means: LinkMatch | None
) -> None:
    found = resolver.find(target, source)
    assert (found.path, found.means) == (path, means) if found else path is None


@pytest.mark.parametrize(
    ("target", "source", "path"),
    [
        ("readme.md", "projects/v1.2.md", "projects/readme.md"),
        ("readme.md", "projects/deep/er/x.md", "projects/deep/er/readme.md"),
        ("notes/readme.md", "projects/v1.2.md", "notes/readme.md"),
        ("graphcore.md", "projects/v1.2.md", "notes/graphcore.md"),
        ("../index.md", "notes/x.md", "index.md"),
        ("deep/er/readme", "projects/v1.2.md", "projects/deep/er/readme.md"),
        ("../../outside.md", "notes/x.md", None),
    ],
)
def test_what_a_markdown_link_means(resolver: Resolver, target: str, source: str, path: str | None) -> None:
    found = resolver.find(target, source, is_path=True)
    assert (found.path if found else None) == path


@pytest.mark.parametrize(
    ("source", "paths"),
    [
        ("notes/x.md", ["notes/readme.md", "projects/readme.md", "projects/deep/er/readme.md"]),
        ("projects/x.md", ["projects/readme.md", "projects/deep/er/readme.md", "notes/readme.md"]),
        ("projects/deep/x.md", ["projects/deep/er/readme.md", "notes/readme.md", "projects/readme.md"]),
        ("index.md", ["notes/readme.md", "projects/readme.md", "projects/deep/er/readme.md"]),
    ],
)
def test_of_several_notes_of_one_name_the_nearest_is_meant(resolver: Resolver, source: str, paths: list[str]) -> None:
    found = resolver.find("readme", source)
    assert found == Resolved(paths[0], LinkMatch.NAME, tuple(paths[1:]))


def test_a_note_at_the_root_is_meant_before_others_of_its_name() -> None:
    resolver = Resolver([Named("note.md", "Note"), Named("sub/note.md", "Note")])
    found = resolver.find("note", "sub/other.md")
    assert found is not None
    assert found.path == "note.md"


def test_a_link_finds_its_note_when_it_comes_and_loses_it_when_it_goes() -> None:
    resolver = Resolver()
    (link,) = parse(b"[[Later]]").links
    assert resolver.resolve(link, "a.md") is None
    resolver.add(Named("x/later.md", "Later"))
    assert resolver.resolve(link, "a.md") == Resolved("x/later.md", LinkMatch.NAME)
    resolver.add(Named("later.md", "Later"))
    assert resolver.resolve(link, "a.md") == Resolved("later.md", LinkMatch.NAME)
    resolver.remove("later.md")
    resolver.remove("never.md")
    assert resolver.resolve(link, "a.md") == Resolved("x/later.md", LinkMatch.NAME)
    resolver.add(Named("x/later.md", "Renamed", ("Alias",)))
    assert [resolver.find(name) is not None for name in ("Renamed", "alias", "later")] == [True, True, True]
    resolver.remove("x/later.md")
    assert (len(resolver), resolver.resolve(link, "a.md"), resolver.find("alias")) == (0, None, None)


def test_notes_of_one_title_are_told() -> None:
    assert Resolver(VAULT).duplicate_titles() == [
        ("notes/readme.md", "projects/deep/er/readme.md", "projects/readme.md")
    ]


NAMES = st.sampled_from(["a", "A", "a b", "a-b", "A_b", "é", "e\u0301", "x.md", "v1.2", "b/a", "c/a b", "d"])
PATHS = st.builds(lambda folder, name: f"{folder}{name}.md", st.sampled_from(["", "c/", "c/b/", "C/"]), NAMES)
NOTES = st.builds(Named, PATHS, NAMES | PATHS.map(title_of), st.lists(NAMES, max_size=2).map(tuple))
BEFORE, AFTER = st.sampled_from(["", "./", "../", "/", "c/"]), st.sampled_from(["", ".md"])
TARGETS = st.builds(lambda before, name, after: before + name + after, BEFORE, NAMES, AFTER)


@settings(max_examples=150, deadline=None)
@given(st.lists(NOTES, max_size=8), NOTES, TARGETS, PATHS, st.booleans())
def test_only_links_that_share_a_key_with_a_note_can_turn_when_it_comes_or_goes(
    notes: list[Named], changed: Named, target: str, source: str, is_path: bool
) -> None:
    resolver = Resolver(notes)
    old = resolver.get(changed.path)
    before = resolver.find(target, source, is_path=is_path)
    resolver.add(changed)
    after = resolver.find(target, source, is_path=is_path)
    turned = note_keys(changed) | (note_keys(old) if old else frozenset())
    assert before == after or link_key(target) in turned


@settings(max_examples=100, deadline=None)
@given(st.lists(NOTES, max_size=12), TARGETS, PATHS, st.integers())
def test_the_order_of_coming_and_going_does_not_matter(notes: list[Named], target: str, source: str, seed: int) -> None:
    final = {named.path: named for named in notes}
    shuffled = list(final.values())
    random.Random(seed).shuffle(shuffled)
    wandering = Resolver(notes)
    for named in shuffled[::2]:
        wandering.remove(named.path)
    for named in shuffled[::2]:
        wandering.add(named)
    assert wandering.find(target, source) == Resolver(shuffled).find(target, source)
