"""A call that is cancelled in the middle of its work ends there, and nothing of it is kept."""

from collections.abc import Iterator, Mapping
from itertools import combinations, count
from threading import Event, Thread
from typing import Any

import pytest

from memotheca.admin.history import newest_tx
from memotheca.jobs.queue import bench_of
from memotheca.memory.care.critique import find_clashes
from memotheca.model.cancellation import heeding
from memotheca.model.errors import Refusal
from memotheca.model.knowledge import Entry
from memotheca.toolkit.fields import input_schema
from memotheca.toolkit.tool import Call, Tool
from scripts.catalogue import find_tools
from tests.conftest import Writer
from tests.patience import PATIENCE

TOOLS = [tool for tool, _, _ in find_tools()[1]]
LONG = 20_000


@pytest.fixture
def served(writer: Writer) -> Iterator[Writer]:
    yield writer
    bench_of(writer.kernel).sandbox.close()


def reply_of(writer: Writer, name: str, cancelled: Any, /, **arguments: Any) -> Any:
    return writer.app.dispatcher.run(name, arguments, Call(kernel=writer.kernel, actor="x", cancelled=cancelled))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("create_node", {"title": "Long", "content": "[" * 1_000_000}),
        ("store", {"topic": "long", "content": "word [[a " * 10_000}),
        ("query", {"content": " ".join(f"word{n}" for n in range(400))}),
        ("search", {"query": " ".join(f"word{n}" for n in range(400))}),
        ("check_adversarial", {"content": "Ada says: see [[tea]]. " * 2500}),
        ("store_memory", {"content": "Ada says: see [[tea]]. " * 2500, "rationale": "it was said"}),
        ("search_patterns", {"q": "[[a " * 1000}),
        ("find_path", {"source": "n0.md", "target": "n199.md"}),
    ],
)
def test_a_long_call_that_is_cancelled_ends(writer: Writer, name: str, arguments: dict[str, Any]) -> None:
    writer.given(**{f"n{at}": f"see [[n{at + 1}]]" for at in range(200)})
    before, files = newest_tx(writer.kernel), writer.files()
    asked, is_cancelled = count(), Event()
    is_under_way, may_go_on = Event(), Event()

    def cancelled() -> bool:
        if next(asked) == 3:
            is_under_way.set()
            assert may_go_on.wait(PATIENCE)
        return is_cancelled.is_set()

    replies: list[Any] = []
    working = Thread(target=lambda: replies.append(reply_of(writer, name, cancelled, **arguments)), daemon=True)
    working.start()
    assert is_under_way.wait(PATIENCE)
    is_cancelled.set()
    may_go_on.set()
    working.join(PATIENCE)
    assert not working.is_alive()
    assert next(asked) == 4
    assert replies[0].failed
    assert "cancelled" in str(replies[0].blocks).lower()
    assert newest_tx(writer.kernel) == before
    assert writer.files() == files


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if tool.effect != "read"], ids=lambda tool: tool.name)
def test_nothing_is_kept_of_a_call_that_is_cancelled_at_once(served: Writer, tool: Tool) -> None:
    writer = served
    for name, arguments in tool.example.after:
        writer.reply(name, **arguments)
    before, files = newest_tx(writer.kernel), writer.files()
    reply_of(writer, tool.name, lambda: True, **tool.example.arguments)
    assert newest_tx(writer.kernel) == before
    assert writer.files() == files


def test_what_is_kept_is_brought_to_its_files(writer: Writer) -> None:
    """Once the transaction is made, there is no way back, and no half of it."""
    before = newest_tx(writer.kernel)
    reply = reply_of(writer, "create_node", lambda: newest_tx(writer.kernel) > before, title="Tea", content="green")
    assert not reply.failed
    assert "tea.md" in writer.files()


def texts_of(tool: Tool) -> Iterator[tuple[str, int, bool]]:
    """The arguments that are text or a list of texts, how long each may be, and whether it is a list."""
    for name, schema in input_schema(tool.input)["properties"].items():
        kinds, items = schema.get("type", ()), schema.get("items", {})
        if "string" in kinds and "enum" not in schema:
            yield name, schema.get("maxLength", LONG), False
        elif "array" in kinds and items.get("type") == "string" and "enum" not in items:
            yield name, items.get("maxLength", LONG), True


# What is done in slices keeps those that are done; each is whole.
AT_ONCE = [tool for tool in TOOLS if tool.name != "trigger_dream"]


def test_a_dream_that_is_cancelled_wakes_and_says_so(served: Writer) -> None:
    served.call("store_memory", content="Ada says: see INC-7.", rationale="Heard in the hall.")
    asked = count()
    reply = reply_of(served, "trigger_dream", lambda: next(asked) >= 1, blocking=True)
    assert "cancelled" in str(reply.blocks).lower()
    assert not served.call("get_dream_status")["is_dreaming"]


@pytest.mark.parametrize("tool", AT_ONCE, ids=lambda tool: tool.name)
def test_a_call_ends_wherever_it_is_cancelled(served: Writer, tool: Tool) -> None:
    for name, arguments in tool.example.after:
        served.reply(name, **arguments)
    for argument, longest, is_list in texts_of(tool):
        text = ("Ada says: see [[tea]]. " * 1000)[: min(longest, LONG)]
        cancel_ever_later(served, tool.name, {**tool.example.arguments, argument: [text] if is_list else text})
    cancel_ever_later(served, tool.name, tool.example.arguments)


def cancel_ever_later(writer: Writer, name: str, arguments: Mapping[str, Any]) -> None:
    """Cancel a call when it has looked so many times, ever more often until it comes to its end before: who is told to
    stop does not look again, and keeps nothing."""
    before, files, looks = newest_tx(writer.kernel), writer.files(), 0
    while True:
        asked = count(-looks)
        reply = reply_of(writer, name, lambda asked=asked: next(asked) >= 0, **arguments)
        times = next(asked)
        if times <= 0:
            return
        assert times == 1, looks
        assert "cancelled" in str(reply.blocks).lower(), looks
        assert (newest_tx(writer.kernel), writer.files()) == (before, files)
        looks = 1 + 3 * looks


def test_memories_are_not_compared_to_the_end_for_somebody_who_left(writer: Writer) -> None:
    entries = [
        Entry(id=f"{n}", kind="memory", title="", body=f"Ada has {n} cats.", attributes={}, created_at=n, updated_at=n)
        for n in range(20)
    ]
    asked, pairs = count(), list(combinations(entries, 2))
    stopping = heeding(lambda: next(asked) >= 5)
    with writer.kernel.read() as snapshot, stopping, pytest.raises(Refusal, match="cancelled"):
        find_clashes(snapshot, pairs)
    assert next(asked) == 6
