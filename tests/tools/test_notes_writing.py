"""Writing notes through the tools: files and links stay whole, and everything can be undone."""

import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memotheca.notes import outbox
from memotheca.notes.mounts import opened
from memotheca.notes.overview import survey
from tests.conftest import open_vault

LINKING = """---
related: "[[old name]]"
---
[[Old Name]] [[old name|label]] [[old name#Part]] [[old name^block]] ![[old name]] [[folder/old name]]
[text](folder/old%20name.md) [ref]: x `[[old name]]`

```
[[old name]]
```
"""


@pytest.mark.parametrize(
    ("tool", "said", "named"), [("update", {"content": "x"}, "update_node"), ("delete", {}, "delete_node")]
)
def test_who_takes_a_note_for_an_entry_is_told_the_tool_for_notes(writer, tool, said, named):
    writer.given(tea="# Tea\n")
    error = writer.reply(tool, id="tea.md", **said).structured["error"]
    assert (error["code"], error["field"]) == ("validation", "id")
    assert error["message"] == f"'tea.md' is a note of a vault; use {named}."


def test_a_new_title_renames_the_file_and_every_form_of_link(writer):
    writer.save("folder/old name.md", "# Old\n")
    writer.save("a.md", LINKING)
    writer.save("folder/b.md", "[near](old%20name.md) and [[./old name]]\r\n")
    writer.sync()
    before = writer.files()
    node = writer.ask("update_node", id="folder/old name.md", title="New Name")
    assert (node["id"], node["title"]) == ("folder/new-name.md", "New Name")
    after = writer.files()
    assert set(after) == {"a.md", "folder/b.md", "folder/new-name.md"}
    assert after["folder/new-name.md"] == b"# Old\n"
    text = after["a.md"].decode()
    assert text.count("[[old name]]") == 2, "only those in code stay"
    for form in ("|label]]", "#Part]]", "^block]]", "![[", "related: "):
        assert form in text
    assert "[text](folder/new-name.md)" in text
    assert after["folder/b.md"] == b"[near](new-name.md) and [[./new-name]]\r\n"
    assert {each["id"] for each in writer.ask("get_neighbors", id="folder/new-name.md")} == {"a.md", "folder/b.md"}
    assert writer.ask("get_node", id="folder/old name.md") is None
    writer.call("undo")
    assert writer.files() == before
    assert {each["id"] for each in writer.ask("get_neighbors", id="folder/old name.md")} == {"a.md", "folder/b.md"}
    writer.call("undo", tx_id=writer.call("history")["items"][0]["tx_id"])
    assert writer.files() == after
    assert writer.sync().changed == 0


def test_none_of_five_hundred_links_is_left_dangling(writer):
    forms = ("[[Old Note]]", "[[old note|x]]", "![[Old Note#h]]", "[t](old%20note.md)", "[[old-note^b]]")
    writer.given(**{"Old Note": "x"}, **{f"n{number}": forms[number % 5] for number in range(500)})
    writer.ask("update_node", id="Old Note.md", title="Quite New")
    found = survey(writer.kernel)
    assert (found.notes, found.links, found.ghosts, found.broken_links) == (501, 500, 0, [])
    assert len(writer.ask("get_neighbors", id="quite-new.md", limit=50)) == 50
    assert writer.ask("get_hubs", limit=1)[0] == {"id": "quite-new.md", "title": "Quite New", "score": 500}


def test_a_rename_is_one_transaction(writer):
    writer.given(a="x", b="[[a]]", c="[[a]]")
    newest = writer.call("history")["items"][0]["tx_id"]
    writer.ask("update_node", id="a.md", title="Z")
    (made, *_) = writer.call("history")["items"]
    assert (made["tx_id"], made["op"], made["entity_id"], made["actor"]) == (newest + 1, "UPDATE", "z.md", "tester")


