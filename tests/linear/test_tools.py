"""Every tool that takes text takes any text, in time and memory in proportion to it, up to the longest it takes."""

import base64
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import pytest

from memotheca.jobs.queue import bench_of
from memotheca.model.kinds import STARTER_COLLECTION
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.toolkit.bounds import MOST_MEMBERS, bounded_schema
from memotheca.toolkit.tool import Tool
from memotheca.vectors.embedders import DEFAULT
from scripts.catalogue import find_tools
from tests.conftest import Writer
from tests.linear.growth import (
    FACTOR,
    MOST,
    MOST_TENFOLD,
    SIZES,
    growth_of,
    memory_growth_of,
    tenfold_growth_of,
)

SIZE = 8_000
UNITS = ("\n", "aA", "# ", "@aaa", "if ", "eyJ-", "[[a^", "<!--", "a, ", "\u0301", "Ab ")
LARGE_UNITS = ("a", "[", "#a/", "7", "\u0301", "Ab. ")
LONGEST_UNITS = ("a", "\u0301")
TOOLS = [tool for tool, _, _ in find_tools()[1]]
# What a text has to be in order to be looked at, beyond what it says; and arguments of examples that stand in its way.
WRAPPED: dict[str, Callable[[Any, int], Any]] = {
    "content_base64": lambda text, number: encoded(text),
    "data_uri": lambda text, number: "data:text/plain;base64," + encoded(text),
    "file_path": lambda text, number: f"data:text/plain;name=a{number}.txt,{text}",
}
WITHOUT = {
    ("store_memory", "content_base64"): ("content",),
    ("store_memory", "data_uri"): ("content",),
    ("update_node", "content"): ("title",),
    ("console_change", "content"): ("seen_tx",),
}


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def texts_of(tool: Tool) -> Iterator[tuple[str, int]]:
    """The arguments that are text, and how long each may be."""
    for name, rule in bounded_schema(tool.input)["properties"].items():
        if "string" in rule.get("type", ()) and "enum" not in rule:
            yield name, rule["maxLength"]


def lists_of(tool: Tool) -> Iterator[tuple[str, ...]]:
    """The ways to the arguments that are lists of texts, also within an object."""
    for name, rule in bounded_schema(tool.input)["properties"].items():
        inner = rule.get("properties", {}).items()
        for path, each in [((name,), rule), *(((name, below), member) for below, member in inner)]:
            if "array" in each.get("type", ()) and "enum" not in each["items"] and each["items"]["type"] == "string":
                yield path


class Caller:
    """Calls a tool as its example does, after what the example needs is there, with other values in places."""

    def __init__(self, writer: Writer, tool: Tool) -> None:
        self.writer = writer
        self.tool = tool
        answered: dict[str, Any] = {}
        for name, arguments in tool.example.after:
            answered |= writer.reply(name, **filled(arguments, answered)).structured or {}
        self.arguments = filled(tool.example.arguments, answered)
        self.calls = 0
        self.taken = 0

    def call(self, name: str, value: Any) -> None:
        self.calls += 1
        without = WITHOUT.get((self.tool.name, name), ())
        given = {key: each for key, each in self.arguments.items() if key not in without}
        if self.tool.name == "create_node" and name != "title":
            given["title"] = f"Note {self.calls}"
        given[name] = WRAPPED.get(name, lambda text, number: text)(value, self.calls)
        reply = self.writer.reply(self.tool.name, **given)
        assert "log has the details" not in str(reply.blocks), (self.tool.name, name)
        self.taken += not reply.failed


def filled(arguments: Mapping[str, Any], answered: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _filled(value, answered) for name, value in arguments.items()}


