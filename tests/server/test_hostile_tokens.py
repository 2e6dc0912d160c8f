"""Tokens that somebody made up, or that a provider was led to sign: all are turned away, none is an error of ours."""

import base64
import json
import time
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.hashes import SHA256

from memotheca.server.access.holders import TokenHolder
from memotheca.server.access.oauth_rules import OAuthRules, TokenDenied, read_rules
from memotheca.server.access.provider_tokens import ProviderTokens
from memotheca.settings import load
from tests.server.provider import SigningKey

ISSUER, RESOURCE = "https://id.example", "http://localhost:4711"
AUDIENCE = f"{RESOURCE}/mcp"
FIRST, CURVE = SigningKey("first"), SigningKey("curve", "ES256")
HEADER = {"alg": "RS256", "kid": "first", "typ": "at+jwt"}
DEEP = b"[" * 4000 + b"]" * 4000


def claims(**others: Any) -> dict[str, Any]:
    now = int(time.time())
    said = {"iss": ISSUER, "sub": "ada", "aud": AUDIENCE, "iat": now, "exp": now + 600, "scope": "memotheca:write"}
    return said | others


def packed(part: Any) -> str:
    plain = part if isinstance(part, bytes) else json.dumps(part).encode()
    return base64.urlsafe_b64encode(plain).rstrip(b"=").decode()


def signed(header: Any, said: Any) -> str:
    """Rightly signed by the provider's own key, whatever it says."""
    begun = f"{packed(header)}.{packed(said)}"
    return f"{begun}.{packed(FIRST.private.sign(begun.encode(), padding.PKCS1v15(), SHA256()))}"


def rules() -> OAuthRules:
    read = read_rules(load({"oauth-issuer": ISSUER, "oauth-resource": RESOURCE, "oauth-keys": f"{ISSUER}/keys"}, {}))
    assert read is not None
    return read


