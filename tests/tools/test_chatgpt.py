"""The pair that ChatGPT's connectors require: its names, its shapes, and that it finds and reads everything."""

import json

import jsonschema_rs
import pytest

from memotheca.app import load_catalog
from memotheca.conversations.keep import KeepConversation, keep_conversation
from memotheca.conversations.turns import Utterance
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.toolkit.dispatch import UnknownTool
from memotheca.tools.chatgpt.fetch import LONGEST


def names(catalog):
    return [listing.wire["name"] for listing in catalog.listed()]


def toolset_of(catalog, name):
    listing = catalog.find(name)
    assert listing is not None
    return listing.toolset


@pytest.fixture
def connector(agent):
    choose_embedder(agent.kernel.store, agent.kernel.collection, "none")
    agent.app.catalog.choose(["all", "chatgpt"])
    return agent


def ask(connector, tool, **arguments):
    """An answer that is the same as structured content and as JSON in one block, and keeps to the published schema."""
    reply = connector.reply(tool, **arguments)
    jsonschema_rs.validator_for(connector.app.catalog.find(tool).wire["outputSchema"]).validate(reply.structured)
    assert [json.loads(block["text"]) for block in reply.blocks] == [reply.structured]
    return reply.structured


def test_the_toolset_has_two_tools_by_the_names_that_are_required():
    catalog = load_catalog()
    catalog.choose(["chatgpt"])
    assert sorted(names(catalog)) == ["fetch", "search"]
    for listing in catalog.listed():
        assert listing.wire["annotations"]["readOnlyHint"]
        assert not listing.writes


def test_it_is_no_part_of_all_and_shown_beside_it_takes_the_name_of_the_notes_search():
    catalog = load_catalog()
    catalog.choose(["all"])
    before = names(catalog)
    assert "fetch" not in before
    assert toolset_of(catalog, "search") == "notes"
    catalog.choose(["all", "chatgpt"])
    assert sorted(names(catalog)) == sorted([*before, "fetch"])
    assert toolset_of(catalog, "search") == "chatgpt"


def test_whoever_did_not_choose_it_cannot_call_it(agent):
    agent.app.catalog.choose(["entries"])
    with pytest.raises(UnknownTool):
        agent.reply("fetch", id="e-1")


def test_golden_pair(connector, golden):
    connector.store("tea", "Ada takes it black.")
    for name, arguments in (("search", {"query": "black"}), ("fetch", {"id": "e-1"}), ("fetch", {"id": "e-9"})):
        reply = connector.reply(name, **arguments)
        told = {"blocks": reply.blocks, "structured": reply.structured, "failed": reply.failed}
        golden(f"chatgpt/{name}{'-nothing' if reply.failed else ''}", told)


def test_what_is_found_can_be_fetched_whatever_it_is(connector):
    connector.store("kiln", "The kiln is fired on Fridays.")
    connector.call("store_memory", content="Ada fires the kiln herself.", rationale="She said so.")
    connector.call("relate", subject="kiln", predicate="stands_in", object="the barn")
    talk = KeepConversation(
        client="test", session="1", turns=(Utterance(speaker="user", text="Who repaired the kiln? It was Bo."),)
    )
    keep_conversation(connector.kernel, talk, actor="test")
    found = ask(connector, "search", query="kiln")["results"]
    kinds = set()
    for result in found:
        assert set(result) == {"id", "title", "url", "text"}
        thing = ask(connector, "fetch", id=result["id"])
        assert set(thing) == {"id", "title", "text", "url", "metadata"}
        assert thing["id"] == result["id"]
        assert "kiln" in (thing["text"] + thing["title"]).casefold()
        kinds.add(thing["metadata"]["kind"])
    assert {"entry", "memory", "triple", "conversation"} <= kinds


def test_a_turn_comes_with_those_beside_it(connector):
    turns = tuple(Utterance(speaker="user", text=f"Sentence number {number}.") for number in range(1, 10))
    keep_conversation(connector.kernel, KeepConversation(client="t", session="1", turns=turns), actor="test")
    thing = ask(connector, "fetch", id="c-1#5")
    assert thing["metadata"]["turn"] == 5
    assert [line.partition(" ")[0] for line in thing["text"].split("\n\n")] == ["#3", "#4", "#5", "#6", "#7"]
    assert connector.reply("fetch", id="c-1#10").structured["error"]["code"] == "not_found"


def test_what_is_very_long_is_read_part_by_part(connector):
    whole = " ".join(str(number) for number in range(20_000))
    connector.store("numbers", whole[:90_000])
    read, next_id = "", "e-1"
    while next_id:
        part = ask(connector, "fetch", id=next_id)
        assert len(part["text"]) <= LONGEST
        read, next_id = read + part["text"], part["metadata"].get("next")
    assert read == whole[:90_000]
    connector.store("hiragana", "あ" * 20_000)
    assert 0 < int(ask(connector, "fetch", id="e-2")["metadata"]["next"].partition("@")[2]) < LONGEST
    assert connector.reply("fetch", id="e-1@90000").structured["error"]["code"] == "not_found"


def test_a_page_it_was_taken_from_is_where_the_citation_leads(connector):
    connector.store("tea", "Black.", source="https://example.org/tea")
    assert ask(connector, "fetch", id="e-1")["url"] == "https://example.org/tea"
    connector.store("milk", "White.", source="a letter")
    assert ask(connector, "fetch", id="e-2")["url"] == "knowledge://entries/e-2"


def test_nothing_asked_nothing_found_and_what_was_deleted_is_gone(connector):
    assert ask(connector, "search", query=" ") == {"results": []}
    connector.store("tea", "Black.")
    connector.call("delete", id="e-1")
    assert connector.reply("fetch", id="e-1").structured["error"]["code"] == "not_found"