def test_a_rename_does_not_turn_links_that_meant_another_note(writer):
    writer.save("x/plan.md", "the other plan")
    writer.save("a.md", "[[plan]]")
    writer.save("draft.md", "mine")
    writer.sync()
    writer.ask("update_node", id="draft.md", title="Plan")
    assert writer.ask("get_node", id="a.md")["links"][0]["id"] == "x/plan.md"


def test_an_edit_changes_only_what_it_means(writer):
    text = b"\xef\xbb\xbf---\r\n# mine\r\ntags:   [a,  b]   # those\r\nodd: {x: 1}\r\n---\r\n\r\nbody\r\n"
    writer.save("a.md", text)
    writer.sync()
    writer.ask("update_node", id="a.md", tags=["a", "c"])
    assert writer.files()["a.md"] == text.replace(b"[a,  b]", b"[a, c]")
    writer.ask("update_node", id="a.md", content="new\n")
    assert writer.files()["a.md"].endswith(b"---\r\n\r\nnew\r\n")
    assert writer.ask("get_node", id="a.md")["tags"] == ["a", "c"]


def test_what_a_person_saved_since_is_never_written_over(writer):
    writer.given(a="one", b="[[a]]")
    writer.save("b.md", "my own words about [[a]]")
    error = writer.error("update_node", id="a.md", title="Other")
    assert error["code"] == "PROVIDER_ERROR"
    assert "b.md" in error["message"]
    assert writer.files() == {"a.md": b"one", "b.md": b"my own words about [[a]]"}
    writer.ask("update_node", id="a.md", title="Other")
    assert writer.files() == {"other.md": b"one", "b.md": b"my own words about [[Other]]"}


def test_an_undo_of_a_file_that_a_person_changed_is_refused(writer):
    writer.given(a="one")
    writer.ask("update_node", id="a.md", content="two")
    tx = writer.call("history")["items"][0]["tx_id"]
    writer.save("a.md", "three")
    assert writer.error("undo", tx_id=tx)["code"] == "conflict"
    writer.sync()
    assert writer.error("undo", tx_id=tx)["code"] == "conflict"
    assert writer.files() == {"a.md": b"three"}
    writer.call("undo", count=2)
    assert writer.files() == {"a.md": b"one"}


def test_what_a_person_did_can_be_undone(writer):
    writer.given(a="one", b="two")
    writer.save("a.md", "changed")
    (writer.vault / "b.md").unlink()
    writer.save("c.md", "new")
    writer.sync()
    writer.call("undo")
    assert writer.files() == {"a.md": b"one", "b.md": b"two"}


def test_the_first_look_at_a_vault_is_not_undone(writer):
    writer.given(a="one")
    assert writer.call("undo")["reverted"] == []
    assert writer.error("undo", tx_id=1)["code"] == "validation"
    assert writer.files() == {"a.md": b"one"}


def test_the_first_look_stays_so_though_a_note_was_made_before_it(writer):
    writer.save("mine.md", "one")
    writer.ask("create_node", title="Early", content="x")
    writer.sync()
    assert [each["entity_id"] for each in writer.call("undo", count=5)["reverted"]] == ["early.md"]
    assert writer.files() == {"mine.md": b"one"}


def test_deleting_leaves_ghosts_and_says_who_linked(writer):
    writer.given(a="gone soon", b="[[a|x]]", c="![[A]]")
    answer = writer.ask("delete_node", id="a.md")
    assert answer == {"deleted": True, "_warnings": ["Broken link: [[a]] in b.md", "Broken link: [[A]] in c.md"]}
    assert "a.md" not in writer.files()
    assert writer.ask("delete_node", id="a.md") == {"deleted": False}
    assert writer.ask("get_node", id="b.md")["links"][0]["id"].startswith("ghost_")
    writer.call("undo")
    assert writer.files()["a.md"] == b"gone soon"


