"""The views within a client (MCP Apps): in the sandbox and under the policy of the specification, with the extension's
own host side around them; and what clients that show none are told."""

import json
import shutil
import subprocess
from typing import Any

import pytest

from memotheca.server.page_files import read_app
from tests.page.playing import HERE, REASON, SLOW, TOOLS, Browser
from tests.server.test_http import HttpServer

ROOT = HERE.parents[1]
BUDGET = 150_000  # chosen: what clients take at once
ESBUILD = ROOT / "web" / "node_modules" / "esbuild"
PAGES = {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}

pytestmark = SLOW
needs_app = pytest.mark.skipif(read_app() is None, reason="the page is not built (make page)")
needs_host = pytest.mark.skipif(
    REASON is not None or not ESBUILD.is_dir() or not (TOOLS / "node_modules/@modelcontextprotocol/ext-apps").is_dir(),
    reason=REASON or "the host side of MCP Apps is not installed (make setup-dev)",
)


@needs_host
@pytest.mark.parametrize("scenario", ["within_a_client", "settling_within_a_client"])
def test_a_person_in_a_client(scenario: str, browser: Browser, server: HttpServer) -> None:
    played = browser.play(scenario, base=f"http://127.0.0.1:{server.port}")
    assert played["ok"], played["error"]


@needs_app
def test_the_views_are_one_small_file_that_reaches_nobody() -> None:
    page = read_app()
    assert page is not None
    assert len(page.encode()) <= BUDGET
    for forbidden in ("eval(", "new Function", "Worker(", "fetch(", "XMLHttpRequest", "localStorage", "sessionStorage"):
        assert forbidden not in page
    assert " src=" not in page.partition("<body>")[0]
    assert "Permission is hereby granted" in page


def ask(server: HttpServer, method: str, params: dict[str, Any], extensions: dict[str, Any]) -> dict[str, Any]:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"extensions": extensions},
    }
    name = {"Mcp-Name": params["uri"]} if "uri" in params else {}
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    headers = {"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, **name}
    return json.loads(server.post(message, **headers)[1])


@needs_app
def test_only_a_client_that_shows_views_is_told_of_them(server: HttpServer) -> None:
    uri = "ui://memotheca/graph"
    for extensions in ({}, PAGES):
        told = ask(server, "server/discover", {}, extensions)["result"]["capabilities"].get("extensions", {})
        assert (told.get("io.modelcontextprotocol/ui") is None) == (extensions == {})
        tools = ask(server, "tools/list", {}, extensions)["result"]["tools"]
        shown = {tool["name"]: tool["_meta"]["ui"] for tool in tools if "ui" in tool.get("_meta", {})}
        assert (shown == {}) == (extensions == {})
        read = ask(server, "resources/read", {"uri": uri}, extensions)
        assert ("result" in read) == (extensions == PAGES)
    assert shown["query_graph"] == {"resourceUri": uri, "visibility": ["model", "app"]}
    assert shown["console_history"] == {"visibility": ["app"]}
    (content,) = read["result"]["contents"]
    assert content["mimeType"] == "text/html;profile=mcp-app"
    assert '<meta name="view" content="graph">' in content["text"]
    assert "console_settle" in content["text"].partition('<meta name="tools"')[2].partition(">")[0]
    assert "error" in ask(server, "resources/read", {"uri": "ui://memotheca/nothing"}, PAGES)


@needs_app
def test_the_older_protocol_tells_of_them_in_its_greeting(server: HttpServer) -> None:
    for capabilities in ({}, {"extensions": PAGES}):
        params = {
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": {"name": "c", "version": "1"},
        }
        text = server.post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})[1]
        line = next((line[5:] for line in text.splitlines() if line.startswith(("data:{", "data: {"))), text)
        told = json.loads(line)["result"]["capabilities"].get("extensions", {})
        assert ("io.modelcontextprotocol/ui" in told) == bool(capabilities)


INSPECTOR = TOOLS / "node_modules/.bin/mcp-inspector"


@needs_app
@pytest.mark.skipif(shutil.which("node") is None or not INSPECTOR.exists(), reason="the Inspector is not installed")
def test_the_inspector_finds_the_view_of_a_tool(server: HttpServer) -> None:
    node = TOOLS / "node_modules/.bin/node"
    program = str(node) if node.exists() else "node"
    command = [program, str(INSPECTOR.resolve()), "--cli", server.endpoint]
    command += "--transport http --method tools/call --tool-name query --app-info --advertise-apps".split()
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert "ui://memotheca/search" in done.stdout, done.stdout + done.stderr
