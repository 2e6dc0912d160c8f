"""Tokens of an outside provider (OAuth 2.1): JSON Web Tokens that are verified here by the provider's published keys,
and who whoever sends one is."""

import json
import time
from collections.abc import Callable
from typing import Any, cast

import jwt
from jwt.exceptions import (
    ExpiredSignatureError,
    ImmatureSignatureError,
    InvalidAudienceError,
    InvalidIssuerError,
    PyJWTError,
)

from memotheca.admin.access_tokens import LONGEST_NAME, OUTSIDE, AccessToken, is_name
from memotheca.server.access.holders import TokenHolder
from memotheca.server.access.oauth_rules import OAuthRules, TokenDenied
from memotheca.server.access.provider_keys import KINDS, Fetch, ProviderKeys, fetch_json

LONGEST = 16 * 1024  # chosen: letters of a token; providers that list groups come to some thousands
LEEWAY = 10  # chosen: seconds by which two machines' clocks may differ
# Specification: RFC 9068 and RFC 7519; anything else is a token for another purpose.
TYPES = ("", "jwt", "at+jwt", "application/at+jwt")
REQUIRED = ("exp", "iss", "aud", "sub")
ANY = "*"

TROUBLES: tuple[tuple[type[PyJWTError], str], ...] = (
    (ExpiredSignatureError, "The token has expired."),
    (ImmatureSignatureError, "The token is not valid yet."),
    (InvalidAudienceError, "The token is for another resource."),
    (InvalidIssuerError, "The token is of another issuer."),
)


class ProviderTokens:
    """Finds out who sends a token of the provider, and whether it is for where it is sent."""

    def __init__(self, rules: OAuthRules, *, fetch: Fetch = fetch_json, clock: Callable[[], float] = time.time) -> None:
        self.rules = rules
        self._keys = ProviderKeys(rules, fetch=fetch)
        self._clock = clock

    async def find(self, secret: str, path: str) -> TokenHolder:
        """Whoever sends this to that path; raises TokenDenied."""
        claims = await self._verify(secret, path)
        token = self._token_of(claims)
        # As a list, so that no subject and client together read as another subject and another client.
        subject = OUTSIDE + json.dumps([claims["sub"], claims.get("client_id", claims.get("azp", ""))])
        ends = _end_of(claims) + LEEWAY
        more = TokenDenied(403, "insufficient_scope", "This token may only read.")
        return TokenHolder(token, lambda: self._clock() < ends, subject, self.rules.challenge(path, more))

    async def _verify(self, secret: str, path: str) -> dict[str, Any]:
        kid, algorithm = _read_header(secret)
        key = await self._keys.find(kid, algorithm)
        if key is None:
            raise _invalid("The token is signed with a key that the provider does not publish.")
        try:
            return jwt.decode(
                secret,
                key,
                algorithms=[algorithm],
                audience=self.rules.audiences_at(path),
                issuer=self.rules.issuer,
                leeway=LEEWAY,
                options={"require": list(REQUIRED)},
            )
        except PyJWTError as error:
            known = (message for kind, message in TROUBLES if isinstance(error, kind))
            raise _invalid(next(known, "The token is not valid.")) from error

    def _token_of(self, claims: dict[str, Any]) -> AccessToken:
        granted = {*_words(claims.get("scope")), *_words(claims.get("scp"))}
        role = self.rules.role_of(granted)
        if role is None:
            message = f"The token has none of the scopes {', '.join(self.rules.scopes)}."
            raise TokenDenied(403, "insufficient_scope", message)
        name = claims.get(self.rules.name_claim) or claims["sub"]
        if not isinstance(name, str) or not is_name(OUTSIDE + name) or not name.strip():
            raise _invalid(f"The claim {self.rules.name_claim} is no name of up to {LONGEST_NAME} letters.")
        return AccessToken(name=OUTSIDE + name, role=role, collections=self._collections_of(claims))

    def _collections_of(self, claims: dict[str, Any]) -> tuple[str, ...]:
        """An empty list is for nothing, while an access token without collections is for all of them."""
        said = claims.get(self.rules.collections_claim)
        if said is None:
            return self.rules.collections
        named = _words(said)
        if ANY in named:
            return ()
        if not named:
            raise TokenDenied(403, "insufficient_scope", "The token is for no collection.")
        return tuple(named)


def _read_header(secret: str) -> tuple[str | None, str]:
    """Which key and which algorithm a token names; what it says of keys beyond their name is never looked at."""
    if len(secret) > LONGEST:
        raise _invalid("The token is too long.")
    try:
        header: dict[str, Any] = jwt.get_unverified_header(secret)
    except (PyJWTError, ValueError) as error:
        raise _invalid("The token is neither one of this server nor a JSON Web Token.") from error
    algorithm, kid, kind = header.get("alg"), header.get("kid"), header.get("typ", "")
    # What somebody made up may be a list, which no table can be asked for.
    if not isinstance(algorithm, str) or algorithm not in KINDS:
        raise _invalid(f"The token is not signed by {' or '.join(KINDS)}.")
    if not isinstance(kind, str) or kind.lower() not in TYPES:
        raise _invalid("The token is of a type that grants no access.")
    return kid, algorithm


def _end_of(claims: dict[str, Any]) -> float:
    try:
        return float(claims["exp"])
    except OverflowError as error:
        raise _invalid("The token ends at no time that there is.") from error


def _words(said: Any) -> list[str]:
    """A claim that is a list, or words with blanks between them."""
    if isinstance(said, str):
        return said.split()
    items = cast(list[Any], said) if isinstance(said, list) else []
    return [each for each in items if isinstance(each, str) and each]


def _invalid(message: str) -> TokenDenied:
    return TokenDenied(401, "invalid_token", message)
