"""A call that is answered goes before what is calculated for later; one that waits for such work does not."""

import anyio
import pytest
from mcp import Client

from memotheca import settings
from memotheca.app import build
from memotheca.kernel.precedence import Precedence
from memotheca.server.adapter import Adapter
from memotheca.toolkit.dispatch import Dispatcher

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


@pytest.fixture
def app(tmp_path):
    app = build(settings.load({"data": str(tmp_path)}, {}))
    yield app
    app.close()


@pytest.fixture
def precedence(app):
    return app.kernel.keep(Precedence)


@pytest.fixture
def seen(precedence, monkeypatch):
    """For every call that is carried out, whether others give way to it."""
    seen: list[bool] = []
    run = Dispatcher.run

    def watched(self, *given):
        seen.append(precedence.is_answering)
        return run(self, *given)

    monkeypatch.setattr(Dispatcher, "run", watched)
    return seen


@pytest.mark.parametrize(
    ("tool", "arguments", "precedes"),
    [
        ("query", {"content": "tea"}, True),
        ("store", {"topic": "tea", "content": "black"}, True),
        ("knowledge-add", {"file_path": "data:text/plain,tea"}, False),
    ],
)
async def test_others_give_way_to_a_call_unless_it_waits_for_them(app, seen, tool, arguments, precedes):
    adapter = Adapter(app)
    with anyio.fail_after(60):
        async with adapter.running(), Client(adapter.server) as client:
            await client.call_tool(tool, arguments)
    assert seen == [precedes]
    assert not app.kernel.keep(Precedence).is_answering
