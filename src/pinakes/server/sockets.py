"""WebSocket: the same JSON-RPC messages on the same path, for clients that keep one connection open."""

import json
import logging
from typing import Any, cast
from uuid import uuid4

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.runner import serve_dual_era_loop
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from mcp.shared.message import SessionMessage
from starlette.requests import Request
from starlette.websockets import WebSocket, WebSocketDisconnect

from pinakes.server.adapter import Adapter
from pinakes.server.faults import PARSE_ERROR, check_message, fault, parse_message
from pinakes.server.messages import Entrance, Incoming, spell
from pinakes.server.sessions import HERE, Place, name_session

log = logging.getLogger(__name__)

SUBPROTOCOL = "mcp"


class SocketDoor:
    """Serves each connection for as long as it is open."""

    def __init__(self, adapter: Adapter, security: TransportSecuritySettings) -> None:
        self._adapter = adapter
        self._security = TransportSecurityMiddleware(security)

    async def serve(self, socket: WebSocket) -> None:
        refusal = await self._security.validate_request(cast(Request, socket))
        if refusal is not None:
            await socket.send_denial_response(refusal)
            return
        offered = socket.scope.get("subprotocols", [])
        await socket.accept(subprotocol=SUBPROTOCOL if SUBPROTOCOL in offered else None)
        to_server, incoming = anyio.create_memory_object_stream[Incoming](0)
        outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        server = self._adapter.server
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read, socket, to_server)
            tasks.start_soon(_write, socket, from_server)
            options = server.create_initialization_options()
            HERE.set(Place(name_session("socket", uuid4().hex)))
            await serve_dual_era_loop(server, incoming, outgoing, lifespan_state=None, init_options=options)
            tasks.cancel_scope.cancel()


async def _read(socket: WebSocket, to_server: MemoryObjectSendStream[Incoming]) -> None:
    """Pass messages on until the client goes; what is none is answered here."""
    entrance = Entrance("websocket")
    async with to_server:
        try:
            async for text in socket.iter_text():
                message, complaint = _parsed(text)
                if complaint is not None:
                    await _send(socket, complaint)
                    continue
                for admitted in entrance.admit(message):
                    await to_server.send(admitted)
        except (WebSocketDisconnect, KeyError):
            # A frame of bytes has no text; whoever sends one does not speak this protocol.
            log.debug("the client has gone")


def _parsed(text: str) -> tuple[dict[str, Any], dict[str, Any] | None]:
    try:
        message = parse_message(text.encode())
    except ValueError:
        return {}, fault(PARSE_ERROR, "Parse error")
    return message, check_message(message)


async def _write(socket: WebSocket, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
    async with from_server:
        async for message in from_server:
            spelled = spell(message)
            if spelled is not None:
                await _send(socket, spelled)


async def _send(socket: WebSocket, message: dict[str, Any]) -> None:
    try:
        await socket.send_text(json.dumps(message, ensure_ascii=False, separators=(",", ":")))
    except (WebSocketDisconnect, RuntimeError, UnicodeEncodeError):
        log.debug("an answer was not delivered")
