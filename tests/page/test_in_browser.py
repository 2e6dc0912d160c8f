"""The page as a person uses it: each view in Debian's Chromium, against a real server."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.page.playing import HERE, REASON, SLOW, Browser
from tests.server.raw import MEMOTHECA
from tests.server.sockets import free_port
from tests.server.test_http import HttpServer
from tests.server.test_tokens import token

TOLD = "".join((HERE / f"{name}.mjs").read_text("utf-8") for name in ("graph_scenarios", "scenarios"))
SCENARIOS = re.findall(r"^  async (\w+)\(", TOLD, re.MULTILINE)

WHOLE = (
    *("remembering", "doing_well", "looks", "mending_notes", "collections", "another_process", "deciding"),
    *("hostility_everywhere", "causes_and_effects"),
)
# Those for which a server is treated in a manner of its own.
APART = ("entering", "looks_of_the_door", "huge_note", "reading_alone", "revoking", "restarting", "proposals")


pytestmark = [pytest.mark.skipif(REASON is not None, reason=REASON or ""), SLOW]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    """A server with everything: all toolsets, and a vault beside its data."""
    folder = tmp_path_factory.mktemp("whole")
    vault = folder / "vault"
    vault.mkdir()
    for name, text in (("tea", "# Tea\n\n[[nowhere]] and [[milk]]\n"), ("milk", "# Milk\n"), ("alone", "# Alone\n")):
        (vault / f"{name}.md").write_text(text)
    options = ("--toolsets", "all", "--vault", str(vault), "--collections", "work")
    server = HttpServer(folder / "data", *options, errors=subprocess.DEVNULL)
    yield server
    server.close()


@pytest.mark.parametrize("scenario", WHOLE)
def test_a_person_of_a_server_with_everything(scenario: str, browser: Browser, whole: HttpServer) -> None:
    given = {"vault": str(whole.data.parent / "vault"), "data": str(whole.data), "command": MEMOTHECA}
    hostile = whole.data.parent / "hostile"
    hostile.mkdir(exist_ok=True)
    played = browser.play(scenario, base=f"http://127.0.0.1:{whole.port}", hostile=str(hostile), **given)
    assert played["ok"], played["error"]


@pytest.mark.parametrize("scenario", [name for name in SCENARIOS if name not in (*WHOLE, *APART)])
def test_a_person(scenario: str, browser: Browser, server: HttpServer) -> None:
    played = browser.play(scenario, base=f"http://127.0.0.1:{server.port}")
    assert played["ok"], played["error"]


def test_a_person_logs_in_and_the_page_keeps_no_token(browser: Browser, tmp_path: Path) -> None:
    secret = token(tmp_path / "data", "add", "ada", "--role", "write")["token"]
    closed = HttpServer(tmp_path / "data", errors=subprocess.DEVNULL)
    try:
        looked = browser.play("looks_of_the_door", base=f"http://127.0.0.1:{closed.port}")
        played = browser.play("entering", base=f"http://127.0.0.1:{closed.port}", token=secret)
    finally:
        closed.close()
    assert looked["ok"], looked["error"]
    assert played["ok"], played["error"]


def test_who_may_only_read_is_offered_nothing_else(browser: Browser, tmp_path: Path) -> None:
    data = tmp_path / "data"
    writing = HttpServer(data, errors=subprocess.DEVNULL)
    for name, given in (
        ("store", {"topic": "kept", "content": "It stays."}),
        ("relate", {"subject": "Ada", "predicate": "works_at", "object": "Here"}),
        ("relate", {"subject": "Ada", "predicate": "works_at", "object": "There"}),
    ):
        params = {"name": name, "arguments": given}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        assert writing.post(message, Accept="application/json")[0] == 200
    writing.close()
    reading = HttpServer(data, "--read-only", errors=subprocess.DEVNULL)
    try:
        played = browser.play("reading_alone", base=f"http://127.0.0.1:{reading.port}")
    finally:
        reading.close()
    assert played["ok"], played["error"]


def test_a_note_of_ten_megabytes_is_looked_at_as_far_as_it_is_shown(browser: Browser, tmp_path: Path) -> None:
    data, vault = tmp_path / "data", tmp_path / "vault"
    vault.mkdir()
    HttpServer(data, errors=subprocess.DEVNULL).close()
    # Vectors of so long a text take minutes and say nothing about the page.
    subprocess.run([*MEMOTHECA, "reindex", "--embedder", "none", "--data", str(data)], check=True, capture_output=True)
    server = HttpServer(data, "--vault", str(vault), errors=subprocess.DEVNULL)
    try:
        played = browser.play("huge_note", base=f"http://127.0.0.1:{server.port}", vault=str(vault))
    finally:
        server.close()
    assert played["ok"], played["error"]


def test_whose_token_is_revoked_sees_nothing_more(browser: Browser, tmp_path: Path) -> None:
    data = tmp_path / "data"
    secret = token(data, "add", "ada", "--role", "write")["token"]
    closed = HttpServer(data, errors=subprocess.DEVNULL)
    try:
        revoke = [*MEMOTHECA, "token", "revoke", "ada", "--data", str(data)]
        played = browser.play("revoking", base=f"http://127.0.0.1:{closed.port}", token=secret, revoke=revoke)
    finally:
        closed.close()
    assert played["ok"], played["error"]


def test_a_server_that_is_killed_and_comes_back_is_followed_again(browser: Browser, tmp_path: Path) -> None:
    port = str(free_port())
    serve = [*MEMOTHECA, "serve", "--transport", "http", "--port", port, "--json", "--data", str(tmp_path / "data")]
    played = browser.play("restarting", serve=serve)
    assert played["ok"], played["error"]


def test_what_a_conversation_proposes_is_decided_on_the_page(browser: Browser, tmp_path: Path) -> None:
    texts = ("Remember that Ada's badge number is 4711.", "From now on, answer me in German.")
    said = [
        {"type": "user", "uuid": f"m{n}", "sessionId": "s", "message": {"role": "user", "content": text}}
        for n, text in enumerate(texts)
    ]
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, said)))
    server = HttpServer(tmp_path / "data", errors=subprocess.DEVNULL)
    bring = [*MEMOTHECA, "import", str(tmp_path / "s.jsonl"), "--data", str(tmp_path / "data")]
    try:
        played = browser.play("proposals", base=f"http://127.0.0.1:{server.port}", bring=bring)
    finally:
        server.close()
    assert played["ok"], played["error"]
