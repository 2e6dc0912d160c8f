"""The MCP Inspector's command line as a client: both transports, both eras, and its lint of our schemas."""

import json
import re
from typing import Any

import pytest

INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
TOOL_IS_ERROR = 5
TOOLS = {"store", "update", "query", "delete", "relate", "query_graph", "undo", "history"}

pytestmark = pytest.mark.xdist_group("inspector")


@pytest.fixture
def target(transport: str, stdio_command: list[str], shared_http_server: str) -> list[str]:
    """The arguments that point the inspector at a server."""
    return ["--", *stdio_command] if transport == "stdio" else ["--server-url", shared_http_server]


@pytest.fixture
def inspect(run_node: Any) -> Any:
    """Run one method in one era and return the exit code, the parsed result and what it said on stderr."""

    def inspect(target: list[str], era: str, method: str, *options: str) -> tuple[int, dict[str, Any], str]:
        asked = ["--cli", "--format", "json", "--protocol-era", era, "--method", method, *options]
        run = run_node(INSPECTOR, *asked, *target)
        return run.returncode, json.loads(run.stdout or "{}").get("result", {}), run.stderr

    return inspect


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_tools_are_listed_without_an_error_in_their_schemas(era: str, target: list[str], inspect: Any) -> None:
    code, result, said = inspect(target, era, "tools/list", "--strict")
    assert code == 0, said
    assert {tool["name"] for tool in result["tools"]} >= TOOLS
    assert all(tool["outputSchema"]["type"] == "object" for tool in result["tools"])
    assert not re.search(r"^Error: tool", said, re.MULTILINE), said


@pytest.mark.parametrize(("transport", "era"), [("stdio", "legacy"), ("http", "modern")])
def test_what_a_tool_stores_is_read_from_the_resource(era: str, target: list[str], inspect: Any) -> None:
    told = json.dumps({"topic": "tea", "content": "Ada takes it black.", "confidence": 0.9})
    code, stored, said = inspect(target, era, "tools/call", "--tool-name", "store", "--tool-args-json", told)
    assert code == 0, said
    sentence, resource = stored["content"]
    entry = stored["structuredContent"]
    assert sentence["text"] == f"Stored {entry['id']} about 'tea' in transaction {entry['tx_id']}."
    assert json.loads(resource["resource"]["text"]) == entry
    assert entry["confidence"] == 0.9

    code, read, said = inspect(target, era, "resources/read", "--uri", "knowledge://entries")
    assert code == 0, said
    page = json.loads(read["contents"][0]["text"])
    assert page["items"][-1] == entry
    assert page["resource_uri"] == "knowledge://entries"
    assert (page["as_of_tx_id"], page["next_cursor"]) == (entry["tx_id"], None)


@pytest.mark.parametrize(("transport", "era"), [("http", "legacy"), ("http", "modern")])
def test_a_refused_call_is_told_from_a_success(era: str, target: list[str], inspect: Any) -> None:
    code, result, _ = inspect(target, era, "tools/call", "--tool-name", "undo", "--tool-args-json", '{"tx_id": 999}')
    assert code == TOOL_IS_ERROR
    assert result["isError"] is True
    assert result["structuredContent"]["error"]["code"] == "not_found"
