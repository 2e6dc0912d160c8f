"""What is given as null: an argument that may be left out is left out, one that is needed is asked for by its name."""

from typing import Any

import pytest

from memotheca.toolkit.fields import input_schema
from memotheca.toolkit.tool import Tool
from scripts.catalogue import find_tools
from tests.conftest import Agent, Writer

TOOLS = [tool for tool, _, _ in find_tools()[1]]


def optional(tool: Tool) -> list[str]:
    """What may be left out and where null means nothing else."""
    schema = input_schema(tool.input)
    return [
        name
        for name, rule in schema["properties"].items()
        if name not in schema.get("required", ()) and "null" not in rule.get("type", ())
    ]


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if optional(tool)], ids=lambda tool: tool.name)
def test_null_is_the_same_as_leaving_an_argument_out(writer: Writer, tool: Tool) -> None:
    needed = {name: value for name, value in tool.example.arguments.items() if name not in optional(tool)}
    nulls: dict[str, Any] = dict.fromkeys(optional(tool))
    # In this order: what was made once cannot always be made again.
    reply, without = writer.reply(tool.name, **needed, **nulls), writer.reply(tool.name, **needed)
    assert not reply.failed or without.failed, reply.blocks
    assert "null" not in str(reply.blocks) or "null" in str(without.blocks)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_needed_argument_that_is_null_is_named(writer: Writer, tool: Tool) -> None:
    for name in input_schema(tool.input).get("required", ()):
        reply = writer.reply(tool.name, **{**tool.example.arguments, name: None})
        assert reply.failed, (tool.name, name)
        assert name in str(reply.blocks)


def test_null_within_an_object_is_left_out_too(writer: Writer) -> None:
    reply = writer.reply("search_graph", query="tea", filters={"min_importance": None})
    assert not reply.failed, reply.blocks


def test_where_null_means_something_it_still_does(agent: Agent) -> None:
    id = agent.store("tea", "Ada takes it black.", ttl_seconds=60)
    assert agent.call("update", id=id, ttl_seconds=None)["expires_at"] is None
