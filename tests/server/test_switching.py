"""A person switches toolsets on and off while a server runs, and its clients hear that their tools have changed."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from memotheca.tools import SELECTIONS
from tests.patience import PATIENCE
from tests.server.conftest import OVER_HTTP, Serve
from tests.server.connecting import LEGACY, connected

pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")]

CHANGED = "notifications/tools/list_changed"
# All toolsets of the memory's instruments, and one tool of each.
SETS = {
    "focus": "get_ego_state",
    "health": "get_health_status",
    "dream": "get_dream_status",
    "thresholds": "get_threshold_status",
    "keeping": "get_pruning_candidates",
    "outcomes": "get_learner_state",
    "goals": "get_autonomous_status",
    "purpose": "manage_teleological_profile",
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Heard:
    """The notices that tools have changed, one after the other."""

    def __init__(self) -> None:
        self.notices = asyncio.Queue[str]()

    async def __call__(self, message: Any) -> None:
        if getattr(message, "method", "") == CHANGED:
            await self.notices.put(CHANGED)

    async def change(self) -> None:
        with anyio.fail_after(PATIENCE):
            assert await self.notices.get() == CHANGED


@asynccontextmanager
async def talking(way: str, memotheca: str, serve: Serve, folder: Path) -> AsyncGenerator[tuple[Client, Heard]]:
    command = [memotheca, "serve", "--data", str(folder / "data"), "--toolsets", "memory"]
    heard = Heard()
    if way == "stdio":
        async with connected(command, LEGACY, folder / "stderr", message_handler=heard) as client:
            yield client, heard
        return
    listening = anyio.Event()

    async def notice(response: Any) -> None:
        # Notices come on a stream of their own; what is sent before it is open is lost.
        if response.request.method == "GET" and response.is_success:
            listening.set()

    with serve([*command, *OVER_HTTP], folder) as endpoint:
        hooks = {"response": [notice]}
        async with connected(endpoint, LEGACY, folder / "stderr", hooks=hooks, message_handler=heard) as client:
            with anyio.fail_after(PATIENCE):
                await listening.wait()
            yield client, heard


async def names(client: Client) -> set[str]:
    return {tool.name for tool in (await client.list_tools()).tools}


@pytest.mark.parametrize("way", ["stdio", "http"])
async def test_toolsets_of_the_file_are_shown_and_hidden_while_it_runs(
    way: str, memotheca: str, serve: Serve, tmp_path: Path
) -> None:
    assert set(SETS) == {each.name for each in SELECTIONS} - {"memory"}
    async with talking(way, memotheca, serve, tmp_path) as (client, heard):
        nine = await names(client)
        assert len(nine) == 9
        assert nine.isdisjoint(SETS.values())
        file = tmp_path / "data" / "memotheca.toml"
        file.write_text(f'more-toolsets = "{",".join(SETS)}"\n')
        await heard.change()
        assert await names(client) > nine | set(SETS.values())
        answer = await client.call_tool("get_ego_state", {})
        assert not answer.is_error
        file.write_text('more-toolsets = "dream"\n')
        await heard.change()
        shown = await names(client)
        assert "get_dream_status" in shown
        assert "get_ego_state" not in shown
        file.write_text('more-toolsets = "no such"\n')
        assert (await client.call_tool("get_dream_status", {})).is_error is False
        file.unlink()
        await heard.change()
        assert await names(client) == nine