def test_a_rename_says_nothing_of_the_other_files_it_changes_so_that_it_is_said_where_they_are_read(writer):
    writer.given(a="one", b="[[a]] [[nowhere]]")
    assert "_warnings" not in writer.ask("update_node", id="a.md", title="Other")
    assert writer.files()["b.md"] == b"[[Other]] [[nowhere]]"
    assert writer.ask("get_node", id="b.md")["_warnings"] == ["Broken link: [[nowhere]]"]


def test_what_could_not_be_read_back_is_not_written(writer, monkeypatch):
    writer.given(a="one", b="[[a]]")
    before = writer.files()
    monkeypatch.setattr(outbox, "MAX_SIZE", 1000)
    for content in ("with a \0 in it", "x" * 1001):
        for name, said in (("create_node", {"title": "New"}), ("update_node", {"id": "a.md"})):
            for dry_run in (True, False):
                error = writer.error(name, content=content, dry_run=dry_run, **said)
                assert error["code"] in ("INVALID_PARAMS", "PROVIDER_ERROR"), error
    assert "U+0000" in writer.error("update_node", id="a.md", content="\0")["message"]
    assert "1,001 bytes" in writer.error("update_node", id="a.md", content="x" * 1001)["message"]
    assert writer.files() == before
    assert writer.ask("update_node", id="a.md", content="x" * 1000)["id"] == "a.md"


def test_a_new_note_with_frontmatter_that_cannot_be_read_is_refused(writer):
    error = writer.error("create_node", title="New", content="---\n: [\n---\nbody")
    assert error["code"] == "INVALID_PARAMS"
    assert "line 2" in error["message"]
    assert not writer.files()


def test_tags_without_a_letter_are_left_out_in_silence(writer):
    answer = writer.ask("create_node", title="New", content="x", tags=["", "#", " ", "a", "#A", "b/"])
    assert answer["tags"] == ["a", "b"]
    assert answer["_warnings"] == ["Duplicate tag ignored: #A"]


FORMS = {
    "a": "one",
    "Big Name": "---\ntitle: Large\naliases: [Other]\n---\n[[a]] [[x/a]] [[b]]",
    "b": "[[a]] [[a|label]] [[a#Head]] ![[A]] [t](a.md) [t](./a.md#h) [t](x/a.md) [[./a]] [[/a]]\n\n[r]: x/a.md",
    "x/a": "[[a]] [[../a]] [t](../a.md) [[big-name]] [[Large|l]] [[Other]] [t](<../Big Name.md>) [t](../Big%20Name.md)",
    "x/y/c": "[[x/a]] [[../a]] [[y/c]] [[c]] [[nowhere]] ![[x/a#h|z]] `[[a]]` [[Big Name.md]]",
}


def _meant(writer):
    with opened(writer.kernel) as (_, book):
        return {node: book.graph.out[node] for node in book.graph.out}


def test_whatever_note_gets_another_name_every_link_means_what_it_meant_and_undo_is_exact(writer):
    writer.given(**FORMS)
    before, meant = writer.files(), _meant(writer)
    for path in before:
        for title in ("Entirely New", "Other", "Large", "c"):
            writer.ask("update_node", id=path, title=title)
            if writer.files() == before:
                assert (path, title) == ("Big Name.md", "Large"), "it is called so already"
                continue
            assert _meant(writer) == meant, (path, title)
            writer.call("undo")
            assert writer.files() == before, path


def test_with_several_vaults_a_new_note_says_in_which(tmp_path, time):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    writer = open_vault(tmp_path, time, vault=f"{tmp_path / 'one'},{tmp_path / 'two'}")
    for directory in ({}, {"directory": ""}, {"directory": "/"}, {"directory": "three"}):
        error = writer.error("create_node", title="New", content="x", **directory)
        assert error["code"] == "INVALID_PARAMS"
        assert "one/, two/" in error["message"]
    assert writer.ask("create_node", title="New", content="x", directory="two")["id"] == "two/new.md"
    writer.kernel.store.close()