class Provider:
    """Publishes two keys, and remembers what else it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.tokens = ProviderTokens(rules(), fetch=self.fetch)

    async def fetch(self, address: str) -> Any:
        self.asked.append(address)
        return {"keys": [FIRST.publish(), CURVE.publish()]}

    def find(self, token: str) -> TokenHolder:
        return anyio.run(self.tokens.find, token, "/mcp")


@pytest.fixture(scope="module")
def provider() -> Provider:
    return Provider()


HEADERS: dict[str, Any] = {
    "an algorithm that is a list": {**HEADER, "alg": ["RS256"]},
    "an algorithm that is an object": {**HEADER, "alg": {}},
    "no algorithm": {"kid": "first"},
    "an algorithm of the same kind": {**HEADER, "alg": "PS256"},
    "a type that is a list": {**HEADER, "typ": []},
    "a name that is a number": {**HEADER, "kid": 1},
    "a name that is nothing": {**HEADER, "kid": None},
    "a name with another after it": {**HEADER, "kid": "first\0"},
    "a name that is half a letter": {**HEADER, "kid": "\ud800"},
    "a body that is apart": {**HEADER, "b64": False, "crit": ["b64"]},
    "demands that are no list": {**HEADER, "crit": "x"},
    "a list": [1],
    "a number": 4,
    "nothing": None,
    "lists in lists": b'{"alg":"RS256","kid":"first","a":' + DEEP + b"}",
    "a number without end": b'{"alg":"RS256","kid":"first","a":' + b"9" * 6000 + b"}",
    "no letters": b'{"alg":"RS256","kid":"\xff"}',
    "two algorithms": b'{"alg":"RS256","alg":"none","kid":"first"}',
}


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
def test_a_header_that_is_none_of_a_token_is_turned_away(provider: Provider, header: Any) -> None:
    with pytest.raises(TokenDenied) as denied:
        provider.find(signed(header, claims()))
    assert (denied.value.status, denied.value.code) == (401, "invalid_token")


def written(said: dict[str, Any], more: bytes) -> bytes:
    return json.dumps(said).encode()[:-1] + more + b"}"


# Made when they are sent: a token of when the tests were collected is over by then, and turned away for that alone.
CLAIMS: dict[str, Callable[[], Any]] = {
    "an end that is a list": lambda: claims(exp=[1]),
    "an end that is true": lambda: claims(exp=True),
    "an end beyond all numbers": lambda: claims(exp=10**400),
    "an end without end": lambda: claims(exp=float("inf")),
    "an end that is no number": lambda: claims(exp=float("nan")),
    "a beginning that is no number": lambda: claims(nbf=float("nan")),
    "signed in the future": lambda: claims(iat=int(time.time()) + 86_400),
    "an issuer among others": lambda: claims(iss=[ISSUER]),
    "an issuer that is longer": lambda: claims(iss=f"{ISSUER}/"),
    "a resource that is longer": lambda: claims(aud=f"{AUDIENCE}x"),
    "a resource that is shorter": lambda: claims(aud=AUDIENCE[:-1]),
    "a resource in a list in a list": lambda: claims(aud=[[AUDIENCE]]),
    "a resource as a key": lambda: claims(aud={AUDIENCE: 1}),
    "no resource": lambda: claims(aud=[]),
    "a subject that is a number": lambda: claims(sub=1),
    "a subject without letters": lambda: claims(sub=""),
    "a subject of blanks": lambda: claims(sub="   "),
    "a subject of two lines": lambda: claims(sub="ada\nroot"),
    "a subject that reads backwards": lambda: claims(sub="\u202eada"),
    "a subject that is half a letter": lambda: claims(sub="\ud800"),
    "a subject without end": lambda: claims(sub="a" * 500),
    "a list": lambda: [claims()],
    "nothing": lambda: None,
    "two ends, the last of which is over": lambda: written(claims(), b',"exp":1'),
    "two resources, the last of which is another": lambda: written(claims(), b',"aud":"https://elsewhere.example"'),
    "lists in lists": lambda: written(claims(), b',"z":' + DEEP),
    "no letters": lambda: b"\xff\xfe",
}


@pytest.mark.parametrize("said", CLAIMS.values(), ids=CLAIMS)
def test_claims_that_grant_nothing_are_turned_away_though_they_are_signed(
    provider: Provider, said: Callable[[], Any]
) -> None:
    with pytest.raises(TokenDenied) as denied:
        provider.find(signed(HEADER, said()))
    assert (denied.value.status, denied.value.code) == (401, "invalid_token")


SCOPES: dict[str, Callable[[], Any]] = {
    "none": lambda: claims(scope=None),
    "one that begins as ours": lambda: claims(scope="memotheca:writes"),
    "ours in large letters": lambda: claims(scope="MEMOTHECA:WRITE"),
    "ours as a key": lambda: claims(scope={"memotheca:admin": 1}),
    "ours in a list in a list": lambda: claims(scope=[["memotheca:admin"]]),
    "collections in a list in a list": lambda: claims(memotheca_collections=[["*"]]),
    "collections as a key": lambda: claims(memotheca_collections={"*": 1}),
    "collections that are false": lambda: claims(memotheca_collections=False),
}


@pytest.mark.parametrize("said", SCOPES.values(), ids=SCOPES)
def test_what_only_looks_like_a_right_is_none(provider: Provider, said: Callable[[], Any]) -> None:
    with pytest.raises(TokenDenied) as denied:
        provider.find(signed(HEADER, said()))
    assert (denied.value.status, denied.value.code) == (403, "insufficient_scope")


@pytest.mark.parametrize("more", [".x", "\n", "\xe9", ". "])
def test_what_stands_behind_a_token_makes_it_none(provider: Provider, more: str) -> None:
    good = signed(HEADER, claims())
    assert provider.find(good).token.name == "oauth:ada"
    with pytest.raises(TokenDenied):
        provider.find(good + more)


def test_nothing_that_a_token_points_to_is_asked_for() -> None:
    provider = Provider()
    pointed = {"jku": "http://127.0.0.1:9/keys", "x5u": "http://127.0.0.1:9/x", "x5c": ["AAAA"]}
    assert provider.find(signed({**HEADER, **pointed, "jwk": SigningKey("first").publish()}, claims())).token.may_write
    assert provider.asked == [f"{ISSUER}/keys"]


def test_no_subject_and_client_are_taken_for_another_subject_and_client(provider: Provider) -> None:
    one = provider.find(signed(HEADER, claims(sub="ada b", client_id="c")))
    other = provider.find(signed(HEADER, claims(sub="ada", client_id="b c")))
    assert one.owner != other.owner
