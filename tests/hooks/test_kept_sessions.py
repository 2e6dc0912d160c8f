"""A session is kept as it ends: once however often, without secrets, by a program that outlives the hook."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from memotheca.app import build
from memotheca.cli.hooks import hook_work
from memotheca.conversations.turns import turns_of
from memotheca.hooks.waiting_sessions import SETTLED, TRIES
from memotheca.kernel.handles import resolve
from memotheca.model.knowledge import Entry
from memotheca.settings import load
from tests.hooks.conftest import claude_line
from tests.patience import PATIENCE, until


def waiting(hooks):
    return sorted((hooks.data / "hooks").glob("*.json"))


def history(run):
    return json.loads(run("history", "--json")[1])["items"]


def texts(hooks):
    """What each turn of the conversation says, as it is stored."""
    app = build(load({"data": str(hooks.data)}, {}))
    with app.kernel.read() as snapshot:
        entry = resolve(snapshot, "c-1", "entry").thing
    app.close()
    assert isinstance(entry, Entry)
    assert entry.attributes["project"] == "engine"
    return [turn.text for turn in turns_of(entry)]


def test_the_end_of_a_session_keeps_it_though_the_hook_is_done_at_once(hooks, run):
    hooks.said(("user", "The staging key is sk-ant-api03-" + "A" * 40), ("assistant", "Noted."))
    assert hooks.tell("SessionEnd", reason="exit") == ""
    until(lambda: not waiting(hooks))
    text = run("show", "c-1")[1]
    assert "sk-ant" not in text
    assert "[REDACTED:api_key]" in text
    assert "by hook" in run("history")[1]
    last = hooks.tell("SessionStart", session="s-2")
    assert "The last session here ended on 2026-11-18 (claude-code):" in last
    assert "Noted. [c-1#2]" in last
    assert "last session" not in hooks.tell("SessionStart", session="s-1", source="resume")


def test_a_session_is_kept_once_however_often_it_ends_and_grows(hooks, run):
    hooks.said(("user", "one"), ("assistant", "two"))
    for _ in range(3):
        hooks.tell("PreCompact", trigger="auto")
        hooks.keep()
    hooks.said(("user", "one"), ("assistant", "two"), ("user", "three"))
    hooks.tell("SessionEnd")
    hooks.keep()
    hooks.keep()
    assert texts(hooks) == ["one", "two", "three"]
    assert [(each["op"], each["entity_id"]) for each in history(run)] == [
        ("UPDATE", "c-1"),
        ("CREATE", "c-1"),
        ("CREATE", "e-1"),
    ]


def test_what_was_kept_is_taken_back_and_stays_away(hooks, run):
    hooks.said(("user", "one"))
    hooks.tell("PreCompact")
    hooks.keep()
    assert run("undo")[0] == 0
    assert json.loads(run("status", "--json")[1])["conversation"] == 0
    hooks.said(("user", "one"), ("assistant", "two"))
    hooks.tell("SessionEnd")
    hooks.keep()
    assert json.loads(run("status", "--json")[1])["conversation"] == 0


def test_a_session_that_said_no_farewell_is_kept_when_it_has_been_silent(hooks, run):
    hooks.said(("user", "one"))
    hooks.tell("Stop")
    hooks.keep()
    (path,) = waiting(hooks)
    assert run("show", "c-1")[0] == 1
    long_ago = time.time() - SETTLED - 1
    os.utime(path, (long_ago, long_ago))
    hooks.keep()
    assert texts(hooks) == ["one"]
    assert waiting(hooks) == []


def test_a_program_that_is_killed_while_it_keeps_leaves_the_session_to_the_next(hooks, run):
    hooks.said(*(("user", f"{number} " + "word " * 200) for number in range(3_000)))
    hooks.tell("Stop")
    (path,) = waiting(hooks)
    said = json.loads(path.read_text())
    path.write_text(json.dumps({**said, "is_due": True}))
    command = [sys.executable, "-m", "memotheca", "hook", "--keep", "--data", str(hooks.data)]
    with subprocess.Popen(command) as keeper:
        until(lambda: json.loads(path.read_text())["tries"])
        keeper.send_signal(signal.SIGKILL)
    assert json.loads(path.read_text())["tries"] == 1
    hooks.keep()
    assert len(texts(hooks)) == 3_000
    assert waiting(hooks) == []


def test_two_that_keep_at_once_keep_it_once(hooks, run):
    hooks.said(("user", "one"), ("assistant", "two"))
    hooks.tell("Stop")
    (path,) = waiting(hooks)
    path.write_text(json.dumps({**json.loads(path.read_text()), "is_due": True}))
    command = [sys.executable, "-m", "memotheca", "hook", "--keep", "--data", str(hooks.data)]
    keepers = [subprocess.Popen(command) for _ in range(3)]
    assert [keeper.wait(PATIENCE) for keeper in keepers] == [0, 0, 0]
    assert len(texts(hooks)) == 2
    assert len(history(run)) == 2
    assert hooks.failures() == []


def test_a_locked_database_lets_the_session_wait_and_costs_it_no_try(hooks, run, monkeypatch):
    from memotheca.model.errors import Failure, Refusal

    def busy(kernel, session):
        raise Refusal(Failure.BUSY, "locked")

    hooks.said(("user", "one"))
    hooks.tell("Stop")
    (path,) = waiting(hooks)
    path.write_text(json.dumps({**json.loads(path.read_text()), "is_due": True}))
    with monkeypatch.context() as patched:
        patched.setattr(hook_work, "keep_session", busy)
        for _ in range(TRIES + 2):
            hooks.keep()
    assert json.loads(path.read_text())["tries"] == 0
    hooks.keep()
    assert len(texts(hooks)) == 1


def test_what_ends_every_program_that_takes_it_up_is_let_go_of(hooks, monkeypatch):
    def fail(kernel, session):
        raise RuntimeError("always")

    hooks.said(("user", "one"))
    hooks.tell("Stop")
    (path,) = waiting(hooks)
    path.write_text(json.dumps({**json.loads(path.read_text()), "is_due": True}))
    monkeypatch.setattr(hook_work, "keep_session", fail)
    for _ in range(TRIES):
        assert waiting(hooks)
        hooks.keep()
    assert not waiting(hooks)
    assert [each["error"] for each in hooks.failures()] == ["RuntimeError"] * TRIES


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe", "binary", "other json", "empty", "device"])
def test_a_transcript_that_is_none_is_noted_and_let_go_of(hooks, run, kind, tmp_path):
    path = tmp_path / "odd"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind != "missing":
        path.write_bytes({"binary": os.urandom(50_000), "other json": b'[1, 2]\n{"a": {}}\n', "empty": b""}[kind])
    hooks.transcript = path
    hooks.tell("Stop")
    (waits,) = waiting(hooks)
    waits.write_text(json.dumps({**json.loads(waits.read_text()), "is_due": True}))
    hooks.keep()
    # One that is not there may be on its way.
    assert len(waiting(hooks)) == (kind == "missing")
    for _ in range(TRIES):
        hooks.keep()
    assert waiting(hooks) == []
    assert bool(hooks.failures()) == (kind in ("folder", "pipe", "device"))
    assert "conversation" not in run("history")[1]


def test_a_huge_transcript_with_endless_lines_is_kept_without_what_tools_said(hooks, run, monkeypatch):
    monkeypatch.setattr("memotheca.hooks.kept_session.LONGEST_LINE", 1_000_000)
    result = [{"type": "tool_result", "tool_use_id": "t", "content": "x" * 900_000}]
    lines = [claude_line("user", f"question {number}", f"u{number}") for number in range(500)]
    lines += [claude_line("user", result, f"t{number}") for number in range(20)]
    lines += [claude_line("user", "y" * 3_000_000, "endless"), claude_line("assistant", "the end", "z")]
    hooks.transcript.write_text("\n".join([*lines, '{"type": "user", "half']))
    hooks.tell("Stop")
    (path,) = waiting(hooks)
    path.write_text(json.dumps({**json.loads(path.read_text()), "is_due": True}))
    hooks.keep()
    said = texts(hooks)
    assert (len(said), said[-1]) == (501, "the end")


def test_two_sessions_at_once_are_two_conversations(hooks, run, tmp_path):
    for name in ("s-1", "s-2"):
        hooks.transcript = tmp_path / f"{name}.jsonl"
        hooks.said(("user", f"I am {name}"), session=name)
        hooks.tell("PreCompact", session=name)
    hooks.keep()
    titles = {run("show", f"c-{number}")[1].splitlines()[0] for number in (1, 2)}
    assert titles == {"I am s-1", "I am s-2"}


def test_what_waits_and_cannot_be_read_is_let_go_of(hooks):
    folder = hooks.data / "hooks"
    folder.mkdir()
    for number, content in enumerate((b"", b"[]", b'{"client": 7}', b"\xff", b'{"client": "x", "session": "y"}')):
        (folder / f"{number}.json").write_bytes(content)
    hooks.keep()
    assert waiting(hooks) == []


def test_a_session_is_kept_in_the_collection_of_its_repository(hooks, run):
    hooks.said(("user", "one"))
    hooks.tell("Stop", arguments=("--collection", "auto"))
    (path,) = waiting(hooks)
    assert json.loads(path.read_text())["collection"] == "engine"
    path.write_text(json.dumps({**json.loads(path.read_text()), "is_due": True}))
    hooks.keep()
    assert run("show", "c-1")[0] == 1
    assert run("show", "c-1", "--collection", "engine")[0] == 0
