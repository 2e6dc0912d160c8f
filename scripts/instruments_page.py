"""Write docs/instruments.md: a session in which every instrument is used for what it is for, played by a real client
over stdio, with what was really answered."""

import json
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.server.instrument_steps import MEMORIES, QUESTIONS, Step, play  # noqa: E402

PAGE = ROOT / "docs" / "instruments.md"
LONGEST = 700
HEAD = """# Instruments: a session

Toolsets `outcomes`, `thresholds`, `dream`, `focus`, `goals`, `keeping`, `purpose` and `health` are for whoever looks
after a memory; an agent that remembers needs none of them ([memory](memory.md)). Each can be switched on by itself
(`--toolsets memory,dream`), also while a server runs: it follows what `memotheca.toml` in the data directory says of
`more-toolsets` (`more-toolsets = "focus,dream"`), and tells its clients that their tools have changed. What each number
measures and what to do with it stands in [the memory model](memory-model.md), every parameter in [tools](tools.md).

Below is one session, written by `python scripts/instruments_page.py`: a client of the Python SDK over stdio, an empty
directory, {memories} memories stored, {questions} questions asked, then every instrument used for what it is for.
`tests/server/test_instruments.py` plays the same over stdio, HTTP and server-sent events. Answers are shortened after
{longest} letters; `structuredContent` has more.
"""


def spelled(step: Step, arguments: dict[str, Any], text: str) -> str:
    said = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    shown = text if len(text) <= LONGEST else f"{text[:LONGEST].rsplit(' ', 1)[0]} …"
    lines = [line for part in shown.splitlines() for line in textwrap.wrap(part, 116) or [""]]
    answer = "\n".join(lines)
    return f"**{step.why}**\n\n```\n{step.tool}({said})\n\n{answer}\n```\n"


async def write(folder: Path) -> None:
    command = [sys.executable, "-m", "memotheca.cli.main", "serve", "--data", str(folder), "--toolsets", "memories"]
    async with Client(stdio_client(StdioServerParameters(command=command[0], args=command[1:]))) as client:

        async def ask(name: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
            result = await client.call_tool(name, arguments)
            if result.is_error or result.structured_content is None:
                raise SystemExit(f"{name} was refused: {result.structured_content}")
            return result.content[0].text, result.structured_content  # pyright: ignore

        told = await play(ask)
    head = HEAD.format(memories=len(MEMORIES), questions=len(QUESTIONS), longest=LONGEST)
    PAGE.write_text("\n".join([head, *(spelled(*each[:3]) for each in told)]), "utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        anyio.run(write, Path(scratch))
