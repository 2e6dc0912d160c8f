"""A hook tells what helps, and never breaks the client that starts it, whatever it is sent and is wrong here."""

import io
import json
import os
import signal
import socket
import subprocess
import sys
import time
from tempfile import TemporaryDirectory

import pytest

from memotheca.cli.hooks import hook_client, hook_notes
from memotheca.hooks.hook_log import FILE, MOST, note_failure, read_failures
from memotheca.hooks.switch import OFF, ON, PAUSED, read_switch, turn
from tests.hooks.conftest import PATIENT
from tests.patience import PATIENCE

PROMPT = "On which port does the engine listen?"
# No hurry for the hook, but as little patience with a server as ever.
PATIENT_WITH_ITSELF = PATIENT.replace(" = hook_client.CONNECTED = hook_client.ANSWERED", "")


def test_a_session_is_told_of_its_project_and_a_prompt_of_what_it_is_about(hooks, run):
    run("remember", "Nothing is deployed on a Friday.", "--tag", "pinned")
    begun = hooks.tell("SessionStart", source="startup")
    assert begun.startswith("<memotheca>\n")
    assert "About engine:" in begun
    assert "8123" in begun
    assert "Pinned:" in begun
    assert "Friday" in begun
    asked = hooks.tell("UserPromptSubmit", prompt=PROMPT)
    assert "8123" in asked
    assert "[node_" in asked
    assert "Friday" not in asked


@pytest.mark.parametrize(
    "prompt",
    [
        "fix the failing test in utils.py",
        "continue",
        "/clear",
        "",
        "Write a haiku about autumn",
        "```\nengine port\n```",
    ],
)
def test_a_prompt_about_something_else_is_met_with_silence(hooks, prompt):
    assert hooks.tell("UserPromptSubmit", prompt=prompt) == ""


def test_events_have_other_names_in_other_clients(hooks):
    told = hooks.tell("BeforeAgent", prompt=PROMPT, arguments=("--client", "gemini"))
    assert "8123" in told


def test_what_is_stored_cannot_end_the_frame_that_it_stands_in(hooks, run):
    run("remember", "The engine's motto is </memotheca> and then < / MEMOTHECA >.", "--topic", "engine motto")
    told = hooks.tell("UserPromptSubmit", prompt="What is the motto of the engine?")
    assert told.count("</memotheca>") == 1
    assert told.endswith("</memotheca>")


def test_nothing_is_told_or_kept_until_somebody_says_so_nor_while_it_is_paused(hooks, run):
    data = str(hooks.data)
    (hooks.data / "hooks.json").unlink()
    assert read_switch(data) == OFF
    assert hooks.tell("SessionStart") == ""
    assert run("pause")[1].startswith("Hooks were never switched on")
    assert run("resume")[1].startswith("On:")
    assert "8123" in hooks.tell("SessionStart")
    assert run("pause")[1].startswith("Paused:")
    assert read_switch(data) == PAUSED
    assert "paused" in run("status")[1]
    hooks.said(("user", "hello"))
    assert hooks.tell("SessionEnd") + hooks.tell("SessionStart") == ""
    assert not (hooks.data / "hooks").exists()
    hooks.keep()
    assert "conversation" not in run("history")[1]


@pytest.mark.parametrize(
    "state", [b"", b"on", b"[]", b'{"state": "perhaps"}', b'{"state": ["on"]}', b"\xff\xfe", b"[" * 100_000]
)
def test_a_yes_that_cannot_be_read_is_none(hooks, state):
    (hooks.data / "hooks.json").write_bytes(state)
    assert hooks.tell("SessionStart") == ""


NONSENSE = [
    b"",
    b"not json",
    b"\xff\xfe\x00",
    b"[]",
    b"null",
    b"7",
    b'{"session_id": 7, "cwd": ["x"], "prompt": {"a": 1}, "transcript_path": false}',
    b'{"cwd": "\\u0000", "prompt": "\\ud800 engine port listen", "session_id": "\\u0000"}',
    b'{"prompt": "' + b"engine port " * 100_000 + b'"}',
    b"{" * 100_000,
    b" " * 17_000_000,
]


@pytest.mark.parametrize("raw", NONSENSE)
def test_whatever_comes_on_stdin_it_ends_with_0_and_says_nothing_on_stderr(hooks, raw):
    code, _, stderr = hooks.send("UserPromptSubmit", raw)
    assert (code, stderr) == (0, "")


@pytest.mark.parametrize("event", ["SessionStart", "Stop", "PreCompact", "SessionEnd"])
def test_whatever_comes_at_whichever_event_no_failure_gets_out(hooks, event, monkeypatch, capsys):
    """As above, in one program, since starting one takes most of the time."""
    monkeypatch.setattr(hook_notes, "start_keeper", lambda options, data: None)
    for raw in NONSENSE:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        assert hook_client.run([event, "--data", str(hooks.data)]) == 0
    assert capsys.readouterr().err == ""


def test_an_unknown_event_option_or_client_is_no_error(hooks):
    assert hooks.send("Notification")[:2] == (0, "")
    assert hooks.send("SessionStart", arguments=("--new-flag", "x", "--client", "other"))[0] == 0
    hooks.said(("user", "hello"))
    assert hooks.tell("SessionEnd", arguments=("--client", "other")) == ""
    hooks.keep()
    assert list((hooks.data / "hooks").glob("*.json")) == []


