"""Who may ask over HTTP, decided by a request's headers before its body is read: host, origin, token."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import urlsplit

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from memotheca.model.errors import Failure, Refusal
from memotheca.server.access.holders import HOLDER, TokenHolder, TokenHolders
from memotheca.server.access.oauth_rules import METADATA, OAuthRules, TokenDenied
from memotheca.server.access.page_sessions import LOGIN, LOGOUT, PageSessions
from memotheca.server.ascii_json import JsonReply
from memotheca.server.faults import INVALID_REQUEST, fault
from memotheca.server.operation.call_watch import CallWatch, RefusalRecord
from memotheca.server.page_files import is_of_page
from memotheca.settings import Settings

log = logging.getLogger(__name__)

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
OPEN = ("/health", "/ready")
# Under which key a request's scope has who is told of refusals.
WATCH = "memotheca.watch"
PLAIN_CHALLENGE = 'Bearer realm="memotheca"'
UNKNOWN = "Send the bearer token in the Authorization header, never in the address."
SHOWN = 100  # chosen: a name of usual length; what is refused is not repeated at length

CORS_METHODS = "GET, POST, DELETE, OPTIONS"
CORS_HEADERS = ("accept", "authorization", "content-type", "last-event-id")
CORS_EXPOSED = "Mcp-Session-Id, WWW-Authenticate"
CORS_SECONDS = "600"


def is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")


def is_everywhere(host: str) -> bool:
    return host in ("", "0.0.0.0", "::")  # noqa: S104


class AllowedHosts:
    """The hosts and origins that are accepted; a name without a port stands for all of its ports."""

    def __init__(self, settings: Settings) -> None:
        host = settings.text("host")
        here = [] if is_loopback(host) or is_everywhere(host) else [f"[{host}]" if ":" in host else host]
        # Where tokens are for an address, the server is reached by it.
        outside = urlsplit(settings.text("oauth-resource")).netloc
        self._hosts = [*LOOPBACK, *here, *([outside] if outside else []), *settings.names("allowed-hosts")]
        self.foreign_origins = settings.names("allowed-origins")
        if "*" in self.foreign_origins or "*" in self._hosts:
            raise Refusal(
                Failure.INVALID, "A * would let every web page in: list the hosts and origins that may ask, one by one."
            )
        self._origins = [*(f"http://{name}:*" for name in LOOPBACK), *self.foreign_origins]

    def admit_host(self, host: str) -> bool:
        name, port = _parted(host.lower())
        return any(
            name == known and allowed in (None, "*", port)
            for known, allowed in (_parted(each.lower()) for each in self._hosts)
        )

    def admit_origin(self, origin: str) -> bool:
        return _is_among(origin, self._origins)

    def share_with(self, origin: str) -> bool:
        """Whether scripts of that origin may read answers: only those that were named."""
        return _is_among(origin, self.foreign_origins)


def _parted(authority: str) -> tuple[str, str | None]:
    name, colon, port = authority.rpartition(":")
    return (name, port) if colon and not port.endswith("]") else (authority, None)


def _is_among(origin: str, allowed: Sequence[str]) -> bool:
    origin = origin.lower()
    for each in (pattern.lower() for pattern in allowed):
        if origin == each or (each.endswith(":*") and (origin == each[:-2] or origin.startswith(each[:-1]))):
            return True
    return False


class OutsideTokens(Protocol):
    """Whoever knows the tokens of an outside provider."""

    rules: OAuthRules

    async def find(self, secret: str, path: str) -> TokenHolder: ...


class Gate:
    """Turns away who may not ask, and lets scripts of the named origins read what the others are answered."""

    def __init__(
        self,
        app: ASGIApp,
        names: AllowedHosts,
        holders: TokenHolders,
        pages: PageSessions,
        *,
        watch: CallWatch,
        provider: OutsideTokens | None = None,
    ) -> None:
        self._app = app
        self._watch = watch
        self._names = names
        self._holders = holders
        self._pages = pages
        self._provider = provider

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Whether we are well, and ready, is nothing worth hiding.
        if scope["type"] not in ("http", "websocket") or scope["path"] in OPEN:
            await self._app(scope, receive, send)
            return
        scope[WATCH] = self._watch
        headers = first_of_each(scope["headers"])
        origin = headers.get("origin", "")
        if origin and self._names.share_with(origin):
            send = _sharing(send, origin)
        answer = self._refuse(scope, headers) or _preflight(scope, headers)
        if answer is None:
            answer = await self._admit(scope, headers)
        if answer is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocket(scope, receive, send).send_denial_response(answer)
        else:
            await answer(scope, receive, send)

    def _refuse(self, scope: Scope, headers: Mapping[str, str]) -> Response | None:
        host, origin = headers.get("host", ""), headers.get("origin", "")
        if not self._names.admit_host(host):
            return refuse(scope, 421, f"Host {host[:SHOWN]!r}")
        if origin and not self._names.admit_origin(origin):
            return refuse(scope, 403, f"Origin {origin[:SHOWN]!r}")
        # A page may ask without saying who it is, as long as it cannot read the answer; browsers say whence, at least.
        is_foreign = not origin and headers.get("sec-fetch-site") == "cross-site"
        # A link may lead to the page from anywhere: its files hold nothing, and no other site's page can frame it.
        is_followed = headers.get("sec-fetch-mode") == "navigate" and _is_page(scope)
        if is_foreign and not is_followed:
            return refuse(scope, 403, "a page of another site")
        if _is_preflight(scope, headers) and not self._names.share_with(origin):
            return refuse(scope, 403, f"Origin {origin[:SHOWN]!r}")
        return None

    async def _admit(self, scope: Scope, headers: Mapping[str, str]) -> Response | None:
        """Find out who asks and write it into the scope."""
        try:
            if not self._holders.are_asked_for or _needs_no_token(scope):
                return None
            holder = await self._find_holder(scope, headers)
        except TokenDenied as denied:
            return deny(scope, denied, self._challenge(scope["path"], denied))
        except Refusal as refusal:
            denied = TokenDenied(503, "temporarily_unavailable", refusal.message)
            return deny(scope, denied, self._challenge(scope["path"]))
        if holder is None:
            return deny(scope, TokenDenied(401, "unauthorized", UNKNOWN), self._challenge(scope["path"]))
        scope[HOLDER] = holder
        return None

    def _challenge(self, path: str, denied: TokenDenied | None = None) -> str:
        return self._provider.rules.challenge(path, denied) if self._provider is not None else PLAIN_CHALLENGE

    async def _find_holder(self, scope: Scope, headers: Mapping[str, str]) -> TokenHolder | None:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme:
            return await self._find(given.strip(), scope["path"]) if scheme.lower() == "bearer" else None
        return self._pages.find(headers) if scope["type"] == "http" else None

    async def _find(self, secret: str, path: str) -> TokenHolder | None:
        """Tokens of this server go first: of theirs nothing is asked outside."""
        holder = self._holders.find(secret)
        if holder is None and secret and self._provider is not None:
            return await self._provider.find(secret, path)
        return holder


def _needs_no_token(scope: Scope) -> bool:
    """The page's files hold nothing that is stored, and whoever logs in has yet to say who they are."""
    if scope["type"] != "http":
        return False
    path = scope["path"]
    is_read = scope["method"] in ("GET", "HEAD") and _is_below(path, METADATA)
    return is_read or _is_page(scope) or (scope["method"] == "POST" and path in (LOGIN, LOGOUT))


