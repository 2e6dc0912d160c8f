"""stdio: one JSON-RPC message a line, answered even where it is none, until stdin closes or the parent dies."""

import asyncio
import logging
import os
import sys
import threading
import time
from typing import Any, BinaryIO
from uuid import uuid4

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.runner import serve_dual_era_loop
from mcp.shared.message import SessionMessage

from memotheca.app import App
from memotheca.server.adapter import Adapter
from memotheca.server.batches import BatchSession, Reply, spell
from memotheca.server.faults import PARSE_ERROR, enrich, fault, parse_message
from memotheca.server.messages import Incoming
from memotheca.server.sessions import HERE, MessageOrigin, name_session
from memotheca.server.shutdown import leave_at_once, leave_on_signals

log = logging.getLogger(__name__)

MAX_LINE = 16 * 1024 * 1024  # chosen: as `server/posts.py`
PARENT_CHECK_SECONDS = 1.0  # chosen: a server does not outlive its client by more
FAREWELL_SECONDS = 10.0  # chosen: answers under way are still sent


class Wire:
    """The two pipes; stdout is moved out of the way so that a stray print cannot corrupt a message."""

    def __init__(self) -> None:
        self._input = os.fdopen(os.dup(0), "rb", closefd=True)
        self._output = os.fdopen(os.dup(1), "wb", closefd=True)
        os.dup2(2, 1)
        devnull = os.open(os.devnull, os.O_RDONLY)
        os.dup2(devnull, 0)
        os.close(devnull)
        self._conversation = BatchSession()
        self._unanswered: set[str | int] = set()
        self._quiet = asyncio.Event()
        self._quiet.set()

    async def read(self, incoming: MemoryObjectSendStream[Incoming]) -> None:
        """Pass messages on; at the end of input wait for the calls under way, then close."""
        lines: asyncio.Queue[bytes] = asyncio.Queue(64)
        threading.Thread(target=_pump, args=(self._input, lines, asyncio.get_running_loop()), daemon=True).start()
        async with incoming:
            while line := await lines.get():
                for message in self._accept(line):
                    await incoming.send(message)
            try:
                await asyncio.wait_for(self._quiet.wait(), FAREWELL_SECONDS)
            except TimeoutError:
                log.warning("stdin closed; %d calls were still running", len(self._unanswered))

    def _accept(self, line: bytes) -> list[SessionMessage]:
        if not line.strip():
            return []
        if len(line) > MAX_LINE:
            self.write(fault(PARSE_ERROR, "Parse error", details=f"A message may have {MAX_LINE} bytes."))
            return []
        try:
            parsed = parse_message(line)
        except ValueError:
            self.write(fault(PARSE_ERROR, "Parse error"))
            return []
        messages, reply = self._conversation.take(parsed)
        if reply is not None:
            self.write(reply)
        return [self._count(message) for message in messages]

    def _count(self, message: dict[str, Any]) -> SessionMessage:
        if "method" in message and "id" in message and message["method"] != "subscriptions/listen":
            self._unanswered.add(message["id"])
            self._quiet.clear()
        elif message.get("method") == "notifications/cancelled":
            self._settle(message.get("params", {}).get("requestId"))
        return SessionMessage(types.jsonrpc_message_adapter.validate_python(message, by_name=False))

    async def send(self, outgoing: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with outgoing:
            async for message in outgoing:
                spelled = message.message.model_dump(by_alias=True, exclude_unset=True, mode="json")
                reply = self._conversation.gather(enrich(spelled))
                if reply is not None:
                    self.write(reply)
                if "method" not in spelled:
                    self._settle(spelled.get("id"))

    def write(self, message: Reply) -> None:
        try:
            self._output.write(spell(message).encode() + b"\n")
            self._output.flush()
        except (BrokenPipeError, ValueError):
            log.debug("the client has gone")

    def _settle(self, id: Any) -> None:
        if isinstance(id, str | int):
            self._unanswered.discard(id)
        if not self._unanswered:
            self._quiet.set()


def _pump(source: BinaryIO, lines: "asyncio.Queue[bytes]", loop: asyncio.AbstractEventLoop) -> None:
    """Read lines in a thread of its own: that works for pipes, files and terminals on every platform."""
    try:
        while line := source.readline(MAX_LINE + 1):
            piece = line
            while len(line) > MAX_LINE and piece and not piece.endswith(b"\n"):
                piece = source.readline(MAX_LINE)
            asyncio.run_coroutine_threadsafe(lines.put(line), loop).result()
        asyncio.run_coroutine_threadsafe(lines.put(b""), loop).result()
    except RuntimeError:
        log.debug("the loop is closed")


def _watch_parent(app: App) -> None:
    """Leave when the program that started us is gone, even if somebody else still holds our stdin, or nobody reads
    what we say."""
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK_SECONDS)
    log.info("the parent is gone")
    leave_at_once(app)


async def serve(adapter: Adapter) -> None:
    wire = Wire()
    to_server, incoming = anyio.create_memory_object_stream[Incoming](0)
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    async with adapter.running(), anyio.create_task_group() as tasks:
        tasks.start_soon(wire.read, to_server)
        tasks.start_soon(wire.send, from_server)
        HERE.set(MessageOrigin(name_session("stdio", uuid4().hex), is_local=True))
        await serve_dual_era_loop(
            adapter.server,
            incoming,
            outgoing,
            lifespan_state=None,
            init_options=adapter.server.create_initialization_options(),
        )
        tasks.cancel_scope.cancel()


def run_stdio(adapter: Adapter) -> None:
    leave_on_signals(adapter.app)
    if sys.platform != "win32":
        threading.Thread(target=_watch_parent, args=(adapter.app,), name="parent", daemon=True).start()
    asyncio.run(serve(adapter))
    # A thread may still wait for a line that never comes.
    leave_at_once(adapter.app)
