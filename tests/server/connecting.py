"""Clients of the Python SDK for any transport and era, able to answer as much as a test wants."""

import json
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.patience import PATIENCE

LEGACY, MODERN = "legacy", "auto"
WAYS = [(transport, era) for transport in ("stdio", "http") for era in (LEGACY, MODERN)]


@asynccontextmanager
async def connected(
    target: str | list[str], era: str, errors: Path, *, hooks: Any = None, **callbacks: Any
) -> AsyncGenerator[Client]:
    """A client of an endpoint, or of a server that it starts itself."""
    async with AsyncExitStack() as stack:
        if isinstance(target, str):
            http = await stack.enter_async_context(httpx2.AsyncClient(timeout=PATIENCE, event_hooks=hooks))
            transport: Any = streamable_http_client(target, http_client=http)
        else:
            log = stack.enter_context(errors.open("w"))
            transport = stdio_client(StdioServerParameters(command=target[0], args=target[1:]), errlog=log)
        yield await stack.enter_async_context(Client(transport, mode=era, **callbacks))


def words_of(result: types.CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return block.text


def told(result: types.CallToolResult) -> Any:
    """The JSON of a result's only text."""
    return json.loads(words_of(result))
