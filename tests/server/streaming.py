"""A server within the test's own loop, reached by server-sent events, whose time passes when the test says so."""

import json
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx2
import uvicorn

from memotheca import settings
from memotheca.app import build
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.server.adapter import Adapter
from memotheca.server.web import build_web
from tests.patience import PATIENCE
from tests.server.raw import INITIALIZE


@dataclass
class Hourglass:
    """Time that passes when a test says so."""

    now: float = 0.0
    waiting: list[tuple[float, anyio.Event]] = field(default_factory=list)
    changed: anyio.Event = field(default_factory=anyio.Event)

    async def wait(self, seconds: float) -> None:
        turned = anyio.Event()
        entry = (self.now + seconds, turned)
        self.waiting.append(entry)
        self.changed.set()
        self.changed = anyio.Event()
        try:
            await turned.wait()
        finally:
            self.waiting.remove(entry)

    async def until_waited_for(self, seconds: float) -> None:
        """Return once somebody waits for as long as that."""
        with anyio.fail_after(PATIENCE):
            while not any(due == self.now + seconds for due, _ in self.waiting):
                await self.changed.wait()

    def turn(self, seconds: float) -> None:
        self.now += seconds
        for due, turned in self.waiting:
            if due <= self.now:
                turned.set()


@dataclass
class Stream:
    """The events of one GET, read by a client that knows nothing of the protocol."""

    response: httpx2.Response
    lines: Any

    async def next(self) -> dict[str, str]:
        found: dict[str, str] = {}
        with anyio.fail_after(PATIENCE):
            async for line in self.lines:
                if not line:
                    return found
                name, _, value = line.partition(": ")
                found[name] = value
        raise AssertionError("the stream has ended")

    async def until(self, name: str) -> dict[str, str]:
        while True:
            event = await self.next()
            if event["event"] == name:
                return event

    async def answer(self, id: int) -> dict[str, Any]:
        while True:
            message = json.loads((await self.until("message"))["data"])
            if message.get("id") == id:
                return message

    async def ends(self) -> bool:
        with anyio.fail_after(PATIENCE):
            async for line in self.lines:
                assert not line.startswith("event: message")
        return True


class House:
    """A server on a port of its own, and how to reach it."""

    def __init__(self, port: int, time: Hourglass, http: httpx2.AsyncClient) -> None:
        self.address = f"http://127.0.0.1:{port}"
        self.time = time
        self.http = http

    @asynccontextmanager
    async def stream(self, query: str = "", **headers: str) -> AsyncGenerator[Stream]:
        shown = {"Accept": "text/event-stream", **{name.replace("_", "-"): value for name, value in headers.items()}}
        async with self.http.stream("GET", f"{self.address}/sse{query}", headers=shown) as response:
            yield Stream(response, response.aiter_lines())

    async def post(self, path: str, message: Any, **headers: str) -> httpx2.Response:
        content = message if isinstance(message, str) else json.dumps(message)
        shown = {"Content-Type": "application/json", **headers}
        return await self.http.post(self.address + path, content=content, headers=shown)

    async def call(self, path: str, id: int, name: str, **arguments: Any) -> None:
        response = await self.post(path, request(id, name, **arguments))
        assert response.status_code == 202, response.text


def request(id: int, name: str, **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def structured(message: dict[str, Any]) -> dict[str, Any]:
    return message["result"]["structuredContent"]


@asynccontextmanager
async def serving(folder: Path, **options: str) -> AsyncGenerator[House]:
    """A server in this loop, whose waits are for the test's own time."""
    chosen = settings.load({"data": str(folder / "data"), "toolsets": "all", **options}, {})
    app = build(chosen)
    choose_embedder(app.kernel.store, app.kernel.collection, "none")
    time = Hourglass()
    listener = socket.create_server(("127.0.0.1", 0))
    web = build_web(Adapter(app), chosen, wait=time.wait)
    server = uvicorn.Server(uvicorn.Config(web, log_config=None, access_log=False, timeout_graceful_shutdown=2))
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [listener])
            async with httpx2.AsyncClient(timeout=PATIENCE) as http:
                yield House(listener.getsockname()[1], time, http)
            server.should_exit = True
    finally:
        listener.close()
        app.kernel.store.close()


async def open_session(house: House, stream: Stream) -> str:
    """Greet as clients do; the address to post to."""
    path = (await stream.until("endpoint"))["data"]
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": INITIALIZE}
    assert (await house.post(path, hello)).status_code == 202
    assert "result" in await stream.answer(0)
    await house.post(path, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    return path