def test_a_dry_run_shows_and_changes_nothing(writer):
    writer.given(a="x", b="[[a]] ![[a]]")
    before, tx = writer.files(), writer.call("history")["as_of_tx_id"]
    shown = writer.ask("update_node", id="a.md", title="New", dry_run=True)["would_change"]
    assert shown == [
        {"id": "new.md", "change": "rename from a.md", "links": 0},
        {"id": "b.md", "change": "update", "links": 2},
    ]
    assert writer.ask("create_node", title="T", content="", dry_run=True)["would_change"][0]["change"] == "create"
    assert writer.ask("delete_node", id="a.md", dry_run=True)["would_change"][0]["change"] == "delete"
    assert (writer.files(), writer.call("history")["as_of_tx_id"]) == (before, tx)


def test_a_new_note_is_read_back_as_it_was_written(writer):
    given = {"title": "Ünïcode & Co: a/b?", "content": "# Hi\n\ntext\n", "tags": ["x", "y/z"], "directory": "deep/er"}
    node = writer.ask("create_node", **given)
    assert node["id"] == "deep/er/ünïcode-&-co-a-b.md"
    assert (node["title"], node["content"], node["tags"]) == (given["title"], given["content"], ["x", "y/z"])
    assert writer.sync().changed == 0
    assert writer.ask("get_node", id=node["id"]) == node


