"""The page about backups: its commands do what it says, and what it says of files is so."""

import json
import os
import re
import shlex
import sqlite3
import stat
import sys
from pathlib import Path

import pytest

from memotheca.model.errors import Failure, Refusal
from memotheca.storage.sqlite import SQLiteSession

PAGE = Path(__file__).parents[2] / "docs" / "backup.md"


def commands():
    for block in re.findall(r"```sh\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL):
        yield from block.strip().splitlines()


@pytest.fixture
def run(tmp_path, monkeypatch, invoke):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMOTHECA_DATA", str(tmp_path / "data"))

    def call(line):
        program, *arguments = shlex.split(line)
        assert program == "memotheca"
        return invoke(*arguments)

    return call


def store(run, topic):
    assert run(f"memotheca call store '{json.dumps({'topic': topic, 'content': 'x'})}'")[0] == 0


def test_every_command_of_the_page_does_what_it_says(run, tmp_path):
    store(run, "tea")
    for line in commands():
        code, out, err = run(line)
        assert code == 0, (line, out, err)
    assert json.loads(run("memotheca status --json --data elsewhere")[1])["entry"] == 1
    readme = (PAGE.parents[1] / "README.md").read_text("utf-8")
    assert "docs/backup.md" in readme


def test_as_many_backups_are_kept_as_wanted_and_those_before_a_restore_stay(run, tmp_path):
    store(run, "tea")
    for _ in range(4):
        assert run("memotheca backup --keep 2")[0] == 0
    run("memotheca backup elsewhere.db")
    run("memotheca restore elsewhere.db")
    removed = json.loads(run("memotheca backup --keep 1 --json")[1])["removed"]
    assert len(removed) == 2
    left = sorted(path.name.rpartition("Z-")[2] for path in (tmp_path / "data" / "backups").iterdir())
    assert left == ["asked.db", "before-restore.db"]
    assert run("memotheca backup x.db --keep 1")[0] == 2
    assert run("memotheca backup data/memotheca.db")[0] == 2


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_backups_and_exports_are_for_their_owner_alone_also_over_files_that_were_not(run, tmp_path):
    store(run, "tea")
    for name, command in (("b.db", "backup"), ("e.jsonl", "export")):
        assert run(f"memotheca {command} {name}")[0] == 0
        (tmp_path / name).chmod(0o644)
        assert run(f"memotheca {command} {name} --force")[0] == 0
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    run("memotheca backup")
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "data" / "backups").iterdir()} == {0o600}


@pytest.mark.parametrize("command", ["backup", "export"])
def test_what_is_no_earlier_one_is_never_written_over(run, tmp_path, command):
    store(run, "tea")
    run("memotheca call store topic=x content=x --data other")
    other = sqlite3.connect(tmp_path / "foreign.db")
    other.execute("CREATE TABLE t (x)")
    other.close()
    (tmp_path / "notes.md").write_text("mine")
    (tmp_path / "empty").touch()
    for name in ("notes.md", "foreign.db", "data/memotheca.db", "other/memotheca.db"):
        before = (tmp_path / name).read_bytes()
        code, _, err = run(f"memotheca {command} {name}")
        assert code == 2
        assert "name another file" in " ".join(err.split())
        assert (tmp_path / name).read_bytes() == before
    assert run(f"memotheca {command} empty")[0] == 0
    assert run(f"memotheca {command} empty --force")[0] == 0
    assert json.loads(run("memotheca status --json")[1])["entry"] == 1


@pytest.mark.parametrize("command", ["backup", "export"])
def test_what_cannot_be_written_is_said_plainly_and_leaves_nothing(run, tmp_path, command):
    store(run, "tea")
    (tmp_path / "file").write_text("")
    code, _, err = run(f"memotheca {command} file/below")
    assert code == 1
    assert "cannot be written" in " ".join(err.split())
    code, _, err = run(f"memotheca {command} nowhere/at/all")
    assert code == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "file"]


def test_a_disk_that_is_full_leaves_no_half_backup(run, tmp_path, monkeypatch):
    store(run, "tea")

    def fill(self, target):
        target.write_bytes(b"half")
        raise Refusal(Failure.DISK_FULL, "The disk is full; nothing was saved. Free some space and try again.")

    monkeypatch.setattr(SQLiteSession, "copy_to", fill)
    for line in ("memotheca backup", "memotheca backup b.db"):
        code, _, err = run(line)
        assert code == 1
        assert "disk is full" in err
    assert not (tmp_path / "b.db").exists()
    assert list((tmp_path / "data" / "backups").iterdir()) == []
    assert os.listdir(tmp_path) == ["data"]  # noqa: PTH208
