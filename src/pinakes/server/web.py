"""HTTP: the streamable endpoint of both protocol eras, the older one with events, and a health check, for those who may
reach them."""

import hmac
import json
import logging
import signal
import socket
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from types import FrameType
from typing import Any, cast

import anyio
import anyio.to_thread
import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route, WebSocketRoute, request_response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from pinakes import __version__
from pinakes.app import App
from pinakes.engine.history import newest_tx
from pinakes.model.errors import Failure, Refusal
from pinakes.server.adapter import Adapter
from pinakes.server.bare import BareDoor
from pinakes.server.faults import PARSE_ERROR, check_message, enrich, fault, parse_message
from pinakes.server.leaving import heeded, leave_in_the_end
from pinakes.server.replies import JsonReply
from pinakes.server.sockets import SocketDoor
from pinakes.server.sse import MESSAGES, EventDoor, Wait
from pinakes.server.uploads import UploadDoor
from pinakes.settings import Settings, read_token

log = logging.getLogger(__name__)

LOOPBACK = ("127.0.0.1", "localhost", "::1")
MAX_BODY = 16 * 1024 * 1024


def is_loopback(host: str) -> bool:
    return host in LOOPBACK or host.startswith("127.")


class TokenGate:
    """Lets a request through that carries the bearer token; the health check says nothing worth hiding."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket") and scope["path"] != "/health":
            given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
            if not hmac.compare_digest(given, self._expected):
                refusal = JsonReply(
                    {"error": "unauthorized", "message": "Send the bearer token in the Authorization header."},
                    status_code=401,
                    headers={"WWW-Authenticate": 'Bearer realm="pinakes"'},
                )
                if scope["type"] == "websocket":
                    await WebSocket(scope, receive, send).send_denial_response(refusal)
                else:
                    await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


class MessageCheck:
    """Answers what is no JSON-RPC message, and completes the errors that the transport itself answers with."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # httptools leaves blanks at the end of a header's value; a header must equal the body it repeats.
        scope = {**scope, "headers": [(name, value.strip(b" \t")) for name, value in scope["headers"]]}
        if scope["method"] == "POST":
            body = await _read_body(receive)
            complaint = None if body is None else _complaint(body)
            if body is None or complaint is not None:
                answer = JsonReply(complaint, 400) if complaint else JsonReply({"error": "too_large"}, 413)
                await answer(scope, receive, send)
                return
            receive = _replay(body, receive)
        await self._app(scope, receive, _completing(send))


