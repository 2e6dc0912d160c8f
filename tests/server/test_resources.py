"""Resources: three lists and their members, read page by page from one snapshot."""

import json

import pytest

from memotheca.model.errors import Failure, Refusal
from memotheca.server.resources import list_resources, list_templates, read_resource

ENTRIES = "knowledge://entries"


def body(agent, uri):
    return json.loads(read_resource(agent.kernel, uri)["text"])


def test_golden_lists(agent, golden):
    agent.store("a", "b")
    golden("resources/list", list_resources(agent.kernel))
    golden("resources/templates", list_templates())


def test_golden_reads(agent, golden):
    agent.store("a", "b")
    agent.call("relate", subject="x", predicate="y", object="z")
    for uri in (ENTRIES, "knowledge://graph/triples", "knowledge://history/transactions", f"{ENTRIES}/e-1"):
        golden(f"resources/{uri.removeprefix('knowledge://').replace('/', '-')}", read_resource(agent.kernel, uri))


def test_the_version_is_the_last_transaction_that_touched_it(agent):
    def versions():
        listed = {resource["name"]: resource["_meta"]["version"] for resource in list_resources(agent.kernel)}
        return [listed[name] for name in ("entries", "triples", "transactions")]

    assert versions() == [0, 0, 0]
    agent.store("a", "b")
    assert versions() == [1, 0, 1]
    agent.call("relate", subject="x", predicate="y", object="z")
    assert versions() == [1, 2, 2]
    agent.call("update", id="e-1", content="c")
    assert versions() == [3, 2, 3]
    agent.call("delete", id="t-1", entity_type="triple")
    assert versions() == [3, 4, 4]


def test_the_version_of_notes_is_the_last_transaction_that_touched_one(writer):
    writer.given(a="x")
    touched = writer.call("history", limit=1)["as_of_tx_id"]
    writer.store("a", "b")
    (notes,) = (resource for resource in list_resources(writer.kernel) if resource["uri"] == "knowledge://notes")
    assert notes["_meta"]["version"] == touched
    read = json.loads(read_resource(writer.kernel, "knowledge://notes?tags=nobody")["text"])
    assert read["items"] == []


def test_an_entry_past_its_time_says_so_when_it_is_read_by_its_id(agent, time):
    agent.store("fleeting", "gone soon", ttl_seconds=100)
    (item,) = body(agent, f"{ENTRIES}/e-1")["items"]
    assert "expired" not in item
    time.advance(200)
    assert body(agent, ENTRIES)["items"] == []
    assert body(agent, f"{ENTRIES}/e-1")["items"] == [{**item, "expired": True}]
    agent.call("update", id="e-1", ttl_seconds=100)
    assert "expired" not in body(agent, f"{ENTRIES}/e-1")["items"][0]


def test_pages_keep_their_snapshot_and_end_with_null(agent):
    for number in range(5):
        agent.store(f"n{number}", "x")
    first = body(agent, f"{ENTRIES}?limit=2")
    agent.store("later", "x")
    agent.call("delete", id="e-4")
    second = body(agent, f"{ENTRIES}?limit=2&cursor={first['next_cursor']}")
    third = body(agent, f"{ENTRIES}?limit=2&cursor={second['next_cursor']}")
    assert [item["topic"] for page in (first, second, third) for item in page["items"]] == [
        f"n{number}" for number in range(5)
    ]
    assert {page["as_of_tx_id"] for page in (first, second, third)} == {5}
    assert third["next_cursor"] is None
    assert first["resource_uri"] == ENTRIES


def test_an_older_state_can_be_read(agent):
    agent.store("a", "1")
    agent.call("update", id="e-1", content="2")
    agent.call("delete", id="e-1")
    assert body(agent, f"{ENTRIES}?as_of_tx_id=1")["items"][0]["content"] == "1"
    assert body(agent, f"{ENTRIES}?as_of_tx_id=2")["items"][0]["content"] == "2"
    assert body(agent, f"{ENTRIES}?as_of_tx_id=3")["items"] == []
    assert body(agent, f"{ENTRIES}?as_of_tx_id=0")["items"] == []


def test_the_uri_of_an_answer_can_be_read_as_a_resource(agent):
    agent.store("deployment", "x", tags=["a b", "c"])
    agent.store("tea", "x")
    uri = agent.reply("query", topic="deployment", tags=["a b"]).blocks[1]["resource"]["uri"]
    assert [item["topic"] for item in body(agent, uri)["items"]] == ["deployment"]
    triple = agent.reply("relate", subject="x", predicate="y", object="z").blocks[1]["resource"]["uri"]
    assert body(agent, triple)["items"][0]["subject"] == "x"


