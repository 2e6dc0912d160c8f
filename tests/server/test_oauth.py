"""Tokens of an outside provider: how a client learns where to get one, and which are turned away."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx2
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from memotheca.admin.access_tokens import AccessToken, add_token
from memotheca.admin.token_shelves import FileShelf
from memotheca.model.clock import system_clock
from memotheca.model.errors import Refusal
from memotheca.server.access.oauth_rules import OAuthRules, TokenDenied, read_rules
from memotheca.server.access.provider_keys import FRESH, KEPT, PAUSE, ProviderAway, ProviderKeys
from memotheca.settings import load
from tests.patience import PATIENCE
from tests.server.provider import Provider, SigningKey
from tests.server.sockets import ask, connect, spell
from tests.server.test_http import HttpServer

RESOURCE = "http://localhost:4711"
AUDIENCE = f"{RESOURCE}/mcp"


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    provider = Provider()
    yield provider
    provider.close()


@pytest.fixture(scope="module")
def server(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    options = ("--oauth-issuer", provider.issuer, "--oauth-resource", RESOURCE, "--toolsets", "entries,documents")
    server = HttpServer(tmp_path_factory.mktemp("oauth") / "data", *options)
    yield server
    server.close()


def post(server: HttpServer, token: str, method: str = "ping", path: str = "/mcp", **params: Any) -> Any:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return ask(server.port, spell("POST", path, body, **headers))


def store(server: HttpServer, token: str, topic: str, path: str = "/mcp") -> Any:
    arguments = {"topic": topic, "content": "Something."}
    return post(server, token, "tools/call", path, name="store", arguments=arguments)


def told(server: HttpServer, path: str) -> Any:
    return ask(server.port, spell("GET", path))


def test_who_sends_no_token_is_told_where_to_learn_of_one(server: HttpServer, provider: Provider) -> None:
    status, headers, _ = post(server, "")
    assert status == 401
    challenge = headers["www-authenticate"]
    assert challenge.startswith("Bearer ")
    assert f'resource_metadata="{RESOURCE}/.well-known/oauth-protected-resource/mcp"' in challenge
    assert 'scope="memotheca:read memotheca:write"' in challenge
    status, _, metadata = told(server, "/.well-known/oauth-protected-resource/mcp")
    assert (status, metadata["resource"]) == (200, AUDIENCE)
    assert metadata["authorization_servers"] == [provider.issuer]
    assert metadata["bearer_methods_supported"] == ["header"]
    assert "memotheca:read" in metadata["scopes_supported"]


def test_each_address_has_metadata_of_its_own_and_none_tells_what_is_there(server: HttpServer) -> None:
    assert told(server, "/.well-known/oauth-protected-resource")[2]["resource"] == RESOURCE
    assert told(server, "/.well-known/oauth-protected-resource/c/odes%20and/sse")[2]["resource"] == (
        f"{RESOURCE}/c/odes%20and/sse"
    )
    assert told(server, "/.well-known/oauth-protected-resource/metrics")[0] == 404
    assert told(server, "/.well-known/other")[0] == 401


@pytest.mark.parametrize("number", [0, 1], ids=["RS256", "ES256"])
def test_a_token_of_the_provider_is_accepted_and_names_who_writes(
    server: HttpServer, provider: Provider, number: int
) -> None:
    token = provider.sign(aud=AUDIENCE, key=provider.keys[number])
    status, _, answer = store(server, token, "tea")
    assert status == 200
    assert not answer["result"]["isError"]
    _, _, seen = post(server, token, "tools/call", name="history", arguments={"limit": 1})
    assert seen["result"]["structuredContent"]["items"][0]["actor"] == "oauth:ada"


def now() -> int:
    return int(time.time())


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({"aud": "https://elsewhere.example/mcp"}, "another resource"),
        ({"aud": None}, "not valid"),
        ({"aud": f"{RESOURCE}/c/handbook/mcp"}, "another resource"),
        ({"exp": now() - 60}, "expired"),
        ({"exp": None}, "not valid"),
        ({"nbf": now() + 86_400}, "not valid yet"),
        ({"iss": "https://elsewhere.example"}, "another issuer"),
        ({"iss": None}, "not valid"),
        ({"sub": None}, "not valid"),
    ],
    ids=["aud", "no aud", "aud of a collection", "exp", "no exp", "nbf", "iss", "no iss", "no sub"],
)
def test_a_token_for_others_or_out_of_its_time_is_invalid(
    server: HttpServer, provider: Provider, claims: dict[str, Any], why: str
) -> None:
    said: dict[str, Any] = {"aud": AUDIENCE, **claims}
    status, headers, answer = post(server, provider.sign(**said))
    assert status == 401
    assert 'error="invalid_token"' in headers["www-authenticate"]
    assert "resource_metadata=" in headers["www-authenticate"]
    assert why in answer["message"]


def spelled(header: dict[str, Any], claims: dict[str, Any]) -> str:
    parts = (json.dumps(part).encode() for part in (header, claims))
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)


def forge(provider: Provider, algorithm: str, secret: bytes | None, **header: Any) -> str:
    claims = {"iss": provider.issuer, "sub": "eve", "aud": AUDIENCE, "exp": now() + 600, "scope": "memotheca:admin"}
    begun = spelled({"alg": algorithm, "kid": "first", **header}, claims)
    digest = b"" if secret is None else hmac.new(secret, begun.encode(), hashlib.sha256).digest()
    return f"{begun}.{base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def test_a_forged_token_is_invalid(server: HttpServer, provider: Provider) -> None:
    public = provider.keys[0].private.public_key()
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    own = SigningKey("first")
    good = provider.sign(aud=AUDIENCE, scope="memotheca:read")
    head, body, mark = good.split(".")
    raised = spelled({}, {"iss": provider.issuer, "sub": "ada", "aud": AUDIENCE, "exp": now() + 600}).split(".")[1]
    forged = {
        "no signature": forge(provider, "none", None),
        "no signature, spelled otherwise": forge(provider, "NoNe", None),
        "the public key as a secret": forge(provider, "HS256", pem),
        "a key of one's own by a known name": provider.sign(key=own, aud=AUDIENCE),
        "a key of one's own in the header": provider.sign(
            key=own, aud=AUDIENCE, headers={"jwk": own.publish(), "jku": f"{provider.issuer}/evil"}
        ),
        "the name of a key of another kind": provider.sign(aud=AUDIENCE, headers={"kid": "curve"}),
        "a name that is none": forge(provider, "RS256", b"x", kid=["first"]),
        "a name that is a path": provider.sign(aud=AUDIENCE, headers={"kid": "../../etc/passwd"}),
        "an algorithm that is a list": forge(provider, "RS256", b"x", alg=["RS256"]),
        "other claims": ".".join((head, raised, mark)),
        "a signature cut off": f"{head}.{body}.",
        "a token for another purpose": provider.sign(aud=AUDIENCE, headers={"typ": "logout+jwt"}),
        "an unknown demand": provider.sign(aud=AUDIENCE, headers={"crit": ["exotic"], "exotic": 1}),
        "too long": provider.sign(aud=AUDIENCE, padding="x" * 20_000),
        "no token at all": "a.b.c",
    }
    assert {name: post(server, token)[0] for name, token in forged.items()} == dict.fromkeys(forged, 401)
    assert post(server, good)[0] == 200
    assert "/evil" not in provider.asked


def test_what_is_not_accepted_as_a_header_is_never_asked_for_elsewhere(server: HttpServer, provider: Provider) -> None:
    token = provider.sign(aud=AUDIENCE)
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    assert ask(server.port, spell("POST", f"/mcp?access_token={token}", body))[0] == 401
    assert ask(server.port, spell("POST", "/mcp", body, Authorization=f"Basic {token}"))[0] == 401


def test_a_key_that_is_new_is_fetched_and_one_that_is_withdrawn_ends(provider: Provider, tmp_path: Path) -> None:
    options = ("--oauth-issuer", provider.issuer, "--oauth-resource", RESOURCE)
    server = HttpServer(tmp_path / "data", *options)
    kept = provider.keys
    try:
        assert post(server, provider.sign(aud=AUDIENCE))[0] == 200
        provider.keys = [SigningKey("second")]
        assert post(server, provider.sign(aud=AUDIENCE))[0] == 200
        assert post(server, provider.sign(aud=AUDIENCE, key=kept[0]))[0] == 401
        before = len(provider.asked)
        for number in range(20):
            assert post(server, provider.sign(aud=AUDIENCE, headers={"kid": f"made up {number}"}))[0] == 401
        assert len(provider.asked) - before <= 1
    finally:
        provider.keys = kept
        server.close()


def test_scopes_are_roles_and_less_than_is_needed_is_said_so(server: HttpServer, provider: Provider) -> None:
    status, headers, _ = post(server, provider.sign(aud=AUDIENCE, scope="openid email"))
    assert status == 403
    assert 'error="insufficient_scope"' in headers["www-authenticate"]
    assert 'scope="memotheca:read memotheca:write"' in headers["www-authenticate"]
    reader = provider.sign(aud=AUDIENCE, scope=None, scp=["memotheca:read"])
    listed = {tool["name"] for tool in post(server, reader, "tools/list")[2]["result"]["tools"]}
    assert "query" in listed
    assert "store" not in listed
    status, headers, answer = store(server, reader, "tea")
    assert (status, answer["error"]) == (403, "insufficient_scope")
    assert "memotheca:write" in headers["www-authenticate"]
    status, headers, _ = ask(
        server.port, spell("POST", "/uploads?name=a.txt", b"text", Authorization=f"Bearer {reader}")
    )
    assert status == 403
    assert "memotheca:write" in headers["www-authenticate"]


def test_collections_come_from_a_claim(server: HttpServer, provider: Provider) -> None:
    def token(**claims: Any) -> str:
        return provider.sign(aud=RESOURCE, **claims)

    assert store(server, token(memotheca_collections=["handbook"]), "chapter", "/c/handbook/mcp")[0] == 200
    # Without the claim: the server's own collection alone, and nothing tells that another is there.
    assert post(server, token(), path="/mcp")[0] == 200
    unknown = post(server, token(), path="/c/handbook/mcp")
    assert unknown == post(server, token(), path="/c/nothing/mcp")
    assert unknown[0] == 404
    assert post(server, token(memotheca_collections=["other"]), path="/c/handbook/mcp")[0] == 404
    assert post(server, token(memotheca_collections="*"), path="/c/handbook/mcp")[0] == 200
    assert post(server, token(memotheca_collections=[]), path="/mcp")[0] == 403
    assert post(server, token(memotheca_collections=7), path="/mcp")[0] == 403
    bound = provider.sign(aud=f"{RESOURCE}/c/handbook/mcp", memotheca_collections=["handbook"])
    assert post(server, bound, path="/c/handbook/mcp")[0] == 200


def test_a_session_is_its_own_subjects_alone(server: HttpServer, provider: Provider) -> None:
    with connect(server.port) as client:
        client.sendall(spell("GET", "/sse", Authorization=f"Bearer {provider.sign(aud=AUDIENCE)}"))
        session = client.recv(4096).decode().lower().partition("mcp-session-id: ")[2].partition("\r\n")[0]
        path = f"/messages?session_id={session}"
        theirs = post(server, provider.sign(aud=RESOURCE, sub="eve"), path=path)
        other = post(server, provider.sign(aud=RESOURCE, client_id="another"), path=path)
        own = post(server, provider.sign(aud=RESOURCE), path=path)
    assert (theirs[0], other[0], own[0]) == (404, 404, 202)


def test_a_provider_that_is_away_is_a_reason_to_try_again(provider: Provider, tmp_path: Path) -> None:
    server = HttpServer(tmp_path / "data", "--oauth-issuer", provider.issuer, "--oauth-resource", RESOURCE)
    provider.is_away = True
    try:
        status, headers, answer = post(server, provider.sign(aud=AUDIENCE))
        assert (status, answer["error"]) == (503, "temporarily_unavailable")
        assert headers["retry-after"] == "5"
    finally:
        provider.is_away = False
        server.close()


def test_a_name_of_the_providers_cannot_be_given_to_a_token(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="outside provider"):
        add_token(FileShelf(tmp_path), AccessToken(name="oauth:ada", role="read"), clock=system_clock)


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"oauth-issuer": "http://id.example", "oauth-resource": RESOURCE}, "oauth-issuer"),
        ({"oauth-issuer": "https://id.example"}, "oauth-resource"),
        ({"oauth-issuer": "https://id.example", "oauth-resource": f"{RESOURCE}/mcp"}, "oauth-resource"),
        ({"oauth-issuer": "https://id.example", "oauth-resource": RESOURCE, "oauth-scopes": "a,b"}, "oauth-scopes"),
        ({"oauth-issuer": "https://id.example", "oauth-resource": RESOURCE, "oauth-keys": "ftp://x"}, "oauth-keys"),
    ],
)
def test_settings_that_cannot_work_are_refused(tmp_path: Path, settings: dict[str, str], field: str) -> None:
    with pytest.raises(Refusal, match=field):
        read_rules(load({"data": str(tmp_path), **settings}, {}))


def rules() -> OAuthRules:
    read = read_rules(load({"oauth-issuer": "https://id.example/realm", "oauth-resource": RESOURCE}, {}))
    assert read is not None
    return read


class Answers:
    """A provider without a network, and a clock that is told the time."""

    def __init__(self, published: dict[str, Any]) -> None:
        self.published: dict[str, Any] | None = published
        self.asked: list[str] = []
        self.now = 1000.0

    async def fetch(self, address: str) -> Any:
        self.asked.append(address)
        if self.published is None:
            raise ProviderAway("away")
        if address.endswith("/.well-known/openid-configuration"):
            return {"issuer": "https://id.example/realm", "jwks_uri": "https://id.example/keys"}
        if address == "https://id.example/keys":
            return self.published
        raise ProviderAway("404")


def test_keys_are_kept_fetched_again_and_kept_while_the_provider_is_away() -> None:
    key = SigningKey("first").publish()
    answers = Answers({"keys": [key]})
    keys = ProviderKeys(rules(), fetch=answers.fetch, clock=lambda: answers.now)

    def find(kid: str | None) -> Any:
        return anyio.run(keys.find, kid, "RS256")

    assert find("first") is not None
    assert find(None) is not None
    asked = len(answers.asked)
    assert find("first") is not None
    assert len(answers.asked) == asked
    assert find("unknown") is None
    assert find("another") is None
    assert len(answers.asked) == asked + 1
    answers.now += PAUSE
    assert find("unknown") is None
    assert len(answers.asked) == asked + 2
    answers.published = None
    answers.now += FRESH
    assert find("first") is not None
    answers.now += KEPT
    with pytest.raises(TokenDenied):
        find("first")
    answers.published = {"keys": [key, SigningKey("second").publish()]}
    answers.now += PAUSE
    assert find("second") is not None
    assert find(None) is None


def test_only_public_keys_that_sign_are_taken() -> None:
    good = SigningKey("first").publish()
    answers = Answers(
        {
            "keys": [
                {**good, "kid": "sealing", "use": "enc"},
                {**good, "kid": "other", "alg": "RS512"},
                {**good, "kid": "private", "d": "AQAB"},
                {"kty": "oct", "k": "c2VjcmV0", "kid": "secret"},
                {"kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": "short"},
                {"kty": "EC", "kid": "crooked", "crv": "P-256", "x": "AA", "y": "AA"},
                "no key",
                {**good, "kid": "good"},
            ]
        }
    )
    keys = ProviderKeys(rules(), fetch=answers.fetch, clock=lambda: answers.now)
    names = ("sealing", "other", "private", "secret", "short", "crooked", "good")
    found = {name: anyio.run(keys.find, name, "RS256") is not None for name in names}
    assert [name for name in names if found[name]] == ["good"]


class Memory:
    """Where a client keeps what it was given."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


