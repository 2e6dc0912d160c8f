"""Merging asks the client's own model for the summary, in both eras; without one it says so."""

from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest

from tests.patience import PATIENCE
from tests.server.connecting import LEGACY, MODERN, connected

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning"),
]

TEXTS = ("The cache is flushed at two.", "Ada wrote the job that flushes the cache.")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize(("era", "method"), [(LEGACY, "sampling"), (MODERN, "sampling"), (MODERN, "extractive")])
async def test_a_merge_is_summarised_by_whoever_is_there(
    stdio_command: list[str], tmp_path: Path, era: str, method: str
) -> None:
    prompts: list[types.CreateMessageRequestParams] = []

    async def sample(context: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
        prompts.append(params)
        content = types.TextContent(type="text", text="Ada's job flushes the cache at two.")
        return types.CreateMessageResult(role="assistant", content=content, model="tiny")

    callbacks = {"sampling_callback": sample} if method == "sampling" else {}
    command = [*stdio_command, "--toolsets", "memories"]
    async with connected(command, era, tmp_path / "errors", **callbacks) as client:
        with anyio.fail_after(PATIENCE * 4):
            ids: list[str] = []
            for text in TEXTS:
                said = {"content": text, "rationale": "Worth keeping for later."}
                ids.append((await client.call_tool("store_memory", said)).structured_content["node_id"])
            said = {"source_node_ids": ids, "target_name": "Flushing", "rationale": "Both are about one job."}
            done = (await client.call_tool("merge_concepts", said)).structured_content
    assert done["summary_method"] == method
    if method == "sampling":
        assert done["summary_model"] == "tiny"
        assert done["merged_content_preview"].startswith("Ada's job flushes the cache at two.")
        (prompt,) = prompts
        assert TEXTS[0] in str(prompt.messages[0].content)
    else:
        assert all(text in done["merged_content_preview"] for text in TEXTS)
        assert "no model" in done["summary_reason"]