def _filled(value: Any, answered: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return [_filled(each, answered) for each in cast(list[Any], value)]
    return answered[value[1:]] if isinstance(value, str) and value.startswith("$") else value


def text_of(unit: str) -> Callable[[int], str]:
    return lambda size: "x " + unit * ((size - 2) // len(unit))


@pytest.fixture
def served(writer: Writer) -> Iterator[Writer]:
    choose_embedder(writer.kernel.store, STARTER_COLLECTION, "none")
    yield writer
    bench_of(writer.kernel).sandbox.close()


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if list(texts_of(tool))], ids=lambda tool: tool.name)
def test_a_tool_takes_any_text_in_proportion(served: Writer, tool: Tool) -> None:
    caller = Caller(served, tool)
    for argument, longest in texts_of(tool):
        # What is only unpacked first says the same as the text itself.
        for unit in UNITS[:3] if argument in WRAPPED else UNITS:
            size = min(SIZE, longest // FACTOR)
            growth = growth_of(lambda text, name=argument: caller.call(name, text), text_of(unit), size)
            assert growth < MOST, f"{tool.name}: {argument} of {unit!r} takes {growth:.1f} times as long for 4 n"


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if list(lists_of(tool))], ids=lambda tool: tool.name)
def test_a_tool_takes_any_list_in_proportion(served: Writer, tool: Tool) -> None:
    caller = Caller(served, tool)
    for path in lists_of(tool):

        def call(members: list[str], path: tuple[str, ...] = path) -> None:
            inner = caller.arguments.get(path[0], {}) if path[1:] else {}
            caller.call(path[0], {**inner, path[1]: members} if path[1:] else members)

        def make(size: int) -> list[str]:
            return [f"{number}" + "a/" * 100 for number in range(size)]

        growth = growth_of(cast(Any, call), cast(Any, make), MOST_MEMBERS // FACTOR)
        assert growth < MOST, f"{tool.name}: {'.'.join(path)} takes {growth:.1f} times as long for 4 n"


@pytest.mark.parametrize("unit", ["a", "eyJ-"])
def test_a_text_is_embedded_in_proportion(served: Writer, unit: str) -> None:
    choose_embedder(served.kernel.store, served.kernel.collection, DEFAULT)
    caller = Caller(served, next(tool for tool in TOOLS if tool.name == "store"))
    caller.arguments["wait_for_embedding"] = True
    caller.call("content", "a first text, with which the model is loaded")
    assert (
        tenfold_growth_of(lambda text: caller.call("content", text), text_of(unit), (1_000, *SIZES[:2])) < MOST_TENFOLD
    )
    assert growth_of(lambda text: served.reply("query", content=text), text_of(unit), 1_000, tries=2) < MOST


LARGE = [(tool, name, longest) for tool in TOOLS for name, longest in texts_of(tool) if longest > FACTOR * SIZE]


def sizes_up_to(longest: int, unit: str) -> tuple[int, ...]:
    """The sizes to try; what is wrapped becomes longer, and the dearest texts only say in more time what they say."""
    room = longest // len(encoded(unit * 3)) * len(unit * 3) - 200
    sizes = SIZES if unit in LONGEST_UNITS else SIZES[:2]
    return tuple(min(size, room) for size in sizes if size // 10 < room)


@pytest.mark.parametrize(("tool", "argument", "longest"), LARGE, ids=lambda each: getattr(each, "name", str(each)))
def test_a_tool_takes_a_text_of_any_length_in_proportion(
    served: Writer, tool: Tool, argument: str, longest: int
) -> None:
    caller = Caller(served, tool)
    for unit in LARGE_UNITS:
        sizes = sizes_up_to(longest, unit)
        growth = tenfold_growth_of(lambda text: caller.call(argument, text), text_of(unit), sizes)
        assert growth < MOST_TENFOLD, f"{argument} of {unit!r} takes {growth:.1f} times as long for 10 n"
    assert caller.taken >= len(LARGE_UNITS)


@pytest.mark.parametrize(("tool", "argument", "longest"), LARGE, ids=lambda each: getattr(each, "name", str(each)))
def test_a_tool_holds_a_long_text_in_proportion(served: Writer, tool: Tool, argument: str, longest: int) -> None:
    caller = Caller(served, tool)
    for unit in LONGEST_UNITS:
        size = sizes_up_to(min(longest, SIZES[1]), unit)[-1] // 10
        work = lambda text: caller.call(argument, text)  # noqa: E731
        assert memory_growth_of(work, text_of(unit), size, factor=10) < MOST_TENFOLD
