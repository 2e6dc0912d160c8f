"""Sessions of the page: who has shown a token once, and is known by a cookie that no script reads."""

import json
import secrets
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from memotheca.model.errors import Refusal
from memotheca.server.access.holders import TokenHolder, TokenHolders
from memotheca.server.ascii_json import JsonReply
from memotheca.text.caches import LruCache

LOGIN, LOGOUT = "/login", "/logout"
COOKIE = "memotheca"
SESSIONS = 1000  # chosen: more browsers than one server has
LETTERS = 32  # chosen: bytes of a session's name, which nobody guesses
LARGEST = 4096  # chosen: bytes of a login; a token is much shorter


def is_same_origin(headers: Mapping[str, str]) -> bool:
    """Whether a browser says that its own page asks: a page of another port of this machine is another's."""
    origin, host = headers.get("origin", ""), headers.get("host", "")
    if origin:
        return origin.partition("://")[2].lower() == host.lower() and bool(host)
    return headers.get("sec-fetch-site") == "same-origin"


class PageSessions:
    """Tokens by the names of sessions; they end with the server, and with the token."""

    def __init__(self, holders: TokenHolders) -> None:
        self._holders = holders
        self._tokens: LruCache[str, str] = LruCache(SESSIONS)

    def find(self, headers: Mapping[str, str]) -> TokenHolder | None:
        """Who asks by a cookie; another site's page, or another port's, has a browser send it in vain."""
        name = _name_in(headers)
        if not name or not is_same_origin(headers):
            return None
        secret = self._tokens.get(name)
        return None if not secret else self._holders.find(secret)

    async def login(self, request: Request) -> Response:
        """Take a token for a cookie, so that the page need not keep it."""
        headers = dict(request.headers.items())
        if not is_same_origin(headers):
            return _refuse(403, "forbidden", "Only the page of this server may log in here.")
        secret = await _read_token(request)
        if secret is None:
            return _refuse(400, "invalid", 'Send {"token": "…"} as application/json.')
        try:
            if not self._holders.are_asked_for:
                return Response(status_code=204)
            is_known = self._holders.find(secret) is not None
        except Refusal as refusal:
            return _refuse(503, "temporarily_unavailable", refusal.message)
        if not is_known:
            return _refuse(401, "unauthorized", "That is not a token of this server, or it was revoked.")
        name = secrets.token_urlsafe(LETTERS)
        self._tokens.put(name, secret)
        answer = Response(status_code=204)
        _set(answer, request, name)
        return answer

    async def logout(self, request: Request) -> Response:
        headers = dict(request.headers.items())
        if not is_same_origin(headers):
            return _refuse(403, "forbidden", "Only the page of this server may log out here.")
        self._tokens.put(_name_in(headers), "")
        answer = Response(status_code=204)
        _set(answer, request, "")
        return answer


def cookie_name(headers: Mapping[str, str]) -> str:
    """Cookies know no ports: two servers of a machine have two names."""
    return f"{COOKIE}-{headers.get('host', '').rpartition(':')[2] if ':' in headers.get('host', '') else '80'}"


def _name_in(headers: Mapping[str, str]) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(cookie_name(headers))
    except CookieError:
        return ""
    return "" if found is None else found.value


def _set(answer: Response, request: Request, value: str) -> None:
    answer.set_cookie(
        cookie_name({"host": request.headers.get("host", "")}),
        value,
        max_age=None if value else 0,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )


async def _read_token(request: Request) -> str | None:
    """A script of another origin cannot send this type without being asked about."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return None
    content = b""
    async for piece in request.stream():
        content += piece
        if len(content) > LARGEST:
            return None
    try:
        said: Any = json.loads(content)
        token: Any = said["token"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return token.strip() if isinstance(token, str) and token.strip() else None


def _refuse(status: int, code: str, message: str) -> Response:
    return JsonReply({"error": {"code": code, "message": message}}, status)
