"""WebSocket: the same JSON-RPC messages on the same path, for clients that keep one connection open."""

import logging
from uuid import uuid4

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.runner import serve_dual_era_loop
from mcp.shared.message import SessionMessage
from starlette.websockets import WebSocket, WebSocketDisconnect

from memotheca.server.access.holders import HOLDER
from memotheca.server.adapter import Adapter
from memotheca.server.batches import Reply, spell
from memotheca.server.faults import PARSE_ERROR, fault, parse_message
from memotheca.server.limits import ClientLimits
from memotheca.server.messages import Entrance, Full, Incoming
from memotheca.server.sessions import HERE, MessageOrigin, name_session

log = logging.getLogger(__name__)

SUBPROTOCOL = "mcp"
UNSUPPORTED_FRAME = 1003  # specification: RFC 6455


class SocketDoor:
    """Serves each connection for as long as it is open."""

    def __init__(self, adapter: Adapter, limits: ClientLimits) -> None:
        self._adapter = adapter
        self._limits = limits

    async def serve(self, socket: WebSocket) -> None:
        offered = socket.scope.get("subprotocols", [])
        await socket.accept(subprotocol=SUBPROTOCOL if SUBPROTOCOL in offered else None)
        to_server, incoming = anyio.create_memory_object_stream[Incoming](0)
        outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        server, line = self._adapter.server, SocketLine(socket, self._limits.buffer)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(line.read, to_server)
            tasks.start_soon(line.write, from_server)
            options = server.create_initialization_options()
            name, holder = name_session("socket", uuid4().hex), socket.scope.get(HOLDER)
            HERE.set(MessageOrigin(name, None, line.is_behind, line.catch_up, holder=holder))
            await serve_dual_era_loop(server, incoming, outgoing, lifespan_state=None, init_options=options)
            tasks.cancel_scope.cancel()


class SocketLine:
    """One client's socket, and whether what was sent has gone."""

    def __init__(self, socket: WebSocket, most: int) -> None:
        self._socket = socket
        self._entrance = Entrance("websocket", most)
        self._turn = anyio.Lock()
        self._is_sending = False
        self._sent = anyio.Event()

    def is_behind(self) -> bool:
        return self._is_sending

    async def catch_up(self) -> None:
        while self._is_sending:
            await self._sent.wait()

    async def read(self, to_server: MemoryObjectSendStream[Incoming]) -> None:
        """Pass messages on until the client goes; what is none is answered here."""
        async with to_server:
            try:
                while True:
                    received = await self._socket.receive()
                    if received["type"] != "websocket.receive":
                        break
                    if received.get("text") is None:
                        await self._socket.close(UNSUPPORTED_FRAME, "Messages are text.")
                        break
                    await self._take(received["text"], to_server)
            except (WebSocketDisconnect, RuntimeError):
                log.debug("the client has gone")

    async def _take(self, text: str, to_server: MemoryObjectSendStream[Incoming]) -> None:
        try:
            admitted, reply = self._entrance.admit(parse_message(text.encode()), len(text))
        except ValueError:
            admitted, reply = [], fault(PARSE_ERROR, "Parse error")
        except Full as full:
            admitted, reply = [], full.answer
        for each in admitted:
            await to_server.send(each)
        if reply is not None:
            await self._send(reply)

    async def write(self, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with from_server:
            async for message in from_server:
                spelled = self._entrance.spell(message)
                if spelled is not None:
                    await self._send(spelled)

    async def _send(self, message: Reply) -> None:
        text = spell(message)
        async with self._turn:
            self._is_sending = True
            try:
                await self._socket.send_text(text)
            except (WebSocketDisconnect, RuntimeError):
                log.debug("an answer was not delivered")
            finally:
                self._is_sending = False
                self._sent.set()
                self._sent = anyio.Event()
