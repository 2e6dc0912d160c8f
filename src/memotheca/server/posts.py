"""Messages posted over HTTP: read within bounds, checked before any handler runs, answered in JSON whatever comes."""

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import anyio.to_thread
from mcp_types import UNSUPPORTED_PROTOCOL_VERSION
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memotheca.server.ascii_json import JsonReply
from memotheca.server.faults import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    check_message,
    enrich,
    fault,
    parse_message,
)
from memotheca.server.limits import ByteBudget
from memotheca.server.messages import ENVELOPE

log = logging.getLogger(__name__)
T = TypeVar("T")
# Whether whoever sends a request may not call a tool of that name: the answer then.
RefuseCall = Callable[[Scope, str], Response | None]

MAX_BODY = 16 * 1024 * 1024  # chosen: a file of 10 MB in base64 and what is around it
LARGE = 64 * 1024  # chosen: to read so much as JSON takes about as long as to hand it to another thread and back
REVISIONS = (*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS)
TOO_LARGE = f"A message may have {MAX_BODY} bytes."
NO_ROOM = "Too many requests are being read. Try again later."
CLOSING = "The server is shutting down. Ask again once it is back."


class MessageCheck:
    """Answers what is no JSON-RPC message, and completes the errors that the transport itself answers with."""

    def __init__(self, app: ASGIApp, budget: ByteBudget, refuse_call: RefuseCall | None = None) -> None:
        self._app = app
        self._budget = budget
        self._refuse_call = refuse_call

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # httptools leaves blanks at the end of a header's value; a header must equal the body it repeats.
        scope = {**scope, "headers": [(name, value.strip(b" \t")) for name, value in scope["headers"]]}
        completion = Completion(send)
        if scope["method"] != "POST":
            refused = _refuse_revision(Headers(scope=scope))
            await (refused or self._app)(scope, receive, completion.send)
            return
        refused = _refuse_headers(Headers(scope=scope))
        if refused is not None:
            await refused(scope, receive, send)
            return
        body = Body(self._budget)
        try:
            refused = await body.read(receive) or _refuse_revision(Headers(scope=scope), body)
            if refused is None and self._refuse_call is not None:
                refused = self._refuse_call(scope, body.called)
            if refused is None:
                completion.id = body.id
                await answer(self._app, scope, body.replay(receive), completion)
            else:
                await refused(scope, receive, send)
        finally:
            body.free()


async def aside(read: Callable[[], T], size: int) -> T:
    """Read a message, a large one in another thread: while it is taken apart the others are answered."""
    return await anyio.to_thread.run_sync(read) if size > LARGE else read()


async def answer(app: ASGIApp, scope: Scope, receive: Receive, completion: "Completion") -> None:
    """Have a request answered; one that waits while the server goes down hears that."""
    try:
        await app(scope, receive, completion.send)
    except asyncio.CancelledError:
        await completion.give_up()
        raise
    await completion.give_up()


def _refuse_headers(headers: Headers) -> Response | None:
    if not headers.get("content-type", "").lower().startswith("application/json"):
        details = "Send the message as Content-Type: application/json."
        return JsonReply(fault(INVALID_REQUEST, "Invalid Content-Type header", details=details), 400)
    length = headers.get("content-length", "")
    if length.isdecimal() and int(length[:20]) > MAX_BODY:
        return JsonReply(fault(INVALID_REQUEST, "Request body too large", details=TOO_LARGE), 413)
    return None


def _refuse_revision(headers: Headers, body: "Body | None" = None) -> Response | None:
    revision = headers.get("mcp-protocol-version")
    # Whoever speaks as the newer protocol does is answered by it.
    accepted = headers.get("accept", "")
    is_newer = body is not None and body.has_envelope and "json" in accepted and "event-stream" in accepted
    if revision is None or revision in REVISIONS or is_newer:
        return None
    error = {
        "code": UNSUPPORTED_PROTOCOL_VERSION,
        "message": f"Unsupported protocol version: {revision[:100]}",
        "data": {"supported": list(REVISIONS), "requested": revision[:100]},
    }
    return JsonReply({"jsonrpc": "2.0", "id": None if body is None else body.id, "error": error}, 400)


