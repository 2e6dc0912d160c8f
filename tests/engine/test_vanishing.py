"""Notes that are gone because their disk is away are not taken for deleted; a person says when they are."""

import errno
import os
import subprocess

import pytest

from memotheca.admin.vault_health import inspect_vaults
from memotheca.notes.overview import survey
from memotheca.notes.sync import sync_everything
from memotheca.notes.vanished import withheld
from tests.conftest import open_vault


def fill(writer, count, folder=""):
    for number in range(count):
        writer.save(f"{folder}n{number}.md", f"note {number}, see [[n0]]")
    writer.sync()


def unmount_disk(writer):
    """The vault's disk is not mounted: at its place is an empty folder."""
    writer.vault.rename(writer.vault.with_name("disk"))
    writer.vault.mkdir()


def mount_disk(writer):
    writer.vault.rmdir()
    writer.vault.with_name("disk").rename(writer.vault)


def notes(writer):
    return survey(writer.kernel).notes


@pytest.mark.parametrize("count", [1, 3, 40])
def test_an_empty_mount_point_is_not_an_empty_vault(writer, count):
    fill(writer, count)
    unmount_disk(writer)
    done = writer.sync()
    assert (done.removed, done.withheld, notes(writer)) == (0, count, count)
    told = writer.ask("get_node", id="n0.md")["_warnings"]
    assert len(told) == 1
    assert "'vault'" in told[0]
    assert f"({count})" in told[0]
    assert "memotheca vault --accept-removals" in told[0]
    assert withheld(writer.kernel) == told
    broken = [finding for finding in inspect_vaults(writer.kernel) if not finding.well]
    assert f"{count} note{'s' * (count > 1)} not to be found" in broken[0].detail
    assert "--accept-removals" in broken[0].fix
    assert "_warnings" not in writer.ask("get_node", id="n0.md")
    assert writer.sync().withheld == count
    mount_disk(writer)
    assert writer.sync().changed == 0
    assert withheld(writer.kernel) == []


def test_nothing_is_written_below_a_mount_point_without_its_disk(writer):
    fill(writer, 3)
    writer.call("delete_node", id="n2.md")
    unmount_disk(writer)
    for call in (("create_node", {"title": "new", "content": "x"}), ("update_node", {"id": "n0.md", "content": "x"})):
        error = writer.error(call[0], **call[1])
        assert error["code"] == "PROVIDER_ERROR"
        assert "is its disk mounted?" in error["message"]
    assert writer.reply("undo").failed
    assert writer.files() == {}
    mount_disk(writer)
    assert writer.sync().changed == 0
    assert writer.ask("create_node", title="new", content="x")["id"] == "new.md"


def test_a_vault_that_is_gone_is_named_and_not_made(writer):
    fill(writer, 2)
    writer.vault.rename(writer.vault.with_name("disk"))
    error = writer.error("create_node", title="new", content="x", directory="deep/er")
    told = "The folder of the vault 'vault' is not there; is its disk mounted? Nothing was changed."
    assert error == {"code": "PROVIDER_ERROR", "message": told}
    assert writer.error("delete_node", id="n0.md")["message"] == told
    assert not writer.vault.exists()
    assert writer.sync().changed == 0
    assert writer.ask("get_node", id="n0.md")["_warnings"] == [
        "The vault 'vault' is not there; its notes stay as they were."
    ]


def test_many_notes_that_go_at_once_go_when_somebody_says_so(writer):
    fill(writer, 20)
    for number in range(12):
        (writer.vault / f"n{number}.md").unlink()
    writer.save("other.md", "from another branch")
    done = writer.sync()
    assert (done.created, done.removed, done.withheld, notes(writer)) == (1, 0, 12, 21)
    done = sync_everything(writer.kernel, accepts=True)
    assert (done.removed, done.withheld, notes(writer)) == (12, 0, 9)
    assert withheld(writer.kernel) == []
    writer.call("undo")
    assert notes(writer) == 21
    assert len(writer.files()) == 21


def test_some_notes_may_go_without_a_question(writer):
    fill(writer, 30)
    for number in range(14):
        (writer.vault / f"n{number}.md").unlink()
    assert writer.sync().removed == 14


def test_the_last_notes_may_be_deleted_by_hand(writer):
    fill(writer, 4)
    for name in writer.files():
        (writer.vault / name).unlink()
    assert writer.sync().removed == 4
    assert writer.ask("create_node", title="first", content="again")["id"] == "first.md"


@pytest.mark.parametrize("path", ["", "sub"])
def test_what_cannot_be_looked_into_is_not_gone(writer, monkeypatch, path):
    fill(writer, 2)
    fill(writer, 2, "sub/")
    look = os.scandir

    def fail(place):
        if str(place) == str(writer.vault / path):
            raise OSError(errno.EIO, "Input/output error")
        return look(place)

    monkeypatch.setattr(os, "scandir", fail)
    assert (writer.sync().removed, notes(writer)) == (0, 4)


def test_a_folder_that_was_mounted_within_a_vault_is_missed(writer, monkeypatch):
    mounted = {str(writer.vault / "team")}
    monkeypatch.setattr(os.path, "ismount", lambda place: str(place) in mounted)
    fill(writer, 30)
    fill(writer, 2, "team/")
    for name in ("team/n0.md", "team/n1.md"):
        (writer.vault / name).unlink()
    mounted.clear()
    assert (writer.sync().withheld, notes(writer)) == (2, 32)
    assert "nothing is mounted at 'team' any more" in withheld(writer.kernel)[0]


def test_a_vault_may_move_to_another_place(writer, tmp_path, time):
    fill(writer, 12)
    writer.vault.rename(tmp_path / "elsewhere")
    moved = open_vault(tmp_path, time, vault=str(tmp_path / "elsewhere"))
    done = moved.sync()
    assert (done.changed, done.withheld) == (0, 0)
    moved.kernel.store.close()


def test_what_git_takes_away_is_meant(writer):
    git = ["git", "-C", str(writer.vault), "-c", "user.name=x", "-c", "user.email=x@example.org"]

    def run(*command):
        subprocess.run([*git, *command], check=True, capture_output=True)

    writer.save("a.md", "on every branch")
    for command in (("init",), ("add", "."), ("commit", "-m", "one"), ("checkout", "-b", "more")):
        run(*command)
    fill(writer, 20)
    for command in (("add", "."), ("commit", "-m", "two")):
        run(*command)
    assert writer.sync().changed == 0
    run("checkout", "-")
    assert (writer.sync().removed, notes(writer)) == (20, 1)
    run("checkout", "more")
    assert writer.sync().created == 20
    for name in list(writer.files()):
        if name.startswith("n"):
            (writer.vault / name).unlink()
    assert writer.sync().withheld == 20, "git has done nothing"
