"""The public keys of an outside provider: fetched when they are first needed, kept for a while, and fetched again for a
key that is not known yet, but not as often as somebody sends a made-up one."""

import json
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

import anyio
import httpx2
from jwt import PyJWK
from jwt.exceptions import PyJWTError

from memotheca.server.access.oauth_rules import OAuthRules, TokenDenied

log = logging.getLogger(__name__)

FRESH = 300.0  # chosen: seconds for which keys are used without asking again; a key that is withdrawn ends with them
KEPT = 3600.0  # chosen: seconds for which they are used while the provider does not answer
PAUSE = 10.0  # chosen: seconds between two questions that tokens of unknown keys, or a silent provider, cause
PATIENCE = 5.0  # chosen: seconds for all that the provider is asked at once, however slowly it answers
LARGEST = 256 * 1024  # chosen: bytes; a set of keys has a few thousand
SMALLEST_RSA = 2048  # specification: RFC 7518, section 3.3
# Specification: RFC 7518, section 3.1: which kind of key signs by which algorithm; what is not named is not accepted.
KINDS = {"RS256": ("RSA", None), "ES256": ("EC", "P-256")}

Fetch = Callable[[str], Awaitable[Any]]


class ProviderAway(Exception):
    """The provider's keys cannot be had."""


# What comes of a provider that is away, answers nonsense or names an address that is none.
AWAY = (ProviderAway, httpx2.HTTPError, httpx2.InvalidURL, ValueError, OSError, PyJWTError)


@dataclass(frozen=True, slots=True)
class PublishedKey:
    """A key as it was published, and which algorithm it is for."""

    kid: str | None
    algorithm: str
    key: PyJWK


async def fetch_json(address: str) -> Any:
    """What is at an address; redirects are not followed, since they might lead inside, and nothing is unpacked, since
    a little may become very much."""
    asked = {"Accept": "application/json", "Accept-Encoding": "identity"}
    async with (
        httpx2.AsyncClient(timeout=PATIENCE, follow_redirects=False) as client,
        client.stream("GET", address, headers=asked) as answer,
    ):
        if answer.status_code != 200:
            raise ProviderAway(f"{address} answers {answer.status_code}")
        content = bytearray()
        async for piece in answer.aiter_raw():
            content += piece
            if len(content) > LARGEST:
                raise ProviderAway(f"{address} answers more than {LARGEST} bytes")
    try:
        return json.loads(bytes(content))
    except (ValueError, RecursionError):
        raise ProviderAway(f"{address} answers no JSON that can be read") from None


class ProviderKeys:
    """The keys by which tokens of one issuer are verified."""

    def __init__(
        self, rules: OAuthRules, *, fetch: Fetch = fetch_json, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rules = rules
        self._fetch = fetch
        self._clock = clock
        self._address = rules.keys
        self._keys: list[PublishedKey] = []
        self._fetched: float | None = None
        self._asked: float | None = None
        self._is_silent = False
        self._lock = anyio.Lock()

    async def find(self, kid: str | None, algorithm: str) -> PyJWK | None:
        """The key of this name for this algorithm; raises TokenDenied while the provider is away."""
        found = self._match(kid, algorithm)
        if found is not None and self._age() < (KEPT if self._is_being_waited_for() else FRESH):
            return found
        async with self._lock:
            if self._age() >= FRESH or self._match(kid, algorithm) is None:
                await self._refresh()
            if self._age() >= KEPT:
                raise TokenDenied(503, "temporarily_unavailable", "The provider's keys cannot be had; try again.")
            return self._match(kid, algorithm)

    def _is_being_waited_for(self) -> bool:
        """While somebody asks a provider that did not answer the last time, the others go on with what they have."""
        return self._is_silent and self._lock.locked()

    def _age(self) -> float:
        return float("inf") if self._fetched is None else self._clock() - self._fetched

    def _match(self, kid: str | None, algorithm: str) -> PyJWK | None:
        """One key or none: where a token names no key, there must be but one that it can mean."""
        fitting = [each.key for each in self._keys if each.algorithm == algorithm and kid in (None, each.kid)]
        return fitting[0] if len(fitting) == 1 else None

    async def _refresh(self) -> None:
        if self._asked is not None and self._clock() - self._asked < PAUSE:
            return
        is_first = self._fetched is None
        try:
            with anyio.fail_after(PATIENCE):
                self._keys = read_keys(await self._fetch(await self._find_address()))
        except AWAY as error:
            log.warning("the keys of %s cannot be had: %s", self._rules.issuer, error or type(error).__name__)
            # It may have moved them since it was asked where they are.
            self._address = self._rules.keys
            self._is_silent = True
            self._asked = self._clock()
            return
        self._is_silent = False
        self._fetched = self._clock()
        # The first answer was not asked for by an unknown key: one may come right after it.
        self._asked = None if is_first else self._fetched

    async def _find_address(self) -> str:
        """Where the keys are: as it was set, or as the issuer says of itself (RFC 8414, then OpenID Connect)."""
        if self._address:
            return self._address
        trouble = ""
        for address in metadata_addresses(self._rules.issuer):
            try:
                told = cast(dict[str, Any], await self._fetch(address))
            except AWAY as error:
                trouble = str(error)
                continue
            if isinstance(told, dict) and told.get("issuer") == self._rules.issuer and "jwks_uri" in told:
                self._address = _safe_address(str(told["jwks_uri"]), self._rules.issuer)
                return self._address
            trouble = f"{address} is not of the issuer {self._rules.issuer}, or names no keys"
        raise ProviderAway(trouble)


def _safe_address(address: str, issuer: str) -> str:
    """What is learnt by TLS is not asked for without it."""
    if urlsplit(address).scheme != "https" and urlsplit(issuer).scheme == "https":
        raise ProviderAway("jwks_uri is not an address of https")
    return address


def metadata_addresses(issuer: str) -> list[str]:
    parts = urlsplit(issuer)
    origin, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    return [
        f"{origin}/.well-known/oauth-authorization-server{path}",
        f"{origin}{path}/.well-known/openid-configuration",
        f"{origin}/.well-known/openid-configuration{path}",
    ]


def read_keys(published: Any) -> list[PublishedKey]:
    """Those of a published set that sign by an algorithm which is accepted; the others are passed over, also a private
    one, which everybody has seen by now."""
    keys: Any = cast(dict[str, Any], published).get("keys") if isinstance(published, dict) else None
    if not isinstance(keys, list):
        raise ProviderAway("what was published is no set of keys")
    read: list[PublishedKey] = []
    for said in (cast(dict[str, Any], each) for each in cast(list[Any], keys) if isinstance(each, dict)):
        algorithm = _algorithm_of(said)
        if algorithm is None or "d" in said or not isinstance(said.get("kid"), str | None):
            continue
        try:
            key = PyJWK(said, algorithm)
        except PyJWTError as error:
            log.warning("a published key is passed over: %s", type(error).__name__)
            continue
        if algorithm != "RS256" or key.key.key_size >= SMALLEST_RSA:
            read.append(PublishedKey(said.get("kid"), algorithm, key))
    return read


def _algorithm_of(said: dict[str, Any]) -> str | None:
    for algorithm, (kind, curve) in KINDS.items():
        is_kind = said.get("kty") == kind and (curve is None or said.get("crv") == curve)
        if is_kind and said.get("alg", algorithm) == algorithm and said.get("use", "sig") == "sig":
            return algorithm
    return None
