"""A rename over many files, killed at any moment, leaves the vault wholly before or wholly after."""

import subprocess
import sys
from pathlib import Path

import pytest

from memotheca.admin.history import undo
from memotheca.model.errors import Failure, Refusal
from memotheca.notes.outbox import FilePlan, finish
from memotheca.notes.write_notes import NoteEdit, update_note
from tests.conftest import open_vault
from tests.patience import PATIENCE

pytestmark = [pytest.mark.xdist_group("durability")]

NOTES = {"hub": "the middle", **{f"n{number}": f"see [[hub|{number}]]" for number in range(4)}}


def _rename_and_die(folder: Path, moment: int) -> subprocess.CompletedProcess[str]:
    script = Path(__file__).with_name("renamer.py")
    command = [sys.executable, str(script), str(folder / "data"), str(folder / "vault"), str(moment)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_killed_at_any_moment_the_vault_is_wholly_before_or_after(tmp_path, time):
    writer = open_vault(tmp_path, time)
    writer.given(**NOTES)
    before = writer.files()
    done = _rename_and_die(tmp_path, 10_000)
    assert done.returncode == 0, done.stderr
    steps = int(done.stdout)
    finish(writer.kernel)
    after = writer.files()
    assert set(after) == {"middle.md", "n0.md", "n1.md", "n2.md", "n3.md"}
    assert all(b"[[Middle|" in text or b"[[middle|" in text for path, text in after.items() if path != "middle.md")
    undo(writer.kernel, actor="test")
    assert writer.files() == before
    for moment in range(0, steps, max(1, steps // 4)):
        killed = _rename_and_die(tmp_path, moment)
        assert killed.returncode == -9, killed.stderr
        reopened = open_vault(tmp_path, time)
        assert reopened.sync().changed == 0, "what was decided reaches the files before they are looked at"
        assert reopened.files() == after
        assert reopened.ask("get_neighbors", id="middle.md", direction="in")
        undo(reopened.kernel, actor="test")
        assert reopened.files() == before
        reopened.kernel.store.close()
    assert not [path for path in (tmp_path / "vault").rglob("*") if path.name.startswith(".")], "nothing is left over"
    writer.kernel.store.close()


def test_before_its_transaction_commits_nothing_has_happened(writer, monkeypatch):
    writer.given(**NOTES)
    before = writer.files()

    def fail(*arguments):
        raise Refusal(Failure.DISK_FULL, "full")

    monkeypatch.setattr(FilePlan, "settle", fail)
    with pytest.raises(Refusal):
        update_note(writer.kernel, "hub.md", NoteEdit(title="Middle"), actor="test")
    assert writer.files() == before
    assert writer.ask("get_node", id="hub.md") is not None


def test_what_a_person_saves_in_that_instant_is_kept_and_told(writer, monkeypatch):
    writer.given(a="one")
    import memotheca.notes.write_notes as transaction

    def save_first(kernel):
        writer.save("a.md", "a person was faster")
        finish(kernel)

    monkeypatch.setattr(transaction, "finish", save_first)
    answer = writer.ask("update_node", id="a.md", content="two")
    assert any("somebody else" in warning for warning in answer["_warnings"])
    assert writer.files() == {"a.md": b"a person was faster"}
    assert writer.sync().updated == 1
    assert writer.ask("get_node", id="a.md")["content"] == "a person was faster"


def test_a_vault_that_is_away_gets_its_change_when_it_is_back(writer, monkeypatch):
    import memotheca.notes.write_notes as transaction

    writer.given(a="one")
    away = writer.vault.with_name("away")

    def pull_out(kernel):
        writer.vault.rename(away)
        finish(kernel)

    monkeypatch.setattr(transaction, "finish", pull_out)
    error = writer.error("update_node", id="a.md", content="two")
    assert error["code"] == "PROVIDER_ERROR"
    assert "saved" in error["message"]
    monkeypatch.undo()
    handle = writer.store("an entry", "can still be undone")
    assert writer.call("undo")["reverted"][0]["entity_id"] == handle
    away.rename(writer.vault)
    writer.sync()
    assert writer.files() == {"a.md": b"two"}
