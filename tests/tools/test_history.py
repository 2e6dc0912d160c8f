"""history and undo: every change can be listed, explained and taken back."""


def operations(agent, **arguments):
    return [(t["tx_id"], t["op"], t["entity_id"]) for t in agent.call("history", **arguments)["items"]]


def test_history_lists_every_change_newest_first(agent):
    agent.store("a", "1")
    agent.call("update", id="e-1", content="2")
    agent.call("relate", subject="x", predicate="y", object="z")
    agent.call("delete", id="e-1")
    assert operations(agent) == [
        (4, "DELETE", "e-1"),
        (3, "CREATE", "t-1"),
        (2, "UPDATE", "e-1"),
        (1, "CREATE", "e-1"),
    ]
    assert operations(agent, entity_type="triple") == [(3, "CREATE", "t-1")]
    assert agent.call("history")["items"][0]["actor"] == "tester"


def test_history_pages_do_not_move_when_more_happens(agent):
    for number in range(5):
        agent.store(f"n{number}", "x")
    first = agent.call("history", limit=2)
    agent.store("later", "x")
    second = agent.call("history", limit=2, cursor=first["next_cursor"])
    third = agent.call("history", limit=2, cursor=second["next_cursor"])
    assert [t["tx_id"] for page in (first, second, third) for t in page["items"]] == [5, 4, 3, 2, 1]
    assert third["next_cursor"] is None


def test_undo_reverts_the_newest_and_says_what(agent):
    agent.store("a", "1")
    agent.call("update", id="e-1", content="2")
    undone = agent.call("undo")["reverted"]
    assert undone == [{"tx_id": 2, "op": "UPDATE", "entity_type": "entry", "entity_id": "e-1", "revert_tx_id": 3}]
    assert agent.call("query")["items"][0]["content"] == "1"
    assert agent.call("history")["items"][0]["reverts"] == 2
    assert agent.call("history")["items"][1]["reverted_by"] == 3


def test_undo_of_several_is_all_or_nothing_and_newest_first(agent):
    agent.store("a", "1")
    agent.call("update", id="e-1", content="2")
    agent.call("delete", id="e-1")
    assert [r["tx_id"] for r in agent.call("undo", count=3)["reverted"]] == [3, 2, 1]
    assert agent.topics() == []
    assert agent.call("undo")["reverted"] == []


def test_undoing_more_than_there_is_says_how_many_there_were(agent):
    agent.store("a", "1")
    reply = agent.reply("undo", count=5)
    assert len(reply.structured["reverted"]) == 1
    assert "only 1" in reply.blocks[0]["text"]


def test_an_old_transaction_is_refused_when_something_later_touched_the_same(agent):
    agent.store("a", "1")
    agent.call("update", id="e-1", content="2")
    error = agent.error("undo", tx_id=1)
    assert error["code"] == "conflict"
    assert error["details"] == {"tx_id": 2, "entity_id": "e-1"}
    assert "e-1" in error["message"]
    assert agent.call("query")["items"][0]["content"] == "2"


def test_an_old_transaction_is_refused_when_a_triple_would_lose_its_end(agent):
    agent.store("a", "1", knowledge_type="observation")
    agent.store("b", "2")
    agent.call("relate", subject="e-2", predicate="derived_from", object="e-1")
    error = agent.error("undo", tx_id=1)
    assert error["code"] == "conflict"
    assert error["details"]["entity_id"] == "t-1"
    assert len(agent.topics()) == 2


def test_an_unrelated_old_transaction_can_be_undone(agent):
    agent.store("a", "1")
    agent.store("b", "2")
    agent.call("undo", tx_id=1)
    assert agent.topics() == ["b"]


def test_undoing_a_revert_brings_back_and_can_itself_be_undone(agent):
    agent.store("a", "1")
    agent.call("undo")
    assert agent.topics() == []
    agent.call("undo", tx_id=2)
    assert agent.topics() == ["a"]
    agent.call("undo")
    assert agent.topics() == []
    assert agent.error("undo", tx_id=1)["code"] == "conflict"


def test_a_restored_entry_is_as_it_was_but_recorded_anew(agent):
    before = agent.call("store", topic="a", content="1", tags=["t"], confidence=0.3)
    agent.call("delete", id="e-1")
    agent.call("undo")
    after = agent.call("query")["items"][0]
    same = before.keys() - {"tx_id", "recorded_at"}
    assert {name: after[name] for name in same} == {name: before[name] for name in same}
    assert after["tx_id"] == 3
    assert after["recorded_at"] > before["recorded_at"]


def test_a_transaction_that_does_not_exist_is_not_found(agent):
    assert agent.error("undo", tx_id=42)["code"] == "not_found"