def replay(body: bytes, receive: Receive) -> Receive:
    """A body that was read already, to be read again."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def give() -> Message:
        return pending.pop() if pending else await receive()

    return give


class Body:
    """What was posted, counted among all that is being read for as long as it is kept."""

    def __init__(self, budget: ByteBudget) -> None:
        self._budget = budget
        self._bytes = bytearray()
        self._counted = 0
        self.id: str | int | None = None
        self.has_envelope = False
        # The tool that is called, where it is a call.
        self.called = ""

    async def read(self, receive: Receive) -> Response | None:
        """The answer where it is no message."""
        more = True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return Response(status_code=400)
            piece = message.get("body", b"")
            if len(self._bytes) + len(piece) > MAX_BODY:
                return JsonReply(fault(INVALID_REQUEST, "Request body too large", details=TOO_LARGE), 413)
            if not self._budget.take(len(piece)):
                return JsonReply(fault(INTERNAL_ERROR, "Busy", details=NO_ROOM), 503, headers={"Retry-After": "5"})
            self._counted += len(piece)
            self._bytes += piece
            more = message.get("more_body", False)
        complaint = await aside(self._check, len(self._bytes))
        return None if complaint is None else JsonReply(complaint, 400)

    def _check(self) -> dict[str, Any] | None:
        try:
            message = parse_message(bytes(self._bytes))
        except ValueError:
            return fault(PARSE_ERROR, "Parse error")
        # An array may be a batch: which revision is spoken, and so whether it may, is known further in.
        if isinstance(message, list):
            return None
        complaint = check_message(message)
        if complaint is None and "method" in message:
            self.id = message.get("id")
            params = message.get("params", {})
            self.called = str(params.get("name", "")) if message["method"] == "tools/call" else ""
            meta = params.get("_meta")
            self.has_envelope = isinstance(meta, dict) and ENVELOPE in meta
        return complaint

    def replay(self, receive: Receive) -> Receive:
        body = bytes(self._bytes)
        self._bytes.clear()
        return replay(body, receive)

    def free(self) -> None:
        self._budget.give(self._counted)
        self._counted = 0


@dataclass
class Completion:
    """What is answered, its errors completed, and made an answer where it would end as none."""

    relay: Send
    id: str | int | None = None
    held: list[Message] = field(default_factory=list[Message])
    begun: str = ""
    is_over: bool = False
    is_answered: bool = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = dict(message["headers"]).get(b"content-type", b"").decode("latin-1") or "nothing"
            if message["status"] >= 400:
                self.held.append(message)
                return
        elif message["type"] == "http.response.body":
            self.is_over = not message.get("more_body", False)
            if self.held:
                self.held.append(message)
                if self.is_over:
                    await self._complete()
                return
            self._look_at(message.get("body", b""))
        await self.relay(message)

    def _look_at(self, piece: bytes) -> None:
        if not self.is_answered and self.id is not None and self.begun.startswith("text/event-stream"):
            self.is_answered = any(
                answers(line[5:], self.id) for line in piece.splitlines() if line.startswith(b"data:")
            )

    async def _complete(self) -> None:
        start, *bodies = self.held
        body = b"".join(part.get("body", b"") for part in bodies)
        for part in _completed(start, body):
            await self.relay(part)

    async def give_up(self) -> None:
        """End what was not ended with an error, so that nobody waits for ever or reads no answer out of silence."""
        if self.id is None or self.is_over:
            return
        closing = fault(INTERNAL_ERROR, "Shutting down", id=self.id, details=CLOSING)
        closing["error"]["data"]["retryable"] = True
        if not self.begun:
            await JsonReply(closing, 503)({"type": "http"}, _nothing, self.relay)
        elif self.begun.startswith("text/event-stream"):
            event = b"" if self.is_answered else b"event: message\ndata: " + json.dumps(closing).encode() + b"\n\n"
            await self.relay({"type": "http.response.body", "body": event, "more_body": False})


async def _nothing() -> Message:
    return {"type": "http.disconnect"}


def answers(spelled: bytes, id: str | int) -> bool:
    try:
        message = json.loads(spelled)
    except ValueError:
        return False
    return isinstance(message, dict) and "method" not in message and cast(dict[str, Any], message).get("id") == id


def _completed(start: Message, body: bytes) -> list[Message]:
    """An error of the transport in our words; what is no JSON becomes an error that tells the same."""
    try:
        body = json.dumps(enrich(json.loads(body)), separators=(",", ":")).encode()
    except ValueError:
        said = body.decode("utf-8", "replace").strip()[:200] or _UNSAID.get(start["status"], "The request was refused.")
        body = json.dumps(fault(INVALID_REQUEST, said, details=said)).encode()
    dropped = (b"content-length", b"content-type")
    headers = [(name, value) for name, value in start["headers"] if name not in dropped]
    length = str(len(body)).encode()
    return [
        {**start, "headers": [*headers, (b"content-type", b"application/json"), (b"content-length", length)]},
        {"type": "http.response.body", "body": body, "more_body": False},
    ]


_UNSAID = {
    405: "Method not allowed",
    406: "Not Acceptable: accept application/json and text/event-stream",
}