@pytest.mark.parametrize(
    ("uri", "failure"),
    [
        ("knowledge://nothing", Failure.NOT_FOUND),
        ("https://example.org/", Failure.NOT_FOUND),
        ("knowledge://history/transactions/7", Failure.NOT_FOUND),
        (f"{ENTRIES}/e-9", Failure.NOT_FOUND),
        (f"{ENTRIES}?limit=0", Failure.INVALID),
        (f"{ENTRIES}?limit=201", Failure.INVALID),
        (f"{ENTRIES}?limit=many", Failure.INVALID),
        (f"{ENTRIES}?colour=red", Failure.INVALID),
        (f"{ENTRIES}?as_of_tx_id=9", Failure.INVALID),
        (f"{ENTRIES}?cursor=rubbish", Failure.INVALID),
        (f"{ENTRIES}?limit={'9' * 5000}", Failure.INVALID),
        (f"{ENTRIES}?as_of_tx_id={'9' * 5000}", Failure.INVALID),
        (f"{ENTRIES}?limit=²", Failure.INVALID),
        (f"{ENTRIES}?strict_substring=maybe", Failure.INVALID),
    ],
)
def test_what_cannot_be_read_says_why(agent, uri, failure):
    with pytest.raises(Refusal) as refusal:
        read_resource(agent.kernel, uri)
    assert refusal.value.failure is failure


def test_a_change_of_very_many_things_is_cut_and_says_so(agent):
    from memotheca.admin.history import changes_after
    from memotheca.admin.transfer import import_lines
    from memotheca.server.resources import changed_resources

    lines = [
        json.dumps({"type": "entity", "name": "n", "entityType": "t", "observations": [str(i) for i in range(150)]})
    ]
    import_lines(agent.kernel, lines, actor="x", report=lambda *_: None)
    ((commit, changes),) = changes_after(agent.kernel, 0, 10)
    note = next(n for n in changed_resources(commit, changes) if n["resource_uri"] == ENTRIES)
    assert (len(note["changed_ids"]), note["truncated"]) == (100, True)


@pytest.mark.parametrize(
    ("uri", "allowed"),
    [
        (f"{ENTRIES}?knowledge_type=bogus", "hypothesis"),
        (f"{ENTRIES}?memory_type=bogus", "core"),
        ("knowledge://history/transactions?entity_type=bogus", "triple"),
        (f"{ENTRIES}?colour=red", "strict_substring"),
    ],
)
def test_a_value_that_cannot_be_is_refused_and_what_can_be_is_named(agent, uri, allowed):
    with pytest.raises(Refusal) as refusal:
        read_resource(agent.kernel, uri)
    assert refusal.value.failure is Failure.INVALID
    assert allowed in refusal.value.message


def test_a_flag_is_read_whatever_its_case(agent):
    agent.store("deployment", "x")
    assert body(agent, f"{ENTRIES}?topic=ploy&strict_substring=TRUE")["items"]
    assert not body(agent, f"{ENTRIES}?topic=ploy&strict_substring=False")["items"]


def test_how_to_page_can_be_said_beside_the_uri(agent):
    for number in range(3):
        agent.store(f"n{number}", "x")
    first = json.loads(read_resource(agent.kernel, ENTRIES, {"limit": 2})["text"])
    assert len(first["items"]) == 2
    second = json.loads(read_resource(agent.kernel, ENTRIES, {"limit": 2, "cursor": first["next_cursor"]})["text"])
    assert [item["topic"] for item in second["items"]] == ["n2"]
    assert len(json.loads(read_resource(agent.kernel, f"{ENTRIES}?limit=1", {"limit": 1})["text"])["items"]) == 1


@pytest.mark.parametrize(
    ("uri", "beside"),
    [
        (ENTRIES, {"limit": 0}),
        (ENTRIES, {"limit": True}),
        (ENTRIES, {"limit": [5]}),
        (ENTRIES, {"cursor": "rubbish"}),
        (f"{ENTRIES}?limit=1", {"limit": 2}),
        (f"{ENTRIES}/e-1", {"limit": 2}),
    ],
)
def test_what_makes_no_sense_beside_the_uri_is_refused(agent, uri, beside):
    agent.store("a", "b")
    with pytest.raises(Refusal) as refusal:
        read_resource(agent.kernel, uri, beside)
    assert refusal.value.failure is Failure.INVALID
