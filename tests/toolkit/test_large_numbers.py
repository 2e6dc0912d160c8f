"""Numbers that nothing can keep are refused, wherever they are said."""

import base64
import json
from typing import Any

import pytest

from memotheca.model.errors import Failure, Refusal
from memotheca.server.resources import read_resource
from memotheca.toolkit.fields import LARGEST, input_schema
from memotheca.toolkit.tool import Tool
from scripts.catalogue import find_tools
from tests.conftest import Agent, Writer

TOOLS = [tool for tool, _, _ in find_tools()[1]]
NUMBERS = [
    (tool, name, schema)
    for tool in TOOLS
    for name, schema in input_schema(tool.input)["properties"].items()
    if "integer" in schema.get("type", ()) or "number" in schema.get("type", ())
]


@pytest.mark.parametrize(("tool", "name", "schema"), NUMBERS, ids=lambda each: getattr(each, "name", str(each)[:20]))
def test_a_number_that_nothing_can_keep_is_refused(
    writer: Writer, tool: Tool, name: str, schema: dict[str, Any]
) -> None:
    wrong = [float("inf"), float("-inf"), float("nan")]
    if "integer" in schema["type"]:
        wrong += [LARGEST + 1, -LARGEST - 2, 10**400, 1e300]
    for value in wrong:
        reply = writer.reply(tool.name, **{**tool.example.arguments, name: value})
        assert reply.failed, (tool.name, name, value)
        assert name in str(reply.blocks)
        assert "log has the details" not in str(reply.blocks)


def test_what_is_free_in_form_holds_no_such_number_either(writer: Writer) -> None:
    reply = writer.reply(
        "store_memory", content="It is so.", rationale="it is worth keeping", metadata={"a": [{"b": float("nan")}]}
    )
    assert reply.failed
    assert "metadata.a.0.b" in str(reply.structured)


@pytest.mark.parametrize("place", [[1e300, 0, "", 0], [0, 10**30, "", 0], [0, 0, "", -(10**30)], [[[]], 0, "", 0]])
def test_a_forged_cursor_is_refused(agent: Agent, place: list[Any]) -> None:
    spelled = json.dumps([*place, "x"])
    cursor = base64.urlsafe_b64encode(spelled.encode()).decode().rstrip("=")
    for tool in ("query", "history", "query_graph"):
        error = agent.error(tool, cursor=cursor)
        assert error["code"] == "validation"
    with pytest.raises(Refusal) as refused:
        read_resource(agent.kernel, f"knowledge://entries?cursor={cursor}")
    assert refused.value.failure is Failure.INVALID


def test_an_endless_cursor_is_refused(agent: Agent) -> None:
    for spelled in ('[1e999,0,"",0,"x"]', "[" * 2000):
        cursor = base64.urlsafe_b64encode(spelled.encode()).decode().rstrip("=")
        assert agent.error("query", cursor=cursor)["code"] == "validation"
