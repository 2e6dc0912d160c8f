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
import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Match, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memotheca.app import App
from memotheca.model.errors import Failure, Refusal
from memotheca.server.access.followed_tokens import watched_shelf
from memotheca.server.access.gate import AllowedHosts, Gate, OutsideTokens, is_everywhere, is_loopback
from memotheca.server.access.holders import TokenHolders
from memotheca.server.access.oauth_rules import METADATA, OAuthRules, read_rules
from memotheca.server.access.page_sessions import LOGIN, LOGOUT, PageSessions
from memotheca.server.access.served_collections import CollectionChoice, ServedCollections
from memotheca.server.adapter import Adapter
from memotheca.server.connections import GuardedHttp, GuardedSocket, Places
from memotheca.server.doors import CollectionDoors
from memotheca.server.limits import ByteBudget, Sparing, limits_of
from memotheca.server.operation.operation import Operation
from memotheca.server.operation.server_state import StateDoor
from memotheca.server.page_files import PageFiles, is_of_page
from memotheca.server.posts import MAX_BODY
from memotheca.server.shutdown import heeded, leave_in_the_end
from memotheca.server.sse import Wait
from memotheca.settings import Settings, read_token

log = logging.getLogger(__name__)

# Chosen: how many connections wait to be accepted, and are at once: what is sent away again is open for a
# moment.
BACKLOG = 128
# What clients cause is logged sparingly.
SPARED = ("asyncio", "uvicorn.error", "memotheca.server.connections", "memotheca.server.access.gate", "mcp.server")


COMPRESSED = 1024  # chosen: bytes; a shorter answer fits into one packet anyway
LEVEL = 4  # chosen: most of what the highest saves, for a third of the work
# Measured: 4 MB of a map, which are packed already, took 0.9 s to become a quarter smaller; answers as large hold such.
MOST_COMPRESSED = 1_000_000


def build_web(
    adapter: Adapter, settings: Settings, *, wait: Wait = anyio.sleep, budget: ByteBudget | None = None
) -> ASGIApp:
    names, limits = AllowedHosts(settings), limits_of(settings)
    rules = read_rules(settings)
    shelf, following = watched_shelf(adapter.app)
    holders = TokenHolders(shelf, read_token(settings), has_provider=rules is not None)
    if not holders.are_asked_for and not is_loopback(settings.text("host")):
        raise Refusal(
            Failure.FORBIDDEN,
            "An address that others can reach needs a bearer token: make one with `memotheca token add NAME`, or set "
            "MEMOTHECA_TOKEN, --token-file or --oauth-issuer.",
        )
    budget = budget or ByteBudget(limits.buffers)
    served = ServedCollections(adapter, settings, lambda each: CollectionDoors(each, limits, budget, wait))
    state = StateDoor(adapter, holders)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None]:
        with following:
            async with served.running():
                yield

    pages = PageSessions(holders)
    routes = [
        *state.routes,
        *([Route(METADATA + "{place:path}", endpoint=rules.tell, methods=["GET"])] if rules is not None else []),
        Route(LOGIN, endpoint=pages.login, methods=["POST"]),
        Route(LOGOUT, endpoint=pages.logout, methods=["POST"]),
        PageRoute(PageFiles()),
        Mount("/", app=CollectionChoice(served)),
    ]
    inner = Starlette(routes=routes, lifespan=lifespan)
    # Streams of events are never compressed: what is told should arrive at once.
    smaller = GZipMiddleware(LargeAsTheyAre(inner), minimum_size=COMPRESSED, compresslevel=LEVEL)
    provider = _build_provider(rules) if rules is not None else None
    return Gate(smaller, names, holders, pages, watch=adapter.operation.watch, provider=provider)


def _build_provider(rules: OAuthRules) -> OutsideTokens:
    """Loaded where a provider is set, since cryptography is large."""
    from memotheca.server.access.provider_tokens import ProviderTokens

    return ProviderTokens(rules)


class LargeAsTheyAre:
    """Very large answers say that they are encoded as they should be, so that nobody waits for their compression."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def pass_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                if int(headers.get("content-length", "0")) > MOST_COMPRESSED:
                    headers.setdefault("Content-Encoding", "identity")
            await send(message)

        await self._app(scope, receive, pass_on)


class PageRoute(Route):
    """Everything that is of the page; what only looks like it, such as a client's address, goes on to the next."""

    def __init__(self, files: PageFiles) -> None:
        super().__init__("/{path:path}", endpoint=files.serve, methods=["GET"])

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        is_asked = scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and is_of_page(scope["path"])
        return super().matches(scope) if is_asked else (Match.NONE, {})


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
    server = Stoppable(configure(app, places), adapter.app, adapter.operation)
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:
        log.debug("told to stop")
    adapter.app.close()
    adapter.operation.close()
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
    """Ends at SIGHUP as at SIGTERM: calls that run have their time, and it ends even where one does not."""

    def __init__(self, config: uvicorn.Config, app: App, operation: Operation | None = None) -> None:
        super().__init__(config)
        self._app = app
        self._operation = operation or Operation()
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
        if self.should_exit:
            self._operation.drain.is_hurried = True
        else:
            self.has_ended = leave_in_the_end(self._app, self._operation.drain_seconds)
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """While calls come to their end, whoever comes is still answered: that it should come again."""
        if not await self._operation.drain.wait(self._operation.drain_seconds):
            log.warning("%d calls did not end in time", self._operation.drain.running)
            self.config.timeout_graceful_shutdown = 1
        await super().shutdown(sockets)


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
