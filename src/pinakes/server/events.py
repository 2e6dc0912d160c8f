"""Following the data: every commit, by whatever process, reaches those who subscribed to what it touched."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from pinakes.engine.history import changes_after, newest_tx
from pinakes.engine.kernel import Kernel
from pinakes.model.errors import Refusal
from pinakes.server.resources import changed_resources, followed_uri

log = logging.getLogger(__name__)

POLL_SECONDS = 0.1
BACKLOG = 1024

Note = dict[str, Any]
TOOLS_CHANGED: Note = {"list_changed": "tools"}


@dataclass(eq=False, slots=True)
class Subscriber:
    """One client connection or listen stream: what it follows, and the notes on their way to it."""

    send: MemoryObjectSendStream[tuple[str, Note]]
    receive: MemoryObjectReceiveStream[tuple[str, Note]]
    follows: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    wants_tools: bool = False
    turn: anyio.Lock = field(default_factory=anyio.Lock)

    def offer(self, uri: str, note: Note) -> None:
        try:
            self.send.send_nowait((uri, note))
        except anyio.WouldBlock:
            log.warning("a subscriber does not read its notifications; its subscriptions are dropped")
            self.follows.clear()
            self.wants_tools = False
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            self.follows.clear()

    async def deliver(self, send: Callable[[str, Note], Awaitable[None]]) -> None:
        """Pass notes on until the stream ends; what was unsubscribed meanwhile is not sent any more."""
        async with self.receive:
            async for uri, note in self.receive:
                async with self.turn:
                    if uri in self.follows or note is TOOLS_CHANGED:
                        await send(uri, note)


class Hub:
    """All subscribers of this process, and the loop that follows the journal while there is one."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._subscribers: set[Subscriber] = set()
        self._seen = -1
        self._awake = anyio.Event()

    def join(self) -> Subscriber:
        send, receive = anyio.create_memory_object_stream[tuple[str, Note]](BACKLOG)
        subscriber = Subscriber(send, receive)
        self._subscribers.add(subscriber)
        return subscriber

    def leave(self, subscriber: Subscriber) -> None:
        self._subscribers.discard(subscriber)
        subscriber.follows.clear()
        subscriber.send.close()

    async def follow(self, subscriber: Subscriber, uri: str) -> None:
        """From now on, tell a subscriber of changes; raises Refusal where there is no such resource."""
        announced = await anyio.to_thread.run_sync(followed_uri, self._kernel, uri)
        newest = await anyio.to_thread.run_sync(newest_tx, self._kernel)
        if self._seen < 0:
            self._seen = newest
        subscriber.follows[uri] = (announced, newest)
        self._awake.set()

    async def unfollow(self, subscriber: Subscriber, uri: str) -> None:
        """When this returns, nothing more is sent for that subscription."""
        async with subscriber.turn:
            subscriber.follows.pop(uri, None)

    def announce_tools(self) -> None:
        for subscriber in self._subscribers:
            if subscriber.wants_tools:
                subscriber.offer("", TOOLS_CHANGED)

    async def run(self) -> None:
        """Follow the journal for ever; costs nothing while nobody subscribes."""
        while True:
            if not any(subscriber.follows for subscriber in self._subscribers):
                self._seen = -1
                self._awake = anyio.Event()
                await self._awake.wait()
            try:
                await self._catch_up()
            except Refusal as refusal:
                log.warning("following the journal: %s", refusal.message)
            await anyio.sleep(POLL_SECONDS)

    async def _catch_up(self) -> None:
        fresh = await anyio.to_thread.run_sync(changes_after, self._kernel, self._seen)
        for transaction, changes in fresh:
            for note in changed_resources(transaction, changes):
                self._fan_out(note)
            self._seen = transaction.tx

    def _fan_out(self, note: Note) -> None:
        for subscriber in list(self._subscribers):
            for uri, (announced, since) in list(subscriber.follows.items()):
                if announced == note["resource_uri"] and note["tx_id"] > since:
                    subscriber.offer(uri, note)