def test_where_there_is_no_data_directory_none_is_made(hooks, tmp_path):
    hooks.data = tmp_path / "elsewhere"
    for event in ("SessionStart", "UserPromptSubmit", "SessionEnd"):
        assert hooks.send(event, prompt=PROMPT)[:2] == (0, "")
    assert not hooks.data.exists()


@pytest.mark.parametrize("content", [b"", b"this is no database", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_store_is_silent_for_the_client_and_noted_for_us(hooks, run, content):
    (hooks.data / "memotheca.db").write_bytes(content)
    for name in ("memotheca.db-wal", "memotheca.db-shm"):
        (hooks.data / name).unlink(missing_ok=True)
    assert hooks.tell("UserPromptSubmit", prompt=PROMPT) == ""
    assert hooks.failures()[-1]["event"] == "UserPromptSubmit"
    assert "went wrong" in " ".join(run("pause")[1].split())


def test_a_client_that_does_not_read_is_none_the_worse(hooks):
    said = json.dumps({"cwd": str(hooks.project), "prompt": PROMPT}).encode()
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "memotheca", "hook", "UserPromptSubmit", "--data", str(hooks.data)],
            input=said,
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=PATIENCE,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_excluded_folders_and_projects_are_never_heard_of(hooks, monkeypatch):
    hooks.said(("user", "hello"))
    for excluded in (str(hooks.project), f"{hooks.project.parent}/eng*", "engine", f"/nowhere,{hooks.project.parent}"):
        monkeypatch.setenv("MEMOTHECA_HOOK_EXCLUDE", excluded)
        assert (
            hooks.tell("SessionStart") + hooks.tell("UserPromptSubmit", prompt=PROMPT) + hooks.tell("SessionEnd") == ""
        )
        assert not list((hooks.data / "hooks").glob("*.json"))
    monkeypatch.setenv("MEMOTHECA_HOOK_EXCLUDE", "motor")
    assert "8123" in hooks.tell("SessionStart")


def test_how_much_is_told_is_a_setting(hooks, run):
    for number in range(40):
        run("remember", f"The engine's part {number} is made of steel and was looked at in week {number}.")
    (hooks.data / "memotheca.toml").write_text("hook-start-tokens = 150\nhook-prompt-tokens = 0\n")
    assert 0 < len(hooks.tell("SessionStart")) < 900
    assert hooks.tell("UserPromptSubmit", prompt=PROMPT) == ""


def test_a_server_that_has_the_data_open_is_asked_and_one_that_was_killed_is_done_without(hooks):
    served = [sys.executable, "-m", "memotheca", "serve", "--data", str(hooks.data)]
    with subprocess.Popen(served, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        server.stdin.write(json.dumps(asked).encode() + b"\n")
        server.stdin.flush()
        server.stdout.readline()
        doors = hooks.data / "locks" / "doors"
        assert [path.name for path in doors.iterdir()] == [f"{server.pid}.door"]
        # Only who is asked through the door can answer now.
        (hooks.data / "memotheca.toml").write_text("nonsense = 1\n")
        assert hooks.tell("UserPromptSubmit", prompt=PROMPT) == ""
        assert [each["event"] for each in hooks.failures()][:1] == ["asked"]
        (hooks.data / "memotheca.toml").unlink()
        assert "8123" in hooks.tell("UserPromptSubmit", prompt=PROMPT)
        assert "8123" in hooks.tell("SessionStart")
        server.send_signal(signal.SIGKILL)
        server.wait()
    assert "8123" in hooks.tell("UserPromptSubmit", prompt=PROMPT)
    assert list(doors.iterdir()) == []


def test_a_server_that_says_nothing_holds_nobody_up(hooks):
    """As one that is suspended: it takes the line, and that is all."""
    doors = hooks.data / "locks" / "doors"
    doors.mkdir(mode=0o700)
    # The path of a socket may have a hundred letters.
    with TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.bind(f"{folder}/silent")
        door.listen(4)
        (doors / "1.door").write_text(f"{folder}/silent")
        began = time.monotonic()
        assert "8123" in hooks.tell("SessionStart", program=("-c", PATIENT_WITH_ITSELF))
        assert time.monotonic() - began < 280


def test_the_log_is_bounded_and_has_no_content(tmp_path):
    data = str(tmp_path)
    try:
        raise ValueError("a secret that was on stdin")
    except ValueError as error:
        for _ in range(5_000):
            note_failure(data, "SessionStart", error)
    sizes = [path.stat().st_size for path in tmp_path.iterdir()]
    assert len(sizes) == 2
    assert max(sizes) < MOST + 1_000
    assert "secret" not in (tmp_path / FILE).read_text()
    (last,) = read_failures(data, 1)
    assert (last["error"], last["event"]) == ("ValueError", "SessionStart")
    note_failure(str(tmp_path / "nowhere"), "SessionStart", "x")
    assert not (tmp_path / "nowhere").exists()


def test_the_switch_is_its_owners_alone(tmp_path):
    turn(str(tmp_path), ON)
    assert (tmp_path / "hooks.json").stat().st_mode & 0o777 == 0o600
