"""A provider that is silent, slow, broken or hostile: nobody waits long for it, and who does not need it not at all."""

import contextlib
import gzip
import json
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from memotheca.admin.access_tokens import AccessToken, add_token
from memotheca.admin.token_shelves import FileShelf
from memotheca.model.clock import system_clock
from memotheca.server.access import provider_keys
from memotheca.server.access.oauth_rules import OAuthRules, TokenDenied, read_rules
from memotheca.server.access.provider_keys import FRESH, KEPT, LARGEST, PAUSE, ProviderAway, ProviderKeys, fetch_json
from memotheca.settings import load
from tests.patience import PATIENCE
from tests.server.provider import Provider, SigningKey
from tests.server.sockets import ask, connect, read_answer, spell
from tests.server.test_http import HttpServer

ISSUER, RESOURCE = "https://id.example", "http://localhost:4711"
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def rules(**more: str) -> OAuthRules:
    read = read_rules(load({"oauth-issuer": ISSUER, "oauth-resource": RESOURCE, **more}, {}))
    assert read is not None
    return read


class Mouth:
    """Answers whoever asks with the same bytes and closes, or with nothing and holds on."""

    def __init__(self, said: bytes | None) -> None:
        self.said = said
        self.asked = 0
        self.is_asked = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._held: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._held.append(client)
                client.recv(65536)
                self.asked += 1
                self.is_asked.set()
                if self.said is not None:
                    with contextlib.suppress(OSError):
                        client.sendall(self.said)
                    client.close()

    def close(self) -> None:
        self._listener.close()
        for client in self._held:
            client.close()


@pytest.fixture
def mouth() -> Iterator[Callable[[bytes | None], Mouth]]:
    opened: list[Mouth] = []

    def open_one(said: bytes | None) -> Mouth:
        opened.append(Mouth(said))
        return opened[-1]

    yield open_one
    for each in opened:
        each.close()


def answer(status: str, body: bytes = b"", **headers: str) -> bytes:
    shown = {"Content-Type": "application/json", "Content-Length": str(len(body))} | headers
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in shown.items())
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body


DEEP = b"[" * 100_000 + b"]" * 100_000
BAD = {
    "an error": answer("500 Internal Server Error", b"{}"),
    "a way elsewhere": answer("302 Found", Location="http://127.0.0.1:9/keys"),
    "a page": answer("200 OK", b"<html>Log in first</html>"),
    "nothing": answer("200 OK"),
    "more than a set of keys": answer("200 OK", b" " * (LARGEST + 1)),
    "lists in lists": answer("200 OK", DEEP),
    "something packed": answer("200 OK", gzip.compress(b" " * 50_000_000), Content_Encoding="gzip"),
    "no protocol": b"220 mail.example ESMTP\r\n",
    "half an answer": answer("200 OK", b'{"keys"', Content_Length="5000"),
}


@pytest.mark.parametrize("said", BAD.values(), ids=BAD)
def test_what_is_no_set_of_keys_is_a_provider_that_is_away(mouth: Callable[[bytes | None], Mouth], said: bytes) -> None:
    provider = mouth(said)
    keys = ProviderKeys(rules(**{"oauth-keys": f"{provider.address}/keys"}))
    for _ in range(3):
        with pytest.raises(TokenDenied) as denied:
            anyio.run(keys.find, "first", "RS256")
        assert denied.value.status == 503
    assert provider.asked == 1


@pytest.mark.parametrize(
    "told",
    [
        {"issuer": ISSUER, "jwks_uri": 7},
        {"issuer": ISSUER, "jwks_uri": "https://[::1"},
        {"issuer": ISSUER, "jwks_uri": "file:///etc/passwd"},
        {"issuer": ISSUER, "jwks_uri": "http://id.example/keys"},
        {"issuer": "https://elsewhere.example", "jwks_uri": f"{ISSUER}/keys"},
        {"issuer": [ISSUER]},
        [],
        None,
    ],
)
def test_a_provider_that_names_no_address_of_keys_is_away(told: Any) -> None:
    async def fetch(address: str) -> Any:
        if "/.well-known/" in address:
            return told
        return await fetch_json(address)

    with pytest.raises(TokenDenied) as denied:
        anyio.run(ProviderKeys(rules(), fetch=fetch).find, "first", "RS256")
    assert denied.value.status == 503


