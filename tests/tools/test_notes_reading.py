"""Reading notes through the tools: the graph as links make it, and what is said once."""

import pytest

from memotheca import settings
from memotheca.app import build
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.tools.notes.contract import TRUNCATED, shorten
from memotheca.vectors.embedders import DEFAULT


def test_a_ghost_is_a_node_until_its_file_arrives(writer):
    writer.given(a="[[Later On]] and [[later-on]]")
    (ghost,) = writer.ask("get_neighbors", id="a.md", direction="out")
    assert (ghost["title"], ghost["content"], ghost["links"]) == ("Later On", "", [])
    assert ghost["id"].startswith("ghost_")
    assert writer.ask("get_node", id=ghost["id"])["title"] == "Later On"
    assert writer.ask("find_path", source="a.md", target=ghost["id"])["length"] == 1
    assert writer.ask("get_node", id="later-on.md") is None
    writer.given(**{"later-on": "Here I am."})
    (real,) = writer.ask("get_neighbors", id="a.md", direction="out")
    assert (real["id"], real["content"]) == ("later-on.md", "Here I am.")
    assert writer.ask("get_node", id=ghost["id"]) is None
    (writer.vault / "later-on.md").unlink()
    writer.sync()
    assert writer.ask("get_neighbors", id="a.md")[0]["id"] == ghost["id"]
    writer.given(a="nothing")
    assert writer.ask("get_node", id=ghost["id"]) is None


def test_neighbours_are_at_most_twenty_in_all_and_those_it_links_to_come_first(writer):
    outgoing = {f"out{n:02}": "x" for n in range(15)}
    incoming = {f"in{n:02}": "[[hub]]" for n in range(15)}
    writer.given(hub=" ".join(f"[[{name}]]" for name in outgoing), **outgoing, **incoming)
    node = writer.ask("get_node", id="hub.md", depth=1)
    assert (node["outgoingCount"], node["incomingCount"]) == (15, 15)
    assert len(node["neighbors"]) == 20
    assert [each["id"] for each in node["neighbors"][:15]] == [f"{name}.md" for name in outgoing]
    assert [each["id"] for each in node["incomingNeighbors"]] == [f"in{n:02}.md" for n in range(5)]


def test_one_that_links_both_ways_is_one_neighbour(writer):
    writer.given(a="[[b]]", b="[[a]]")
    node = writer.ask("get_node", id="a.md", depth=1)
    assert [each["id"] for each in node["neighbors"]] == ["b.md"]
    assert [each["id"] for each in node["outgoingNeighbors"]] == ["b.md"]
    assert [each["id"] for each in node["incomingNeighbors"]] == ["b.md"]
    assert len(writer.ask("get_neighbors", id="a.md")) == 1


@pytest.mark.parametrize(("length", "limit"), [(10_000, 10_000), (10_001, 10_000), (501, 500), (200, 200)])
def test_what_is_cut_says_so_within_its_limit(length, limit):
    cut = shorten("😀" * length, limit)
    assert len(cut) == limit
    assert cut.endswith(TRUNCATED) == (length > limit)
    cut.encode()


def test_a_node_is_found_by_any_spelling_of_its_path_and_by_any_handle(writer):
    writer.save("Dir/Évolution Of.md", "x")
    writer.sync()
    uuid = writer.ask("get_node", id="note:Dir/Évolution Of.md")["id"]
    assert uuid == "Dir/Évolution Of.md"
    for spelling in ("dir/évolution of.md", "Dir/E\u0301volution Of", "Dir/Évolution Of.md"):
        assert writer.ask("get_node", id=spelling)["id"] == "Dir/Évolution Of.md"


