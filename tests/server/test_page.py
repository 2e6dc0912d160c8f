"""The page over HTTP: files for everybody, data for who has logged in, and nothing for other pages."""

import gzip
import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from memotheca.server.page_files import POLICY, PageFiles, is_built, is_of_page
from memotheca.server.web import LargeAsTheyAre
from tests.server.test_http import HttpServer
from tests.server.test_tokens import token


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    server = HttpServer(tmp_path_factory.mktemp("page") / "data")
    yield server
    server.close()


@pytest.fixture(scope="module")
def secret(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    data = tmp_path_factory.mktemp("closed") / "data"
    return data, token(data, "add", "ada", "--role", "write")["token"]


@pytest.fixture(scope="module")
def closed(secret: tuple[Path, str]) -> Iterator[HttpServer]:
    server = HttpServer(secret[0])
    yield server
    server.close()


def own(server: HttpServer) -> str:
    return f"http://127.0.0.1:{server.port}"


def log_in(server: HttpServer, secret: str, **headers: str) -> tuple[int, str]:
    """The status, and the cookie as a browser sends it."""
    given = {"Origin": own(server), **headers}
    status, told, _ = server.send("POST", "/login", json.dumps({"token": secret}), **given)
    return status, told.get("set-cookie", "")


def ask(server: HttpServer, name: str = "console_search", **headers: str) -> tuple[int, Any]:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": {}}}
    status, text = server.post(message, Accept="application/json", **headers)
    return status, json.loads(text)


def serve(folder: Path, path: str) -> Response:
    scope = {"type": "http", "method": "GET", "path": path, "headers": [], "query_string": b"", "root_path": ""}
    return anyio.run(PageFiles(folder).serve, Request({**scope, "server": ("127.0.0.1", 80), "scheme": "http"}))


def test_the_page_is_answered_to_a_browser_under_a_policy_that_lets_nothing_else_in(server):
    status, headers, text = server.send("GET", "/", Accept="text/html")
    assert status == 200
    assert headers["content-security-policy"] == POLICY
    assert "unsafe" not in POLICY
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")
    assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in headers
    assert is_built() or "make page" in text


def test_files_with_a_digest_in_their_name_are_kept_and_the_rest_asked_for_again(tmp_path):
    (tmp_path / "index.html").write_text("<p>page")
    (tmp_path / "app-0a1b2c3d4e.js").write_text("1")
    (tmp_path / "secret.txt").write_text("no")
    assert serve(tmp_path, "/").headers["cache-control"] == "no-store"
    script = serve(tmp_path, "/app-0a1b2c3d4e.js")
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "immutable" in script.headers["cache-control"]
    assert serve(tmp_path, "/gone-0a1b2c3d4e.js").status_code == 404


def test_a_collection_has_the_page_below_its_own_address(server):
    for path in ("/c/work/", "/c/a/b/", "/c/caf%C3%A9/"):
        status, headers, _ = server.send("GET", path, Accept="text/html")
        assert (status, headers["content-security-policy"]) == (200, POLICY)
    assert server.send("POST", "/c/nobody/", "{}")[0] == 404
    assert not is_of_page("/c/work/mcp")


@pytest.mark.parametrize(
    "path", ["/../secret.txt", "/assets/../../x.js", "/mcp", "/uploads", "//x.js", "/x.js/..", "/.js"]
)
def test_nothing_but_the_files_of_the_page_is_taken_for_one(path):
    assert not is_of_page(path)


def test_a_checkout_without_a_build_says_the_one_command(tmp_path):
    answer = serve(tmp_path, "/")
    assert answer.status_code == 200
    assert b"make page" in answer.body


def test_the_host_is_checked_for_the_page_too(server):
    assert server.send("GET", "/", Host="evil.example")[0] == 421


def test_a_link_elsewhere_leads_to_the_page_and_to_nothing_else(server):
    followed = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}
    assert server.send("GET", "/", **followed)[0] == 200
    assert server.send("GET", "/mcp", **followed)[0] == 403
    assert server.send("GET", "/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors")[0] == 403


@pytest.mark.parametrize(("length", "encoding"), [(50_000, "gzip"), (1_000_001, "identity")])
def test_nobody_waits_for_the_compression_of_what_is_very_large(length, encoding):
    answered: list[dict[str, Any]] = []
    scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"accept-encoding", b"gzip")]}

    async def receive() -> Any:
        return {"type": "http.request"}

    async def send(message: Any) -> None:
        answered.append(message)

    app = GZipMiddleware(LargeAsTheyAre(PlainTextResponse("x" * length)), minimum_size=1024)
    anyio.run(app, scope, receive, send)
    assert dict(answered[0]["headers"])[b"content-encoding"] == encoding.encode()
    assert (len(answered[1]["body"]) == length) == (encoding == "identity")