class Slow:
    """A provider without a network that answers, when it is let."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.asked = 0
        self.is_silent = False
        self.keys = ProviderKeys(rules(**{"oauth-keys": f"{ISSUER}/keys"}), fetch=self.fetch, clock=lambda: self.now)

    async def fetch(self, address: str) -> Any:
        self.asked += 1
        if self.is_silent:
            await anyio.sleep_forever()
        return {"keys": [SigningKey("first").publish()]}


def test_a_silent_provider_is_asked_once_by_all_who_wait_and_then_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider_keys, "PATIENCE", 0.05)
    slow = Slow()
    slow.is_silent = True
    refused: list[int] = []

    async def come() -> None:
        try:
            await slow.keys.find("first", "RS256")
        except TokenDenied as denied:
            refused.append(denied.status)

    async def all_come() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(50):
                group.start_soon(come)

    anyio.run(all_come)
    assert (refused, slow.asked) == ([503] * 50, 1)
    slow.now += PAUSE
    anyio.run(all_come)
    assert (len(refused), slow.asked) == (100, 2)


def test_while_one_waits_for_a_silent_provider_the_others_go_on_with_the_keys_they_have() -> None:
    slow = Slow()

    async def go() -> None:
        assert await slow.keys.find("first", "RS256") is not None
        slow.is_silent = True
        slow.now += FRESH
        with anyio.move_on_after(0.05):  # It has asked, and was not answered.
            await slow.keys.find("first", "RS256")

    async def wait(group: Any, asked: int) -> None:
        group.start_soon(slow.keys.find, "first", "RS256")
        while slow.asked == asked:
            await anyio.lowlevel.checkpoint()

    async def meet() -> None:
        async with anyio.create_task_group() as group:
            await wait(group, slow.asked)
            with anyio.fail_after(PATIENCE):
                for _ in range(100):
                    assert await slow.keys.find("first", "RS256") is not None
            slow.now += KEPT
            group.cancel_scope.cancel()

    monkey = pytest.MonkeyPatch()
    monkey.setattr(provider_keys, "PATIENCE", 0.01)
    anyio.run(go)
    slow.now += PAUSE
    monkey.undo()
    anyio.run(meet)


def test_a_provider_that_moves_its_keys_is_asked_where_they_are() -> None:
    place = {"jwks_uri": f"{ISSUER}/old"}
    now = 1000.0

    async def fetch(address: str) -> Any:
        if address.endswith("/.well-known/oauth-authorization-server"):
            return {"issuer": ISSUER, **place}
        if address == place["jwks_uri"]:
            return {"keys": [SigningKey("first").publish()]}
        raise ProviderAway("404")

    keys = ProviderKeys(rules(), fetch=fetch, clock=lambda: now)
    assert anyio.run(keys.find, "first", "RS256") is not None
    place["jwks_uri"] = f"{ISSUER}/new"
    now += KEPT
    with pytest.raises(TokenDenied):
        anyio.run(keys.find, "first", "RS256")
    now += PAUSE
    assert anyio.run(keys.find, "first", "RS256") is not None


def test_who_needs_no_provider_does_not_wait_for_one_that_is_silent(
    mouth: Callable[[bytes | None], Mouth], tmp_path: Path
) -> None:
    silent, signer = mouth(None), Provider()
    secret = add_token(FileShelf(tmp_path), AccessToken(name="ada", role="write"), clock=system_clock)
    server = HttpServer(tmp_path, "--oauth-issuer", silent.address, "--oauth-resource", RESOURCE)
    token = signer.sign(iss=silent.address, aud=f"{RESOURCE}/mcp")
    waiting: list[socket.socket] = []
    try:
        waiting += [connect(server.port) for _ in range(30)]
        for client in waiting:
            client.sendall(spell("POST", "/mcp", PING, Authorization=f"Bearer {token}"))
        assert silent.is_asked.wait(PATIENCE)
        for _ in range(20):
            assert ask(server.port, spell("POST", "/mcp", PING, Authorization=f"Bearer {secret}"))[0] == 200
        assert ask(server.port, spell("GET", "/health"))[0] == 200
        told = [read_answer(client) for client in waiting]
        assert {(status, json.loads(body)["error"]) for status, _, body in told} == {(503, "temporarily_unavailable")}
    finally:
        for client in waiting:
            client.close()
        server.close()
        signer.close()
