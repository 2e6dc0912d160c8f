"""A client's connection by server-sent events, whichever stream carries it: numbered, kept, and sent again when cut."""

import json
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import anyio
from anyio.streams.memory import MemoryObjectSendStream

from memotheca.server.access.holders import TokenHolder
from memotheca.server.batches import Reply
from memotheca.server.limits import ByteBudget
from memotheca.server.messages import Entrance, Incoming

KEPT = 100  # chosen: more unread messages than a client that reads ever has


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

    def __init__(self, to_server: MemoryObjectSendStream[Incoming], most: int, budget: ByteBudget) -> None:
        self.id = uuid4().hex
        self.address = ""
        self.holder: TokenHolder | None = None
        self.is_used = False
        self._most = most
        self._budget = budget
        self._kept = self._waiting = 0
        self.scope = anyio.CancelScope()
        self.grace = anyio.CancelScope()
        self._to_server = to_server
        self.entrance = Entrance("sse", most)
        self._turn = anyio.Lock()
        self._events: deque[Event] = deque()
        self._number = self._sent = self._dropped = self._stream = self._position = 0
        self._changed = anyio.Event()

    async def __aenter__(self) -> "Channel":
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self._to_server.aclose()
        self._events.clear()
        self._budget.give(self._kept)
        self._kept = 0

    async def receive(self, parsed: Any, size: int) -> Reply | None:
        """Pass a client's messages on, in the order of their coming; the complaint where there is none."""
        self.is_used = True
        async with self._turn:
            admitted, reply = self.entrance.admit(parsed, size)
            for each in admitted:
                await self._to_server.send(each)
        if reply is None or not admitted:
            return reply
        await self.publish(reply)
        return None

    def is_behind(self) -> bool:
        """Whether more waits to be read by the client than may."""
        crowded = self._waiting > 0 and self._budget.taken > self._budget.most
        return crowded or self._waiting >= self._most or self._unsent() >= KEPT

    async def catch_up(self) -> None:
        while self.is_behind():
            await self._changed.wait()

    async def publish(self, message: Reply) -> None:
        """Have a message sent; waits while too many are not."""
        await self.catch_up()
        self._keep("message", message)

    def show(self, request_id: str | int | None, number: int, result: Mapping[str, Any]) -> None:
        """Have a result sent ahead of its answer; a client that does not keep up has it from the answer."""
        if not self.is_behind():
            self._keep("partial", {"request_id": request_id, "number": number, "result": result})

    def tell(self, name: str, content: Mapping[str, Any]) -> None:
        """Have something sent that nobody asked for; a client that does not keep up goes without."""
        if not self.is_behind():
            self._keep(name, content)

    def passing(self, name: str, text: str) -> Event:
        """An event that is worth nothing later. It has a number of its own where nothing is on its way, and else that
        of the last before it, so that a client cut off after it still has what it missed."""
        if not any(event.number > self._position for event in self._events):
            self._number += 1
            self._position = self._number
        return Event(self._position, name, text)

    def attach(self, seen: int | None) -> tuple[int, int]:
        """Let a new stream take over from whichever there was: its number, and the event after which it goes on."""
        if seen is not None and not self._dropped <= seen <= self._number:
            raise Gone
        self._stream += 1
        self.grace.cancel()
        self._stir()
        self._position = self._sent if seen is None else seen
        return self._stream, self._position

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
            # Before it is sent: what passes while it is must not have a lower number.
            after = self._position = due.number
            yield due
            if after > self._sent:
                self._sent = after
                self._waiting -= len(due.text)
            self._forget()
            self._stir()

    def _unsent(self) -> int:
        return sum(1 for event in self._events if event.number > self._sent)

    def _keep(self, name: str, content: Mapping[str, Any] | Reply) -> None:
        # Pure ASCII: some clients break lines at more characters than the format does.
        text = json.dumps(content, separators=(",", ":"))
        self._number += 1
        self._events.append(Event(self._number, name, text))
        self._waiting += len(text)
        self._kept += len(text)
        self._budget.taken += len(text)
        self._stir()

    def _forget(self) -> None:
        """Of what was sent, keep as much as is sent again; where others need the room, only the last."""
        sent = [event for event in self._events if event.number <= self._sent]
        size = sum(len(event.text) for event in sent)
        for event in sent[:-1]:
            is_crowded = self._budget.taken > self._budget.most
            if len(sent) <= KEPT and size <= self._most and not is_crowded:
                break
            self._dropped = self._events.popleft().number
            size -= len(event.text)
            self._kept -= len(event.text)
            self._budget.give(len(event.text))
            sent = sent[1:]

    def _stir(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()
