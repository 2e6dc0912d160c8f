"""Every text that a tool takes has a longest length, every list a greatest number of members, and whoever says more is
told where and how much there may be."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memotheca.entries.refusals import LONGEST_NAME
from memotheca.model.errors import Failure, Refusal
from memotheca.server.prompts import PROMPTS, complete, get_prompt
from memotheca.toolkit.bounds import LARGEST_OBJECT, LONGEST, MOST_MEMBERS, bounded_schema
from memotheca.toolkit.fields import Schema, input_schema
from memotheca.toolkit.tool import Tool
from memotheca.vault.files import MAX_SIZE
from scripts.catalogue import find_tools
from tests.conftest import Agent, Writer

TOOLS = [tool for tool, _, _ in find_tools()[1]]
# What a message may have at most.
MESSAGE = 16 * 1024 * 1024


def places(schema: Schema, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Schema]]:
    """Every text, list and free object of a schema, with the way to it."""
    kinds = schema.get("type", ())
    if ("string" in kinds and "enum" not in schema) or "array" in kinds:
        yield path, schema
    if "object" in kinds and "properties" not in schema:
        yield path, schema
    for name, rule in schema.get("properties", {}).items():
        yield from places(rule, (*path, name))
    if "items" in schema:
        yield from places(schema["items"], (*path, "[]"))


def wrapped(path: tuple[str, ...], value: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments with a value at a place that may be in an object or in a list."""
    head, *rest = path
    for step in reversed(rest):
        value = [value, value] if step == "[]" else {step: value}
    return {**given, head: value}


def too_much(rule: Schema) -> tuple[Any, int]:
    """A value that is too large for a rule, and how large it may be."""
    if "string" in rule["type"]:
        return "x" * (rule["maxLength"] + 1), rule["maxLength"]
    if "array" in rule["type"]:
        member = {"string": "x", "number": 1, "integer": 1}.get(rule["items"]["type"], {})
        return [rule["items"].get("enum", [member])[0]] * (rule["maxItems"] + 1), rule["maxItems"]
    return {"x": "y" * LARGEST_OBJECT}, LARGEST_OBJECT


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_more_than_a_tool_takes_is_refused_by_name_and_bound(writer: Writer, tool: Tool) -> None:
    for path, rule in places(bounded_schema(tool.input)):
        value, most = too_much(rule)
        reply = writer.reply(tool.name, **wrapped(path, value, dict(tool.example.arguments)))
        assert reply.failed, (tool.name, path)
        said = str(reply.blocks)
        assert path[0] in said, said[:300]
        # What is no confirmation is answered with what one would be.
        assert f"{most:,}" in said or path == ("confirmation_phrase",), said[:300]
        assert len(said) < 5000


def test_what_is_published_says_no_more_than_it_did_where_a_bound_is_only_documented() -> None:
    created = next(tool for tool in TOOLS if tool.name == "create_node")
    assert "maxLength" not in str(input_schema(created.input))
    bounds = bounded_schema(created.input)["properties"]
    assert bounds["content"]["maxLength"] == MAX_SIZE
    assert bounds["title"]["maxLength"] == LONGEST
    assert bounds["tags"]["maxItems"] == MOST_MEMBERS
    assert bounds["tags"]["items"]["maxLength"] == LONGEST


def test_a_bound_is_no_more_than_a_message_has_and_the_page_of_tools_states_it() -> None:
    page = (Path(__file__).parents[2] / "docs/tools.md").read_text("utf-8")
    for tool in TOOLS:
        section = page.split(f"### `{tool.name}`\n")[1].split("\n### ")[0]
        rows = {row.split("`")[1]: row for row in section.splitlines() if row.startswith("| `")}
        for path, rule in places(bounded_schema(tool.input)):
            most = rule.get("maxLength") or rule.get("maxItems") or LARGEST_OBJECT
            assert most <= MESSAGE
            # What is within an object has no row of its own; the published schema states it where it is not usual.
            is_within = path[1:] not in ((), ("[]",))
            assert is_within or str(most) in rows[path[0]], (tool.name, path)
    head = page.split("\n## ")[0]
    assert f"{LONGEST:,}" in head
    assert f"{MOST_MEMBERS:,}" in head


def test_what_a_tool_takes_at_most_is_taken(agent: Agent) -> None:
    name = "x" * LONGEST_NAME
    agent.store("t" * 1000, "c" * 100_000, tags=[name], source=name, actor=name)
    assert agent.reply("query", tags=["x" * LONGEST] * MOST_MEMBERS).failed is False


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.name)
def test_an_argument_of_a_prompt_has_an_upper_length(agent: Agent, prompt: Any) -> None:
    needed = {argument.name: "x" for argument in prompt.arguments if argument.required}
    for argument in prompt.arguments:
        with pytest.raises(Refusal) as refused:
            get_prompt(prompt.name, {**needed, argument.name: "x" * 100_001}, ())
        assert (refused.value.failure, refused.value.field) == (Failure.INVALID, argument.name)
        with pytest.raises(Refusal) as refused:
            complete(agent.kernel, prompt.name, argument.name, "x" * 100_001)
        assert (refused.value.failure, refused.value.field) == (Failure.INVALID, argument.name)
