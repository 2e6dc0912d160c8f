"""What no call can cause: to be told of a fault where memory is short, or to say where vectors are made."""

import pytest

from memotheca.tools.entries import query, store

ELSEWHERE = "openai:any@http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    ("place", "name", "arguments"),
    [
        ((query, "find_entries"), "query", {"content": "tea"}),
        ((store, "store_entry"), "store", {"topic": "tea", "content": "Ada takes it black."}),
    ],
)
def test_too_little_memory_is_told_as_a_failure_to_try_again(agent, monkeypatch, place, name, arguments):
    def fail(*given, **more):
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(*place, fail)
        error = agent.error(name, **arguments)
    # What this family calls it where something that is needed cannot be had now.
    assert (error["code"], error["retryable"]) == ("dependency", True)
    assert "memory" in error["message"]
    assert agent.call(name, **arguments)


def test_no_argument_of_a_tool_says_where_vectors_are_made(agent):
    """The embedder is a setting of the collection that only the command line changes: it may send texts elsewhere."""
    before = agent.call("knowledge-status")["configuration"]["embedding_model"]
    for listing in agent.app.catalog.listed():
        schema = listing.wire["inputSchema"]
        named = [name for name in schema.get("properties", {}) if "embedder" in name or "embedding" in name]
        assert all(_is_a_choice(schema["properties"][name]) for name in named), listing.name
        for name in ("embedder", "embedding_model", "voice"):
            if name not in schema.get("properties", {}):
                agent.reply(listing.name, **{name: ELSEWHERE})
    assert agent.call("knowledge-status")["configuration"]["embedding_model"] == before


def _is_a_choice(schema):
    """Of some names, or of numbers for them: nothing that could be an address."""
    return "enum" in schema or schema.get("type") in ("object", "number", "integer", "boolean")
