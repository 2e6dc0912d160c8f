"""Server-sent events: `/sse` streams to a client what answers its posts to `/messages`; one that was cut may return."""

import json
import logging
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any, cast
from urllib.parse import quote

import anyio
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.runner import serve_dual_era_loop
from mcp.shared.message import SessionMessage
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from memotheca.model.clock import SECOND
from memotheca.server.access.holders import HOLDER, SESSION, TokenHolder
from memotheca.server.adapter import Adapter
from memotheca.server.ascii_json import JsonReply
from memotheca.server.channel import Channel, Event, Gone
from memotheca.server.dream_stream import NAME, DreamFollower
from memotheca.server.faults import INVALID_REQUEST, fault
from memotheca.server.limits import IS_IDLE, ByteBudget, ClientLimits
from memotheca.server.messages import Full, Incoming
from memotheca.server.sessions import HERE, MessageOrigin, name_session
from memotheca.tools.memories.contract import SSE_SESSION_EXPIRED

log = logging.getLogger(__name__)

MESSAGES = "/messages"
HEARTBEAT_SECONDS = 30.0  # specification: of the memories family
GRACE_SECONDS = 60.0  # specification: of the memories family

# An event's id also says whose event it is: a client that comes back may say nothing else.
EVENT_ID = re.compile(r"(?:([0-9a-f]{32})-)?([0-9]{1,18})")

Wait = Callable[[float], Awaitable[None]]