@pytest.mark.parametrize("door", ["/mcp", "/c/handbook/mcp"])
def test_the_sdks_client_gets_a_token_by_itself(tmp_path: Path, provider: Provider, door: str) -> None:
    """From nothing but the address: 401, metadata, registration, a code with PKCE, and the calls."""
    began = HttpServer(tmp_path / "probe")
    port = began.port
    began.close()
    resource = f"http://127.0.0.1:{port}"
    options = ("--port", str(port), "--oauth-issuer", provider.issuer, "--oauth-resource", resource)
    server = HttpServer(tmp_path / "data", *options)
    provider.claims = {"sub": "ada", "memotheca_collections": ["handbook", "default"]}
    code: list[AuthorizationCodeResult] = []

    async def go(address: str) -> None:
        async with httpx2.AsyncClient() as browser:
            back = (await browser.get(address)).headers["location"]
        given = parse_qs(urlsplit(back).query)
        code.append(AuthorizationCodeResult(code=given["code"][0], state=given["state"][0]))

    async def come_back() -> AuthorizationCodeResult:
        return code.pop()

    async def use() -> Any:
        registration = OAuthClientMetadata(client_name="test", redirect_uris=[AnyUrl("http://127.0.0.1:1/back")])
        auth = OAuthClientProvider(resource + door, registration, Memory(), go, come_back)
        async with (
            httpx2.AsyncClient(auth=auth, timeout=PATIENCE) as http,
            Client(streamable_http_client(resource + door, http_client=http)) as client,
        ):
            await client.call_tool("store", {"topic": "tea", "content": "Ada takes it black."})
            return await client.call_tool("query", {"topic": "tea"})

    try:
        assert "black" in json.dumps(anyio.run(use).structured_content)
    finally:
        provider.claims = {"sub": "ada"}
        server.close()
