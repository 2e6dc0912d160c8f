"""When a note moves, every link to it follows, in the form in which it was written."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memotheca.vault.edit import replace_targets, retarget
from memotheca.vault.note_file import parse, render
from memotheca.vault.resolve import Named, Resolver

OLD = Named("notes/old-name.md", "Old Name", ("Alias",))


def rewritten(text: str, new: Named, *, source: str = "notes/linking.md", others: tuple[Named, ...] = ()) -> str:
    """The text of a note at `source` after the old note has become the new one."""
    resolver = Resolver([OLD, *others])
    note = parse(text.encode(), source)
    found = {link: meant for link in note.links if (meant := resolver.resolve(link, source)) and meant.path == OLD.path}
    resolver.remove(OLD.path)
    resolver.add(new)
    written = {
        link: target
        for link, meant in found.items()
        if (target := retarget(link, meant, new.path, source=source, resolver=resolver)) is not None
    }
    after = replace_targets(note, written)
    for link in after.links:
        if not link.is_attachment:
            meant = resolver.resolve(link, source)
            assert meant is not None, link
    return render(after).decode()


NEW = Named("notes/new-name.md", "New Name", ("Alias",))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[[old-name]]", "[[new-name]]"),
        ("[[OLD-NAME]]", "[[new-name]]"),
        ("[[old-name.md]]", "[[new-name.md]]"),
        ("[[Old Name]]", "[[New Name]]"),
        ("[[old_name]]", "[[New Name]]"),
        ("[[Alias]]", "[[Alias]]"),
        ("[[old-name|label]]", "[[new-name|label]]"),
        ("[[ old-name | label ]]", "[[ new-name | label ]]"),
        ("[[old-name\\|label]]", "[[new-name\\|label]]"),
        ("[[old-name#Heading]]", "[[new-name#Heading]]"),
        ("[[old-name#h1#h2|x]]", "[[new-name#h1#h2|x]]"),
        ("[[old-name^block]]", "[[new-name^block]]"),
        ("[[old-name#^block]]", "[[new-name#^block]]"),
        ("![[old-name]]", "![[new-name]]"),
        ("![[old-name#Part|200]]", "![[new-name#Part|200]]"),
        ("[[notes/old-name]]", "[[notes/new-name]]"),
        ("[[/notes/old-name.md]]", "[[/notes/new-name.md]]"),
        ("[[./old-name]]", "[[./new-name]]"),
        ("[t](old-name.md)", "[t](new-name.md)"),
        ("[t](./old-name.md)", "[t](./new-name.md)"),
        ("[t](old-name)", "[t](new-name)"),
        ("[t](<old-name.md>)", "[t](<new-name.md>)"),
        ('[t](old-name.md#h "title")', '[t](new-name.md#h "title")'),
        ("[t](old%2Dname.md)", "[t](new-name.md)"),
        ("[t](/notes/old-name.md)", "[t](/notes/new-name.md)"),
        ("[t](../notes/old-name.md)", "[t](../notes/new-name.md)"),
        ("![t](old-name.md)", "![t](new-name.md)"),
        ("[ref]: old-name.md 'x'\n[t][ref]", "[ref]: new-name.md 'x'\n[t][ref]"),
        ("---\nup: '[[old-name]]'\n---\n[[old-name]]", "---\nup: '[[new-name]]'\n---\n[[new-name]]"),
        ("`[[old-name]]` [[old-name]] <!-- [[old-name]] -->", "`[[old-name]]` [[new-name]] <!-- [[old-name]] -->"),
        ("\ufeff[[old-name]]\r\n[[old-name]]\r\n", "\ufeff[[new-name]]\r\n[[new-name]]\r\n"),
    ],
)
def test_each_form_is_kept(before: str, after: str) -> None:
    assert rewritten(before, NEW) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[[old-name]]", "[[new (1) name]]"),
        ("[t](../notes/old-name.md)", "[t](../notes/sub/new%20%281%29%20name.md)"),
        ("[t](<../notes/old-name.md>)", "[t](<../notes/sub/new (1) name.md>)"),
        ("[[notes/old-name]]", "[[notes/sub/new (1) name]]"),
        ("[[../notes/old-name]]", "[[../notes/sub/new (1) name]]"),
        ("[t](notes/old-name.md)", "[t](notes/sub/new%20%281%29%20name.md)"),
    ],
)
def test_a_move_to_another_folder_and_an_awkward_name(before: str, after: str) -> None:
    assert rewritten(before, Named("notes/sub/new (1) name.md", "Another"), source="linking/a.md") == after


def test_a_name_that_others_have_is_written_with_as_much_of_its_path_as_it_needs() -> None:
    others = (Named("linking/new-name.md", "Other"), Named("new-name.md", "Root"))
    assert rewritten("[[old-name]]", NEW, source="linking/a.md", others=others) == "[[notes/new-name]]"
    assert rewritten("[[Old Name]]", NEW, source="linking/a.md", others=others) == "[[New Name]]"
    twins = (Named("x/notes/new-name.md", "Twin"),)
    assert rewritten("[[old-name]]", NEW, source="x/a.md", others=twins) == "[[notes/new-name]]"


def test_a_link_by_title_falls_back_to_the_path_where_the_title_cannot_be_written() -> None:
    assert rewritten("[[Old Name]]", Named("notes/c-sharp.md", "C# [draft]")) == "[[c-sharp]]"
    taken = (Named("x/y.md", "Z", ("New Name",)), Named("New Name.md", "Q"))
    assert rewritten("[[Old Name]]", NEW, source="linking/a.md", others=taken) == "[[new-name]]"


def test_a_link_that_another_note_would_steal_can_be_written_out() -> None:
    """A note that arrives nearer would take a link over; written anew it still means what it meant."""
    resolver = Resolver([Named("far/away/thing.md", "Thing")])
    (link,) = parse(b"[[thing]]").links
    meant = resolver.resolve(link, "here/a.md")
    assert meant is not None
    resolver.add(Named("here/thing.md", "Thing"))
    assert retarget(link, meant, meant.path, source="here/a.md", resolver=resolver) == "away/thing"


NAMES = st.sampled_from(["a", "b c", "d-e", "É", "f (g)", "h%20i", "j'k", "l&m", "日本"])
FOLDERS = st.sampled_from(["", "x/", "x/y/", "z w/", "x/y/q/"])
NOTES = st.builds(lambda folder, name, title: Named(f"{folder}{name}.md", title), FOLDERS, NAMES, NAMES)


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(["[[%s]]", "[[%s|l]]", "![[%s#h]]"]))
def test_after_a_rename_every_link_means_the_same_note(data: st.DataObject, form: str) -> None:
    others, old, new, source = data.draw(st.tuples(st.lists(NOTES, max_size=5), NOTES, NOTES, NOTES))
    others = [other for other in others if other.path not in (old.path, new.path)]
    resolver = Resolver([*others, old])
    ways = [old.path, old.path.removesuffix(".md"), old.title, old.path.rpartition("/")[2], f"/{old.path}"]
    note = parse((form % data.draw(st.sampled_from(ways))).encode(), source.path)
    (link,) = note.links
    meant = resolver.resolve(link, source.path)
    assume(meant is not None and meant.path == old.path)
    assert meant is not None
    resolver.remove(old.path)
    resolver.add(new)
    target = retarget(link, meant, new.path, source=source.path, resolver=resolver)
    after = note if target is None else replace_targets(note, {link: target})
    found = resolver.resolve(after.links[0], source.path)
    assert found is not None
    assert found.path == new.path
