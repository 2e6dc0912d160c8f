"""Who may ask over HTTP, decided by a request's headers before its body is read: host, origin, token."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from memotheca.model.errors import Failure, Refusal
from memotheca.server.access.holders import HOLDER, TokenHolders
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
        self._hosts = [*LOOPBACK, *here, *settings.names("allowed-hosts")]
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


class Gate:
    """Turns away who may not ask, and lets scripts of the named origins read what the others are answered."""

    def __init__(
        self, app: ASGIApp, names: AllowedHosts, holders: TokenHolders, pages: PageSessions, *, watch: CallWatch
    ) -> None:
        self._app = app
        self._watch = watch
        self._names = names
        self._holders = holders
        self._pages = pages

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
            answer = self._admit(scope, headers)
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
        if not origin and headers.get("sec-fetch-site") == "cross-site":
            return refuse(scope, 403, "a page of another site")
        if _is_preflight(scope, headers) and not self._names.share_with(origin):
            return refuse(scope, 403, f"Origin {origin[:SHOWN]!r}")
        return None

    def _admit(self, scope: Scope, headers: Mapping[str, str]) -> Response | None:
        """Find out who asks and write it into the scope."""
        if not self._holders.are_asked_for or _needs_no_token(scope):
            return None
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme:
            holder = self._holders.find(given.strip()) if scheme.lower() == "bearer" else None
        else:
            holder = self._pages.find(headers) if scope["type"] == "http" else None
        if holder is None:
            return refuse(scope, 401, "no bearer token, or a wrong one")
        scope[HOLDER] = holder
        return None


def _needs_no_token(scope: Scope) -> bool:
    """The page's files hold nothing that is stored, and whoever logs in has yet to say who they are."""
    if scope["type"] != "http":
        return False
    is_read = scope["method"] in ("GET", "HEAD") and is_of_page(scope["path"])
    return is_read or (scope["method"] == "POST" and scope["path"] in (LOGIN, LOGOUT))


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
    """The answer, which the log tells of; neither has the token or the query, which might hold one."""
    client = scope.get("client") or ("somebody", 0)
    method, watch = scope.get("method", "WebSocket"), scope.get(WATCH)
    log.info("refused with %d: %s %s of %s: %s", status, method, scope["path"], client[0], why)
    if watch is not None:
        path = str(scope["path"])[:SHOWN]
        watch.refused(RefusalRecord(status=status, method=method, path=path, address=str(client[0]), why=why))
    if status == 401:
        message = "Send the bearer token in the Authorization header, never in the address."
        return JsonReply(
            {"error": "unauthorized", "message": message},
            401,
            headers={"WWW-Authenticate": 'Bearer realm="memotheca"'},
        )
    message, details = _WORDS[status]
    return JsonReply(fault(INVALID_REQUEST, message, details=details), status)


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