async def _read_body(receive: Receive) -> bytes | None:
    """The body, or None where it is larger than we take."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MAX_BODY:
            return None
        if message["type"] != "http.request" or not message.get("more_body", False):
            return bytes(body)


def _complaint(body: bytes) -> dict[str, Any] | None:
    try:
        return check_message(parse_message(body))
    except ValueError:
        return fault(PARSE_ERROR, "Parse error")


def _replay(body: bytes, receive: Receive) -> Receive:
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay


def _completing(send: Send) -> Send:
    held: list[Message] = []

    async def relay(message: Message) -> None:
        if message["type"] == "http.response.start" and _is_json_error(message):
            held.append(message)
        elif held and message["type"] == "http.response.body":
            held.append(message)
            if not message.get("more_body", False):
                for part in _completed(held):
                    await send(part)
        else:
            await send(message)

    return relay


def _is_json_error(message: Message) -> bool:
    headers = dict(message["headers"])
    return message["status"] >= 400 and headers.get(b"content-type", b"").startswith(b"application/json")


def _completed(held: list[Message]) -> list[Message]:
    start, *bodies = held
    body = b"".join(part.get("body", b"") for part in bodies)
    try:
        body = json.dumps(enrich(json.loads(body)), separators=(",", ":")).encode()
    except ValueError:
        log.debug("an error body that is not JSON is left as it is")
    headers = [(name, value) for name, value in start["headers"] if name != b"content-length"]
    return [
        {**start, "headers": [*headers, (b"content-length", str(len(body)).encode())]},
        {"type": "http.response.body", "body": body, "more_body": False},
    ]


def _security(settings: Settings) -> TransportSecuritySettings:
    """Host and Origin are checked against names; an open bind relies on its token where no names are given."""
    hosts = [f"{name}:*" for name in ("127.0.0.1", "localhost", "[::1]")] + settings.names("allowed-hosts")
    origins = [f"http://{name}:*" for name in ("127.0.0.1", "localhost", "[::1]")] + settings.names("allowed-origins")
    if not is_loopback(settings.text("host")):
        host = settings.text("host")
        hosts += [f"{host}:*", host]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)


def build_web(adapter: Adapter, settings: Settings, *, wait: Wait = anyio.sleep) -> ASGIApp:
    token = read_token(settings)
    if not token and not is_loopback(settings.text("host")):
        raise Refusal(
            Failure.FORBIDDEN,
            "An address that others can reach needs a bearer token: set PINAKES_TOKEN or --token-file.",
        )
    security = _security(settings)
    manager = StreamableHTTPSessionManager(adapter.server, security_settings=security, max_request_body_size=MAX_BODY)
    events = EventDoor(adapter, security, wait)

    async def health(request: Request) -> JsonReply:
        try:
            tx = await anyio.to_thread.run_sync(partial(newest_tx, adapter.app.kernel))
        except Refusal as refusal:
            return JsonReply({"status": "unavailable", "reason": refusal.failure.code}, status_code=503)
        return JsonReply({"status": "ok", "version": __version__, "tx_id": tx})

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None]:
        async with adapter.running(), manager.run(), events.running():
            yield

    endpoint: Any = MessageCheck(BareDoor(StreamableHTTPASGIApp(manager), adapter, security))
    routes = [
        Route("/mcp", endpoint=endpoint),
        WebSocketRoute("/mcp", endpoint=SocketDoor(adapter, security).serve),
        Route("/sse", endpoint=cast(Any, events), methods=["GET"]),
        Route(MESSAGES, endpoint=cast(Any, MessageCheck(request_response(events.receive))), methods=["POST"]),
        Route("/uploads", endpoint=UploadDoor(adapter, security).receive, methods=["POST"]),
        Route("/health", endpoint=health, methods=["GET"]),
    ]
    app: ASGIApp = Starlette(routes=routes, lifespan=lifespan)
    return TokenGate(app, token) if token else app


def run_web(adapter: Adapter, settings: Settings, *, announce: Any = None) -> None:
    host, port = settings.text("host"), settings.number("port")
    app = build_web(adapter, settings)
    listener = _listen(host, port)
    if announce is not None:
        announce(host, listener.getsockname()[1])
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=5,
        ws="websockets-sansio",
        ws_max_size=MAX_BODY,
    )
    server = Stoppable(config, adapter.app)
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:
        log.debug("told to stop")
    adapter.app.close()
    server.has_ended()


class Stoppable(uvicorn.Server):
    """Ends at SIGHUP as at SIGTERM, and even where a call does not."""

    def __init__(self, config: uvicorn.Config, app: App) -> None:
        super().__init__(config)
        self._app = app
        self.has_ended: Callable[[], None] = lambda: None

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        with super().capture_signals():
            for number in set(heeded()) - {signal.SIGINT, signal.SIGTERM}:
                signal.signal(number, self.handle_exit)
            yield
            # What was heard is not raised once more: being told to stop is how a server ends.
            self._captured_signals.clear()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if not self.should_exit:
            self.has_ended = leave_in_the_end(self._app)
        super().handle_exit(sig, frame)


def _listen(host: str, port: int) -> socket.socket:
    """Listen before anything is announced: a port in use is an error, and an early client waits its turn."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(512)
    except OSError as error:
        listener.close()
        raise Refusal(
            Failure.UNAVAILABLE, f"Port {port} on {host} cannot be used: {error.strerror}. Choose another with --port."
        ) from error
    return listener
