"""The catalogue: which tools are shown, and that it can change while the server runs."""

import pytest

from pinakes.app import load_catalog
from pinakes.model.errors import Failure, Refusal
from pinakes.toolkit.dispatch import UnknownTool


def test_read_only_hides_and_refuses_what_writes(agent):
    agent.app.catalog.forbid_writing()
    assert [listing.name for listing in agent.app.catalog.listed()] == ["history", "query", "query_graph"]
    error = agent.error("store", topic="a", content="b")
    assert (error["code"], error["retryable"]) == ("policy", False)
    assert agent.call("query")["items"] == []


def test_those_who_watch_hear_of_a_change_and_only_of_a_change():
    catalog = load_catalog()
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
    assert {listing.toolset for listing in catalog.listed()} == set(catalog.toolsets)
    with pytest.raises(Refusal) as refusal:
        catalog.choose(["entires"])
    assert refusal.value.failure is Failure.INVALID
    assert "entries" in refusal.value.message


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
