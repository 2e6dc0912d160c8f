"""A client's connection by server-sent events, whichever stream carries it: numbered, kept, and sent again when cut."""

import json
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import anyio
from anyio.streams.memory import MemoryObjectSendStream

from pinakes.server.messages import Entrance, Incoming

KEPT = 100
KEPT_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Event:
    """Something for the client; its number grows from one to the next."""

    number: int
    name: str
    text: str


class Gone(Exception):
    """The client has missed more than is kept."""


class Channel:
    """What goes to one client, in order, and the way for what comes from it."""

    def __init__(self, to_server: MemoryObjectSendStream[Incoming]) -> None:
        self.id = uuid4().hex
        self.scope = anyio.CancelScope()
        self.grace = anyio.CancelScope()
        self._to_server = to_server
        self._entrance = Entrance("sse")
        self._turn = anyio.Lock()
        self._events: deque[Event] = deque()
        self._number = self._sent = self._dropped = self._stream = 0
        self._changed = anyio.Event()

    async def __aenter__(self) -> "Channel":
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self._to_server.aclose()

    async def receive(self, message: dict[str, Any]) -> None:
        """Pass a client's message on, in the order of their coming."""
        async with self._turn:
            for admitted in self._entrance.admit(message):
                await self._to_server.send(admitted)

    async def publish(self, message: Mapping[str, Any]) -> None:
        """Have a message sent; waits while too many are not."""
        while self._unsent() >= KEPT:
            await self._changed.wait()
        self._keep("message", message)

    def show(self, request_id: str | int | None, number: int, result: Mapping[str, Any]) -> None:
        """Have a result sent ahead of its answer; a client that does not keep up has it from the answer."""
        if self._unsent() < KEPT:
            self._keep("partial", {"request_id": request_id, "number": number, "result": result})

    def passing(self, name: str, text: str) -> Event:
        """An event that has its number, so that a client can say it saw it, but is worth nothing later."""
        self._number += 1
        return Event(self._number, name, text)

    def attach(self, seen: int | None) -> tuple[int, int]:
        """Let a new stream take over from whichever there was: its number, and the event after which it goes on."""
        if seen is not None and not self._dropped <= seen <= self._number:
            raise Gone
        self._stream += 1
        self.grace.cancel()
        self._stir()
        return self._stream, self._sent if seen is None else seen

    def is_carried_by(self, stream: int) -> bool:
        return self._stream == stream

    async def follow(self, stream: int, after: int) -> AsyncGenerator[Event]:
        """What is kept after an event and all that is to come, until another stream takes over."""
        while self.is_carried_by(stream):
            changed = self._changed
            due = next((event for event in self._events if event.number > after), None)
            if due is None:
                await changed.wait()
                continue
            yield due
            after = due.number
            self._sent = max(self._sent, after)
            self._forget()
            self._stir()

    def _unsent(self) -> int:
        return sum(1 for event in self._events if event.number > self._sent)

    def _keep(self, name: str, content: Mapping[str, Any]) -> None:
        # Pure ASCII: some clients break lines at more characters than the format does.
        self._events.append(self.passing(name, json.dumps(content, separators=(",", ":"))))
        self._stir()

    def _forget(self) -> None:
        """Of what was sent, keep as much as is sent again."""
        sent = [event for event in self._events if event.number <= self._sent]
        size = sum(len(event.text) for event in sent)
        for event in sent[:-1]:
            if len(sent) <= KEPT and size <= KEPT_BYTES:
                break
            self._dropped = self._events.popleft().number
            size -= len(event.text)
            sent = sent[1:]

    def _stir(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()
