"""Connect real clients from npm, play a session in each, and say what was seen: python scripts/try_clients.py CLIENTS
[--write-docs].

CLIENTS is a folder with node_modules of @anthropic-ai/claude-code, @openai/codex, @google/gemini-cli and opencode-ai.
Nobody logs in anywhere: each is run in an empty home, and its model is a server of this script on this machine, which
answers every question with the same sentence. What is real is the client: how it starts the server, which hooks it
calls, what it writes down. OpenCode has no hooks that are known, and is asked for its servers alone. No part of
`make test`, since the clients take 1 GB.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "clients.md"
MEMOTHECA = Path(sys.executable).with_name("memotheca")
SAID = "Noted: the engine listens on port 8123."
QUESTION = "On which port does the engine listen?"
PATIENCE = 30.0
BEGIN, END = "<!-- written by scripts/try_clients.py --write-docs -->", "<!-- end -->"


@dataclass(frozen=True)
class TriedClient:
    """A client, how it lists its servers, how it is asked one question (none where it has no hooks), and what
    lets it ask this machine's model."""

    name: str
    program: str
    listing: Sequence[str]
    asking: Sequence[str]
    variables: Mapping[str, str]


def clients(port: int) -> list[TriedClient]:
    here = f"http://127.0.0.1:{port}"
    quiet = {"DISABLE_TELEMETRY": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    return [
        TriedClient(
            "claude-code",
            "claude",
            ("mcp", "list"),
            ("-p", QUESTION),
            {"ANTHROPIC_BASE_URL": here, "ANTHROPIC_API_KEY": "none", **quiet},
        ),
        TriedClient(
            "codex",
            "codex",
            ("mcp", "list"),
            ("exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", QUESTION),
            {"NO_KEY": "none"},
        ),
        TriedClient(
            "gemini",
            "gemini",
            ("mcp", "list"),
            ("-m", "gemini-2.5-flash", "-p", QUESTION),
            {"GOOGLE_GEMINI_BASE_URL": here, "GEMINI_API_KEY": "none"},
        ),
        TriedClient("opencode", "opencode", ("mcp", "list"), (), {"OPENCODE_DISABLE_AUTOUPDATE": "1"}),
    ]


class Model(BaseHTTPRequestHandler):
    """A model that knows one sentence, in the three dialects of the clients; what it was asked is kept."""

    asked: list[str] = []  # noqa: RUF012  # one list for the whole run

    def do_POST(self) -> None:
        Model.asked.append(self.rfile.read(int(self.headers.get("content-length", 0))).decode("utf-8", "replace"))
        is_stream = "stream" in self.path or '"stream":true' in Model.asked[-1].replace(" ", "")
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if is_stream else "application/json")
        self.end_headers()
        self.wfile.write(self._answer(is_stream).encode())

    def _answer(self, is_stream: bool) -> str:
        if "enerateContent" in self.path:
            part = {"content": {"role": "model", "parts": [{"text": SAID}]}, "finishReason": "STOP", "index": 0}
            told = json.dumps({"candidates": [part], "usageMetadata": {"totalTokenCount": 2}})
            return f"data: {told}\n\n" if is_stream else told
        if "/responses" in self.path:
            text = {"type": "output_text", "text": SAID, "annotations": list[Any]()}
            message = {"type": "message", "role": "assistant", "id": "m", "status": "completed", "content": [text]}
            usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
            return spell_events(
                ("response.created", {"response": {"id": "r"}}),
                ("response.output_item.done", {"output_index": 0, "item": message}),
                ("response.completed", {"response": {"id": "r", "output": [message], "usage": usage}}),
            )
        message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn"}
        message |= {"stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
        if not is_stream:
            return json.dumps({**message, "content": [{"type": "text", "text": SAID}], "input_tokens": 1})
        return spell_events(
            ("message_start", {"message": {**message, "content": [], "stop_reason": None}}),
            ("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}),
            ("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": SAID}}),
            ("content_block_stop", {"index": 0}),
            ("message_delta", {"delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}}),
            ("message_stop", {}),
        )

    def do_GET(self) -> None:
        self.send_response(404)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        del format, args


def spell_events(*events: tuple[str, Mapping[str, Any]]) -> str:
    return "".join(f"event: {kind}\ndata: {json.dumps({'type': kind, **told})}\n\n" for kind, told in events)


class Trial:
    """One client in an empty home, and what it and we say."""

    def __init__(self, client: TriedClient, folder: Path, home: Path, port: int) -> None:
        self._client, self._port, self._home = client, port, home
        self._program = folder / "node_modules" / ".bin" / client.program
        self._project = home / "engine"
        (self._project / ".git").mkdir(parents=True)
        self._environment = {"PATH": os.environ["PATH"], "HOME": str(home), "TERM": "dumb", **client.variables}
        self.lines: list[str] = []

    def play(self) -> list[str]:
        self._run("memotheca", "remember", "The engine of the project listens on port 8123.")
        hooks = ["--hooks"] if self._client.asking else []
        self._run("memotheca", "connect", self._client.name, *hooks, "--write")
        self._settle_client()
        self._run(self._client.program, "--version")
        self._run(self._client.program, *self._client.listing)
        self._run("memotheca", "connect", self._client.name, "--check")
        if self._client.asking:
            self._ask()
        self._run("memotheca", "connect", self._client.name, "--remove")
        return self.lines

    def _ask(self) -> None:
        """Play a session of one question, and show what was told and kept."""
        Model.asked.clear()
        self._run(self._client.program, *self._client.asking)
        told = [each for each in Model.asked if "What Memotheca has stored" in each]
        self.lines.append(f"# of {len(Model.asked)} requests to the model, {len(told)} have what the hooks told")
        ends = time.monotonic() + PATIENCE
        while time.monotonic() < ends and "conversation" not in self._say("memotheca", "history"):
            time.sleep(0.5)
        self._run("memotheca", "history")
        self._run("memotheca", "show", "c-1#1")

    def _settle_client(self) -> None:
        """What a person would choose at the client's first start, so that it asks the model that is here."""
        if self._client.name == "gemini":
            path = self._home / ".gemini" / "settings.json"
            chosen = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}
            path.write_text(json.dumps({**json.loads(path.read_text()), "security": chosen}, indent=2))
        if self._client.name == "codex":
            path = self._home / ".codex" / "config.toml"
            model = f'base_url = "http://127.0.0.1:{self._port}/v1"\nenv_key = "NO_KEY"\nwire_api = "responses"\n'
            chosen = f'\n[model_providers.here]\nname = "here"\n{model}'
            path.write_text(f'model = "gpt-5"\nmodel_provider = "here"\n{path.read_text()}{chosen}')

    def _run(self, *words: str) -> None:
        self.lines += [f"$ {shlex.join(words)}", *self._say(*words).splitlines()]

    def _say(self, program: str, *arguments: str) -> str:
        command = MEMOTHECA if program == "memotheca" else self._program
        done = subprocess.run(
            [command, *arguments],
            cwd=self._project,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=180,
            check=False,
        )
        said = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", done.stdout)
        return self._without_places(said).rstrip() + (f"\n(exit code {done.returncode})" if done.returncode else "")

    def _without_places(self, said: str) -> str:
        """What was seen, without where this machine keeps it."""
        lines = [line for line in said.splitlines() if "temporary dir" not in line]
        told = "\n".join(lines).replace(str(self._home), "~")
        return told.replace(str(MEMOTHECA), "memotheca").replace(str(ROOT), "…")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clients", type=Path)
    parser.add_argument("--write-docs", action="store_true")
    asked = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    told: list[str] = []
    for client in clients(server.server_port):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
            lines = Trial(client, asked.clients.resolve(), Path(home), server.server_port).play()
        told += [f"## {client.name}", "", "```console", *lines, "```", ""]
        print("\n".join(told[-len(lines) - 4 :]))
    if asked.write_docs:
        before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
        day = time.strftime("%Y-%m-%d", time.gmtime())
        written = "\n".join([BEGIN, "", f"Seen on {day}, on Linux.", "", *told, END])
        PAGE.write_text(before + written + rest.partition(END)[2], "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
