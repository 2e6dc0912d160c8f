"""HTTP: the streamable endpoint of both protocol eras, the older one with events, and a health check, for those who may
reach them."""

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
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route, WebSocketRoute, request_response
from starlette.types import ASGIApp

from memotheca import __version__
from memotheca.admin.history import newest_tx
from memotheca.app import App
from memotheca.model.errors import Failure, Refusal
from memotheca.server.adapter import Adapter
from memotheca.server.ascii_json import JsonReply
from memotheca.server.bare import BareDoor
from memotheca.server.batch_posts import BatchDoor
from memotheca.server.connections import GuardedHttp, GuardedSocket, Places
from memotheca.server.gate import AllowedHosts, Gate, is_everywhere, is_loopback
from memotheca.server.holders import TokenHolders
from memotheca.server.limits import ByteBudget, Sparing, limits_of
from memotheca.server.posts import MAX_BODY, MessageCheck
from memotheca.server.shutdown import heeded, leave_in_the_end
from memotheca.server.sockets import SocketDoor
from memotheca.server.sse import MESSAGES, EventDoor, Wait
from memotheca.server.upload_endpoint import UploadDoor
from memotheca.settings import Settings, read_token

log = logging.getLogger(__name__)

NEWEST_REVISION = MODERN_PROTOCOL_VERSIONS[-1]


# Chosen: chosen: how many connections wait to be accepted, and are at once: what is sent away again is open for a
# moment.
BACKLOG = 128
# What clients cause is logged sparingly.
SPARED = ("asyncio", "uvicorn.error", "memotheca.server.connections", "memotheca.server.gate", "mcp.server")


def build_web(
    adapter: Adapter, settings: Settings, *, wait: Wait = anyio.sleep, budget: ByteBudget | None = None
) -> ASGIApp:
    names, limits = AllowedHosts(settings), limits_of(settings)
    holders = TokenHolders(settings.data, read_token(settings), adapter.app.kernel.collection)
    if not holders.are_asked_for and not is_loopback(settings.text("host")):
        raise Refusal(
            Failure.FORBIDDEN,
            "An address that others can reach needs a bearer token: make one with `memotheca token add NAME`, or set "
            "MEMOTHECA_TOKEN or --token-file.",
        )
    manager = StreamableHTTPSessionManager(
        adapter.server,
        # Hosts and origins are checked at the gate, before a body is read.
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        max_request_body_size=MAX_BODY,
        max_sessions=limits.sessions,
    )
    budget = budget or ByteBudget(limits.buffers)
    events = EventDoor(adapter, limits, budget, wait)
    # Whoever asks how we are waits for nobody.
    glance = anyio.CapacityLimiter(2)

    async def health(request: Request) -> JsonReply:
        try:
            tx = await anyio.to_thread.run_sync(partial(newest_tx, adapter.app.kernel), limiter=glance)
        except Refusal as refusal:
            return JsonReply({"status": "unavailable", "reason": refusal.failure.code}, status_code=503)
        return JsonReply({"status": "ok", "version": __version__, "mcp_version": NEWEST_REVISION, "tx_id": tx})

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None]:
        async with adapter.running(), manager.run(), events.running():
            yield

    alone = BareDoor(StreamableHTTPASGIApp(manager), adapter)
    endpoint: Any = MessageCheck(BatchDoor(alone, budget, limits.sessions), budget)
    posted: Any = MessageCheck(request_response(events.receive), budget)
    routes = [
        Route("/mcp", endpoint=endpoint),
        WebSocketRoute("/mcp", endpoint=SocketDoor(adapter, limits).serve),
        Route("/sse", endpoint=cast(Any, events), methods=["GET"]),
        Route(MESSAGES, endpoint=posted, methods=["POST"]),
        Route("/uploads", endpoint=UploadDoor(adapter).receive, methods=["POST"]),
        Route("/health", endpoint=health, methods=["GET"]),
    ]
    return Gate(Starlette(routes=routes, lifespan=lifespan), names, holders)


def run_web(adapter: Adapter, settings: Settings, *, announce: Any = None) -> None:
    host, port = settings.text("host"), settings.number("port")
    limits = limits_of(settings)
    budget = ByteBudget(limits.buffers)
    app, places = build_web(adapter, settings, budget=budget), Places(limits, budget)
    listener = _listen(host, port)
    port = listener.getsockname()[1]
    if announce is not None:
        announce(host, port)
    if is_everywhere(host) and not settings.names("allowed-hosts"):
        log.warning(
            "every address of this machine is listened on, but only http://127.0.0.1:%d/mcp is answered: "
            "name the hosts that clients use with --allowed-hosts",
            port,
        )
    for name in SPARED:
        logging.getLogger(name).addFilter(Sparing())
    server = Stoppable(configure(app, places), adapter.app)
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:
        log.debug("told to stop")
    adapter.app.close()
    server.has_ended()


def configure(app: ASGIApp, places: Places) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=cast(Any, partial(GuardedHttp, places)),
        ws=cast(Any, partial(GuardedSocket, places)),
        log_config=None,
        access_log=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=5,
        ws_max_size=MAX_BODY,
    )


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
    # Only where the protocol is named does asyncio send at once; else every answer waits for an acknowledgement.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise Refusal(
            Failure.UNAVAILABLE, f"Port {port} on {host} cannot be used: {error.strerror}. Choose another with --port."
        ) from error
    return listener
