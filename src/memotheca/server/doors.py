"""The doors of one collection over HTTP: the streamable endpoint of both protocol eras, the older one with events, a
WebSocket, and uploads."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, cast

import anyio
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute, request_response
from starlette.types import Scope

from memotheca.server.access.gate import deny
from memotheca.server.access.holders import HOLDER, SessionOwners, TokenHolder
from memotheca.server.access.oauth_rules import TokenDenied
from memotheca.server.adapter import Adapter
from memotheca.server.bare import BareDoor
from memotheca.server.batch_posts import BatchDoor
from memotheca.server.limits import ByteBudget, ClientLimits
from memotheca.server.posts import MAX_BODY, MessageCheck
from memotheca.server.sockets import SocketDoor
from memotheca.server.sse import MESSAGES, EventDoor, Wait
from memotheca.server.upload_endpoint import UploadDoor


class CollectionDoors:
    """All by which clients reach one collection: no session, stream or event of another is known here."""

    def __init__(self, adapter: Adapter, limits: ClientLimits, budget: ByteBudget, wait: Wait = anyio.sleep) -> None:
        self.adapter = adapter
        self.owners = SessionOwners()
        self._manager = StreamableHTTPSessionManager(
            adapter.server,
            # Hosts and origins are checked at the gate, before a body is read.
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            max_request_body_size=MAX_BODY,
            max_sessions=limits.sessions,
        )
        self._events = EventDoor(adapter, limits, budget, wait)
        alone = BareDoor(StreamableHTTPASGIApp(self._manager), adapter)
        endpoint: Any = MessageCheck(BatchDoor(alone, budget, limits.sessions), budget, self._refuse_call)
        posted: Any = MessageCheck(request_response(self._events.receive), budget, self._refuse_call)
        self.app = Starlette(
            routes=[
                Route("/mcp", endpoint=endpoint),
                WebSocketRoute("/mcp", endpoint=SocketDoor(adapter, limits).serve),
                Route("/sse", endpoint=cast(Any, self._events), methods=["GET"]),
                Route(MESSAGES, endpoint=posted, methods=["POST"]),
                Route("/uploads", endpoint=UploadDoor(adapter).receive, methods=["POST"]),
            ]
        )

    def _refuse_call(self, scope: Scope, name: str) -> Response | None:
        """A client whose token may only read can ask its provider for more, if it is told so by the status."""
        holder: TokenHolder | None = scope.get(HOLDER)
        if holder is None or not holder.challenge or holder.token.may_write or not name:
            return None
        listing = self.adapter.app.catalog.find(name)
        if listing is None or not listing.writes:
            return None
        return deny(scope, TokenDenied(403, "insufficient_scope", "This token may only read."), holder.challenge)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        async with self.adapter.running(), self._manager.run(), self._events.running():
            yield
