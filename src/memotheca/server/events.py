"""Following the data: every commit, by whatever process, reaches those who subscribed to what it touched."""

import logging
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread

from memotheca.admin.history import changes_after, newest_tx
from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Refusal
from memotheca.server.resources import WatchedResource, changed_resources, changes_wanted, understand
from memotheca.storage.database import TellingDatabase

log = logging.getLogger(__name__)

POLL_SECONDS = 0.1  # measured: told within 0.15 s, at 1% of a processor
# Chosen: so many notes wait for a slow reader, besides one for each of its subscriptions; what comes then is
# told as missed.
BACKLOG = 1024
BATCH = 200  # chosen: some milliseconds of reading

Note = dict[str, Any]
TOOLS_CHANGED: Note = {"list_changed": "tools"}


@dataclass(slots=True)
class Subscription:
    """One subscription: what is wanted, since which transaction, and which were missed, from and to."""

    wanted: WatchedResource
    since: int
    missed: tuple[int, int] | None = None


@dataclass(eq=False, slots=True)
class Subscriber:
    """One client connection or listen stream: what it follows, and the notes on their way to it."""

    follows: dict[str, Subscription] = field(default_factory=dict[str, Subscription])
    wants_tools: bool = False
    # Whether whoever follows may still be told: a connection can outlive the token that it came with.
    is_welcome: Callable[[], bool] = lambda: True
    turn: anyio.Lock = field(default_factory=anyio.Lock)
    _queue: deque[tuple[str, Note]] = field(default_factory=deque[tuple[str, Note]])
    _late: dict[str, None] = field(default_factory=dict[str, None])
    _tools_due: bool = False
    _ended: bool = False
    _awake: anyio.Event = field(default_factory=anyio.Event)

    def offer(self, uri: str, note: Note) -> None:
        """Queue a note. Where too many wait already, the subscription only remembers from which transaction on it has
        missed something, and tells that once the reader has caught up."""
        followed = self.follows[uri]
        if followed.missed is not None:
            followed.missed = (followed.missed[0], note["tx_id"])
        elif len(self._queue) < BACKLOG + len(self.follows):
            self._queue.append((uri, note))
        else:
            followed.missed = (note["tx_id"], note["tx_id"])
            self._late[uri] = None
        self._awake.set()

    def offer_tools(self) -> None:
        self._tools_due = True
        self._awake.set()

    def end(self) -> None:
        self.follows.clear()
        self._queue.clear()
        self._late.clear()
        self._ended = True
        self._awake.set()

    async def deliver(self, send: Callable[[str, Note], Awaitable[None]]) -> None:
        """Pass notes on until it ends; what was unsubscribed meanwhile is not sent any more, nor is anything to whoever
        is not welcome any more."""
        while not self._ended:
            self._awake = anyio.Event()
            while (due := self._next()) is not None:
                async with self.turn:
                    if (due[0] in self.follows or due[1] is TOOLS_CHANGED) and self.is_welcome():
                        await send(*due)
            if not self._ended:
                await self._awake.wait()

    def _next(self) -> tuple[str, Note] | None:
        if self._tools_due:
            self._tools_due = False
            return "", TOOLS_CHANGED
        if self._queue:
            return self._queue.popleft()
        while self._late:
            uri = next(iter(self._late))
            del self._late[uri]
            followed = self.follows.get(uri)
            if followed is not None and followed.missed is not None:
                first, last = followed.missed
                followed.missed = None
                return uri, _missed(followed.wanted.announced, first, last)
        return None


def _missed(announced: str, first: int, last: int) -> Note:
    """That something changed, not what: to be read in the history from the first of these transactions on."""
    return {
        "resource_uri": announced,
        "tx_id": last,
        "change_type": "upsert",
        "changed_ids": [],
        "truncated": True,
        "missed": True,
        "missed_from_tx_id": first,
    }


