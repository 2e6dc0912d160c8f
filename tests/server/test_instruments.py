"""A session in which each instrument is used for what it is for, by a real client, over each transport."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from memotheca.tools import SELECTIONS
from tests.server.conftest import OVER_HTTP, Serve
from tests.server.instrument_steps import STEPS, play

pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")]

WAYS = ("stdio", "http", "sse")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=WAYS)
async def client(
    request: pytest.FixtureRequest, memotheca: str, serve: Serve, tmp_path: Path
) -> AsyncGenerator[Client]:
    command = [memotheca, "serve", "--data", str(tmp_path / "data"), "--toolsets", "memories"]
    if request.param == "stdio":
        parameters = StdioServerParameters(command=command[0], args=command[1:])
        with (tmp_path / "stderr").open("w") as log:
            async with Client(stdio_client(parameters, errlog=log)) as connected:
                yield connected
        return
    with serve([*command, *OVER_HTTP], tmp_path) as endpoint:
        if request.param == "http":
            transport: Any = streamable_http_client(endpoint)
            mode = "auto"
        else:
            transport, mode = sse_client(endpoint.removesuffix("/mcp") + "/sse"), "legacy"
        async with Client(transport, mode=mode) as connected:
            yield connected


async def test_every_instrument_is_of_use_in_one_session(client: Client) -> None:
    async def ask(name: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        result = await client.call_tool(name, arguments)
        assert not result.is_error, (name, result.structured_content)
        assert result.structured_content is not None
        return result.content[0].text, result.structured_content  # pyright: ignore

    answers = {step.tool: (text, structured) for step, _, text, structured in await play(ask)}
    assert len(answers) == len({step.tool for step in STEPS})
    assert answers["get_steering_feedback"][1]["preflight"]["updates"]
    assert answers["omni_infer"][1]["results"]
    assert answers["get_learner_state"][1]["prediction_count"] > 0
    assert answers["auto_bootstrap_north_star"][1]["status"] == "bootstrapped"
    assert answers["get_workspace_status"][1]["active_memory"]["name"].startswith("INC-107")
    assert "INC-107" in answers["inject_context"][0]
    assert answers["trigger_dream"][1]["report"]["completed"]
    assert answers["get_dream_status"][1]["completed_cycles"] >= 1
    assert answers["trigger_consolidation"][1]["reversal_hash"]
    assert answers["get_health_status"][1]["overall_status"] == "healthy"


def test_every_instrument_is_played() -> None:
    instruments = {name for each in SELECTIONS if each.name != "memory" for name in each.members}
    assert instruments - {"execute_prune"} <= {step.tool for step in STEPS}
