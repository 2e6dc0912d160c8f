"""Every tool that takes text takes any text, in time in proportion to it."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from pinakes.app import find_tools
from pinakes.toolkit.fields import input_schema
from pinakes.toolkit.tool import Tool
from tests.conftest import Writer
from tests.linear.growth import FACTOR, MOST, growth_of

SIZE = 8_000
UNITS = ("\n", "aA", "# ", "@aaa", "if ", "eyJ-", "[[a^", "<!--", "a, ", "\u0301", "Ab ")
TOOLS = [tool for tool, _, _ in find_tools()[1]]


def texts_of(tool: Tool) -> Iterator[tuple[str, int, bool]]:
    """The arguments that are text or a list of texts, how long each may be, and whether it is a list."""
    for name, schema in input_schema(tool.input)["properties"].items():
        kinds = schema.get("type", ())
        if "enum" not in schema and "format" not in schema:
            if "string" in kinds:
                yield name, schema.get("maxLength", FACTOR * SIZE), False
            elif "array" in kinds and schema.get("items", {}).get("type") == "string":
                yield name, schema["items"].get("maxLength", FACTOR * SIZE), True


@pytest.fixture
def served(writer: Writer) -> Iterator[Writer]:
    yield writer
    if writer.kernel.bench is not None:
        writer.kernel.bench.sandbox.close()


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tool_takes_any_text_in_proportion(served: Writer, tool: Tool) -> None:
    for name, arguments in tool.example.after:
        served.reply(name, **arguments)
    for argument, longest, is_list in texts_of(tool):
        for unit in UNITS:
            size = min(SIZE, longest // FACTOR)

            def call(text: str, name: str = argument, is_list: bool = is_list) -> None:
                given: Mapping[str, Any] = {**tool.example.arguments, name: [text] if is_list else text}
                reply = served.reply(tool.name, **given)
                assert "log has the details" not in str(reply.blocks), (tool.name, name, text[:10])

            growth = growth_of(call, lambda size, unit=unit: "x " + unit * (size // len(unit)), size)
            assert growth < MOST, f"{tool.name}: {argument} of {unit!r} takes {growth:.1f} times as long for 4 n"
