"""Subscriptions: commits of any process reach those who follow, once each, and nobody else."""

import json
import subprocess

import pytest

from tests.patience import PATIENCE
from tests.server.raw import MEMOTHECA, RawServer
from tests.storage.postgres_server import environment_for

ENTRIES = "knowledge://entries"
TRIPLES = "knowledge://graph/triples"
TRANSACTIONS = "knowledge://history/transactions"


@pytest.fixture
def follower(tmp_path):
    server = RawServer(tmp_path / "data").begin()
    yield server
    server.close()


def elsewhere(tmp_path, tool, **arguments):
    """Call a tool in another process on the same data directory."""
    command = [*MEMOTHECA, "call", tool, json.dumps(arguments), "--data", str(tmp_path / "data"), "--json"]
    environment = environment_for(tmp_path / "data")
    return json.loads(
        subprocess.run(command, capture_output=True, timeout=PATIENCE, check=True, env=environment).stdout
    )


def change(notification):
    assert notification["method"] == "notifications/resources/updated"
    return notification["params"]["_meta"]["knowledge/change"]


def subscribe(server, uri):
    assert server.request("resources/subscribe", {"uri": uri})["result"] == {}


def settled(server, uri=TRANSACTIONS):
    """Follow something else as well and write once: what comes before its note is all there is."""
    subscribe(server, uri)
    marker = server.call("relate", subject="marker", predicate="is", object=f"set {server._next}", multi=True)
    seen = []
    while True:
        note = change(server.notification())
        if note["resource_uri"] == uri and note["tx_id"] == marker["tx_id"]:
            return seen
        seen.append(note)


def test_a_commit_of_another_process_is_announced_with_what_changed(follower, tmp_path):
    subscribe(follower, ENTRIES)
    stored = elsewhere(tmp_path, "store", topic="a", content="b")
    notification = follower.notification()
    assert notification["params"]["uri"] == ENTRIES
    assert change(notification) == {
        "resource_uri": ENTRIES,
        "tx_id": stored["tx_id"],
        "change_type": "upsert",
        "changed_ids": ["e-1"],
        "truncated": False,
    }


def test_there_is_one_note_for_each_transaction_resource_and_kind_of_change(follower):
    for uri in (ENTRIES, TRIPLES):
        subscribe(follower, uri)
    follower.call("store", topic="one", content="1")
    follower.call("store", topic="two", content="2", knowledge_type="observation")
    follower.call("relate", subject="e-1", predicate="derived_from", object="e-2")
    follower.call("delete", id="e-2")
    follower.call("undo")
    seen = [(n["tx_id"], n["resource_uri"], n["change_type"], n["changed_ids"]) for n in settled(follower)]
    assert seen[:7] == [
        (1, ENTRIES, "upsert", ["e-1"]),
        (2, ENTRIES, "upsert", ["e-2"]),
        (3, TRIPLES, "upsert", ["t-1"]),
        (4, ENTRIES, "delete", ["e-2"]),
        (4, TRIPLES, "delete", ["t-1"]),
        (5, ENTRIES, "upsert", ["e-2"]),
        (5, TRIPLES, "upsert", ["t-1"]),
    ]


def test_undoing_a_creation_is_a_delete(follower):
    follower.call("store", topic="a", content="b")
    subscribe(follower, ENTRIES)
    follower.call("undo")
    assert change(follower.notification())["change_type"] == "delete"


def test_one_entry_can_be_followed_by_itself(follower):
    follower.call("store", topic="a", content="b")
    follower.call("store", topic="c", content="d")
    subscribe(follower, f"{ENTRIES}/e-2")
    follower.call("update", id="e-1", content="x")
    follower.call("update", id="e-2", content="y")
    note = change(follower.notification())
    assert (note["tx_id"], note["changed_ids"]) == (4, ["e-2"])


def test_nothing_is_sent_after_an_acknowledged_unsubscribe(follower, tmp_path):
    subscribe(follower, ENTRIES)
    elsewhere(tmp_path, "store", topic="a", content="b")
    assert change(follower.notification())["tx_id"] == 1
    assert follower.request("resources/unsubscribe", {"uri": ENTRIES})["result"] == {}
    elsewhere(tmp_path, "store", topic="c", content="d")
    assert [note for note in settled(follower) if note["resource_uri"] == ENTRIES] == []


def test_a_refused_write_announces_nothing(follower):
    subscribe(follower, ENTRIES)
    follower.request("tools/call", {"name": "store", "arguments": {"topic": "", "content": "b"}})
    follower.request("tools/call", {"name": "undo", "arguments": {"tx_id": 99}})
    assert settled(follower) == []


def test_what_does_not_exist_cannot_be_followed(follower):
    for uri in ("knowledge://nothing", f"{ENTRIES}/e-9"):
        error = follower.request("resources/subscribe", {"uri": uri})["error"]
        assert error["code"] == -32602
        assert error["data"]["uri"] == uri


def test_the_list_of_tools_is_announced_when_the_data_turns_newer(follower, tmp_path):
    from memotheca.app import open_store

    store = open_store(tmp_path / "data")
    store.operate(lambda session: session.run("UPDATE meta SET value = '99' WHERE name = 'format'"))
    store.close()
    follower.request("tools/call", {"name": "store", "arguments": {"topic": "a", "content": "b"}})
    assert follower.notification()["method"] == "notifications/tools/list_changed"
    names = {tool["name"] for tool in follower.request("tools/list")["result"]["tools"]}
    documents = {"knowledge-search", "knowledge-show", "knowledge-status", "knowledge-task-status"}
    patterns = {"search_patterns", "get_pattern", "list_pattern_categories", "list_skills", "get_skill"}
    assert names == {"query", "query_graph", "history"} | documents | patterns
