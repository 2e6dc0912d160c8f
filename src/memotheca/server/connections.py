"""HTTP connections and what each may take: time for its request, time to read its answer, a place among the others."""

import asyncio
import json
import logging
from collections.abc import Callable, Hashable
from typing import Any, Protocol, cast

from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

from memotheca.server.limits import IS_IDLE, ByteBudget, ClientLimits

log = logging.getLogger(__name__)

LARGEST_HEADERS = 64 * 1024  # chosen: what other servers take at most
# Chosen: bytes in a second that a body brings, and that a reader takes, at the least.
SLOWEST = 10_000
# Chosen: whoever has closed its half may have gone for good, which only writing to it shows.
HALF_CLOSED_SECONDS = 1.0
# Specification: the code with which a WebSocket ends that may be opened again later.
TRY_AGAIN_LATER = 1013
NO_ROOM = "Too much is being read. Try again later."

REASONS = {408: "Request Timeout", 431: "Request Header Fields Too Large", 503: "Service Unavailable"}


class Guest(Protocol):
    """A connection that holds a place."""

    @property
    def is_in_the_way(self) -> bool:
        """It has asked for nothing yet, has had its answer, or holds a stream that nobody asks anything by."""
        ...

    def leave(self) -> None: ...


class Places:
    """Who is connected, from where, and who gives way where there is no room for another."""

    def __init__(self, limits: ClientLimits, budget: ByteBudget) -> None:
        self.limits = limits
        self.budget = budget
        self._guests: dict[Hashable, tuple[Guest, str]] = {}
        self._from: dict[str, int] = {}

    def enter(self, key: Hashable, guest: Guest, address: str) -> bool:
        """Whether there is a place: a free one, or that of the oldest who does nothing with it."""
        if self._from.get(address, 0) >= self.limits.connections_per_client:
            admitted = self._clear(address)
        else:
            admitted = len(self._guests) < self.limits.connections or self._clear(None)
        if not admitted:
            log.warning("no place for another connection from %s", address)
            return False
        self._guests[key] = (guest, address)
        self._from[address] = self._from.get(address, 0) + 1
        return True

    def pass_on(self, key: Hashable, guest: Guest) -> None:
        """Let another protocol hold the place of a connection."""
        if key in self._guests:
            self._guests[key] = (guest, self._guests[key][1])

    def free(self, key: Hashable) -> None:
        _, address = self._guests.pop(key, (None, None))
        if address is not None:
            self._from[address] -= 1
            if not self._from[address]:
                del self._from[address]

    def _clear(self, address: str | None) -> bool:
        for key, (guest, origin) in self._guests.items():
            if address in (None, origin) and guest.is_in_the_way:
                self.free(key)
                guest.leave()
                return True
        return False


class Patience:
    """Cuts off a client that does not read what is written to it."""

    def __init__(self, transport: asyncio.Transport, seconds: int) -> None:
        self._transport = transport
        self._seconds = seconds
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        if self._timer is None:
            self._arm()

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self) -> None:
        waiting = self._transport.get_write_buffer_size()
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._look, waiting)

    def _look(self, before: int) -> None:
        self._timer = None
        waiting = self._transport.get_write_buffer_size()
        if not waiting:
            return
        if before - waiting >= min(SLOWEST * self._seconds, before):
            self._arm()
            return
        log.info("a client that does not read was cut off")
        self._transport.abort()


