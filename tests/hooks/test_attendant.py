"""Where no server runs, the first prompt leaves somebody behind who answers the next ones, and goes by itself."""

import json
import os
import signal
import subprocess
import sys

import pytest

from memotheca.cli.hooks import hook_attendant
from memotheca.cli.hooks.hook_attendant import ROLE, leave_attendant
from memotheca.hooks.switch import ON, PAUSED, turn
from memotheca.server.operation.hook_door import HookDoor
from memotheca.settings import load
from memotheca.storage.locks import role
from memotheca.storage.presence import present
from tests.hooks.conftest import PATIENT
from tests.patience import PATIENCE, until

PROMPT = "On which port does the engine listen?"
# A hook that can only ask.
ASKING = f"import sys\nsys.modules['memotheca.cli.hooks.hook_work'] = None{PATIENT}"


@pytest.fixture
def doors(hooks):
    folder = hooks.data / "locks" / "doors"
    return lambda: sorted(folder.glob("*.door")) if folder.exists() else []


@pytest.fixture
def attendant(hooks, doors):
    """One that is there, and is gone when the test ends."""
    command = [sys.executable, "-m", "memotheca", "hook", "--attend", "--data", str(hooks.data)]
    wanting = {**os.environ, "MEMOTHECA_HOOK_ATTENDANT_MINUTES": "10"}
    with subprocess.Popen(command, env=wanting) as running:
        try:
            until(doors)
            yield running
        finally:
            running.kill()


def test_a_prompt_that_nobody_answered_leaves_one_behind_who_answers_the_next(hooks, doors, monkeypatch):
    monkeypatch.setenv("MEMOTHECA_HOOK_ATTENDANT_MINUTES", "10")
    assert "8123" in hooks.tell("UserPromptSubmit", prompt=PROMPT)
    (door,) = until(doors)
    assert "8123" in hooks.tell("UserPromptSubmit", prompt=PROMPT, program=("-c", ASKING))
    assert hooks.failures() == []
    turn(str(hooks.data), PAUSED)
    until(lambda: not door.exists() and not present(hooks.data))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_told_to_stop_it_closes_what_it_has_open(attendant, hooks, doors, number):
    attendant.send_signal(number)
    assert attendant.wait(PATIENCE) == 0
    assert doors() == []
    assert present(hooks.data) == []
    assert not (hooks.data / "memotheca.db-wal").exists()
    assert hooks.failures() == []


def test_it_goes_when_nobody_has_asked_for_so_long(hooks):
    door = HookDoor()
    assert hook_attendant._is_wanted(hooks.data, door, 600)
    door.visited -= 601
    assert not hook_attendant._is_wanted(hooks.data, door, 600)


def test_of_two_only_one_stays(attendant, hooks, doors):
    second = subprocess.run(
        [sys.executable, "-m", "memotheca", "hook", "--attend", "--data", str(hooks.data)],
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (second.returncode, second.stdout, second.stderr) == (0, b"", b"")
    assert [path.name for path in doors()] == [f"{attendant.pid}.door"]


def test_it_goes_when_a_server_has_come(attendant, hooks, doors):
    (doors()[0].parent / "1.door").write_text("/nowhere", "utf-8")
    assert attendant.wait(PATIENCE) == 0


def test_killed_it_is_done_without(attendant, hooks):
    attendant.kill()
    attendant.wait(PATIENCE)
    assert "8123" in hooks.tell("UserPromptSubmit", prompt=PROMPT)


def test_nobody_is_left_behind_where_none_is_wanted_or_one_is_there(hooks, monkeypatch):
    started = []
    monkeypatch.setattr(hook_attendant, "start_apart", lambda options, data, errand: started.append(errand))
    monkeypatch.setenv("MEMOTHECA_HOOK_ATTENDANT_MINUTES", "0")
    leave_attendant({}, load({"data": str(hooks.data)}))
    monkeypatch.setenv("MEMOTHECA_HOOK_ATTENDANT_MINUTES", "10")
    settings = load({"data": str(hooks.data)})
    with role(hooks.data, ROLE):
        leave_attendant({}, settings)
    assert started == []
    leave_attendant({}, settings)
    assert started == ["--attend"]


def test_of_an_excluded_folder_it_is_not_told(hooks, doors, monkeypatch):
    monkeypatch.setenv("MEMOTHECA_HOOK_EXCLUDE", "engine")
    monkeypatch.setenv("MEMOTHECA_HOOK_ATTENDANT_MINUTES", "10")
    started = []
    monkeypatch.setattr(hook_attendant, "start_apart", lambda options, data, errand: started.append(errand))
    from memotheca.cli.hooks import hook_client

    said = {"cwd": str(hooks.project), "prompt": PROMPT}
    monkeypatch.setattr(hook_client, "_hear", lambda: said)
    assert hook_client.run(["UserPromptSubmit", "--data", str(hooks.data)]) == 0
    assert started == []
    assert json.dumps(hooks.failures()) == "[]"


def test_a_prompt_that_comes_to_no_answer_leaves_one_behind_all_the_same(hooks, monkeypatch):
    monkeypatch.setenv("MEMOTHECA_HOOK_ATTENDANT_MINUTES", "10")
    started = []
    monkeypatch.setattr(hook_attendant, "start_apart", lambda options, data, errand: started.append(errand))
    from memotheca.cli.hooks import hook_client, hook_work

    def hang(*_):
        raise TimeoutError

    monkeypatch.setattr(hook_work, "answer", hang)
    monkeypatch.setattr(hook_client, "_hear", lambda: {"cwd": str(hooks.project), "prompt": PROMPT})
    assert hook_client.run(["UserPromptSubmit", "--data", str(hooks.data)]) == 0
    assert started == ["--attend"]


def test_where_no_data_is_nobody_is_left_behind_to_begin_any(hooks, tmp_path, monkeypatch):
    monkeypatch.setenv("MEMOTHECA_HOOK_ATTENDANT_MINUTES", "10")
    started = []
    monkeypatch.setattr(hook_attendant, "start_apart", lambda options, data, errand: started.append(errand))
    from memotheca.cli.hooks import hook_client

    (tmp_path / "empty").mkdir()
    turn(str(tmp_path / "empty"), ON)
    monkeypatch.setattr(hook_client, "_hear", lambda: {"cwd": str(hooks.project), "prompt": PROMPT})
    assert hook_client.run(["UserPromptSubmit", "--data", str(tmp_path / "empty")]) == 0
    assert started == []
