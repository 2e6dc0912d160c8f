"""The memories family over a real stdio server: its tools are listed, called, and keep a session of their own."""

from pathlib import Path

from tests.server.raw import RawServer


def test_a_session_over_stdio_stores_finds_and_forgets(tmp_path: Path) -> None:
    server = RawServer(tmp_path / "data", "--toolsets", "memories").begin()
    try:
        listed = {tool["name"] for tool in server.request("tools/list", {})["result"]["tools"]}
        assert {"store_memory", "search_graph"} <= listed
        said = {"content": "Ada takes her tea black.", "rationale": "She told us at lunch."}
        stored = server.request("tools/call", {"name": "store_memory", "arguments": said})["result"]
        assert stored["isError"] is False
        node = stored["structuredContent"]["node_id"]
        asked = {"name": "search_graph", "arguments": {"query": "how does Ada drink her tea?"}}
        found = server.request("tools/call", asked)["result"]["structuredContent"]
        assert [each["id"] for each in found["results"]] == [node]
        assert found["pulse"]["entropy"] != 0.5
        refused = server.request("tools/call", {"name": "store_memory", "arguments": {"content": "x"}})["result"]
        assert refused["isError"] is True
        assert refused["structuredContent"]["error"]["code"] == -32009
    finally:
        server.close()