class Hub:
    """All subscribers of this process, and the loop that follows the journal while there is one."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._subscribers: set[Subscriber] = set()
        # Who follows the whole of what is announced under a URI, and who a part of it.
        self._whole: dict[str, dict[tuple[Subscriber, str], Subscription]] = {}
        self._parts: dict[tuple[Subscriber, str], Subscription] = {}
        self._seen = -1
        self._awake = anyio.Event()
        # Who waits to be told of changes is in nobody's way.
        self._waiting = anyio.CapacityLimiter(1)

    def join(self, is_welcome: Callable[[], bool] = lambda: True) -> Subscriber:
        subscriber = Subscriber(is_welcome=is_welcome)
        self._subscribers.add(subscriber)
        return subscriber

    def leave(self, subscriber: Subscriber) -> None:
        self._subscribers.discard(subscriber)
        for uri in list(subscriber.follows):
            self._forget(subscriber, uri)
        subscriber.end()

    async def follow(self, subscriber: Subscriber, uri: str) -> None:
        """From now on, tell a subscriber of changes; raises Refusal where there is no such resource."""

        def look() -> tuple[WatchedResource, int]:
            return understand(self._kernel, uri), newest_tx(self._kernel)

        wanted, newest = await anyio.to_thread.run_sync(look)
        if self._seen < 0:
            self._seen = newest
        self._forget(subscriber, uri)
        followed = subscriber.follows[uri] = Subscription(wanted, newest)
        if wanted.asked is None:
            self._whole.setdefault(wanted.announced, {})[subscriber, uri] = followed
        else:
            self._parts[subscriber, uri] = followed
        self._awake.set()

    async def unfollow(self, subscriber: Subscriber, uri: str) -> None:
        """When this returns, nothing more is sent for that subscription."""
        async with subscriber.turn:
            self._forget(subscriber, uri)

    def _forget(self, subscriber: Subscriber, uri: str) -> None:
        followed = subscriber.follows.pop(uri, None)
        if followed is not None:
            self._parts.pop((subscriber, uri), None)
            followers = self._whole.get(followed.wanted.announced, {})
            followers.pop((subscriber, uri), None)
            if not followers:
                self._whole.pop(followed.wanted.announced, None)

    def announce_tools(self) -> None:
        for subscriber in self._subscribers:
            if subscriber.wants_tools:
                subscriber.offer_tools()

    async def run(self) -> None:
        """Follow the journal for ever; costs nothing while nobody subscribes."""
        while True:
            if not self._whole and not self._parts:
                self._seen = -1
                self._awake = anyio.Event()
                await self._awake.wait()
            database = self._kernel.store.database
            heard = database.heard() if isinstance(database, TellingDatabase) else 0
            try:
                while await self._catch_up() == BATCH:
                    pass
            except Refusal as refusal:
                log.warning("following the journal: %s", refusal.message)
            if isinstance(database, TellingDatabase):
                await anyio.to_thread.run_sync(
                    database.wait_for_change, heard, abandon_on_cancel=True, limiter=self._waiting
                )
            else:
                await anyio.sleep(POLL_SECONDS)

    async def _catch_up(self) -> int:
        """Tell of the next transactions, as many as are read at once; returns how many there were."""
        parts = list(self._parts.items())
        fresh = await anyio.to_thread.run_sync(partial(_read, self._kernel, self._seen, parts))
        for tx, whole, narrowed in fresh:
            for note in whole:
                for (subscriber, uri), followed in list(self._whole.get(note["resource_uri"], {}).items()):
                    if tx > followed.since:
                        subscriber.offer(uri, note)
            for (subscriber, uri), notes in narrowed:
                for note in notes if self._parts.get((subscriber, uri)) is not None else ():
                    if tx > self._parts[subscriber, uri].since:
                        subscriber.offer(uri, note)
            self._seen = tx
            await anyio.lowlevel.checkpoint()
        return len(fresh)


Place = tuple[Subscriber, str]
Fresh = tuple[int, list[Note], list[tuple[Place, list[Note]]]]


def _read(kernel: Kernel, seen: int, parts: list[tuple[Place, Subscription]]) -> list[Fresh]:
    """What is to be told of the next transactions: to all who follow something, and to those who follow a part."""
    found: list[Fresh] = []
    for commit, changes in changes_after(kernel, seen, BATCH):
        narrowed = [(place, changes_wanted(kernel, followed.wanted, commit, changes)) for place, followed in parts]
        found.append((commit.tx, changed_resources(commit, changes), narrowed))
    return found
