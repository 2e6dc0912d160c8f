"""A person at a real client is asked the memory's own question, in both eras, and no question twice."""

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


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize("era", [LEGACY, MODERN])
async def test_the_person_is_asked_at_once_and_the_answer_comes_back(
    stdio_command: list[str], tmp_path: Any, era: str
) -> None:
    asked: list[str] = []

    async def answer(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"answer": "A catalogue."})

    command = [*stdio_command, "--toolsets", "memories"]
    with anyio.fail_after(4 * PATIENCE):
        async with connected(command, era, tmp_path / "stderr", elicitation_callback=answer) as client:
            replies = [await client.call_tool("epistemic_action", {"force": True}) for _ in range(2)]
    found = [reply.structured_content or {} for reply in replies]
    assert [each["question"] for each in found] == asked
    assert len(set(asked)) == 2
    assert [(each["asked_directly"], each["answer"]) for each in found] == [(True, {"answer": "A catalogue."})] * 2
