"""Hooks are put into a client's configuration when that is asked for, beside everybody else's, and taken out again."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from memotheca.hooks.switch import OFF, ON, read_switch
from tests.patience import PATIENCE

CLIENTS = ("claude-code", "codex", "gemini")


def place(run, client):
    return Path(json.loads(run("connect", client, "--hooks", "--json")[1])["hooks"]["file"])


def commands(content):
    groups = [group for event in content["hooks"].values() for group in event]
    return [each["command"] for group in groups for each in group["hooks"]]


@pytest.fixture(autouse=True)
def _off(hooks):
    (hooks.data / "hooks.json").unlink()


@pytest.mark.parametrize("client", CLIENTS)
def test_hooks_are_written_only_where_they_are_asked_for_and_that_is_a_yes(hooks, run, client):
    path = place(run, client)
    assert run("connect", client, "--write")[0] == 0
    assert not path.exists() or '"hooks"' not in path.read_text()
    assert read_switch(str(hooks.data)) == OFF
    code, out, err = run("connect", client, "--hooks", "--write")
    assert (code, err) == (0, "")
    assert "memotheca pause stops that" in " ".join(out.split())
    assert read_switch(str(hooks.data)) == ON
    before = path.read_text()
    assert run("connect", client, "--hooks", "--write")[0] == 0
    assert path.read_text() == before
    for command in commands(json.loads(before)):
        done = subprocess.run(command, shell=True, input=b"{}", capture_output=True, timeout=PATIENCE, check=False)
        assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("client", CLIENTS)
def test_what_others_have_there_stays_and_ours_goes_with_remove(run, client):
    path = place(run, client)
    path.parent.mkdir(parents=True, exist_ok=True)
    theirs = {"matcher": "*", "hooks": [{"type": "command", "command": "echo theirs"}]}
    held = {"theme": "dark", "hooks": {"SessionStart": [theirs], "Notification": [theirs]}}
    path.write_text(json.dumps(held, indent=2) + "\n")
    run("connect", client, "--hooks", "--write")
    both = json.loads(path.read_text())
    assert both["hooks"]["SessionStart"][0] == theirs
    assert len(both["hooks"]["SessionStart"]) == 2
    code, out, _ = run("connect", client, "--remove")
    assert code == 0
    assert str(path) in out
    left = json.loads(path.read_text())
    assert (left["hooks"], left["theme"]) == (held["hooks"], "dark")


def test_a_check_says_whether_hooks_are_there(run):
    run("connect", "codex", "--write")
    assert "It has no hooks of ours" in " ".join(run("connect", "codex", "--check")[1].split())
    out = run("connect", "codex", "--hooks", "--write")[1]
    assert "/hooks" in out
    assert "Its hooks are there, and on" in " ".join(run("connect", "codex", "--check")[1].split())


@pytest.mark.parametrize("text", ['{"hooks": 7}', '{"hooks": {"SessionStart": "x"}}', "[]", "{// mine\n}"])
def test_a_file_that_cannot_be_added_to_is_left_alone(run, text):
    path = place(run, "claude-code")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    code, _, err = run("connect", "claude-code", "--hooks", "--write")
    assert code == 2
    assert "left alone" in " ".join(err.split())
    assert path.read_text() == text


def test_clients_without_hooks_say_so(run):
    code, _, err = run("connect", "zed", "--hooks", "--write")
    assert code == 1
    assert "no hooks that are known" in " ".join(err.split())


def test_a_project_has_a_server_and_a_collection_of_its_own(hooks, run, monkeypatch):
    below = hooks.project / "src"
    below.mkdir()
    monkeypatch.chdir(below)
    assert run("connect", "claude-code", "--project", "--hooks", "--write")[0] == 0
    server = json.loads((hooks.project / ".mcp.json").read_text())["mcpServers"]["memotheca"]
    assert server["args"][server["args"].index("--collection") + 1] == "engine"
    assert run("connect", "claude-code", "--project", "--check")[0] == 0
    written = json.loads((hooks.project / ".claude" / "settings.json").read_text())
    assert all("--collection engine" in shlex.join(shlex.split(command)) for command in commands(written))
    assert run("connect", "claude-code", "--project", "--remove")[0] == 0
    assert "memotheca" not in (hooks.project / ".mcp.json").read_text()
    assert "memotheca" not in (hooks.project / ".claude" / "settings.json").read_text()
    assert run("connect", "windsurf", "--project")[0] == 1


@pytest.mark.parametrize("is_said_before", [True, False])
def test_auto_is_left_to_the_server_where_a_client_is_connected_for_all_projects(
    hooks, run, monkeypatch, tmp_path, is_said_before
):
    asked = ("--collection", "auto")
    if is_said_before:
        monkeypatch.setenv("MEMOTHECA_COLLECTION", "auto")
        asked = ()
    for folder in (hooks.project, tmp_path):
        monkeypatch.chdir(folder)
        told = json.loads(run("connect", "claude-code", "--hooks", "--json", *asked)[1])
        words = told["content"]["mcpServers"]["memotheca"]["args"]
        assert words[-2:] == ["--collection", "auto"]
        assert all("--collection auto" in command for command in commands(told["hooks"]["content"]))


def test_auto_is_the_collection_of_the_repository_one_works_in(hooks, run, monkeypatch, tmp_path):
    monkeypatch.chdir(hooks.project)
    run("remember", "Of the engine alone.", "--collection", "auto")
    assert "Of the engine alone" in run("search", "engine alone", "--collection", "engine")[1]
    monkeypatch.chdir(tmp_path)
    assert json.loads(run("status", "--collection", "auto", "--json")[1])["collection"] == "default"
