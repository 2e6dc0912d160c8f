"""Files are found, read and written within the vault; one that is no note is its own problem and nobody else's."""

import os
import stat
from pathlib import Path

import pytest

from memotheca.model.errors import Failure, Refusal
from memotheca.vault import files
from memotheca.vault.files import Content, Folder, Problem, ScannedFile, Trouble, digest_of


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    (tmp_path / "vault" / "notes").mkdir(parents=True)
    (tmp_path / "vault" / "notes" / "a.md").write_bytes(b"alpha\r\n")
    return Folder(tmp_path / "vault")


def content(folder: Folder, path: str) -> Content:
    read = folder.read(path)
    assert isinstance(read, Content)
    return read


def troubles(folder: Folder) -> dict[str, Trouble]:
    found = [folder.read(each.path) if isinstance(each, ScannedFile) else each for each in folder.scan()]
    return {each.path: each.trouble for each in found if isinstance(each, Problem)}


def refused(failure: Failure, act: object, *arguments: object, **named: object) -> str:
    assert callable(act)
    with pytest.raises(Refusal) as refusal:
        act(*arguments, **named)
    assert refusal.value.failure is failure
    return refusal.value.message


def test_a_scan_finds_every_note_and_nothing_else(folder: Folder) -> None:
    for path in ("b.md", "notes/sub/c.MD", "notes/sub/d.markdown", "x.md/inner.md", "Ünï/日本 語.md"):
        (folder.root / path).parent.mkdir(parents=True, exist_ok=True)
        (folder.root / path).write_text("x")
    for path in (
        "e.txt",
        "f.png",
        ".hidden.md",
        ".obsidian/g.md",
        ".trash/h.md",
        "notes/.memotheca-1.tmp",
        "notes/i.md~",
        "notes/#j.md#",
    ):
        (folder.root / path).parent.mkdir(exist_ok=True)
        (folder.root / path).write_text("x")
    (folder.root / "notes" / ".#k.md").symlink_to("user@host.123:456")
    met = list(folder.scan())
    assert {each.path for each in met} == {
        "notes/a.md", "b.md", "notes/sub/c.MD", "notes/sub/d.markdown", "x.md/inner.md", "Ünï/日本 語.md",
    }  # fmt: skip
    assert {each.path for each in folder.scan("notes/sub")} == {"notes/sub/c.MD", "notes/sub/d.markdown"}
    assert all(isinstance(each, ScannedFile) and folder.stat(each.path) == each for each in met)
    assert folder.stat("notes") is folder.stat("gone.md") is folder.stat("e.txt") is None


def test_a_vault_that_is_away_is_no_empty_vault(folder: Folder) -> None:
    folder.root.rename(folder.root.with_name("away"))
    refused(Failure.UNAVAILABLE, list, folder.scan())


def test_each_bad_file_is_a_problem_of_its_own(folder: Folder, tmp_path: Path) -> None:
    root = folder.root
    small = Folder(root, max_size=1000)
    (root / "large.md").write_bytes(b"x" * 1001)
    (root / "binary.md").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    (root / "wide.md").write_bytes("text".encode("utf-16"))
    (root / "out.md").symlink_to(tmp_path / "secret.md")
    (root / "in.md").symlink_to(root / "notes" / "a.md")
    (root / "away").symlink_to(tmp_path)
    (root / "loop").symlink_to(root)
    (root / "picture.png").symlink_to(tmp_path / "x.png")
    os.mkfifo(root / "pipe.md")
    (root / os.fsdecode(b"bad\xff.md")).write_text("x")
    assert troubles(small) == {
        "large.md": Trouble.TOO_LARGE,
        "binary.md": Trouble.BINARY,
        "out.md": Trouble.LINK,
        "in.md": Trouble.LINK,
        "away": Trouble.LINK,
        "loop": Trouble.LINK,
        "pipe.md": Trouble.NOT_A_FILE,
        "bad?.md": Trouble.NAME,
    }
    assert content(small, "wide.md").raw == "text".encode("utf-16")
    assert content(small, "notes/a.md").raw == b"alpha\r\n"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_a_problem(folder: Folder) -> None:
    (folder.root / "notes" / "a.md").chmod(0)
    assert troubles(folder) == {"notes/a.md": Trouble.UNREADABLE}


def test_what_vanishes_or_turns_into_something_else_between_scan_and_reading(folder: Folder) -> None:
    (met,) = folder.scan()
    (folder.root / "notes" / "a.md").unlink()
    gone = folder.read(met.path)
    (folder.root / "notes" / "a.md").mkdir()
    turned = folder.read(met.path)
    os.mkfifo(folder.root / "pipe.md")
    pipe = folder.read("pipe.md")
    assert [each.trouble for each in (gone, turned, pipe) if isinstance(each, Problem)] == [
        Trouble.VANISHED,
        Trouble.NOT_A_FILE,
        Trouble.NOT_A_FILE,
    ]


