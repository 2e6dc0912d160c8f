"""The catalogue: which tools are shown, and that it can change while the server runs."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from memotheca.app import CONTRACTS, EMBEDDER, load_catalog, look_after
from memotheca.model.errors import Failure, Refusal
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.toolkit.catalog import Catalog
from memotheca.toolkit.dispatch import UnknownTool
from memotheca.toolkit.fields import text
from memotheca.toolkit.tool import Answer, Call, Example, Listing, tool
from memotheca.vectors.embedders import DEFAULT
from scripts.catalogue import to_listing


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    id: str = text()


@tool(contract="entries", effect="read", models=(Input, Output), example=Example(arguments={}), needs=(EMBEDDER,))
def look_near(call: Call, input: Input) -> Answer:
    """Find what is near in meaning."""
    return Answer("Near.", "knowledge://entries", Output(id="near"))


def names(catalog: Catalog) -> Iterator[str]:
    return (listing.name for listing in catalog.listed())


def add_needy(catalog: Catalog) -> None:
    catalog.add(Listing(**to_listing(look_near, "entries", __name__, CONTRACTS["entries"])), look_near)


def test_read_only_hides_and_refuses_what_writes(agent):
    agent.app.catalog.choose(["entries"])
    agent.app.catalog.forbid_writing()
    shown = [listing.name for listing in agent.app.catalog.listed() if listing.toolset == "entries"]
    assert shown == ["history", "query", "query_graph"]
    error = agent.error("store", topic="a", content="b")
    assert (error["code"], error["retryable"]) == ("policy", False)
    assert agent.call("query")["items"] == []


def test_those_who_watch_hear_of_a_change_and_only_of_a_change():
    catalog = load_catalog()
    catalog.choose(["entries"])
    heard = []
    catalog.watch(lambda: heard.append(len(catalog.listed())))
    catalog.choose(["entries"])
    assert heard == []
    catalog.forbid_writing()
    assert heard == [3]
    catalog.forbid_writing(False)
    assert heard == [3, 8]


def test_all_names_every_toolset_and_an_unknown_one_is_refused():
    catalog = load_catalog()
    catalog.choose(["all"])
    folders = {
        name
        for name, toolset in catalog.toolsets.items()
        if not (toolset.members or toolset.for_pages or toolset.is_apart)
    }
    assert {listing.toolset for listing in catalog.listed()} == folders
    with pytest.raises(Refusal) as refusal:
        catalog.choose(["entires"])
    assert refusal.value.failure is Failure.INVALID
    assert "entries" in refusal.value.message


def test_the_memory_toolset_has_at_most_nine_tools_of_several_families_in_12_kilobytes():
    catalog = load_catalog()
    catalog.choose(["memory"])
    listed = catalog.listed()
    assert {listing.name for listing in listed} == set(catalog.toolsets["memory"].members)
    assert len(listed) <= 9
    assert len({listing.toolset for listing in listed}) > 1
    told = json.dumps({"tools": [listing.wire for listing in listed]}, ensure_ascii=False, separators=(",", ":"))
    assert len(told.encode()) <= 12 * 1024


def test_a_tool_that_is_also_shown_by_its_family_is_listed_whole():
    catalog = load_catalog()
    catalog.choose(["memory", "entries"])
    wires = {listing.name: listing.wire for listing in catalog.listed()}
    assert "outputSchema" in wires["undo"]
    assert "outputSchema" not in wires["store_memory"]


def test_what_the_memory_toolset_shows_can_be_called_and_its_siblings_cannot(agent):
    agent.app.catalog.choose(["memory"])
    stored = agent.call("store_memory", content="The kiln is fired on Fridays.", rationale="Asked twice already.")
    assert stored["node_id"]
    with pytest.raises(UnknownTool):
        agent.reply("get_memetic_status")


def test_a_tool_of_a_hidden_toolset_is_unknown(agent):
    agent.app.catalog.choose([])
    with pytest.raises(UnknownTool):
        agent.reply("query")


def test_data_of_a_newer_program_turns_the_server_read_only(agent):
    agent.store("a", "1")
    agent.kernel.store.operate(lambda session: session.run("UPDATE meta SET value = '99' WHERE name = 'format'"))
    error = agent.error("store", topic="b", content="2")
    assert error["code"] == "policy"
    assert "Restart this client" in error["message"]
    assert "store" not in [listing.name for listing in agent.app.catalog.listed()]
    assert agent.topics() == ["a"]


def test_a_tool_that_needs_vectors_is_listed_and_answers_only_where_the_collection_has_an_embedder(agent):
    catalog, store, collection = agent.app.catalog, agent.kernel.store, agent.kernel.collection
    add_needy(catalog)
    assert "look_near" in names(catalog)
    assert agent.call("look_near") == {"id": "near"}
    heard: list[list[str]] = []
    catalog.watch(lambda: heard.append(list(names(catalog))))
    choose_embedder(store, collection, "none")
    look_after(agent.app, lambda: True)
    assert ["look_near" in each for each in heard] == [False]
    error = agent.error("look_near")
    assert (error["code"], error["retryable"]) == ("validation", False)
    assert "embedder" in error["message"]
    assert "query" in names(catalog)
    choose_embedder(store, collection, DEFAULT)
    look_after(agent.app, lambda: True)
    assert ["look_near" in each for each in heard] == [False, True]
    assert agent.call("look_near") == {"id": "near"}