def test_links_lead_to_entries_too_and_entries_back(writer):
    handle = writer.store("tea", "black")
    writer.given(a=f"[[{handle}]] and [[entry:{handle}|again]]", b="[[e-2]]")
    assert writer.ask("get_node", id="a.md")["links"] == [{"id": handle, "title": "tea"}]
    assert [each["id"] for each in writer.ask("get_neighbors", id=handle)] == ["a.md"]
    assert writer.ask("find_path", source="a.md", target=handle)["path"] == ["a.md", handle]
    assert writer.ask("get_node", id="b.md")["links"][0]["id"].startswith("ghost_")
    second = writer.store("coffee", "white")
    assert writer.ask("get_node", id="b.md")["links"] == [{"id": second, "title": "coffee"}]
    writer.call("delete", id=second)
    assert writer.ask("get_node", id="b.md")["links"][0]["id"].startswith("ghost_")


def test_a_warning_is_said_once(writer):
    writer.given(a="---\ntags: [x, x]\n---\n[[nowhere]]")
    assert writer.ask("get_node", id="a.md")["_warnings"] == ["Duplicate tag ignored: x", "Broken link: [[nowhere]]"]
    assert "_warnings" not in writer.ask("get_node", id="a.md")
    writer.given(a="[[elsewhere]]")
    reply = writer.reply("search_by_tags", tags=["x"])
    assert reply.structured == {"result": []}
    assert writer.call("get_neighbors", id="a.md", direction="in") == {"result": []}
    assert writer.ask("get_node", id="a.md")["_warnings"] == ["Broken link: [[elsewhere]]"]


def test_a_list_carries_warnings_beside_it_and_stays_a_list(writer):
    writer.given(a="#t [[nowhere]]")
    reply = writer.reply("search_by_tags", tags=["T"])
    assert reply.structured["_warnings"] == ["a.md: Broken link: [[nowhere]]"]
    assert reply.blocks[0]["text"].startswith("[{")


def test_notes_are_found_beside_everything_else_and_history_lists_them(writer):
    writer.store("zebra", "An entry about zebras.")
    writer.given(zoo="A note about zebras.")
    found = writer.call("query", content="zebras", kinds=["all"])["items"]
    assert {item["handle"] for item in found} == {"e-1", "zoo.md"}
    assert writer.call("history", entity_type="note")["items"][0]["actor"] == "vault"


def test_search_gives_similarity_and_a_threshold_holds(writer):
    choose_embedder(writer.kernel.store, writer.kernel.collection, DEFAULT)
    writer.given(tea="Black tea keeps Ada awake all night.", law="The court dismissed the appeal.")
    found = writer.ask("search", query="what does Ada drink to stay awake")
    assert found[0]["id"] == "tea.md"
    assert all(0 <= each["score"] <= 1 for each in found)
    (best,) = writer.ask("search", query="what does Ada drink to stay awake", threshold=0.3)
    assert best["id"] == "tea.md"
    assert writer.ask("search", query="what does Ada drink to stay awake", threshold=0.99) == []


def test_nothing_is_like_a_question_that_says_nothing(writer):
    writer.given(a="Ada drinks tea.")
    for blank in ("", " ", "\n\t"):
        assert writer.ask("search", query=blank) == []
        assert writer.ask("search", query=blank, threshold=0.0) == []
    assert writer.ask("search", query="tea")


def test_tags_match_whatever_their_case_and_nested_in_them(writer):
    writer.given(a="#Project/Alpha", b="#project", c="#projects")
    assert [each["id"] for each in writer.ask("search_by_tags", tags=["#PROJECT"])] == ["a.md", "b.md"]


def test_the_tools_of_entries_leave_notes_to_their_own(writer):
    writer.given(a="x")
    for call in (("update", {"id": "note:a.md", "content": "y"}), ("delete", {"id": "note:a.md"})):
        error = writer.error(call[0], **call[1])
        assert f"{call[0]}_node" in error["message"]
    assert writer.files() == {"a.md": b"x"}


def test_notes_are_shown_where_a_vault_is_mounted_and_from_then_on(tmp_path, time):
    (tmp_path / "vault").mkdir()
    data = {"data": str(tmp_path / "data")}
    for given, shown in ((data, False), ({**data, "vault": str(tmp_path / "vault")}, True), (data, True)):
        app = build(settings.load(given, {}), clock=time)
        assert ("get_node" in [listing.name for listing in app.catalog.listed()]) is shown
        app.kernel.store.close()