def _is_page(scope: Scope) -> bool:
    return scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and is_of_page(scope["path"])


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def first_of_each(headers: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1").strip() for name, value in reversed(headers)}


_WORDS = {
    404: (
        "Not found",
        "There is no such collection for whoever asks; the address of one is /c/NAME/mcp.",
    ),
    421: (
        "Invalid Host header",
        "This server does not answer to that host. Name the hosts it is reached by with --allowed-hosts.",
    ),
    403: (
        "Invalid Origin header",
        "This server does not answer to pages of that origin. Name those it may answer with --allowed-origins.",
    ),
}


def refuse(scope: Scope, status: int, why: str) -> Response:
    """The answer, which the log tells of."""
    _note(scope, status, why)
    message, details = _WORDS[status]
    return JsonReply(fault(INVALID_REQUEST, message, details=details), status)


def deny(scope: Scope, denied: TokenDenied, challenge: str) -> Response:
    """The answer to whoever sends no token, or one that is not good for it, with what they can do about it."""
    _note(scope, denied.status, denied.message if denied.message != UNKNOWN else "no bearer token, or a wrong one")
    headers = {"Retry-After": "5"} if denied.status == 503 else {"WWW-Authenticate": challenge}
    return JsonReply({"error": denied.code, "message": denied.message}, denied.status, headers=headers)


def _note(scope: Scope, status: int, why: str) -> None:
    """Tell of a refusal; never of the token or the query, which might hold one."""
    client = scope.get("client") or ("somebody", 0)
    method, watch = scope.get("method", "WebSocket"), scope.get(WATCH)
    log.info("refused with %d: %s %s of %s: %s", status, method, scope["path"], client[0], why)
    if watch is not None:
        path = str(scope["path"])[:SHOWN]
        watch.refused(RefusalRecord(status=status, method=method, path=path, address=str(client[0]), why=why))


def _is_preflight(scope: Scope, headers: Mapping[str, str]) -> bool:
    return scope.get("method") == "OPTIONS" and "origin" in headers and "access-control-request-method" in headers


def _preflight(scope: Scope, headers: Mapping[str, str]) -> Response | None:
    """What a browser asks before it sends a script's request."""
    if not _is_preflight(scope, headers):
        return None
    asked = [name.strip().lower() for name in headers.get("access-control-request-headers", "").split(",")]
    granted = [name for name in asked if name in CORS_HEADERS or (name.startswith("mcp-") and name.isprintable())]
    allowed = {
        "Access-Control-Allow-Methods": CORS_METHODS,
        "Access-Control-Allow-Headers": ", ".join(granted or CORS_HEADERS),
        "Access-Control-Max-Age": CORS_SECONDS,
    }
    if headers.get("access-control-request-private-network") == "true":
        allowed["Access-Control-Allow-Private-Network"] = "true"
    return Response(status_code=204, headers=allowed)


def _sharing(send: Send, origin: str) -> Send:
    """Without credentials of the browser's own: who needs a token sends it in a header that the script sets."""
    added: list[tuple[bytes, bytes]] = [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-expose-headers", CORS_EXPOSED.encode()),
        (b"vary", b"Origin"),
    ]

    async def share(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept: list[Any] = list(message.get("headers", []))
            message = {**message, "headers": [*kept, *added]}
        await send(message)

    return share
