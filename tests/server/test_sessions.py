"""Sessions: what each kind of connection calls its own, seen by the mood that rides on every reply."""

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client

from memotheca.server.sessions import LONGEST, NAMED
from tests.server.connecting import LEGACY, MODERN, connected

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("sessions")]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


async def remember(client: Client, meta: Any = None) -> float:
    """Store something; how much the session has learned by it."""
    fact = {"content": "Deploys fail while the nightly job holds the lock.", "rationale": "Seen on Tuesday."}
    return _learned(await client.call_tool("store_memory", fact, meta=meta))


async def learned(client: Client, meta: Any = None) -> float:
    return _learned(await client.call_tool("search_graph", {"query": "deploys"}, meta=meta))


def _learned(result: Any) -> float:
    assert not result.is_error, result.structured_content
    return result.structured_content["pulse"]["learning_score"]


@pytest.fixture
async def open_client(stdio_command: list[str], http_server: str, tmp_path: Path) -> Any:
    async with AsyncExitStack() as stack:

        async def open(transport: str, era: str, **options: Any) -> Client:
            target = http_server if transport == "http" else stdio_command
            return await stack.enter_async_context(connected(target, era, tmp_path / "errors", **options))

        yield open


@pytest.fixture
def stdio_command(memotheca: str, tmp_path: Path) -> list[str]:
    return [memotheca, "serve", "--data", str(tmp_path / "data"), "--toolsets", "all"]


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_connection_is_a_session_and_no_other_shares_it(open_client, transport):
    one, other = await open_client(transport, LEGACY), await open_client(transport, LEGACY)
    felt = await remember(one)
    assert felt > 0
    assert await learned(one) == felt
    assert await learned(other) == 0.0


async def test_a_stdio_run_is_one_session_in_the_newer_protocol_too(open_client):
    client = await open_client("stdio", MODERN)
    felt = await remember(client)
    assert await learned(client) == felt > 0


async def test_what_a_modern_client_names_is_its_session_on_every_connection(open_client):
    one, other = await open_client("http", MODERN), await open_client("http", MODERN)
    felt = await remember(one, {NAMED: "review-42"})
    assert await learned(other, {NAMED: "review-42"}) == felt > 0
    assert await learned(one, {NAMED: "review-43"}) == 0.0
    assert await learned(one) == 0.0


async def test_a_modern_client_that_names_no_session_is_in_one_with_its_like(open_client):
    one = await open_client("http", MODERN, client_info=types.Implementation(name="red", version="1"))
    like = await open_client("http", MODERN, client_info=types.Implementation(name="red", version="1"))
    other = await open_client("http", MODERN, client_info=types.Implementation(name="blue", version="1"))
    felt = await remember(one)
    assert await learned(one) == await learned(like) == felt > 0
    assert await learned(other) == 0.0


async def test_a_name_of_any_length_is_a_session(open_client):
    client = await open_client("http", MODERN)
    long = "x" * (LONGEST + 1)
    felt = await remember(client, {NAMED: long})
    assert await learned(client, {NAMED: long}) == felt > 0
    assert await learned(client, {NAMED: long + "y"}) == 0.0