@pytest.mark.parametrize(
    ("title", "directory"),
    [
        ("x", ".."),
        ("x", "../outside"),
        ("x", "/etc"),
        ("x", "a/../../b"),
        ("x", "C:\\temp"),
        ("x", "..\\up"),
        ("x", ".obsidian"),
        ("x", "a/.hidden"),
        ("x", "aux"),
        ("x", "a\x00b"),
        ("x", "linked"),
        ("x", "d" * 300),
        ("...", ""),
        ("", ""),
        ("?*<>|", ""),
    ],
)
def test_no_path_leaves_the_vault(writer, tmp_path, title, directory):
    outside = tmp_path / "outside"
    outside.mkdir()
    (writer.vault / "linked").symlink_to(outside)
    error = writer.error("create_node", title=title, content="x", directory=directory)
    assert error["code"] == "INVALID_PARAMS"
    assert list(outside.iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {"data", "vault", "outside"}


@pytest.mark.parametrize(
    ("title", "name"), [("..", None), ("../../x", "x.md"), ("CON", "con-note.md"), ("Á" * 300, None)]
)
def test_titles_become_file_names_that_every_system_bears(writer, title, name):
    reply = writer.reply("create_node", title=title, content="x")
    made = list(writer.files())
    assert reply.failed == (made == [])
    assert name is None or made == [name]
    assert all(len(each.encode()) <= 255 for each in made)


def test_a_name_that_differs_in_case_alone_is_taken(writer):
    writer.save("Tea.md", "x")
    assert writer.error("create_node", title="tea", content="y")["code"] == "NODE_EXISTS"
    writer.sync()
    assert writer.error("create_node", title="tea", content="y")["code"] == "NODE_EXISTS"
    assert writer.ask("update_node", id="Tea.md", title="tea")["id"] == "tea.md"
    assert writer.files() == {"tea.md": b"x"} or b"title" in writer.files()["tea.md"]


def test_a_folder_is_the_one_that_is_there_whatever_its_case(writer):
    writer.save("My Notes/a.md", "x")
    assert writer.ask("create_node", title="New", content="y", directory="my notes")["id"] == "My Notes/new.md"
    assert set(writer.files()) == {"My Notes/a.md", "My Notes/new.md"}


def tells_cases_apart(folder):
    (folder / "probe").write_text("")
    found = (folder / "PROBE").exists()
    (folder / "probe").unlink()
    return not found


@pytest.mark.parametrize("change", [{"title": "Beta"}, None])
def test_a_note_comes_back_beside_one_whose_name_differs_in_case_alone(writer, change):
    if not tells_cases_apart(writer.vault):
        pytest.skip("this disk has no two such files")
    writer.given(ALPHA="one", alpha="other", hub="[[alpha]] and [[ALPHA]]")
    before = writer.files()
    if change is None:
        writer.call("delete_node", id="alpha.md")
    else:
        writer.call("update_node", id="alpha.md", **change)
    assert "alpha.md" not in writer.files()
    writer.call("undo")
    assert writer.files() == before
    assert writer.sync().changed == 0
    assert writer.error("create_node", title="Hub", content="x")["code"] == "NODE_EXISTS"


def test_a_folder_that_cannot_be_written_leaves_everything_as_it_was(writer):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    writer.given(a="x", b="[[a]]")
    (writer.vault).chmod(0o500)
    try:
        assert writer.error("update_node", id="a.md", title="New")["code"] == "PROVIDER_ERROR"
    finally:
        writer.vault.chmod(0o700)
    assert writer.files() == {"a.md": b"x", "b.md": b"[[a]]"}


def test_erasing_a_note_takes_its_file_too(writer):
    from memotheca.admin.erasure import erase

    writer.given(a="secret", b="[[a]]")
    erase(writer.kernel, "note:a.md", actor="test")
    assert writer.files() == {"b.md": b"[[a]]"}
    assert writer.sync().changed == 0
    assert writer.ask("get_node", id="a.md") is None


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), max_size=40)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.lists(st.tuples(st.sampled_from(["content", "tags", "title", "delete", "create"]), WORDS), max_size=5))
def test_undoing_everything_brings_every_file_back_to_the_byte(writer, steps):
    for name in list(writer.files()):
        (writer.vault / name).unlink()
    writer.given(a="[[b]] x\n", b="---\r\ntitle: B\r\n---\r\n![[a]]")
    before, start = writer.files(), writer.call("history")["as_of_tx_id"]
    for kind, words in steps:
        names = sorted(writer.files())
        if kind == "create":
            writer.reply("create_node", title=words, content=words)
        elif names and kind == "delete":
            writer.reply("delete_node", id=names[0])
        elif names:
            value = [words] if kind == "tags" else words
            writer.reply("update_node", id=names[-1], **{kind: value})
    assert writer.sync().changed == 0, "a file and its note agree"
    made = [each["tx_id"] for each in writer.call("history", limit=100)["items"] if each["tx_id"] > start]
    for tx in made:
        writer.call("undo", tx_id=tx)
    assert writer.files() == before


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_rename_that_is_refused_leaves_every_link_as_it_was(writer, dry_run):
    writer.given(hub="the middle", a="[[hub]]", x="", y="")
    error = writer.error("update_node", id="x.md", title="Hub", dry_run=dry_run)
    assert (error["code"], error["message"]) == ("NODE_EXISTS", "There is already a file 'hub.md'.")
    after = writer.ask("update_node", id="y.md", content="see [[hub]]")
    assert after["links"] == [{"id": "hub.md", "title": "Hub"}]
    assert "_warnings" not in after
    assert writer.ask("find_path", source="y.md", target="hub.md") == {"path": ["y.md", "hub.md"], "length": 1}
    assert [each["id"] for each in writer.ask("get_neighbors", id="hub.md", direction="in")] == ["a.md", "y.md"]
    writer.ask("update_node", id="hub.md", title="Center")
    assert writer.files()["a.md"] == b"[[Center]]"
    assert writer.files()["y.md"] == b"see [[Center]]"


def test_a_rename_that_is_only_tried_leaves_every_link_as_it_was(writer):
    writer.given(hub="the middle", a="[[hub]] [[Middle]]")
    before = writer.ask("get_node", id="a.md")["links"]
    assert len(writer.ask("update_node", id="hub.md", title="Middle", dry_run=True)["would_change"]) == 2
    assert writer.ask("get_node", id="a.md")["links"] == before
    assert survey(writer.kernel).broken_links == [{"note": "a.md", "target": "Middle"}]