@pytest.mark.parametrize(
    "path", ["../secret.md", "/etc/passwd", "notes/../../secret.md", "linked/secret.md", "link.md", ".obsidian/x.md"]
)
def test_nothing_outside_is_read_or_written(folder: Folder, tmp_path: Path, path: str) -> None:
    (tmp_path / "secret.md").write_text("secret")
    (folder.root / "linked").symlink_to(tmp_path)
    (folder.root / "link.md").symlink_to(tmp_path / "secret.md")
    digest = digest_of(b"secret")
    for act in (
        lambda: folder.create(path, b"x"),
        lambda: folder.write(path, b"x", expected=digest),
        lambda: folder.move(path, "new.md"),
        lambda: folder.move("notes/a.md", path),
        lambda: folder.trash(path),
        lambda: folder.delete(path),
        lambda: folder.locate(path),
    ):
        refused(Failure.FORBIDDEN, act)
    if path.startswith("link"):
        assert folder.stat(path) is None
        assert folder.read(path) == Problem(path, Trouble.LINK, "a symbolic link is not followed")
    else:
        refused(Failure.FORBIDDEN, folder.stat, path)
        refused(Failure.FORBIDDEN, folder.read, path)
    assert (tmp_path / "secret.md").read_text() == "secret"
    assert content(folder, "notes/a.md").raw == b"alpha\r\n"


def test_a_new_file_is_whole_or_not_there(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    made = folder.create("new/deep/b.md", b"beta")
    assert (made.raw, made.digest) == (b"beta", digest_of(b"beta"))
    assert content(folder, "new/deep/b.md").digest == made.digest

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", fail)
    refused(Failure.DISK_FULL, folder.create, "c.md", b"gamma")
    refused(Failure.DISK_FULL, folder.write, "new/deep/b.md", b"other", expected=made.digest)
    monkeypatch.undo()
    assert content(folder, "new/deep/b.md").raw == b"beta"
    assert sorted(path.name for path in folder.root.rglob("*") if path.is_file()) == ["a.md", "b.md"]


@pytest.mark.parametrize("path", ["notes/a.md", "notes/A.md", "Notes/a.md", "NOTES/b.md", "notes/a.md/b.md"])
def test_a_name_that_is_taken_in_any_case_is_refused(folder: Folder, path: str) -> None:
    refused(Failure.ALREADY_EXISTS if path != "notes/a.md/b.md" else Failure.UNAVAILABLE, folder.create, path, b"x")
    assert [each.path for each in folder.scan()] == ["notes/a.md"]


def test_a_name_that_differs_in_normalisation_alone_is_taken(folder: Folder) -> None:
    (folder.root / "e\u0301.md").write_text("x")
    assert "only in case" in refused(Failure.ALREADY_EXISTS, folder.create, "é.md", b"y")
    assert folder.taken("É.md") == "e\u0301.md"
    assert folder.taken("f.md") is None


def test_a_file_is_replaced_only_if_it_is_still_the_one_that_was_read(folder: Folder) -> None:
    (folder.root / "notes" / "a.md").chmod(0o640)
    read = content(folder, "notes/a.md")
    written = folder.write("notes/a.md", b"changed", expected=read.digest)
    assert (content(folder, "notes/a.md").raw, written.digest) == (b"changed", digest_of(b"changed"))
    assert stat.S_IMODE((folder.root / "notes" / "a.md").stat().st_mode) == 0o640
    assert "somebody else" in refused(Failure.CONFLICT, folder.write, "notes/a.md", b"mine", expected=read.digest)
    for act in (folder.trash, folder.delete):
        refused(Failure.CONFLICT, act, "notes/a.md", expected=read.digest)
    refused(Failure.CONFLICT, folder.move, "notes/a.md", "b.md", expected=read.digest)
    refused(Failure.NOT_FOUND, folder.write, "gone.md", b"x", expected=read.digest)
    assert content(folder, "notes/a.md").raw == b"changed"
    assert sorted(os.listdir(folder.root / "notes")) == ["a.md"]  # noqa: PTH208


def test_a_file_is_moved_but_never_over_another(folder: Folder) -> None:
    folder.create("b.md", b"beta")
    refused(Failure.ALREADY_EXISTS, folder.move, "notes/a.md", "b.md")
    refused(Failure.ALREADY_EXISTS, folder.move, "notes/a.md", "B.md")
    refused(Failure.FORBIDDEN, folder.move, "notes/a.md", "con.md")
    refused(Failure.NOT_FOUND, folder.move, "gone.md", "c.md")
    folder.move("notes/a.md", "new/place.md", expected=digest_of(b"alpha\r\n"))
    folder.move("b.md", "B.md")
    assert {each.path for each in folder.scan()} == {"new/place.md", "B.md"}


def test_the_trash_keeps_every_file_that_was_thrown_away(folder: Folder) -> None:
    assert folder.trash("notes/a.md") == ".trash/notes/a.md"
    folder.create("notes/a.md", b"second")
    assert folder.trash("notes/a.md", expected=digest_of(b"second")) == ".trash/notes/a 2.md"
    assert (folder.root / ".trash/notes/a.md").read_bytes() == b"alpha\r\n"
    assert (folder.root / ".trash/notes/a 2.md").read_bytes() == b"second"
    assert list(folder.scan()) == []
    refused(Failure.NOT_FOUND, folder.trash, "notes/a.md")
    refused(Failure.NOT_FOUND, folder.delete, "notes/a.md")


def test_a_signature_tells_a_touched_file_from_an_untouched_one(folder: Folder) -> None:
    place = folder.root / "notes" / "a.md"
    os.utime(place, ns=(10**18, 10**18))
    first = content(folder, "notes/a.md").signature
    assert list(folder.scan()) == [ScannedFile("notes/a.md", first)]
    folder.write("notes/a.md", b"alphA\r\n", expected=digest_of(b"alpha\r\n"))
    os.utime(place, ns=(10**18, 10**18))
    assert content(folder, "notes/a.md").signature != first


def test_a_file_so_young_that_it_may_change_unnoticed_has_no_lasting_signature(folder: Folder) -> None:
    made = folder.create("b.md", b"x")
    assert folder.stat("b.md") != ScannedFile("b.md", made.signature)
