"""A call that is cancelled in the middle of its work ends there, and nothing of it is kept."""

from collections.abc import Iterator
from itertools import count
from threading import Event, Thread
from typing import Any

import pytest

from pinakes.app import find_tools
from pinakes.engine.history import newest_tx
from pinakes.toolkit.tool import Call, Tool
from tests.conftest import Writer

TOOLS = [tool for tool, _, _ in find_tools()[1]]
PATIENCE = 60.0


@pytest.fixture
def served(writer: Writer) -> Iterator[Writer]:
    yield writer
    if writer.kernel.bench is not None:
        writer.kernel.bench.sandbox.close()


def reply_of(writer: Writer, name: str, cancelled: Any, **arguments: Any) -> Any:
    return writer.app.dispatcher.run(name, arguments, Call(kernel=writer.kernel, actor="x", cancelled=cancelled))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("create_node", {"title": "Long", "content": "[" * 1_000_000}),
        ("store", {"topic": "long", "content": "word [[a " * 10_000}),
        ("query", {"content": " ".join(f"word{n}" for n in range(400))}),
        ("search", {"query": " ".join(f"word{n}" for n in range(400))}),
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
