"""A single POST without session, handshake or Accept header, answered as plain JSON: what a simple script sends."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import anyio
from mcp.server.connection import Connection
from mcp.server.runner import ServerRunner, serve_one
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.message import MessageMetadata, ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from memotheca.server.adapter import Adapter
from memotheca.server.ascii_json import JsonReply
from memotheca.server.faults import INTERNAL_ERROR, enrich
from memotheca.server.messages import REVISION
from memotheca.server.posts import aside, replay

log = logging.getLogger(__name__)


@dataclass(slots=True)
class OneExchange:
    """What handlers are given where nothing but the answer can reach the client."""

    request_id: str | int | None
    transport: TransportContext = TransportContext(kind="http", can_send_request=False)
    message_metadata: MessageMetadata = None
    can_send_request: bool = False
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        log.debug("dropped %s: one answer is all there is", method)

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        log.debug("dropped progress: one answer is all there is")


class BareDoor:
    """Answers bare requests itself and passes everything else on."""

    def __init__(self, app: ASGIApp, adapter: Adapter) -> None:
        self._app = app
        self._adapter = adapter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if not _may_be_bare(request):
            await self._app(scope, receive, send)
            return
        body = await request.body()
        message = await aside(partial(json.loads, body), len(body))
        if message.get("method") == "initialize" and _takes_events(request):
            await self._app(scope, replay(body, receive), send)
            return
        answer = await self._answer(message, request)
        if isinstance(answer, JsonReply) and _takes_events(request) and not _takes_json(request):
            event = b"event: message\ndata: " + bytes(answer.body) + b"\n\n"
            answer = Response(event, answer.status_code, media_type="text/event-stream")
        await answer(scope, receive, send)

    async def _answer(self, message: dict[str, Any], request: Request) -> Response:
        if "method" not in message:
            return Response(status_code=202)
        revision = request.headers.get("mcp-protocol-version", REVISION)
        connection = Connection.from_envelope(revision, {"name": "http", "version": "0"}, {})
        exchange = OneExchange(message.get("id"), message_metadata=ServerMessageMetadata(request_context=request))
        if "id" not in message:
            await ServerRunner(self._adapter.server, connection, None).on_notify(
                exchange, message["method"], message.get("params")
            )
            return Response(status_code=202)
        said = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            result = await serve_one(
                self._adapter.server,
                exchange,
                message["method"],
                message.get("params"),
                connection=connection,
                lifespan_state=None,
            )
        except MCPError as error:
            return JsonReply(enrich({**said, "error": error.error.model_dump(mode="json", exclude_none=True)}))
        except Exception:
            log.exception("%s failed", message["method"])
            return JsonReply(enrich({**said, "error": {"code": INTERNAL_ERROR, "message": "Internal error"}}))
        return JsonReply({**said, "result": result})


def _may_be_bare(request: Request) -> bool:
    headers = request.headers
    return (
        request.method == "POST"
        and "mcp-session-id" not in headers
        and headers.get("mcp-protocol-version", REVISION) in HANDSHAKE_PROTOCOL_VERSIONS
    )


def _takes_events(request: Request) -> bool:
    return "text/event-stream" in request.headers.get("accept", "").lower()


def _takes_json(request: Request) -> bool:
    accepted = request.headers.get("accept", "").lower()
    return any(kind in accepted for kind in ("application/json", "application/*", "*/*"))
