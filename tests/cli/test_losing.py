"""Data that is not there, or was lost beside what is left of it, is said to be; nothing takes its place unasked."""

import json
import shutil
import subprocess
from pathlib import Path

import apsw
import pytest

from memotheca.app import DATABASE
from tests.patience import PATIENCE
from tests.server.raw import MEMOTHECA

LOSSES = {
    "gone": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
}
READING = [
    ("doctor",),
    ("doctor", "--repair"),
    ("doctor", "--accept-incomplete"),
    ("search", "tea"),
    ("history",),
    ("status",),
    ("export", "-"),
    ("graph", "tea"),
    ("show", "tea"),
    ("documents",),
    ("collections",),
    ("memory",),
    ("vault",),
    ("undo",),
    ("erase", "e-1", "--yes"),
    ("remove", "tea.md"),
    ("reindex",),
    ("backup",),
    ("patterns", "list"),
    ("call", "query", "{}"),
    ("call", "--list"),
    ("call", "nosuchtool"),
]


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def run(data, invoke):
    return lambda *arguments, at=None: invoke(*arguments, "--data", at or data)


@pytest.fixture
def lost(run, data):
    """A directory with a backup, whose data file is to be lost; returns the backup's path."""
    assert run("call", "store", json.dumps({"topic": "tea", "content": "Steep it."}))[0] == 0
    code, out, _ = run("backup", "--json")
    assert code == 0
    return json.loads(out)["file"]


def found(run, name):
    code, out, _ = run("doctor", "--json")
    return code, [each for each in json.loads(out)["findings"] if each["name"] == name]


def served(data):
    """What a server that starts there and is stopped has logged."""
    command = [*MEMOTHECA, "serve", "--data", str(data)]
    return subprocess.run(command, input=b"", capture_output=True, check=True, timeout=PATIENCE).stderr.decode()


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_a_command_that_brings_nothing_in_makes_nothing_where_there_is_no_store(run, tmp_path, command):
    for missing in (tmp_path / "typo", tmp_path / "folder"):
        if missing.name == "folder":
            missing.mkdir()
        code, out, err = run(*command, at=missing)
        if command == ("call", "--list"):
            continue
        assert code != 0, out
        assert ("no tool" if "nosuchtool" in command else "no store") in err
        assert str(missing) in err
    assert not (tmp_path / "typo").exists()
    assert list((tmp_path / "folder").iterdir()) == []


def test_tools_are_listed_without_a_store(run, tmp_path):
    code, out, _ = run("call", "--list", at=tmp_path / "typo")
    assert code == 0
    assert "query" in out
    assert not (tmp_path / "typo").exists()


@pytest.mark.parametrize("loss", LOSSES)
def test_doctor_names_a_lost_data_file_and_the_backup_to_restore_and_makes_none(run, lost, data, loss):
    LOSSES[loss](data / DATABASE)
    before = sorted(path.name for path in data.iterdir())
    code, [finding] = found(run, "integrity")
    assert code == 1
    assert "lost" in finding["detail"]
    assert f"memotheca restore --data {data} {lost}" in finding["fix"]
    for command in (("status",), ("search", "tea"), ("call", "store", '{"topic": "a", "content": "b"}'), ("backup",)):
        code, _, err = run(*command)
        assert code == 1
        assert f"memotheca doctor --data {data}" in err
    assert sorted(path.name for path in data.iterdir()) == before
    assert run("restore", lost)[0] == 0
    assert run("doctor")[0] == 0


@pytest.mark.parametrize("left", ["segments", "manifest.md"])
def test_what_else_is_left_of_a_data_directory_tells_of_the_loss_too(run, lost, data, left):
    shutil.rmtree(data / "backups")
    (data / DATABASE).unlink()
    if left == "segments":
        (data / left).mkdir(exist_ok=True)
        (data / left / "0001.seg").write_bytes(b"x")
    else:
        (data / left).write_text("# What is remembered\n")
    code, [finding] = found(run, "integrity")
    assert code == 1
    assert left in finding["detail"]
    assert "no good one" in finding["fix"]


