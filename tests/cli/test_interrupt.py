"""Commands that are told to stop in the middle: nothing is half done, what is done is told, and the file is whole."""

import fcntl
import io
import json
import signal
import subprocess
import sys
import termios
from array import array
from pathlib import Path
from typing import Any

import pytest

from memotheca.admin import upkeep
from memotheca.admin.transfer import export_collection, import_lines
from memotheca.cli.interrupt import Stopped, deferring
from memotheca.jobs.queue import unsettled_jobs
from memotheca.model.kinds import DOCUMENT
from memotheca.storage.presence import present
from tests.durability.accounts import find_damage
from tests.engine.desk import Desk
from tests.engine.test_embedding import NONE, corpus_of, run_import
from tests.patience import PATIENCE, until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143}


def assert_is_whole(data: Path) -> None:
    assert [path.name for path in data.iterdir() if path.name.startswith("memotheca.db")] == ["memotheca.db"]
    assert present(data) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_import_that_waits_for_more_lines_stops_and_tells_what_is_in(tmp_path, number):
    data = tmp_path / "data"
    desk = Desk(data, NONE)
    with run_import(data) as running:
        assert running.stdin is not None
        # More than the reader keeps for itself, and two lines that make no batch.
        running.stdin.write(corpus_of(202))
        running.stdin.flush()
        until(lambda: len(desk.entries()) >= 20 or running.poll() is not None)
        assert running.poll() is None
        kept = len(desk.entries())
        running.send_signal(number)
        out, complaint = running.communicate(timeout=PATIENCE)
    assert (running.returncode, complaint) == (SIGNALS[number], b"")
    told = json.loads(out)
    assert kept <= told["entries"] == len(desk.entries()) <= 200
    assert told == {**told, "transactions": told["entries"] // 10, "stopped": True, "whole": False}
    assert find_damage(desk.store) == []
    desk.close()
    assert_is_whole(data)


def documents(desk: Desk) -> set[str]:
    return {entry.title for entry in desk.entries() if entry.kind == DOCUMENT}


def exported(folder: Path) -> list[str]:
    desk = Desk(folder, NONE)
    for each in range(5):
        desk.put(f"tea {each}")
    file = io.StringIO()
    export_collection(desk.kernel, file, lambda *_: None)
    desk.close()
    return file.getvalue().splitlines(keepends=True)


def test_a_history_that_is_stopped_while_it_comes_in_leaves_nothing(tmp_path):
    data, lines = tmp_path / "data", exported(tmp_path / "other")
    Desk(data, NONE).close()
    with run_import(data) as running:
        assert running.stdin is not None
        running.stdin.write("".join(lines[:-1]).encode())
        running.stdin.flush()
        unread = running.stdin
        until(lambda: not is_unread(unread) or running.poll() is not None)
        assert running.poll() is None
        running.send_signal(signal.SIGTERM)
        out, _ = running.communicate(timeout=PATIENCE)
    assert running.returncode == 143
    assert json.loads(out) == {
        "transactions": 0, "entries": 0, "edges": 0, "skipped": 0, "stopped": True, "whole": False,
    }  # fmt: skip
    assert_is_whole(data)
    desk = Desk(data, NONE)
    assert desk.entries() == []
    desk.close()


def is_unread(pipe: Any) -> bool:
    left = array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, left)
    return left[0] > 0


def test_a_history_comes_in_with_what_it_is_found_by_or_not_at_all(tmp_path, monkeypatch):
    lines = exported(tmp_path / "other")
    desk = Desk(tmp_path / "data", NONE)

    def stop(*_: Any) -> None:
        raise Stopped(signal.SIGTERM)

    with monkeypatch.context() as patched:
        patched.setattr(upkeep.Births, "bear", stop)
        with pytest.raises(Stopped):
            import_lines(desk.kernel, lines, actor="test", report=lambda *_: None)
    assert desk.entries() == []
    import_lines(desk.kernel, lines, actor="test", report=lambda *_: None)
    assert len(desk.find("tea").passages) == 5
    desk.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_adding_files_stops_between_two_of_them_and_tells_which_are_in(tmp_path, number):
    data, folder, count = tmp_path / "data", tmp_path / "files", 300
    folder.mkdir()
    for each in range(count):
        (folder / f"{each:03}.txt").write_text(f"Cup number{each} of tea.")
    desk = Desk(data, NONE)
    command = [sys.executable, "-m", "memotheca.cli.main", "add", str(folder), "--data", str(data), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        until(lambda: documents(desk) or running.poll() is not None)
        assert running.poll() is None
        running.send_signal(number)
        out, complaint = running.communicate(timeout=PATIENCE)
    assert (running.returncode, complaint) == (SIGNALS[number], b"")
    told = json.loads(out)
    assert told["stopped"]
    assert len(told["files"]) == count
    done = {Path(each["file"]).name for each in told["files"] if each["success"]}
    assert told["added"] == len(done) > 0
    assert documents(desk) == done
    assert unsettled_jobs(desk.kernel) == []
    assert find_damage(desk.store) == []
    desk.close()
    assert_is_whole(data)


def test_a_wish_to_stop_waits_for_its_place_and_a_second_one_does_not():
    with deferring() as deferral:
        signal.raise_signal(signal.SIGTERM)
        assert deferral.is_due()
        with pytest.raises(Stopped):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(Stopped), deferral.breakable():
            pytest.fail("It goes on.")
    with deferring() as deferral, pytest.raises(Stopped) as stopped, deferral.breakable():
        signal.raise_signal(signal.SIGHUP)
    assert stopped.value.code == 129
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
