"""Goldens of every tool: its published schemas, its answers, its failures, and that they agree."""

import json

import jsonschema_rs
import pytest

from memotheca.app import CONTRACTS, load_catalog
from memotheca.model.errors import Failure, Refusal
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.toolkit.fields import input_schema
from scripts.catalogue import find_tools, generate_catalog

TOOLS = [tool for tool, _, _ in find_tools()[1]]
SEED_TOOLS = ("store", "update", "query", "delete", "relate", "query_graph", "undo", "history")

CALLS = {
    "store": [("store", {"topic": "tea", "content": "Ada takes it black.", "tags": ["people"], "confidence": 0.9})],
    "store-fact": [("store", {"topic": "tea", "content": "hot", "knowledge_type": "fact"})],
    "update": [("store", {"topic": "a", "content": "b"}), ("update", {"id": "e-1", "valid_to": "forever"})],
    "query": [
        ("store", {"topic": "deployment", "content": "Use blue-green deploys for zero-downtime releases."}),
        ("store", {"topic": "deployment rollback", "content": "Rollback within 5 min."}),
        ("query", {"topic": "deployment"}),
    ],
    "query-empty": [("query", {"content": "nothing"})],
    "query-page": [
        ("store", {"topic": "one", "content": "x"}),
        ("store", {"topic": "two", "content": "x"}),
        ("query", {"content": "x", "tags": [], "limit": 1}),
    ],
    "delete": [("store", {"topic": "a", "content": "b"}), ("delete", {"id": "e-1"})],
    "delete-triple": [
        ("relate", {"subject": "a", "predicate": "b", "object": "c"}),
        ("delete", {"id": "t-1", "entity_type": "triple"}),
    ],
    "relate": [("relate", {"subject": "Ada", "predicate": "works_at", "object": "X", "valid_from": "2020-01-01"})],
    "relate-conflict": [
        ("relate", {"subject": "Ada", "predicate": "works_at", "object": "X"}),
        ("relate", {"subject": "Ada", "predicate": "works_at", "object": "Y"}),
    ],
    "query_graph": [
        ("relate", {"subject": "Ada", "predicate": "works_at", "object": "X"}),
        ("query_graph", {"subject": "ada"}),
    ],
    "undo": [("store", {"topic": "a", "content": "b"}), ("undo", {})],
    "undo-nothing": [("undo", {})],
    "history": [("store", {"topic": "a", "content": "b"}), ("undo", {}), ("history", {"limit": 1})],
    "error-validation": [("store", {"topic": "", "content": "b"})],
    "error-not-found": [("update", {"id": "e-9", "topic": "x"})],
    "error-conflict": [
        ("store", {"topic": "a", "content": "b"}),
        ("update", {"id": "e-1", "content": "c"}),
        ("undo", {"tx_id": 1}),
    ],
}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_golden_answer(agent, golden, name):
    # Vectors differ in the last digits from processor to processor; words do not.
    choose_embedder(agent.kernel.store, agent.kernel.collection, "none")
    *before, (tool, arguments) = CALLS[name]
    for earlier, given in before:
        agent.call(earlier, **given)
    reply = agent.reply(tool, **arguments)
    golden(f"entries/{name}", {"blocks": reply.blocks, "structured": reply.structured, "failed": reply.failed})
    schema = agent.app.catalog.find(tool).wire["outputSchema"]
    jsonschema_rs.validator_for(schema).validate(reply.structured)
    if not reply.failed:
        assert json.loads(reply.blocks[1]["resource"]["text"]) == reply.structured


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_golden_schema(golden, tool):
    listing = next(line for line in generate_catalog()["tools"] if line["name"] == tool.name)
    golden(f"schemas/{tool.name}", listing)
    assert listing["wire"]["inputSchema"] == input_schema(tool.input)


def test_the_seed_s_tools_are_all_there_by_default():
    listed = [listing.name for listing in load_catalog().listed()]
    assert set(SEED_TOOLS) <= set(listed)


@pytest.mark.parametrize("name", sorted(CONTRACTS))
def test_golden_failures_of_every_contract(golden, name):
    shown = {}
    for failure in Failure:
        reply = CONTRACTS[name].failure(Refusal(failure, "What happened.", field="id", details={"tx_id": 7}))
        assert reply.failed
        shown[failure.code] = {"blocks": reply.blocks, "structured": reply.structured}
    golden(f"failures/{name}", shown)


def test_the_list_of_tools_is_at_most_twelve_kilobytes():
    listed = [listing.wire for listing in load_catalog().listed() if listing.toolset == "entries"]
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"tools": listed}}
    assert len(json.dumps(answer, separators=(",", ":")).encode()) <= 12 * 1024


def test_an_unexpected_error_is_internal_and_leaks_nothing(agent, monkeypatch, caplog):
    from memotheca.kernel.kernel import Kernel

    def explode(*arguments, **options):
        raise RuntimeError("secret /path SELECT")

    monkeypatch.setattr(Kernel, "write", explode)
    error = agent.error("store", topic="a", content="b")
    assert error["code"] == "internal"
    assert "secret" not in json.dumps(error)
    assert "secret" in caplog.text


def test_every_tool_has_a_title_for_people():
    catalog = load_catalog()
    catalog.choose(["all"])
    titles = [listing.wire["title"] for listing in catalog.listed()]
    assert all(title[0].isupper() and len(title) <= 60 for title in titles)
    assert len(set(titles)) == len(titles)


def test_no_output_schema_has_a_list_of_types():
    catalog = load_catalog()
    catalog.choose(["all"])
    for listing in catalog.listed():
        assert '"type": [' not in json.dumps(listing.wire["outputSchema"]), listing.name
