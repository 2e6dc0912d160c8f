"""What others do with the files of a vault becomes notes, and nothing they do stops the rest."""

import os

import pytest

from memotheca.model.errors import Failure, Refusal
from memotheca.notes.mounts import opened
from memotheca.notes.sync import sync_everything
from tests.conftest import open_vault


def _ids(writer):
    with opened(writer.kernel) as (_, book):
        return {row.path: row.id for row in book.rows.values()}


def test_what_has_not_changed_is_not_read_again(writer, monkeypatch):
    writer.given(a="x", b="y")
    os.utime(writer.vault / "a.md", ns=(1, 1))
    os.utime(writer.vault / "b.md", ns=(1, 1))
    assert writer.sync().changed == 0
    from memotheca.vault.files import Folder

    read = []
    monkeypatch.setattr(Folder, "read", lambda self, path: read.append(path))
    assert writer.sync().transactions == 0
    assert read == []


def test_a_moved_file_and_a_moved_folder_stay_the_same_notes(writer):
    writer.given(a="[[b]]", b="text")
    writer.save("dir/c.md", "same")
    writer.save("dir/d.md", "same")
    writer.sync()
    before = _ids(writer)
    (writer.vault / "a.md").rename(writer.vault / "z.md")
    (writer.vault / "dir").rename(writer.vault / "other")
    done = writer.sync()
    assert (done.moved, done.created, done.removed) == (3, 0, 0)
    after = _ids(writer)
    assert after["z.md"] == before["a.md"]
    assert after["other/c.md"] == before["dir/c.md"]
    assert after["other/d.md"] == before["dir/d.md"]
    writer.call("undo")
    assert set(writer.files()) == {"a.md", "b.md", "dir/c.md", "dir/d.md"}


def test_what_cannot_be_read_does_not_stop_the_rest(writer):
    writer.save("big.md", b"x" * (50 << 20))
    writer.save("binary.md", b"MZ\x00\x00\x01" * 100)
    (writer.vault / "folder.md").mkdir()
    (writer.vault / "link.md").symlink_to("/etc/hostname")
    os.mkfifo(writer.vault / "pipe.md")
    writer.save("good.md", "[[big]] fine")
    assert writer.sync().created == 3
    assert writer.sync().changed == 0
    told = writer.ask("get_node", id="good.md")["_warnings"]
    assert {name for name in ("big", "binary", "link", "pipe") for line in told if f"{name}.md" in line} == {
        "big",
        "binary",
        "link",
        "pipe",
    }
    big = writer.ask("get_node", id="big.md")
    assert (big["title"], big["content"]) == ("Big", "")
    assert writer.error("update_node", id="big.md", content="x")["code"] == "PROVIDER_ERROR"
    assert writer.error("delete_node", id="big.md")["code"] == "PROVIDER_ERROR"
    assert (writer.vault / "big.md").stat().st_size == 50 << 20


@pytest.mark.parametrize(
    "raw", [b"\xff\xfeh\x00i\x00", b"caf\xe9 [[a]]", b"ok \xff\xfe odd", b"", b"\r\r\n", b"---\nx: [\n---\nbody"]
)
def test_any_file_comes_back_to_the_byte(writer, raw):
    writer.save("a.md", raw)
    writer.sync()
    writer.save("a.md", "other")
    writer.sync()
    writer.call("undo")
    assert writer.files()["a.md"] == raw


def test_files_that_differ_in_case_alone_are_two_notes(writer):
    writer.given(Tea="upper", tea="lower", a="[[tea]]")
    if len(writer.files()) < 3:
        pytest.skip("this disk takes them for one")
    assert writer.ask("get_node", id="Tea.md")["content"] == "upper"
    assert writer.ask("get_node", id="tea.md")["content"] == "lower"
    assert writer.sync().changed == 0