def test_long_answers_are_compressed_for_who_takes_that_and_streams_are_not(server):
    request = urllib.request.Request(f"{own(server)}/mcp", method="POST", headers={"Accept-Encoding": "gzip"})
    request.add_header("Content-Type", "application/json")
    request.add_header("Accept", "application/json")
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
    with urllib.request.urlopen(request, body) as answer:
        assert answer.headers["content-encoding"] == "gzip"
        assert json.loads(gzip.decompress(answer.read()))["result"]["tools"]
    status, headers, text = server.send(
        "POST", "/mcp", body.decode(), Accept="text/event-stream", Accept_Encoding="gzip"
    )
    assert (status, headers.get("content-encoding")) == (200, None)
    assert text.startswith("event: message")


def test_where_no_token_is_asked_for_the_page_reads_at_once(server):
    status, answer = ask(server, Origin=own(server))
    assert (status, answer["result"]["structuredContent"]["hits"]) == (200, [])


def test_who_has_logged_in_is_known_by_a_cookie_that_scripts_and_other_sites_do_not_get(closed, secret):
    assert closed.send("GET", "/", Accept="text/html")[0] == 200
    assert ask(closed, Origin=own(closed))[0] == 401
    status, cookie = log_in(closed, secret[1])
    assert status == 204
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert secret[1] not in cookie
    given = cookie.partition(";")[0]
    assert given.partition("=")[0] == f"memotheca-{closed.port}"
    assert ask(closed, Origin=own(closed), Cookie=given)[0] == 200
    assert ask(closed, Sec_Fetch_Site="same-origin", Cookie=given)[0] == 200


def test_a_cookie_that_another_page_has_sent_counts_for_nothing(closed, secret):
    given = log_in(closed, secret[1])[1].partition(";")[0]
    assert ask(closed, Cookie=given)[0] == 401
    assert ask(closed, Cookie=given, Origin=f"http://127.0.0.1:{closed.port + 1}")[0] == 401
    assert ask(closed, Cookie=given, Origin="http://localhost:1")[0] == 401
    assert ask(closed, Cookie=given, Origin="https://evil.example")[0] == 403
    assert ask(closed, Cookie=given, Origin="null")[0] == 403
    assert ask(closed, Cookie=given, Sec_Fetch_Site="same-site")[0] == 401
    assert ask(closed, Cookie=given, Sec_Fetch_Site="cross-site")[0] == 403


def test_another_page_cannot_log_anybody_in_or_out(closed, secret):
    status, cookie = log_in(closed, secret[1], Origin=f"http://127.0.0.1:{closed.port + 1}")
    assert (status, cookie) == (403, "")
    given = log_in(closed, secret[1])[1].partition(";")[0]
    assert closed.send("POST", "/logout", Cookie=given, Origin="http://localhost:1")[0] == 403
    assert ask(closed, Origin=own(closed), Cookie=given)[0] == 200


def test_a_wrong_token_or_another_form_is_refused(closed):
    assert log_in(closed, "mt_wrong") == (401, "")
    for body, headers in (("token=x", {"Content_Type": "text/plain"}), ("[]", {}), ("{", {}), ("x" * 9000, {})):
        assert closed.send("POST", "/login", body, Origin=own(closed), **headers)[0] == 400


def shown_tools(server: HttpServer, extensions: dict[str, Any], **headers: str) -> dict[str, Any]:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "page", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"extensions": extensions},
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    modern = {"Mcp_Protocol_Version": "2026-07-28", "Mcp_Method": "tools/list"}
    status, text = server.post(message, **modern, **headers)
    assert status == 200, text
    return {each["name"]: each for each in json.loads(text)["result"]["tools"]}


def test_whoever_shows_pages_is_shown_their_tools_kept_from_models_and_as_far_as_the_token_goes(server, closed, secret):
    pages = {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}
    assert not [name for name in shown_tools(server, {}) if name.startswith("console_")]
    told = shown_tools(server, pages)
    for name in ("console_history", "console_change", "console_undo"):
        assert told[name]["_meta"]["ui"]["visibility"] == ["app"]
    assert "_meta" not in told["store"]
    reader = token(secret[0], "add", "alan", "--role", "read")["token"]
    told = shown_tools(closed, pages, Authorization=f"Bearer {reader}")
    assert "console_search" in told
    assert not {"console_change", "console_undo", "console_settle", "store"} & told.keys()


def test_who_has_logged_out_or_whose_token_is_revoked_is_unknown(closed, secret):
    data, first = secret
    given = log_in(closed, first)[1].partition(";")[0]
    assert closed.send("POST", "/logout", Origin=own(closed), Cookie=given)[0] == 204
    assert ask(closed, Origin=own(closed), Cookie=given)[0] == 401
    second = token(data, "add", "grace", "--role", "read")["token"]
    given = log_in(closed, second)[1].partition(";")[0]
    assert ask(closed, Origin=own(closed), Cookie=given)[0] == 200
    refused = ask(closed, "console_settle", Origin=own(closed), Cookie=given)[1]["result"]
    assert refused["isError"]
    token(data, "revoke", "grace")
    assert ask(closed, Origin=own(closed), Cookie=given)[0] == 401
