"""Several collections, one server: which one a request is for, by its path or by whoever asks, and whether it is for
them. What is not there and what is not theirs are answered alike."""

import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlencode
from uuid import uuid4

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup, TaskStatus
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from memotheca.app import App, open_collection
from memotheca.model.kinds import STARTER_COLLECTION
from memotheca.server.access.gate import first_of_each, refuse
from memotheca.server.access.holders import HOLDER, SESSION, SESSION_HEADER, TokenHolder
from memotheca.server.access.shown_tools import COLLECTIONS
from memotheca.server.adapter import Adapter
from memotheca.server.doors import CollectionDoors
from memotheca.settings import Settings

ALL = "all"
# A collection's name may hold strokes; its doors are one word.
NAMED = re.compile(r"(?P<place>/c/(?P<name>.+))/[^/]+", re.DOTALL)
LAST_EVENT = "last-event-id"

Build = Callable[[Adapter], CollectionDoors]


class ServedCollections:
    """The collections of a store, each opened when somebody who may asks for it first."""

    def __init__(self, adapter: Adapter, settings: Settings, build: Build) -> None:
        self.own = adapter.app.kernel.collection
        self._app = adapter.app
        self._operation = adapter.operation
        self._settings = settings
        self._shared = settings.names("collections")
        self._build = build
        self._doors = {self.own: build(adapter)}
        self._opening = anyio.Lock()
        self._tasks: TaskGroup | None = None
        self._glance = anyio.CapacityLimiter(2)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        async with self._doors[self.own].running(), anyio.create_task_group() as tasks:
            self._tasks = tasks
            try:
                yield
            finally:
                self._tasks = None
                tasks.cancel_scope.cancel()

    def usual(self, holder: TokenHolder | None) -> str:
        """Which collection is meant where a request names none."""
        known = holder.token.collections if holder is not None else ()
        return self.own if not known or self.own in known else known[0]

    async def open_to(self, holder: TokenHolder | None) -> dict[str, Any]:
        """The collections that somebody may enter, by name, and which of them is meant where none is named."""
        known = await anyio.to_thread.run_sync(self._app.kernel.store.collections, limiter=self._glance)
        named = holder.token.collections if holder is not None else ()
        names = {self.own, *self._shared, *named, *known} - {ALL, STARTER_COLLECTION}
        return {"usual": self.usual(holder), "names": sorted(name for name in names if self._is_for(name, holder))}

    async def find(self, name: str, holder: TokenHolder | None) -> CollectionDoors | None:
        """The doors of a collection, if it is for whoever asks: one that nobody has begun is there only for those it
        was named for."""
        if name == STARTER_COLLECTION or not self._is_for(name, holder):
            return None
        if name not in self._doors:
            names_it = name in self._shared or (holder is not None and name in holder.token.collections)
            if not names_it and not await anyio.to_thread.run_sync(self._exists, name, limiter=self._glance):
                return None
            await self._open(name)
        return self._doors.get(name)

    def _is_for(self, name: str, holder: TokenHolder | None) -> bool:
        if holder is not None and holder.token.name:
            return holder.token.may_enter(name)
        return name == self.own or name in self._shared or ALL in self._shared

    def _exists(self, name: str) -> bool:
        return name in self._app.kernel.store.collections()

    async def _open(self, name: str) -> None:
        async with self._opening:
            if name not in self._doors and self._tasks is not None:
                app = await anyio.to_thread.run_sync(partial(open_collection, self._app, self._settings, name))
                self._doors[name] = await self._tasks.start(self._keep_open, app)

    async def _keep_open(self, app: App, *, task_status: TaskStatus[CollectionDoors]) -> None:
        doors = self._build(Adapter(app, does_jobs=False, operation=self._operation))
        try:
            async with doors.running():
                task_status.started(doors)
                await anyio.sleep_forever()
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(app.rest)


class CollectionChoice:
    """Leads a request to the doors of its collection."""

    def __init__(self, served: ServedCollections) -> None:
        self._served = served

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        root, holder = scope.get("root_path", ""), scope.get(HOLDER)
        named = NAMED.fullmatch(scope["path"].removeprefix(root))
        name = named["name"] if named else self._served.usual(holder)
        doors = await self._served.find(name, holder)
        if doors is None:
            answer = refuse(scope, 404, "no such collection, or not for whoever asks")
            if scope["type"] == "websocket":
                await WebSocket(scope, receive, send).send_denial_response(answer)
            else:
                await answer(scope, receive, send)
            return
        scope = {**scope, COLLECTIONS: partial(self._served.open_to, holder)}
        if named:
            scope["root_path"] = root + named["place"]
        if holder is not None:
            scope, send = _without_others(scope, holder, doors), _noting(send, holder, doors)
        await doors.app(scope, receive, send)


def _without_others(scope: Scope, holder: TokenHolder, doors: CollectionDoors) -> Scope:
    """A session of somebody else is one that is not there: what names it names nothing, so that all that is asked in it
    is answered as if it had never been."""

    def known(session: str) -> str:
        return session if doors.owners.owns(holder, session) else uuid4().hex

    def told(name: str, value: str) -> str:
        if name == SESSION_HEADER:
            return known(value.strip())
        session, dash, number = value.strip().rpartition("-")
        return f"{known(session)}{dash}{number}" if session else value

    headers = [
        (name, told(name.decode("latin-1"), value.decode("latin-1")).encode("latin-1"))
        if name.decode("latin-1") in (SESSION_HEADER, LAST_EVENT)
        else (name, value)
        for name, value in scope["headers"]
    ]
    query = scope.get("query_string", b"").decode("latin-1")
    given = parse_qsl(query, keep_blank_values=True, encoding="latin-1")
    # Looked at as it is understood, not as it is spelled.
    if any(name == SESSION for name, _ in given):
        told_of = [(name, known(value) if name == SESSION else value) for name, value in given]
        query = urlencode(told_of, encoding="latin-1", errors="replace")
    return {**scope, "headers": headers, "query_string": query.encode("latin-1")}


def _noting(send: Send, holder: TokenHolder, doors: CollectionDoors) -> Send:
    """Remember whose the sessions are that are begun."""

    async def note(message: Message) -> None:
        if message["type"] == "http.response.start":
            session = first_of_each(message.get("headers", [])).get(SESSION_HEADER)
            if session:
                doors.owners.note(holder, session)
        await send(message)

    return note