def test_hidden_and_configured_files_are_passed_over(tmp_path, time):
    writer = open_vault(tmp_path, time, **{"vault-ignore": "drafts/,*.tmp.md", "vault-gitignore": True})
    for path in (".obsidian/x.md", ".trash/x.md", ".hidden.md", "drafts/x.md", "y.tmp.md", "secret.md", "kept.md"):
        writer.save(path, "x")
    (writer.vault / ".gitignore").write_text("secret.md\n")
    writer.sync()
    assert set(_ids(writer)) == {"kept.md"}
    assert writer.error("create_node", title="x", content="", directory="drafts")["code"] == "INVALID_PARAMS"
    writer.kernel.store.close()


def test_several_vaults_are_path_prefixes(tmp_path, time):
    for name in ("work", "home"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "readme.md").write_text(f"{name} [[plan]]")
        (tmp_path / name / "deep").mkdir()
        (tmp_path / name / "deep" / "x.md").write_text("[[readme]] [[work/plan]]")
    (tmp_path / "work" / "plan.md").write_text("the plan")
    writer = open_vault(tmp_path, time, vault=f"{tmp_path / 'work'},{tmp_path / 'home'}")
    writer.sync()
    assert set(_ids(writer)) == {
        f"{name}/{path}" for name in ("work", "home") for path in ("readme.md", "deep/x.md")
    } | {"work/plan.md"}
    links = [link["id"] for link in writer.ask("get_node", id="home/deep/x.md")["links"]]
    assert links == ["home/readme.md", "work/plan.md"]
    assert writer.error("create_node", title="x", content="")["code"] == "INVALID_PARAMS"
    assert writer.ask("create_node", title="New", content="", directory="home")["id"] == "home/new.md"
    writer.ask("update_node", id="work/plan.md", title="The Plan")
    assert (tmp_path / "home" / "deep" / "x.md").read_text() == "[[readme]] [[work/the-plan]]"
    assert writer.ask("get_node", id="home/readme.md")["links"][0]["id"] == "work/the-plan.md"
    writer.kernel.store.close()


def test_a_vault_that_is_away_is_no_deletion(writer):
    writer.given(a="x")
    writer.vault.rename(writer.vault.with_name("away"))
    assert sync_everything(writer.kernel).changed == 0
    assert "not there" in writer.ask("get_node", id="a.md")["_warnings"][0]
    writer.vault.with_name("away").rename(writer.vault)
    assert writer.sync().changed == 0


def test_a_vault_can_be_moved_to_another_place(tmp_path, time):
    writer = open_vault(tmp_path, time)
    writer.given(a="x")
    before = _ids(writer)
    writer.kernel.store.close()
    (tmp_path / "vault").rename(tmp_path / "elsewhere")
    moved = open_vault(tmp_path, time, vault=str(tmp_path / "elsewhere"))
    assert sync_everything(moved.kernel).changed == 0
    assert _ids(moved) == before
    moved.kernel.store.close()


@pytest.mark.parametrize("named", ["nowhere", "a=.,a=./sub", ".,./sub"])
def test_vaults_that_cannot_be_mounted_are_refused(tmp_path, time, monkeypatch, named):
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Refusal) as refusal:
        open_vault(tmp_path, time, vault=named)
    assert refusal.value.failure is Failure.INVALID


def test_notes_of_an_imported_collection_are_a_graph_too(writer, tmp_path, time):
    import io

    from memotheca.admin.transfer import export_collection, import_lines

    writer.given(a="[[b]]", b="x")
    text = io.StringIO()
    export_collection(writer.kernel, text, lambda done, total, message: None)
    assert str(writer.vault) not in text.getvalue()
    other = open_vault(tmp_path / "other", time)
    import_lines(other.kernel, io.StringIO(text.getvalue()), actor="x", report=lambda *_: None)
    assert [node["id"] for node in other.ask("get_neighbors", id="a.md")] == ["b.md"]
    other.kernel.store.close()
