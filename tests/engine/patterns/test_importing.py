"""Catalogues in step with their folders: added, changed, removed, undone, and every file accounted for."""

import os

import pytest

from memotheca.model.errors import Refusal
from tests.engine.patterns.catalogues import PLAIN, bring_in, by_words_alone, write, write_many


@pytest.fixture(autouse=True)
def words_alone(agent):
    by_words_alone(agent.kernel)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "gadgets"
    write_many(folder, 6)
    return folder


def found(agent, q="gadget"):
    return {pattern["id"] for pattern in agent.call("search_patterns", q=q, format="json").get("patterns", [])}


def test_an_import_is_one_transaction_that_can_be_undone(agent, folder):
    account = bring_in(agent.kernel, folder)
    assert account.catalogue == "gadgets"
    assert [line.status for line in account.lines] == ["read"] * 6
    assert account.kept.transactions == [1]
    assert found(agent) == {f"gadget-{number}" for number in range(6)}
    agent.call("undo")
    assert found(agent) == set()


def test_importing_again_changes_only_what_differs(agent, folder):
    bring_in(agent.kernel, folder)
    assert bring_in(agent.kernel, folder).kept.transactions == []
    (folder / "gadget-0.md").unlink()
    (folder / "gadget-1.md").write_text((folder / "gadget-1.md").read_text().replace("slowly", "quickly"))
    write_many(folder.parent / "more", 1, "widget")
    (folder.parent / "more" / "widget-0.md").rename(folder / "widget-0.md")
    kept = bring_in(agent.kernel, folder).kept
    assert (kept.added, kept.changed, kept.removed) == (["widget-0"], ["gadget-1"], ["gadget-0"])
    assert len(kept.unchanged) == 4
    assert found(agent) == {f"gadget-{number}" for number in range(1, 6)}
    agent.call("undo")
    assert "gadget-0" in found(agent)


def test_every_file_is_accounted_for(agent, folder, tmp_path):
    write(folder, "README.md", "# Read me\n")
    write(folder, "broken.mdx", "---\na: [1, 2\nb: }\n---\nx")
    write(folder, "twice.md", (folder / "gadget-0.md").read_text())
    write(folder, ".hidden/secret.md", (folder / "gadget-0.md").read_text())
    write(folder, "picture.png", "no text")
    write(folder, "huge.md", "---\ntitle: x\n---\n" + "x" * 1_100_000)
    (folder / "link.md").symlink_to(write(tmp_path, "outside.md", (folder / "gadget-0.md").read_text()))
    (folder / "loop.md").symlink_to(folder / "loop.md")
    os.mkfifo(folder / "pipe.md")
    account = bring_in(agent.kernel, folder)
    unread = {line.path: line.notes[0] for line in account.lines if line.status == "not read"}
    assert unread.keys() == {"README.md", "broken.mdx", "twice.md", "huge.md", "link.md", "loop.md", "pipe.md"}
    assert unread["twice.md"] == "its id gadget-0 is that of gadget-0.md"
    assert "line" in unread["broken.mdx"]
    assert unread["pipe.md"] == "it is no regular file"
    assert len(account.lines) == 13


def test_a_file_that_breaks_later_keeps_its_earlier_pattern(agent, folder):
    bring_in(agent.kernel, folder)
    (folder / "gadget-0.md").write_text("---\ntitle: [\n---\n")
    account = bring_in(agent.kernel, folder)
    assert account.kept.removed == []
    assert "gadget-0" in found(agent)


def test_a_folder_without_patterns_changes_nothing(agent, folder, tmp_path):
    bring_in(agent.kernel, folder)
    empty = tmp_path / "other" / "gadgets"
    empty.mkdir(parents=True)
    with pytest.raises(Refusal, match="nothing was changed"):
        bring_in(agent.kernel, empty)
    assert len(found(agent)) == 6


def test_two_catalogues_live_side_by_side_and_ids_belong_to_one(agent, folder, tmp_path):
    bring_in(agent.kernel, folder)
    other = tmp_path / "other"
    write_many(other, 2)
    write(
        other,
        "own.md",
        PLAIN.format(
            id="own", title="Own", category="c", difficulty="beginner", summary="s", tags="t", text="A gadget."
        ),
    )
    account = bring_in(agent.kernel, other, name="Second Shelf")
    assert account.catalogue == "second-shelf"
    assert account.kept.added == ["own"]
    assert [line.notes for line in account.lines if line.status == "not read"] == [
        ("its id gadget-0 belongs to the catalogue gadgets",),
        ("its id gadget-1 belongs to the catalogue gadgets",),
    ]
    assert len(found(agent)) == 7


@pytest.mark.parametrize("name", ["starter", "Starter"])
def test_the_shipped_catalogue_s_name_is_taken(agent, folder, name):
    with pytest.raises(Refusal, match="other than"):
        bring_in(agent.kernel, folder, name=name)


def test_patterns_are_in_the_graph_and_in_history_like_everything_else(agent, folder):
    bring_in(agent.kernel, folder)
    assert agent.call("history")["items"][0]["op"] == "IMPORT"
    assert agent.call("query", content="gadget")["items"] == []
    assert len(agent.call("query", content="gadget", kinds=["pattern"])["items"]) == 6
