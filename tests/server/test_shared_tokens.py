"""Tokens that machines share: what is made or revoked on one holds on all, without a restart."""

import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memotheca.admin.access_tokens import AccessToken, KnownTokens, add_token, read_tokens, revoke_token
from memotheca.admin.token_shelves import FileShelf, SharedShelf
from memotheca.cli.main import main
from memotheca.model.clock import system_clock
from memotheca.model.errors import Refusal
from memotheca.server.access import followed_tokens
from memotheca.server.access.followed_tokens import FollowedShelf
from memotheca.storage.store import Store
from tests.server.raw import INITIALIZE, MEMOTHECA
from tests.server.sockets import ask, spell
from tests.server.test_http import HttpServer
from tests.storage.postgres_server import needs_postgres, open_on_postgres, shared_server

pytestmark = needs_postgres
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    yield shared_server().for_data(tmp_path)
    shared_server().clear(tmp_path)


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    store = open_on_postgres(address)
    yield store
    store.close()


def token(data: Path, address: str, *words: str) -> Any:
    command = [*MEMOTHECA, "token", *words, "--data", str(data), "--database", address, "--json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def status(server: HttpServer, secret: str) -> int:
    return ask(server.port, spell("POST", "/mcp", PING, Authorization=f"Bearer {secret}"))[0]


def until(is_so: Callable[[], bool]) -> None:
    """Servers learn of it within a second, on a machine that is idle."""
    for _ in range(600):
        if is_so():
            return
        threading.Event().wait(0.05)
    raise AssertionError("it never came to be so")


def test_a_token_that_is_revoked_on_one_machine_is_worth_nothing_on_any(tmp_path: Path, address: str) -> None:
    websockets = pytest.importorskip("websockets.sync.client")
    first = token(tmp_path / "one", address, "add", "ada")["token"]
    environment = {**os.environ, "MEMOTHECA_DATABASE": address}
    servers = [HttpServer(tmp_path / name, environment=environment) for name in ("one", "two", "three")]
    try:
        assert [status(server, first) for server in servers] == [200] * 3
        assert [status(server, "mt_wrong") for server in servers] == [401] * 3
        assert not list(tmp_path.glob("*/tokens.json"))
        second = token(tmp_path / "elsewhere", address, "add", "bo", "--role", "read")["token"]
        until(lambda: [status(server, second) for server in servers] == [200] * 3)
        assert {each["name"] for each in token(tmp_path / "two", address, "list")} == {"ada", "bo"}
        with websockets.connect(
            f"ws://127.0.0.1:{servers[2].port}/mcp",
            subprotocols=["mcp"],
            additional_headers={"Authorization": f"Bearer {first}"},
        ) as socket:
            socket.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}))
            assert "result" in json.loads(socket.recv(20))
            token(tmp_path / "two", address, "revoke", "ada")
            until(lambda: [status(server, first) for server in servers] == [401] * 3)
            socket.send('{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}')
            assert "revoked" in json.loads(socket.recv(20))["error"]["message"]
        assert [status(server, second) for server in servers] == [200] * 3
    finally:
        for server in servers:
            server.close()


def test_where_the_last_token_was_revoked_nobody_is_let_in(tmp_path: Path, address: str) -> None:
    token(tmp_path, address, "add", "ada")
    token(tmp_path, address, "revoke", "ada")
    server = HttpServer(tmp_path, environment={**os.environ, "MEMOTHECA_DATABASE": address})
    try:
        assert ask(server.port, spell("POST", "/mcp", PING))[0] == 401
    finally:
        server.close()


def test_tokens_that_many_make_at_once_are_all_kept(store: Store, address: str) -> None:
    stores = [open_on_postgres(address) for _ in range(4)]

    def make(number: int) -> None:
        for turn in range(5):
            add_token(
                SharedShelf(stores[number]), AccessToken(name=f"{number} {turn}", role="read"), clock=system_clock
            )
        revoke_token(SharedShelf(stores[number]), f"{number} 0")

    threads = [threading.Thread(target=make, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for each in stores:
        each.close()
    wanted = sorted(f"{number} {turn}" for number in range(4) for turn in range(1, 5))
    assert sorted(each.name for each in read_tokens(SharedShelf(store))) == wanted


def test_only_digests_are_in_the_database(store: Store) -> None:
    secret = add_token(SharedShelf(store), AccessToken(name="ada", role="write"), clock=system_clock)
    with store.database.read() as session:
        kept = session.rows("SELECT content FROM shared_text")[0][0]
    assert "ada" in kept
    assert secret not in kept


def test_a_file_of_tokens_that_is_not_read_is_not_passed_over(tmp_path: Path, address: str) -> None:
    add_token(FileShelf(tmp_path), AccessToken(name="ada", role="write"), clock=system_clock)
    command = [*MEMOTHECA, "serve", "--transport", "http", "--port", "0", "--data", str(tmp_path)]
    refused = subprocess.run([*command, "--database", address], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "tokens are kept in the database" in " ".join(refused.stderr.split())


def test_tokens_move_with_the_data_and_replace_those_that_are_there(
    tmp_path: Path, address: str, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    here, back = tmp_path / "here", tmp_path / "back"
    assert main(["call", "store", "topic=tea", "content=Green.", "--data", str(here)]) == 0
    secret = add_token(FileShelf(here), AccessToken(name="ada", role="write"), clock=system_clock)
    assert main(["migrate", "--data", str(here), "--to", address]) == 0
    assert [each.name for each in read_tokens(SharedShelf(store))] == ["ada"]
    revoke_token(SharedShelf(store), "ada")
    store.close()
    back.mkdir()
    (back / "tokens.json").write_text((here / "tokens.json").read_text())
    assert main(["migrate", "--data", str(here), "--database", address, "--to", str(back)]) == 0
    assert KnownTokens(FileShelf(back)).find(secret) is None
    capsys.readouterr()


def test_who_cannot_read_the_tokens_any_more_soon_lets_nobody_in(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = add_token(SharedShelf(store), AccessToken(name="ada", role="write"), clock=system_clock)
    tokens = KnownTokens(FollowedShelf(SharedShelf(store)))
    assert tokens.find(secret) is not None
    monkeypatch.setattr(followed_tokens, "STALE", -1.0)
    with pytest.raises(Refusal, match="cannot be read"):
        tokens.find(secret)
