"""What tools/list costs a client before it has done anything: bytes on the wire."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from client import Client, memotheca
from peers import memory_server, memory_server_version
from report import Line, Options, Table, Target

BYTES = "bytes"
LIMIT = 12 * 1024

# Measured on 2026-11-15 for the survey of neighbours, in kilobytes of 1,000; not measured again here.
PUBLISHED = {
    "basic-memory": (44.8, 21),
    "mcp-memory-service": (43.3, 28),
    "MemPalace": (35.8, 47),
    "docling-mcp": (24.2, 21),
    "chroma": (12.6, 13),
    "server-memory": (11.5, 9),
    "mcpvault": (10.9, 18),
    "qdrant": (0.9, 2),
}


def measure(options: Options) -> Table:
    entries, tools = _list(memotheca(options.scratch / "listing", "--toolsets", "entries"))
    everything, all_tools = _list(memotheca(options.scratch / "listing"))
    lines = [_line("memotheca, entries tools", entries, tools, target=Target(column=BYTES, bound=LIMIT))]
    lines += [_tool_line(tool) for tool in tools]
    lines.append(_line("memotheca, default toolsets", everything, all_tools))
    reference = memory_server()
    if reference is not None:
        size, listed = _list(reference, MEMORY_FILE_PATH=str(options.scratch / "memory.json"))
        lines.append(_line(f"reference memory server {memory_server_version()}", size, listed))
    lines += [
        Line(label=f"{name} (published)", numbers={BYTES: size * 1000, "tools": tools})
        for name, (size, tools) in PUBLISHED.items()
    ]
    return Table(
        name="listing",
        title="bytes of the answer to tools/list, as sent over stdio",
        lines=lines,
        notes=[
            "The whole line counts, compact JSON in UTF-8; a tool's own line is its object alone.",
            "(published): from our survey of neighbours, 2026-11-15, rounded there and not part of this run; "
            "the reference memory server stands in both.",
        ],
    )


def _list(command: Sequence[str], **variables: str) -> tuple[int, list[dict[str, Any]]]:
    client = Client(command, **variables)
    client.greet()
    answer = client.ask("tools/list")
    client.close()
    return len(answer), json.loads(answer)["result"]["tools"]


def _line(label: str, size: int, tools: Sequence[Mapping[str, Any]], *, target: Target | None = None) -> Line:
    numbers = {BYTES: size, "tools": len(tools), **_parts(tools)}
    return Line(label=label, numbers=numbers, target=target)


def _tool_line(tool: Mapping[str, Any]) -> Line:
    return Line(label=f"  {tool['name']}", numbers={BYTES: _size(tool), **_parts([tool])})


def _parts(tools: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    return {
        heading: sum(_size(tool[key]) for tool in tools if key in tool)
        for heading, key in (
            ("description", "description"),
            ("input schema", "inputSchema"),
            ("output schema", "outputSchema"),
        )
    }


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
