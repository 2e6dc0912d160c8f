"""store, update and delete: what is kept, how it is corrected, and what typed knowledge demands."""

import pytest


def test_a_stored_entry_comes_back_as_it_was_given(agent):
    given = {
        "topic": "deployment",
        "content": "Use blue-green deploys.\n\nReally. 🚀 数据",
        "tags": ["ops", "release"],
        "source": "runbook",
        "actor": "ada",
        "confidence": 0.92,
        "knowledge_type": "decision",
        "memory_type": "core",
    }
    stored = agent.call("store", **given)
    found = agent.call("query", topic="deployment")["items"][0]
    for name, value in given.items():
        assert stored[name] == value
        assert found[name] == value
    assert stored["id"] == "e-1"
    assert stored["tx_id"] == 1
    assert stored["recorded_at"] == stored["created_at"] == stored["updated_at"]


def test_an_omitted_confidence_is_null_and_not_a_claim(agent):
    assert agent.call("store", topic="a", content="b")["confidence"] is None


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"topic": "", "content": "x"}, "topic"),
        ({"content": "x"}, "topic"),
        ({"topic": "x" * 1001, "content": "x"}, "topic"),
        ({"topic": "x", "content": "x" * 100_001}, "content"),
        ({"topic": "x", "content": "x", "confidence": 1.1}, "confidence"),
        ({"topic": "x", "content": "x", "confidence": "high"}, "confidence"),
        ({"topic": "x", "content": "x", "knowledge_type": "rumour"}, "knowledge_type"),
        ({"topic": "x", "content": "x", "tags": "ops"}, "tags"),
        ({"topic": "x", "content": "x", "colour": "red"}, "colour"),
        ({"topic": "x", "content": "x", "valid_from": "soon"}, "valid_from"),
        ({"topic": "x", "content": "x", "valid_from": "2026-02-01", "valid_to": "2026-01-01"}, "valid_to"),
        ({"topic": "x", "content": "x", "knowledge_type": "evidence"}, "source"),
        ({"topic": "x", "content": "x", "status": "refuted"}, "status"),
        ({"topic": "x", "content": "x", "ttl_seconds": 0}, "ttl_seconds"),
    ],
)
def test_bad_input_names_the_field_and_stores_nothing(agent, arguments, field):
    error = agent.error("store", **arguments)
    assert error["code"] == "validation"
    assert error["field"] == field
    assert error["retryable"] is False
    assert agent.call("history")["items"] == []


def test_half_a_surrogate_pair_is_refused_as_input(agent):
    assert agent.error("store", topic="x\ud800", content="y")["code"] == "validation"


def test_the_longest_allowed_texts_are_stored_whole(agent):
    agent.call("store", topic="t" * 1000, content="c" * 100_000)
    item = agent.call("query", budget_tokens=200_000)["items"][0]
    assert (len(item["topic"]), len(item["content"])) == (1000, 100_000)
    assert agent.call("query")["items"][0]["truncated"]


def test_a_fact_without_support_is_kept_as_a_hypothesis_and_says_so(agent):
    reply = agent.reply("store", topic="x", content="y", knowledge_type="fact", confidence=1.0)
    assert reply.structured["knowledge_type"] == "hypothesis"
    assert "supported_by" in reply.structured["notice"]
    assert "supported_by" in reply.blocks[0]["text"]


def test_a_supported_and_certain_entry_can_become_a_fact_and_falls_back_when_doubted(agent):
    claim = agent.store("claim", "It is so.", confidence=1.0)
    evidence = agent.store("evidence", "Seen.", knowledge_type="evidence", source="lab")
    assert agent.call("update", id=claim, knowledge_type="fact")["knowledge_type"] == "hypothesis"
    agent.call("relate", subject=claim, predicate="supported_by", object=evidence)
    assert agent.call("update", id=claim, knowledge_type="fact")["knowledge_type"] == "fact"
    doubted = agent.call("update", id=claim, confidence=0.5)
    assert doubted["knowledge_type"] == "hypothesis"
    assert "notice" in doubted


def test_only_a_hypothesis_can_be_refuted(agent):
    hypothesis = agent.store("h", "maybe", knowledge_type="hypothesis")
    assert agent.call("update", id=hypothesis, status="refuted")["status"] == "refuted"
    assert agent.error("update", id=agent.store("d", "so"), status="refuted")["field"] == "status"