@pytest.mark.parametrize("loss", LOSSES)
def test_a_server_that_begins_anew_beside_backups_says_so_until_one_is_restored_or_it_is_accepted(
    run, lost, data, loss, tmp_path
):
    LOSSES[loss](data / DATABASE)
    assert "was begun anew" in served(data)
    assert "lost and begun anew" in run("call", "knowledge-status", "--json")[1]
    assert run("call", "store", json.dumps({"topic": "new", "content": "Written meanwhile."}))[0] == 0
    assert "was begun anew" in served(data)
    code, [finding] = found(run, "loss")
    assert code == 1
    assert f"memotheca restore --data {data} {lost}" in finding["fix"]
    assert "begun anew" in run("status")[1]
    copy = tmp_path / "copy"
    shutil.copytree(data, copy)
    assert run("doctor", "--accept-incomplete", at=copy)[0] == 0
    assert run("doctor", at=copy)[0] == 0
    assert "begun anew" not in run("status", at=copy)[1]
    assert run("restore", lost)[0] == 0
    assert run("doctor")[0] == 0


def test_an_empty_store_beside_a_backup_that_holds_something_is_found(run, lost, data, tmp_path):
    served(tmp_path / "other")
    shutil.copy(tmp_path / "other" / DATABASE, data / DATABASE)
    code, [finding] = found(run, "loss")
    assert (code, Path(lost).name in finding["detail"]) == (1, True)


def test_an_empty_store_beside_a_backup_of_nothing_is_well(run, data):
    assert "begun anew" not in served(data)
    assert run("backup")[0] == 0
    assert run("doctor")[0] == 0


HARMS = {
    "texts": "UPDATE version SET image = CAST(replace(image, 'Steep', x'fffe') AS TEXT)",
    "images": "UPDATE version SET image = 'x' || image",
    "fields": "UPDATE version SET image = json_remove(image, '$.tags')",
    "transactions": "DELETE FROM tx",
    "collections": "DELETE FROM collection",
    "counters": "UPDATE collection SET tx = 0",
    "settings": "UPDATE collection SET settings = '{'",
    "actors": "UPDATE tx SET actor = CAST(x'fffe' AS TEXT)",
}


@pytest.mark.parametrize("harm", HARMS)
def test_a_backup_whose_content_cannot_be_read_is_no_good_one(run, lost, data, harm, tmp_path):
    code, out, _ = run("backup", "--json")
    newer = Path(json.loads(out)["file"])
    harmed(newer, HARMS[harm])
    (data / DATABASE).unlink()
    _, [finding] = found(run, "integrity")
    assert lost in finding["fix"]
    code, _, err = run("restore", newer)
    assert code == 1
    assert "Nothing was changed" in err
    assert run("restore", lost)[0] == 0
    # What the data itself has come to is not kept as a backup, and doctor sees it.
    harmed(data / DATABASE, HARMS[harm])
    assert run("backup", tmp_path / "bad.db")[0] == 1
    assert not (tmp_path / "bad.db").exists()
    assert not found(run, "integrity")[1][0]["well"]


def test_a_backup_that_needs_a_repair_is_good_only_where_there_is_no_other(run, lost, data):
    _, out, _ = run("backup", "--json")
    newer = Path(json.loads(out)["file"])
    harmed(newer, "DELETE FROM entry_head")
    (data / DATABASE).unlink()
    assert lost in found(run, "integrity")[1][0]["fix"]
    Path(lost).unlink()
    assert str(newer) in found(run, "integrity")[1][0]["fix"]


@pytest.mark.parametrize("command", ["backup", "export"])
def test_an_earlier_file_is_replaced_only_by_force(run, lost, tmp_path, command):
    target = tmp_path / "kept"
    assert run(command, target)[0] == 0
    before = target.read_bytes()
    run("call", "store", json.dumps({"topic": "milk", "content": "Warm it."}))
    code, _, err = run(command, target)
    assert code == 1
    assert "--force" in err
    assert target.read_bytes() == before
    assert run(command, target, "--force")[0] == 0
    assert target.read_bytes() != before
    target.write_text("mine")
    assert run(command, target, "--force")[0] != 0
    assert target.read_text() == "mine"


def harmed(path, statement):
    connection = apsw.Connection(str(path))
    connection.execute(statement).fetchall()
    connection.close()


def test_an_export_whose_edges_have_lost_an_end_is_refused_whole(run, lost, tmp_path):
    run("call", "relate", json.dumps({"subject": "Ada", "predicate": "likes", "object": "tea"}))
    file = tmp_path / "out.jsonl"
    assert run("export", file)[0] == 0
    header, *lines, end = map(json.loads, file.read_text().splitlines())
    for line in lines:
        line["versions"] = [each for each in line["versions"] if each["kind"] != "entity"]
    file.write_text("\n".join(map(json.dumps, [header, *lines, end])).replace(": ", ":", 2) + "\n")
    code, _, err = run("import", file, "--collection", "copy")
    assert code == 1
    assert "lost an end" in err
    assert json.loads(run("status", "--collection", "copy", "--json")[1])["versions"] == 0