class GuardedHttp(HttpToolsProtocol):
    """A connection of HTTP within its limits."""

    def __init__(self, places: Places, **given: Any) -> None:
        super().__init__(**given)
        self._places = places
        self._limits = places.limits
        self._timer: asyncio.TimerHandle | None = None
        self._reads = "headers"
        self._size = 0
        self._began = 0.0
        self._is_half_closed = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().connection_made(transport)
        self._patience = Patience(transport, self._limits.stall_seconds)
        if self._places.enter(transport, self, self.client[0] if self.client else ""):
            self._expect("headers")
        else:
            self._turn_away(503, "There is no place for another connection; try again later.")

    def connection_lost(self, exc: Exception | None) -> None:
        self._places.free(self.transport)
        self._expect("")
        self._patience.end()
        super().connection_lost(exc)

    @property
    def is_in_the_way(self) -> bool:
        cycle = self._asked()
        if cycle is None or cycle.response_complete:
            return bool(self._reads)
        is_idle: Callable[[], bool] = self.scope.get("state", {}).get(IS_IDLE, bool)
        return is_idle()

    def _asked(self) -> RequestResponseCycle | None:
        """The newest request, where there was one."""
        return cast(RequestResponseCycle | None, self.cycle)

    def leave(self) -> None:
        if self._reads == "headers" and self._size:
            self._turn_away(408, "The request did not come in time.")
        else:
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        self._size += len(data)
        super().data_received(data)
        if self._reads == "headers" and not self.transport.is_closing():
            if self._size > LARGEST_HEADERS:
                self._turn_away(431, f"The headers of a request may have {LARGEST_HEADERS} bytes.")
            elif self._timer is None:
                self._expect("headers")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._expect("headers")

    def on_headers_complete(self) -> None:
        self._expect("body")
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._expect("")
        self._settle()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._is_half_closed and not self.pipeline:
            self.transport.close()
        if self.transport.is_closing():
            self._patience.begin()
        self._settle()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._patience.begin()

    def _settle(self) -> None:
        """Once a request was read and answered, another may begin; how long that takes is the keep-alive time-out's."""
        cycle = self._asked()
        if not self._reads and cycle is not None and cycle.response_complete and not self.pipeline:
            self._reads, self._size = "headers", 0

    def handle_websocket_upgrade(self) -> None:
        self._expect("")
        self._patience.end()
        super().handle_websocket_upgrade()

    def eof_received(self) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Whether to go on: a client that has said all may still read, and then it has its answer."""
        cycle = self._asked()
        if self._reads or cycle is None or cycle.response_complete:
            return False
        self._is_half_closed = True
        if not self._is_awaited():
            self.loop.call_later(HALF_CLOSED_SECONDS, self.transport.close)
        return True

    def _is_awaited(self) -> bool:
        """Whether the answer is made in any case. Of a stream, and of a request of the newer protocol, closing is the
        end."""
        revision = next((value for name, value in self.scope["headers"] if name == b"mcp-protocol-version"), b"")
        return self.scope["method"] == "POST" and revision.decode("latin-1") not in MODERN_PROTOCOL_VERSIONS

    def pause_writing(self) -> None:
        super().pause_writing()
        self._patience.begin()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._patience.end()

    def _expect(self, part: str) -> None:
        """Give a part of the request its time; nothing is expected once all has come."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._reads, self._size, self._began = part, 0, self.loop.time()
        if part == "headers":
            self._timer = self.loop.call_later(self._limits.header_seconds, self._lose_patience)
        elif part == "body":
            self._timer = self.loop.call_later(self._limits.body_seconds, self._weigh_body)

    def _weigh_body(self) -> None:
        """A body has its time, and more the more of it has come; while we do not read, its sender is not late."""
        if self.flow.read_paused:
            self._size, self._began = 0, self.loop.time()
        left = self._began + self._limits.body_seconds + self._size / SLOWEST - self.loop.time()
        if left > 0:
            self._timer = self.loop.call_later(left, self._weigh_body)
        else:
            self._lose_patience()

    def _lose_patience(self) -> None:
        self._timer = None
        cycle = self._asked()
        if cycle is None or (cycle.response_complete if self._reads == "headers" else not cycle.response_started):
            self._turn_away(408, "The request did not come in time.")
        else:
            self.transport.abort()

    def _turn_away(self, status: int, message: str) -> None:
        body = json.dumps({"error": REASONS[status].lower().replace(" ", "_"), "message": message}).encode()
        head = (
            f"HTTP/1.1 {status} {REASONS[status]}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()


class GuardedSocket(WebSocketsSansIOProtocol):
    """A WebSocket that keeps the place of the connection it began as; those that answer no ping are cut off already.
    What has come of a message that is not whole counts among all that waits here."""

    def __init__(self, places: Places, **given: Any) -> None:
        super().__init__(**given)
        self._places = places
        self._counted = self._unfinished = 0

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        held = self._unfinished + len(self.conn.reader.buffer)
        if held <= self._counted:
            self._places.budget.give(self._counted - held)
        elif not self._places.budget.take(held - self._counted):
            self._refuse()
            return
        self._counted = held

    def handle_text(self, event: Frame) -> None:
        self._unfinished = 0 if event.fin else len(event.data)
        super().handle_text(event)

    def handle_bytes(self, event: Frame) -> None:
        self._unfinished = 0 if event.fin else len(event.data)
        super().handle_bytes(event)

    def handle_cont(self, event: Frame) -> None:
        self._unfinished = 0 if event.fin else self._unfinished + len(event.data)
        super().handle_cont(event)

    def _refuse(self) -> None:
        """End a connection for whose message there is no room, and let go of what has come of it."""
        self.frames = []
        if not self.transport.is_closing():
            self.conn.fail(TRY_AGAIN_LATER, NO_ROOM)
            self.handle_parser_exception()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._patience = Patience(cast(asyncio.Transport, transport), self._places.limits.stall_seconds)
        self._places.pass_on(transport, self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._places.free(self.transport)
        self._places.budget.give(self._counted)
        self._counted = 0
        self._patience.end()
        super().connection_lost(exc)

    @property
    def is_in_the_way(self) -> bool:
        return False

    def leave(self) -> None:
        self.transport.abort()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._patience.begin()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._patience.end()
