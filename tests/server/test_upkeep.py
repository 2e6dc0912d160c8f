"""What goes wrong between the calls ends no server, and is tried again."""

import anyio
import pytest

from memotheca import settings
from memotheca.app import build
from memotheca.memory.care import prefetch
from memotheca.memory.care.critique import RelatedPairs
from memotheca.memory.session.state import activity_of
from memotheca.server import adapter
from memotheca.server.adapter import Adapter
from tests.patience import PATIENCE


def test_a_server_outlives_an_upkeep_that_fails(tmp_path, monkeypatch, caplog):
    rounds, often = [], anyio.Event()

    def fail(app, stop):
        rounds.append(app)
        if len(rounds) == 3:
            anyio.from_thread.run_sync(often.set)
        raise FileNotFoundError("a segment is gone")

    monkeypatch.setattr(adapter, "look_after", fail)
    monkeypatch.setattr(adapter, "UPKEEP_SECONDS", 0.01)
    app = build(settings.load({"data": str(tmp_path)}, {}))

    async def serve():
        with anyio.fail_after(PATIENCE):
            async with Adapter(app).running():
                await often.wait()

    anyio.run(serve)
    app.kernel.store.close()
    assert "upkeep failed" in caplog.text


@pytest.mark.parametrize("stop", [True, False])
def test_upkeep_that_is_stopped_leaves_off(tmp_path, monkeypatch, stop):
    """Readying what the next call wants goes entry by entry, and no further once the server ends."""
    app = build(settings.load({"data": str(tmp_path), "toolsets": "all"}, {}))
    looked = []
    monkeypatch.setattr(prefetch, "recent_entries", lambda *_: ["one", "two"])
    monkeypatch.setattr(prefetch, "related_pairs", lambda *_: looked.append(1) or RelatedPairs([]))
    monkeypatch.setattr(prefetch, "find_clashes", lambda *_: [])
    activity_of(app.kernel).look(app.kernel.collection, ["one"], 1)
    prefetch.get_ready(app.kernel, lambda: stop)
    app.kernel.store.close()
    assert len(looked) == (0 if stop else 2)
