"""Clients of others before a server that asks who calls: the Inspector and both SDKs, with a token of ours and by OAuth
from nothing but the address (the Python SDK's login is in test_oauth.py)."""

import json
import re
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from memotheca.admin.access_tokens import AccessToken, add_token
from memotheca.admin.token_shelves import FileShelf
from memotheca.model.clock import system_clock
from tests.patience import PATIENCE
from tests.server.conftest import CLIENTS, clean_environment
from tests.server.provider import Provider
from tests.server.sockets import free_port
from tests.server.test_http import HttpServer
from tests.server.test_inspector import INSPECTOR

pytestmark = pytest.mark.xdist_group("inspector")


@pytest.fixture
def provider() -> Iterator[Provider]:
    provider = Provider()
    yield provider
    provider.close()


@pytest.fixture
def server(tmp_path: Path, provider: Provider) -> Iterator[HttpServer]:
    port = free_port()
    options = ("--port", str(port), "--oauth-issuer", provider.issuer)
    server = HttpServer(tmp_path / "data", *options, "--oauth-resource", f"http://127.0.0.1:{port}")
    yield server
    server.close()


@pytest.fixture
def token(server: HttpServer) -> str:
    return add_token(FileShelf(server.data), AccessToken(name="ada", role="write"), clock=system_clock)


def authors(server: HttpServer, secret: str) -> set[str]:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "history", "arguments": {}}}
    _, answer = server.post(asked, Authorization=f"Bearer {secret}")
    return {item["actor"] for item in json.loads(answer)["result"]["structuredContent"]["items"]}


def test_the_python_sdk_works_with_a_token(server: HttpServer, token: str) -> None:
    async def use() -> Any:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http,
            Client(streamable_http_client(server.endpoint, http_client=http)) as client,
        ):
            await client.call_tool("store", {"topic": "tea", "content": "Ada takes it black."})
            return await client.call_tool("query", {"topic": "tea"})

    assert "black" in json.dumps(anyio.run(use).structured_content)
    assert authors(server, token) == {"ada"}


@pytest.mark.parametrize("way", ["token", "oauth"])
def test_the_typescript_sdk_works_with_a_token_and_by_oauth(
    server: HttpServer, token: str, run_node: Any, way: str
) -> None:
    words = [way, server.endpoint, token] if way == "token" else [way, server.endpoint]
    run = run_node("authorized.mjs", *words)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["items"][0]["content"] == "Ada takes it black."
    assert authors(server, token) == {"ada" if way == "token" else "oauth:ada"}


def inspect(node: str, folder: Path, *words: str) -> tuple[int, dict[str, Any]]:
    """Where it asks for a login, there is somebody who agrees at once."""
    environment = {**clean_environment(folder), "MCP_AUTO_OPEN_ENABLED": "true"}
    command = [node, str(CLIENTS / INSPECTOR), "--cli", "--format", "json", *words]
    with (
        (folder / "answer").open("wb") as answer,
        subprocess.Popen(command, env=environment, stdout=answer, stderr=subprocess.PIPE, text=True) as run,
    ):
        assert run.stderr is not None
        for line in run.stderr:
            if found := re.search(r"Please navigate to: (\S+)", line):
                urllib.request.urlopen(found[1]).close()
        code = run.wait(PATIENCE)
    return code, json.loads((folder / "answer").read_text() or "{}").get("result", {})


@pytest.mark.parametrize("way", ["token", "oauth"])
def test_the_inspector_works_with_a_token_and_by_oauth(
    server: HttpServer, token: str, node: str, tmp_path: Path, way: str
) -> None:
    shown = ["--header", f"Authorization: Bearer {token}"]
    if way == "oauth":
        shown = ["--callback-url", f"http://127.0.0.1:{free_port()}/oauth/callback"]
    sent = json.dumps({"topic": "tea", "content": "Ada takes it black."})
    call = ["--method", "tools/call", "--tool-name", "store", "--tool-args-json", sent]
    code, result = inspect(node, tmp_path, *shown, *call, "--server-url", server.endpoint)
    assert code == 0
    assert result["structuredContent"]["topic"] == "tea"
    assert authors(server, token) == {"ada" if way == "token" else "oauth:ada"}


def test_the_inspector_is_told_that_a_token_is_not_known(server: HttpServer, node: str, tmp_path: Path) -> None:
    words = ["--header", "Authorization: Bearer mt_of_somebody_else", "--stored-auth-only", "--method", "tools/list"]
    code, result = inspect(node, tmp_path, *words, "--server-url", server.endpoint)
    assert code != 0
    assert result == {}
