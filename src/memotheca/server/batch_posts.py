"""Batches posted over HTTP: each message is served as if it came alone, and one array answers them all."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any, cast

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memotheca.server.ascii_json import JsonReply
from memotheca.server.batches import BATCHING, Batch, is_request, read_batch
from memotheca.server.limits import ByteBudget
from memotheca.server.posts import Completion, answer, answers, replay

EVENTS = "text/event-stream"
SESSION = "mcp-session-id"
REVISION = "mcp-protocol-version"
# Chosen: sessions whose revision is remembered, for each that may be open: those that were left unsaid stay
# until others come.
REMEMBERED = 4


class BatchDoor:
    """Takes batches apart where the revision has them, and passes everything else on."""

    def __init__(self, app: ASGIApp, budget: ByteBudget, sessions: int) -> None:
        self._app = app
        self._budget = budget
        self._most = REMEMBERED * sessions
        self._revisions: dict[str, str] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        if scope["method"] != "POST":
            if scope["method"] == "DELETE":
                self._revisions.pop(headers.get(SESSION, ""), None)
            await self._app(scope, receive, send)
            return
        body = await Request(scope, receive).body()
        if not body.lstrip().startswith(b"["):
            send = send if SESSION in headers else self._listening(send)
            await self._app(scope, replay(body, receive), send)
            return
        batch = read_batch(json.loads(body), self._revision(headers))
        if not isinstance(batch, Batch):
            await JsonReply(batch, 400)(scope, receive, send)
            return
        await self._serve(batch, scope, receive, send)

    def _revision(self, headers: Headers) -> str:
        """What a session has agreed on; else what the request says, and where it says nothing, that it is of the
        revision before there was the header."""
        return self._revisions.get(headers.get(SESSION, "")) or headers.get(REVISION, BATCHING)

    def _listening(self, send: Send) -> Send:
        """Hear which revision a new session agrees on."""
        session = ""

        async def listen(message: Message) -> None:
            nonlocal session
            if message["type"] == "http.response.start":
                session = Headers(raw=message["headers"]).get(SESSION, "")
            elif session and message.get("body"):
                self._remember(session, message["body"])
            await send(message)

        return listen

    def _remember(self, session: str, piece: bytes) -> None:
        for _, said in _messages_in(piece):
            revision = said.get("result", {}).get("protocolVersion")
            if isinstance(revision, str):
                self._revisions[session] = revision
        while len(self._revisions) > self._most:
            del self._revisions[next(iter(self._revisions))]

    async def _serve(self, batch: Batch, scope: Scope, receive: Receive, send: Send) -> None:
        gathered = Gathered(batch, send, self._budget)
        try:
            async with asyncio.TaskGroup() as tasks:
                for message in batch.messages:
                    part = Part(gathered, message)
                    task = tasks.create_task(part.serve(self._app, scope, receive))
                    task.add_done_callback(lambda _, part=part: part.has_begun.set())
                    # The next is passed on after this one, so that a message can be about one before it.
                    await (part.has_begun.wait() if is_request(message) else asyncio.wait({task}))
        finally:
            await gathered.finish()


@dataclass
class Gathered:
    """The answers to a batch, and the stream on which what comes before them is sent at once."""

    batch: Batch
    relay: Send
    budget: ByteBudget
    is_streaming: bool = False
    has_served: bool = False
    refusal: list[Message] = field(default_factory=list[Message])
    size: int = 0

    async def begin(self, start: Message) -> None:
        if not self.is_streaming:
            self.is_streaming = True
            headers = [(name, value) for name, value in start["headers"] if name != b"content-length"]
            await self.relay({**start, "headers": headers})

    def keep(self, id: str | int, answered: dict[str, Any], size: int) -> None:
        self.batch.fill(id, answered)
        self.size += size
        self.budget.taken += size

    async def finish(self) -> None:
        array = self.batch.array()
        self.budget.give(self.size)
        if self.is_streaming:
            event = b"event: message\ndata: " + json.dumps(array, separators=(",", ":")).encode() + b"\n\n"
            await self.relay({"type": "http.response.body", "body": event if array else b"", "more_body": False})
        elif self.refusal and not self.has_served:
            for message in self.refusal:
                await self.relay(message)
        elif array:
            reply = JsonReply(array, 200 if self.batch.messages else 400)
            await reply({"type": "http"}, _nothing, self.relay)
        else:
            await self.relay({"type": "http.response.start", "status": 202, "headers": []})
            await self.relay({"type": "http.response.body", "body": b"", "more_body": False})


@dataclass
class Part:
    """One message of a batch while it is served."""

    gathered: Gathered
    message: dict[str, Any]
    has_begun: asyncio.Event = field(default_factory=asyncio.Event)
    start: Message = field(default_factory=dict[str, Any])
    body: bytearray = field(default_factory=bytearray)

    async def serve(self, app: ASGIApp, scope: Scope, receive: Receive) -> None:
        body = json.dumps(self.message).encode()
        own = {b"content-length": str(len(body)).encode(), REVISION.encode(): BATCHING.encode()}
        kept = [(name, value) for name, value in scope["headers"] if name not in own]
        id = self.message["id"] if is_request(self.message) else None
        alone = {**scope, "headers": [*kept, *own.items()]}
        await answer(app, alone, replay(body, receive), Completion(self._take, id))

    async def _take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.start = message
            if self._is_stream():
                await self.gathered.begin(message)
            self.has_begun.set()
        elif self._is_stream():
            await self._pass_on(message.get("body", b""))
        else:
            self.body += message.get("body", b"")
            if not message.get("more_body", False):
                self._end()

    def _is_stream(self) -> bool:
        kind = Headers(raw=self.start["headers"]).get("content-type", "")
        return self.start["status"] < 400 and kind.startswith(EVENTS)

    async def _pass_on(self, piece: bytes) -> None:
        """What comes before an answer goes out at once; the answer waits for the others."""
        for spelled, said in _messages_in(piece):
            if answers(spelled, self.message["id"]):
                self.gathered.keep(self.message["id"], said, len(spelled))
                return
        if piece:
            await self.gathered.relay({"type": "http.response.body", "body": piece, "more_body": True})

    def _end(self) -> None:
        if self.start["status"] < 400:
            self.gathered.has_served = True
        else:
            # What keeps one message out mostly keeps out all: the session, the headers, the end of the server.
            body = {"type": "http.response.body", "body": bytes(self.body), "more_body": False}
            self.gathered.refusal = self.gathered.refusal or [self.start, body]
        if is_request(self.message):
            said = cast(dict[str, Any], json.loads(self.body))
            self.gathered.keep(self.message["id"], {**said, "id": self.message["id"]}, len(self.body))


def _messages_in(piece: bytes) -> list[tuple[bytes, dict[str, Any]]]:
    """The messages of an event, or of a body of JSON."""
    lines = [line[5:] for line in piece.splitlines() if line.startswith(b"data:")] or [piece]
    found: list[tuple[bytes, dict[str, Any]]] = []
    for line in lines:
        try:
            said = json.loads(line)
        except ValueError:
            continue
        if isinstance(said, dict):
            found.append((line, cast(dict[str, Any], said)))
    return found


async def _nothing() -> Message:
    return {"type": "http.disconnect"}
