"""An agent's day with its memory, by the SDK's client in both eras, over stdio and over server-sent events."""

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.sse import sse_client

from tests.server.connecting import LEGACY, MODERN, connected

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("agent-session")]

WHY = "The person said so this morning."


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def stdio_command(memotheca: str, tmp_path: Path) -> list[str]:
    return [memotheca, "serve", "--data", str(tmp_path / "data"), "--toolsets", "memories"]


class Mind:
    """An agent that calls its memory."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        result = await self._client.call_tool(name, arguments)
        assert not result.is_error, result.structured_content
        assert result.structured_content is not None
        assert result.structured_content["pulse"]["suggested"]
        return result.structured_content

    async def error(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        result = await self._client.call_tool(name, arguments)
        assert result.is_error
        assert result.structured_content is not None
        return result.structured_content["error"]

    async def names(self, query: str) -> set[str]:
        return {result["name"] for result in (await self.call("search_graph", query=query))["results"]}


@pytest.mark.parametrize("era", [LEGACY, MODERN])
@pytest.mark.parametrize("transport", ["stdio", "sse"])
async def test_an_agent_stores_asks_settles_forgets_and_restores(transport, era, stdio_command, request, tmp_path):
    async with AsyncExitStack() as stack:
        if transport == "sse":
            endpoint = request.getfixturevalue("http_server").removesuffix("/mcp")
            client = await stack.enter_async_context(Client(sse_client(f"{endpoint}/sse"), mode=era))
        else:
            client = await stack.enter_async_context(connected(stdio_command, era, tmp_path / "errors"))
        await live_a_day(Mind(client))


async def live_a_day(mind: Mind) -> None:
    assert await mind.names("migration lock") == set()
    assert (await mind.error("store_memory", content="A fact without a reason."))["code"] == -32009
    lock = await mind.call("store_memory", content="The nightly job takes the lock.", rationale=WHY, name="lock")
    await mind.call(
        "store_memory",
        content="Deploys fail while the lock is taken.",
        rationale=WHY,
        name="deploys",
        link_to=[lock["node_id"]],
    )
    wrong = await mind.call(
        "store_memory", content="The nightly job does not take the lock.", rationale=WHY, name="no lock"
    )
    assert [clash["id"] for clash in wrong["conflicts"]] == [lock["node_id"]]
    assert (await mind.call("critique_context", check_types=["conflicts"]))["count"] == 1
    assert (await mind.call("hydrate_citation", citation_tag=lock["citation"]))["node_id"] == lock["node_id"]
    gone = await mind.call("forget_concept", node_id=wrong["node_id"], reason="obsolete", rationale=WHY)
    assert await mind.names("who takes the lock?") == {"lock", "deploys"}
    assert (await mind.call("search_tombstones"))["count"] == 1
    assert (await mind.error("forget_concept", node_id=wrong["node_id"], reason="obsolete", rationale=WHY))[
        "code"
    ] == -32014
    await mind.call("restore_from_hash", reversal_hash=gone["reversal_hash"])
    assert await mind.names("who takes the lock?") == {"lock", "deploys", "no lock"}