@pytest.mark.parametrize(
    ("valid_to", "state", "shown"),
    [
        ("infinite", "infinite", None),
        ("Forever", "infinite", None),
        ("2030-01-01", "bounded", "2030-01-01T00:00:00Z"),
        (None, "unspecified", None),
    ],
)
def test_the_end_of_validity_tells_whether_it_was_said(agent, valid_to, state, shown):
    more = {} if valid_to is None else {"valid_to": valid_to}
    stored = agent.call("store", topic="x", content="y", **more)
    assert (stored["valid_to_state"], stored["valid_to"]) == (state, shown)


def test_an_update_changes_only_what_it_says(agent):
    id = agent.store("tea", "Ada takes it black.", tags=["drinks"], confidence=0.5, source="ada")
    updated = agent.call("update", id=id, confidence=0.9)
    assert updated["content"] == "Ada takes it black."
    assert updated["tags"] == ["drinks"]
    assert updated["confidence"] == 0.9
    assert updated["tx_id"] == 2
    assert updated["created_at"] < updated["updated_at"] == updated["recorded_at"]


def test_null_clears_a_field_and_tags_replace_the_list(agent):
    id = agent.store("tea", "black", tags=["a", "b"], confidence=0.5, source="ada", valid_to="2030-01-01")
    updated = agent.call("update", id=id, confidence=None, source=None, tags=["c"], valid_to=None)
    assert updated["confidence"] is None
    assert updated["source"] is None
    assert updated["tags"] == ["c"]
    assert updated["valid_to_state"] == "unspecified"


def test_saying_what_is_already_so_makes_no_transaction(agent):
    id = agent.store("tea", "black")
    again = agent.call("update", id=id, content="black")
    assert again["tx_id"] == 1
    assert len(agent.call("history")["items"]) == 1


def test_an_unknown_id_is_not_found_and_a_deleted_one_says_how_to_have_it_back(agent):
    assert agent.error("update", id="e-99", topic="x")["code"] == "not_found"
    id = agent.store("x", "y")
    agent.call("delete", id=id)
    error = agent.error("update", id=id, topic="z")
    assert error["code"] == "not_found"
    assert error["details"]["tx_id"] == 2
    assert "undo" in error["message"]


def test_every_handle_of_an_entry_is_accepted(agent):
    agent.store("x", "y")
    with agent.kernel.read() as snapshot:
        uuid = snapshot.find_alias("entry", "e-1")
    for handle in ("e-1", "E-1", "entry:e-1", uuid, uuid.upper()):
        assert agent.call("update", id=handle, content=f"by {handle}")["id"] == "e-1"


def test_deleting_an_entry_takes_its_triples_along_and_undo_brings_all_back(agent):
    one, two = agent.store("one", "1"), agent.store("two", "2", knowledge_type="observation")
    agent.call("relate", subject=one, predicate="derived_from", object=two)
    deleted = agent.call("delete", id=two)
    assert deleted == {"id": two, "entity_type": "entry", "deleted": True, "tx_id": 4, "deleted_triples": 1}
    assert agent.call("query_graph")["items"] == []
    agent.call("undo")
    assert agent.topics() == ["one", "two"]
    assert len(agent.call("query_graph")["items"]) == 1


def test_an_entry_past_its_time_to_live_is_found_no_more(agent, time):
    agent.store("fleeting", "gone soon", ttl_seconds=100)
    agent.store("lasting", "stays")
    assert agent.topics() == ["fleeting", "lasting"]
    time.advance(200)
    assert agent.topics() == ["lasting"]


@pytest.mark.parametrize("blank", ["", " ", "\n\t ", "\u2003"])
def test_what_says_nothing_is_not_stored(agent, blank):
    assert agent.error("store", topic="tea", content=blank)["field"] == "content"
    assert agent.error("store", topic=blank, content="x")["field"] == "topic"
    agent.store("tea", "x")
    assert agent.error("update", id="e-1", topic=blank)["field"] == "topic"


def test_a_choice_that_is_none_is_told_all_that_there_are(agent):
    error = agent.error("query", kinds=["bogus"])
    assert error["message"] == (
        'kinds.0: "bogus" is not one of "entry", "entity", "note", "document", "section", "pattern", "memory", '
        '"conversation", "triple", "all".'
    )
