"""What our way to a tool adds to the SDK's: CPU of a call that does nothing."""

import gc
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.server.runner import serve_dual_era_loop
from mcp.shared.message import SessionMessage

from bare_server import build_server
from client import ENVELOPE, HELLO, Client, script
from idle_server import build_adapter
from report import Line, Options, Table, Target
from timing import median

ERAS = ("legacy", "modern")
RATIO = "CPU min x bare"


@dataclass(slots=True)
class Calls:
    """Microseconds a call, one sample a batch."""

    cpu: list[float] = field(default_factory=list[float])
    wall: list[float] = field(default_factory=list[float])

    def add(self, cpu: float, wall: float, count: int) -> None:
        self.cpu.append(cpu / count * 1e6)
        self.wall.append(wall / count * 1e6)


def measure(options: Options) -> Table:
    batches, count = (15, 100) if options.quick else (30, 200)
    in_memory = anyio.run(_measure_in_memory, options, batches, count)
    over_pipes = _measure_over_pipes(options, batches, count)
    lines = [
        _line(f"{place}, {era}, {name}", found[era, name], found[era, "bare"])
        for place, found in (("in memory", in_memory), ("stdio", over_pipes))
        for era in ERAS
        for name in ("memotheca", "bare")
    ]
    return Table(
        name="dispatch",
        title="CPU of a tools/call that does nothing, in microseconds",
        lines=lines,
        notes=[
            f"{batches} interleaved batches of {count} calls; min is the best batch, least touched by noise.",
            "in memory: protocol loop and dispatch in one program, no pipes. stdio: CPU of the server's own process, "
            "asked by a raw client; the bare server uses the SDK's stdio transport.",
            "Ours validates the arguments and runs the tool in a worker thread; the bare one does neither.",
        ],
    )


def _line(label: str, calls: Calls, bare: Calls) -> Line:
    numbers = {
        "CPU min µs": min(calls.cpu),
        "CPU p50 µs": median(calls.cpu),
        "wall min µs": min(calls.wall),
        "wall p50 µs": median(calls.wall),
        RATIO: min(calls.cpu) / min(bare.cpu),
    }
    return Line(label=label, numbers=numbers, target=None if calls is bare else Target(column=RATIO, bound=2))


def _call(era: str) -> dict[str, Any]:
    params: dict[str, Any] = {"name": "idle", "arguments": {}}
    return {**params, "_meta": ENVELOPE} if era == "modern" else params


class Streams:
    """The client's side of a server that runs in this program."""

    def __init__(
        self, send: MemoryObjectSendStream[SessionMessage], receive: MemoryObjectReceiveStream[SessionMessage]
    ) -> None:
        self._send = send
        self._receive = receive
        self._asked = 0

    def request(self, method: str, params: dict[str, Any]) -> SessionMessage:
        self._asked += 1
        return SessionMessage(types.JSONRPCRequest(jsonrpc="2.0", id=self._asked, method=method, params=params))

    async def ask(self, message: SessionMessage) -> Any:
        await self._send.send(message)
        return (await self._receive.receive()).message

    async def greet(self) -> None:
        await self.ask(self.request("initialize", dict(HELLO)))
        note = types.JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized")
        await self._send.send(SessionMessage(note))


@asynccontextmanager
async def _connected(server: Server[Any], era: str) -> AsyncGenerator[Streams]:
    to_server, incoming = anyio.create_memory_object_stream[Any](0)
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:

        async def serve() -> None:
            prepared = server.create_initialization_options()
            await serve_dual_era_loop(server, incoming, outgoing, lifespan_state={}, init_options=prepared)

        tasks.start_soon(serve)
        streams = Streams(to_server, from_server)
        if era == "legacy":
            await streams.greet()
        yield streams
        to_server.close()
        tasks.cancel_scope.cancel()


async def _measure_in_memory(options: Options, batches: int, count: int) -> dict[tuple[str, str], Calls]:
    adapter = build_adapter(options.scratch / "dispatch")
    servers = {"memotheca": adapter.server, "bare": build_server()}
    found = {(era, name): Calls() for era in ERAS for name in servers}
    async with adapter.running():
        for _ in range(batches):
            for (era, name), calls in found.items():
                async with _connected(servers[name], era) as streams:
                    await _run_batch(streams, _call(era), calls, count)
    return found


async def _run_batch(streams: Streams, params: dict[str, Any], calls: Calls, count: int) -> None:
    prepared = [streams.request("tools/call", params) for _ in range(count + 10)]
    for message in prepared[:10]:
        _check(await streams.ask(message))
    gc.collect()
    began, cpu_began = time.perf_counter(), time.process_time()
    for message in prepared[10:]:
        await streams.ask(message)
    calls.add(time.process_time() - cpu_began, time.perf_counter() - began, count)


def _check(answer: Any) -> None:
    """A refusal would be cheap and would look like a good result."""
    if not isinstance(answer, types.JSONRPCResponse) or answer.result.get("structuredContent") != {"done": True}:
        raise RuntimeError(f"the tool did not answer: {answer}")


def _measure_over_pipes(options: Options, batches: int, count: int) -> dict[tuple[str, str], Calls]:
    commands: dict[str, Callable[[], list[str]]] = {
        "memotheca": lambda: script("idle_server.py", str(options.scratch / "dispatch")),
        "bare": lambda: script("bare_server.py"),
    }
    clients = {(era, name): Client(commands[name]()) for era in ERAS for name in commands}
    found = {key: Calls() for key in clients}
    for (era, _), client in clients.items():
        if era == "legacy":
            client.greet()
        for _ in range(20):
            if b'"structuredContent":{"done":true}' not in client.ask("tools/call", _call(era)):
                raise RuntimeError("the tool did not answer")
    for _ in range(batches):
        for key, client in clients.items():
            began, cpu_began = time.perf_counter(), client.cpu()
            for _ in range(count):
                client.ask("tools/call", _call(key[0]))
            found[key].add(client.cpu() - cpu_began, time.perf_counter() - began, count)
    for client in clients.values():
        client.close()
    return found
