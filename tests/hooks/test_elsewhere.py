"""What hooks do on systems that are not this one, as far as that can be tried here."""

import json
import os
import shutil
import socket
import tempfile
from pathlib import Path

import pytest

from memotheca.cli.hooks import hook_client
from memotheca.hooks.hook_event import project_of, read_event
from memotheca.server.operation import hook_door
from memotheca.views.client_hooks import hook_shapes, with_hooks, without_hooks


def test_without_local_sockets_no_door_is_opened_and_none_is_asked(hooks, run, monkeypatch, capsys):
    monkeypatch.delattr(socket, "AF_UNIX")
    assert hook_door._open(hooks.data) is None
    assert hook_client._ask_servers(str(hooks.data), {}) is None
    said = {"prompt": "On which port does the engine listen?", "cwd": str(hooks.project)}
    monkeypatch.setattr(hook_client, "_hear", lambda: said)
    assert hook_client.run(["UserPromptSubmit", "--data", str(hooks.data)]) == 0
    assert "8123" in json.loads(capsys.readouterr().out)["hookSpecificOutput"]["additionalContext"]


def test_a_folder_too_deep_for_a_socket_or_open_to_others_has_none(hooks, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / ("deep" * 30)))
    assert hook_door._open(hooks.data) is None
    short = Path(tempfile.mkdtemp(prefix="m", dir="/tmp"))
    monkeypatch.setattr(tempfile, "tempdir", str(short))
    (short / f"memotheca-{os.getuid()}").mkdir()
    (short / f"memotheca-{os.getuid()}").chmod(0o777)
    assert hook_door._open(hooks.data) is None
    shutil.rmtree(short)


@pytest.mark.parametrize(
    ("folder", "project"),
    [
        (r"C:\Users\Ada Lovelace\engine", "engine"),
        ("D:/projects/motor", "motor"),
        (r"\\server\share\maschine", "maschine"),
        ("/Users/ada/a place/engine", "engine"),
        ("", ""),
        ("\0", "\0"),
    ],
)
def test_a_project_is_named_however_its_system_writes_folders(folder, project):
    assert project_of(folder) == project


def test_commands_with_blanks_and_drive_letters_come_back_whole():
    words = [r"C:\Program Files\memotheca.exe", "hook", "--data", r"C:\Users\Ada Lovelace\Memotheca"]
    shapes = hook_shapes("claude-code", words, platform="win32")
    command = shapes["SessionEnd"][0]["hooks"][0]["command"]
    assert command.startswith(
        r'"C:\Program Files\memotheca.exe" hook --data "C:\Users\Ada Lovelace\Memotheca" SessionEnd'
    )
    content = {"theme": "dark"}
    with_hooks(shapes)(content)
    assert len(content["hooks"]) == 5
    without_hooks(content)
    assert content == {"theme": "dark"}


def test_an_event_in_any_encoding_that_json_allows_is_read():
    event = read_event(json.loads(b'{"cwd": "/tmp/\\u00fc", "prompt": "\xe6\x97\xa5"}'), "UserPromptSubmit", "codex")
    assert (event.folder, event.prompt) == ("/tmp/\u00fc", "\u65e5")