def test_a_name_is_taken_also_where_its_file_has_gone_unnoticed(writer):
    writer.given(hub="the middle", a="[[hub]]", x="")
    (writer.vault / "hub.md").unlink()
    assert writer.error("update_node", id="x.md", title="Hub")["code"] == "NODE_EXISTS"
    assert writer.sync().removed == 1
    assert writer.ask("update_node", id="x.md", title="Hub")["id"] == "hub.md"


@pytest.mark.parametrize("blank", ["\n", "\r\n", " \n", "\t\n\n", "\r\n\r\n \r\n"])
def test_a_text_may_begin_with_blank_lines(writer, blank):
    text = f"{blank}# Meeting Notes\n\nDiscussed..."
    title = "Meeting Notes 2024-01-15"
    made = writer.ask("create_node", title=title, content=text, tags=["meeting", "project-x"], directory="meetings")
    assert (made["title"], made["content"], made["tags"]) == (title, text, ["meeting", "project-x"])
    writer.given(byhand=text)
    for change in ({"tags": ["a"]}, {"title": "By Hand"}):
        node = writer.ask("get_node", id="byhand.md") or writer.ask("get_node", id="by-hand.md")
        assert writer.ask("update_node", id=node["id"], **change)["content"] == text
    assert writer.ask("get_node", id="by-hand.md")["tags"] == ["a"]
    assert writer.sync().changed == 0


@pytest.mark.parametrize("head", ["", "---\ntags: [t]\n---\n", "---\ntags: [t]\n---\n\n", "---\n---\n"])
@pytest.mark.parametrize("text", ["\nhello", "\n\nhello", " \nhello", "hello", "\n", "", "\n---\nx\n---\n"])
def test_another_content_replaces_the_old_one_entirely(writer, head, text):
    writer.given(a=f"{head}old")
    assert writer.ask("update_node", id="a.md", content=text)["content"] == text
    assert writer.ask("get_node", id="a.md")["content"] == text


def test_a_link_whose_target_went_by_hand_is_warned_of(writer):
    writer.given(a="[[b]]", b="", c="[[a]] [[d]]", d="")
    (writer.vault / "b.md").unlink()
    (writer.vault / "d.md").rename(writer.vault / "e.md")
    writer.sync()
    assert writer.ask("get_node", id="a.md")["_warnings"] == ["Broken link: [[b]]"]
    assert writer.ask("get_node", id="c.md")["_warnings"] == ["Broken link: [[d]]"]


def test_a_list_says_which_note_its_warnings_are_about(writer):
    writer.given(a="[[x]] [[b]]", b="[[y]]")
    reply = writer.reply("get_neighbors", id="a.md")
    assert reply.structured["_warnings"] == ["b.md: Broken link: [[y]]"]
    assert json.loads(reply.blocks[0]["text"]) == reply.structured["result"]
    assert json.loads(reply.blocks[1]["text"]) == {"_warnings": ["b.md: Broken link: [[y]]"]}
    assert writer.ask("get_node", id="a.md")["_warnings"] == ["Broken link: [[x]]"]


def test_tags_in_the_text_stay_and_are_named(writer):
    writer.given(a="---\ntags: [old]\n---\nsee #written and #kept")
    node = writer.ask("update_node", id="a.md", tags=["new", "kept"])
    assert node["tags"] == ["new", "kept", "written"]
    assert node["_warnings"] == ["Tags in the text stay: #written"]


def test_warnings_of_a_note_are_as_many_as_can_be_read_and_the_rest_is_counted(writer):
    writer.save("a.md", "Nothing yet.\n")
    writer.sync()
    asked = writer.ask("update_node", id="a.md", content="".join(f"[[gone {number}]]\n" for number in range(300)))
    assert len(asked["_warnings"]) == 20
    assert asked["_warnings"][-1] == "… and 281 more warnings."
