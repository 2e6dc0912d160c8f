"""A client's hooks: the program that it starts, the folder it works in, and its transcript."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memotheca.cli.hooks import hook_client, hook_work
from memotheca.cli.main import main
from memotheca.hooks.switch import ON, turn
from tests.cli.conftest import invoke, run

__all__ = ["invoke", "run"]

# As `python -m memotheca`, by a clock that leaves a busy machine its time; one that is held up ends as it does anyway.
PATIENT = """
import sys
from memotheca.__main__ import start
from memotheca.cli.hooks import hook_client
hook_client.LIMITS.clear()
hook_client.LIMIT = hook_client.CONNECTED = hook_client.ANSWERED = 300.0
sys.exit(start())
"""

FOLDERS = ("XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "APPDATA", "MEMOTHECA_TOKEN")


def claude_line(speaker, text, id, session="s-1", folder="/home/ada/engine"):
    said = {"type": speaker, "uuid": id, "sessionId": session, "cwd": folder}
    said |= {"timestamp": "2026-11-18T10:00:00.000Z", "message": {"role": speaker, "content": text}}
    return json.dumps(said)


class Hooks:
    """What a client does at the events of a session in a project of its own, and what it is told."""

    def __init__(self, tmp_path: Path) -> None:
        self.data = tmp_path / "data"
        self.project = tmp_path / "engine"
        (self.project / ".git").mkdir(parents=True)
        self.transcript = tmp_path / "s-1.jsonl"

    def send(self, event, raw=None, *, session="s-1", arguments=(), program=("-c", PATIENT), **said):
        """Start the hook as a client does; exit code, what it is told, all of stderr."""
        about = {"session_id": session, "cwd": str(self.project), "transcript_path": str(self.transcript)}
        sent = raw if raw is not None else json.dumps({**about, "hook_event_name": event, **said}).encode()
        done = subprocess.run(
            [sys.executable, *program, "hook", event, "--data", str(self.data), *arguments],
            input=sent,
            capture_output=True,
            timeout=300,
            check=False,
        )
        told = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"] if done.stdout else ""
        return done.returncode, told, done.stderr.decode()

    def tell(self, event, **said):
        code, told, stderr = self.send(event, **said)
        assert (code, stderr) == (0, "")
        return told

    def keep(self):
        """What the program does that a hook leaves behind, here and now."""
        assert hook_work.keep_waiting({}, str(self.data)) == 0

    def said(self, *turns, session="s-1"):
        lines = [claude_line(who, text, f"m{n}", session, str(self.project)) for n, (who, text) in enumerate(turns)]
        self.transcript.write_text("\n".join(lines) + "\n", "utf-8")

    def failures(self):
        path = self.data / "hooks.log"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture(scope="session")
def engine(tmp_path_factory):
    """A store that knows one thing, made once; without vectors, which take longer to make than a test may take."""
    folder = tmp_path_factory.mktemp("engine")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder / "home"))
        for words in (
            ("reindex", "--embedder", "none"),
            ("remember", "The engine listens on port 8123.", "--tag", "ops"),
        ):
            assert main([*words, "--data", str(folder / "data")]) == 0
    return folder / "data"


@pytest.fixture
def hooks(tmp_path, run, engine, monkeypatch):
    """Hooks that are on, over a store that knows one thing."""
    for name in FOLDERS:
        monkeypatch.delenv(name, raising=False)
    # Nothing outlives a test, and no clock ends the tests themselves.
    monkeypatch.setenv("MEMOTHECA_HOOK_ATTENDANT_MINUTES", "0")
    monkeypatch.setattr(hook_client, "LIMITS", {})
    monkeypatch.setattr(hook_client, "LIMIT", 10_000.0)
    found = Hooks(tmp_path)
    shutil.copytree(engine, found.data)
    turn(str(found.data), ON)
    return found