class EventDoor:
    """All clients that are connected by server-sent events, or were a minute ago."""

    def __init__(self, adapter: Adapter, limits: ClientLimits, budget: ByteBudget, wait: Wait = anyio.sleep) -> None:
        self._adapter = adapter
        self._limits = limits
        self._budget = budget
        self._wait = wait
        self._channels: dict[str, Channel] = {}
        self._tasks: TaskGroup | None = None
        self._dreams = DreamFollower(adapter.app.kernel, lambda: bool(self._channels), self._tell_dream)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            tasks.start_soon(self._dreams.run)
            try:
                yield
            finally:
                tasks.cancel_scope.cancel()

    def _tell_dream(self, content: dict[str, Any]) -> None:
        for channel in self._channels.values():
            if channel.holder is None or channel.holder.is_welcome():
                channel.tell(NAME, content)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream events, of a new connection or of one that was cut."""
        request = Request(scope, receive)
        address = request.client.host if request.client else ""
        try:
            channel, seen = self._find(request)
            if channel is None and not self._make_room(address):
                await JsonReply({"error": "too_many_connections"}, 503)(scope, receive, send)
                return
            channel = channel or self._open(address, scope.get(HOLDER))
            stream, after = channel.attach(seen)
        except Gone:
            await _expired(None)(scope, receive, send)
            return
        # A web page can open streams without asking anything: their connections give way, as their channels do.
        scope.setdefault("state", {})[IS_IDLE] = lambda: not channel.is_used
        try:
            await self._stream(request, channel, channel.follow(stream, after), send)
        finally:
            if channel.is_carried_by(stream) and channel.id in self._channels:
                self._begin_grace(channel)

    async def receive(self, request: Request) -> Response:
        """Take a message of a connected client; the answer goes to its stream."""
        body = await request.body()
        parsed = json.loads(body)
        asked = cast(dict[str, Any], parsed).get("id") if isinstance(parsed, dict) else None
        id = request.query_params.get(SESSION)
        if id is None:
            details = f"Post to the address that the endpoint event named: it has a {SESSION}."
            return JsonReply(fault(INVALID_REQUEST, "Invalid Request", id=asked, details=details), 400)
        channel = self._channels.get(id)
        if channel is None:
            return _expired(asked)
        try:
            complaint = await channel.receive(parsed, len(body))
        except Full as full:
            return JsonReply(full.answer, 429, headers={"Retry-After": "5"})
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            return _expired(asked)
        return Response("Accepted", 202) if complaint is None else JsonReply(complaint, 400)

    def _find(self, request: Request) -> tuple[Channel | None, int | None]:
        """The connection that a client returns to, and the last event it saw there; nothing where it is new."""
        id = request.query_params.get(SESSION)
        last = request.headers.get("last-event-id")
        seen = EVENT_ID.fullmatch(last) if last else None
        if id is None and not last:
            return None, None
        if last and seen is None:
            raise Gone
        channel = self._channels.get(id or (seen[1] if seen else "") or "")
        if channel is None or (seen is not None and seen[1] not in (None, channel.id)):
            raise Gone
        return channel, None if seen is None else int(seen[2])

    def _make_room(self, address: str) -> bool:
        """Whether another may connect: if need be in the place of the oldest who has never asked anything, as a web
        page that can open streams and not read them."""
        own = [channel for channel in self._channels.values() if channel.address == address]
        if len(own) >= self._limits.connections_per_client:
            candidates = own
        elif len(self._channels) >= self._limits.connections:
            candidates = list(self._channels.values())
        else:
            return True
        idle = next((channel for channel in candidates if not channel.is_used), None)
        if idle is not None:
            self._end(idle)
        return idle is not None

    def _end(self, channel: Channel) -> None:
        self._channels.pop(channel.id, None)
        channel.attach(None)
        channel.scope.cancel()

    def _open(self, address: str, holder: TokenHolder | None) -> Channel:
        to_server, incoming = anyio.create_memory_object_stream[Incoming](0)
        channel = Channel(to_server, self._limits.buffer, self._budget)
        channel.address = address
        channel.holder = holder
        self._channels[channel.id] = channel
        assert self._tasks is not None
        self._tasks.start_soon(self._serve, channel, incoming)
        return channel

    async def _serve(self, channel: Channel, incoming: MemoryObjectReceiveStream[Incoming]) -> None:
        """Answer a client until it is gone for good."""
        origin = MessageOrigin(
            name_session("sse", channel.id), channel.show, channel.is_behind, channel.catch_up, holder=channel.holder
        )
        HERE.set(origin)
        outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        server = self._adapter.server
        try:
            with channel.scope:
                async with channel, incoming, anyio.create_task_group() as tasks:
                    tasks.start_soon(_collect, from_server, channel)
                    options = server.create_initialization_options()
                    await serve_dual_era_loop(server, incoming, outgoing, lifespan_state=None, init_options=options)
        except Exception:
            log.exception("a connection by server-sent events has failed")
        finally:
            self._channels.pop(channel.id, None)

    def _begin_grace(self, channel: Channel) -> None:
        channel.grace = anyio.CancelScope()
        assert self._tasks is not None
        self._tasks.start_soon(self._expire, channel, channel.grace)

    async def _expire(self, channel: Channel, grace: anyio.CancelScope) -> None:
        with grace:
            await self._wait(GRACE_SECONDS)
            self._channels.pop(channel.id, None)
            channel.scope.cancel()

    async def _stream(self, request: Request, channel: Channel, events: AsyncGenerator[Event], send: Send) -> None:
        path = quote(request.scope.get("root_path", "").rstrip("/") + MESSAGES)
        endpoint = f"{path}?{SESSION}={channel.id}"
        produced, shown = anyio.create_memory_object_stream[ServerSentEvent](0)

        async def produce() -> None:
            async with produced, aclosing(events), anyio.create_task_group() as tasks:
                phase = await self._dreams.join()
                await self._beat(channel, produced)
                await produced.send(_to_wire(channel, channel.passing("endpoint", endpoint)))
                if phase is not None:
                    await produced.send(_to_wire(channel, channel.passing(NAME, json.dumps(phase))))
                tasks.start_soon(self._keep_beating, channel, produced)
                async for event in events:
                    await produced.send(_to_wire(channel, event))
                tasks.cancel_scope.cancel()

        headers = {"Mcp-Session-Id": channel.id}
        async with shown:
            response = EventSourceResponse(shown, headers=headers, ping=0, sep="\n", data_sender_callable=produce)
            await response(request.scope, request.receive, send)

    async def _keep_beating(self, channel: Channel, send: MemoryObjectSendStream[ServerSentEvent]) -> None:
        while True:
            await self._wait(HEARTBEAT_SECONDS)
            if channel.holder is not None and not channel.holder.is_welcome():
                self._end(channel)  # It has outlived its token.
                return
            await self._beat(channel, send)

    async def _beat(self, channel: Channel, send: MemoryObjectSendStream[ServerSentEvent]) -> None:
        ping = {"type": "ping", "timestamp": self._adapter.app.kernel.now() // SECOND}
        await send.send(_to_wire(channel, channel.passing("heartbeat", json.dumps(ping))))


def _to_wire(channel: Channel, event: Event) -> ServerSentEvent:
    return ServerSentEvent(event.text, event=event.name, id=f"{channel.id}-{event.number}", sep="\n")


async def _collect(from_server: MemoryObjectReceiveStream[SessionMessage], channel: Channel) -> None:
    async with from_server:
        async for message in from_server:
            spelled = channel.entrance.spell(message)
            if spelled is not None:
                await channel.publish(spelled)


def _expired(id: str | int | None) -> Response:
    named = SSE_SESSION_EXPIRED
    error = {
        "code": named.code,
        "message": "There is no such session by server-sent events any more, or not all that was missed.",
        "data": {"name": named.name, "recovery": named.recovery, "retryable": False},
    }
    return JsonReply({"jsonrpc": "2.0", "id": id, "error": error}, 404)
