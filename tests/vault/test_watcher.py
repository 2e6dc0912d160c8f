"""Changes by others arrive in batches, however an editor or git makes them."""

import os
import queue
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from memotheca.vault import watcher
from memotheca.vault.files import Folder
from memotheca.vault.ignore import Ignores
from memotheca.vault.watcher import FileChanges, needs_polling, watch_folder
from tests.patience import PATIENCE


class Watch:
    """A watcher in a thread, and what it said."""

    def __init__(self, folder: Folder, *, polling: bool = False) -> None:
        self.folder, self.root = folder, folder.root
        self.stop = Event()
        self.said: queue.Queue[FileChanges] = queue.Queue()
        self.thread = Thread(target=self._run, args=(polling,), daemon=True)
        self.thread.start()

    def _run(self, polling: bool) -> None:
        for changes in watch_folder(self.folder, self.stop, polling=polling):
            self.said.put(changes)

    def rescan(self) -> str:
        """The reason of the next request for a scan."""
        while (changes := self.said.get(timeout=PATIENCE)).rescan is None:
            pass
        return changes.rescan

    def until(self, *paths: str) -> set[str]:
        """What has been said by the time that all these paths have been."""
        seen: set[str] = set()
        while not set(paths) <= seen:
            changes = self.said.get(timeout=PATIENCE)
            assert changes.rescan is None, changes
            seen |= changes.paths
        return seen

    def end(self) -> None:
        self.stop.set()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Watch]]:
    begun: list[Watch] = []

    def begin(folder: Folder | None = None, *, polling: bool = False) -> Watch:
        (tmp_path / "vault" / "notes").mkdir(parents=True, exist_ok=True)
        (tmp_path / "vault" / "notes" / "a.md").write_text("old")
        begun.append(Watch(folder or Folder(tmp_path / "vault"), polling=polling))
        assert "begun" in begun[-1].rescan()
        return begun[-1]

    yield begin
    for watch in begun:
        watch.end()


def test_making_changing_and_removing(start: Callable[..., Watch]) -> None:
    watch = start()
    (watch.root / "b.md").write_text("x")
    watch.until("b.md")
    (watch.root / "b.md").write_text("y")
    watch.until("b.md")
    (watch.root / "b.md").unlink()
    assert watch.until("b.md") == {"b.md"}


def save_in_place(path: Path) -> None:
    with path.open("r+") as file:
        file.write("new")


def save_like_vim(path: Path) -> None:
    swap, probe, backup = path.with_name(f".{path.name}.swp"), path.with_name("4913"), path.with_name(f"{path.name}~")
    swap.write_text("swap")
    probe.write_text("")
    probe.unlink()
    path.rename(backup)
    path.write_text("new")
    backup.unlink()
    swap.unlink()


def save_like_emacs(path: Path) -> None:
    lock, autosave = path.with_name(f".#{path.name}"), path.with_name(f"#{path.name}#")
    lock.symlink_to("user@host.1:2")
    autosave.write_text("new")
    path.rename(path.with_name(f"{path.name}~"))
    path.write_text("new")
    autosave.unlink()
    lock.unlink()


def save_by_replacing(path: Path) -> None:
    temporary = path.with_name(f".{path.name}.tmp-1")
    temporary.write_text("new")
    os.replace(temporary, path)


def save_with_a_visible_temporary(path: Path) -> None:
    temporary = path.with_suffix(".md.sb-1")
    temporary.write_text("new")
    os.replace(temporary, path)


SAVES = [save_in_place, save_like_vim, save_like_emacs, save_by_replacing, save_with_a_visible_temporary]


@pytest.mark.parametrize("save", SAVES)
def test_however_an_editor_saves_the_note_is_said_to_have_changed(
    start: Callable[..., Watch], save: Callable[[Path], None]
) -> None:
    watch = start()
    save(watch.root / "notes" / "a.md")
    seen = watch.until("notes/a.md")
    assert not any(path.rpartition("/")[2].startswith(".") for path in seen)
    assert {path for path in seen if path.endswith(".md")} == {"notes/a.md"}
    assert (watch.root / "notes" / "a.md").read_text() == "new"


def test_a_burst_of_writes_is_one_batch(start: Callable[..., Watch]) -> None:
    watch = start()
    for count in range(50):
        (watch.root / "notes" / "a.md").write_text(str(count))
    assert watch.said.get(timeout=PATIENCE) == FileChanges(frozenset({"notes/a.md"}))


def test_a_renamed_note_is_said_under_both_names(start: Callable[..., Watch]) -> None:
    watch = start()
    (watch.root / "notes" / "a.md").rename(watch.root / "b.md")
    assert watch.until("notes/a.md", "b.md") == {"notes/a.md", "b.md"}


def test_folders_that_move_come_and_go(start: Callable[..., Watch], tmp_path: Path) -> None:
    watch = start()
    (watch.root / "notes").rename(watch.root / "moved")
    watch.until("notes", "moved")
    (watch.root / "moved" / "late.md").write_text("x")
    watch.until("moved/late.md")
    (watch.root / "moved").rename(tmp_path / "outside")
    watch.until("moved")
    (tmp_path / "outside").rename(watch.root / "back")
    watch.until("back")
    shutil.rmtree(watch.root / "back")
    watch.until("back")


def test_notes_made_together_with_their_folders_are_not_missed(start: Callable[..., Watch]) -> None:
    watch = start()
    (watch.root / "x" / "y" / "z").mkdir(parents=True)
    (watch.root / "x" / "y" / "z" / "deep.md").write_text("x")
    seen: set[str] = set()
    while not any("x/y/z/deep.md".startswith(path) for path in seen):
        seen |= watch.said.get(timeout=PATIENCE).paths
    below = {each.path for path in seen if (watch.root / path).is_dir() for each in watch.folder.scan(path)}
    assert "x/y/z/deep.md" in seen | below


def test_what_is_no_note_is_not_mentioned(start: Callable[..., Watch]) -> None:
    watch = start(Folder(Path(watch_root(start)), Ignores(Path(watch_root(start)), ["drafts/"])))
    for path in (
        ".obsidian/workspace.json",
        ".git/index",
        ".trash/t.md",
        "image.png",
        "notes/.memotheca-1.tmp",
        "drafts/d.md",
        ".hidden.md",
    ):
        (watch.root / path).parent.mkdir(exist_ok=True)
        (watch.root / path).write_text("x")
    (watch.root / "last.md").write_text("x")
    assert watch.until("last.md") == {"last.md"}


def watch_root(start: Callable[..., Watch]) -> str:
    watch = start()
    watch.end()
    return str(watch.root)


def git(root: Path, *arguments: str) -> None:
    command = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false", *arguments]
    subprocess.run(command, cwd=root, check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_checkout_is_followed_file_by_file_or_by_a_scan_when_it_is_large(
    start: Callable[..., Watch], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "vault"
    (root / "many").mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    (root / "one.md").write_text("main")
    git(root, "add", ".")
    git(root, "commit", "-qm", "few")
    git(root, "checkout", "-qb", "other")
    (root / "one.md").write_text("other")
    for count in range(300):
        (root / "many" / f"{count}.md").parent.mkdir(exist_ok=True)
        (root / "many" / f"{count}.md").write_text("x")
    git(root, "add", ".")
    git(root, "commit", "-qm", "many")
    (root / "many" / "keep.md").write_text("untracked, so that the folder stays")
    watch = start()
    git(root, "checkout", "-q", "main")
    seen = watch.until("one.md", *(f"many/{count}.md" for count in range(300)))
    assert not any(path.startswith(".git") for path in seen)
    monkeypatch.setattr(watcher, "MANY", 100)
    git(root, "checkout", "-q", "other")
    assert "files changed at once" in watch.rescan()


def test_after_a_long_burst_everything_is_looked_through_once_it_is_quiet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system drops events without a word when too many wait; whatever was lost is found then."""
    said = iter([{(1, f"{tmp_path}/{name}{count}.md") for count in range(60)} for name in "ab"])
    later = iter(["timeout", "timeout", "stop"])

    class Scripted:
        def __init__(self, *_: object) -> None: ...

        def __enter__(self) -> "Scripted":
            return self

        def __exit__(self, *_: object) -> None: ...

        def watch(self, *_: object) -> object:
            answer = next(said, None) or next(later)
            if answer == "stop":
                stop.set()
            return answer

    stop = Event()
    monkeypatch.setattr(watcher, "RustNotify", Scripted)
    monkeypatch.setattr(watcher, "MANY", 100)
    first, *batches, last = watch_folder(Folder(tmp_path), stop, polling=False)
    assert first.rescan
    assert [len(batch.paths) for batch in batches] == [60, 60]
    assert last.rescan
    assert "missed" in last.rescan


def test_a_changed_gitignore_asks_for_a_scan(start: Callable[..., Watch], tmp_path: Path) -> None:
    watch = start(Folder(tmp_path / "vault", Ignores(tmp_path / "vault", follow_git=True)))
    (watch.root / ".gitignore").write_text("*.md\n")
    assert "git ignores" in watch.rescan()
    assert watch.folder.ignores.ignores("notes/a.md")


def test_a_vault_that_goes_away_and_comes_back_is_scanned_and_nothing_is_said_meanwhile(
    start: Callable[..., Watch], tmp_path: Path
) -> None:
    watch = start()
    watch.root.rename(tmp_path / "away")
    (tmp_path / "away" / "b.md").write_text("x")
    (tmp_path / "away").rename(watch.root)
    assert "the vault's folder" in watch.rescan()
    (watch.root / "c.md").write_text("x")
    watch.until("c.md")
    shutil.rmtree(watch.root)
    watch.root.mkdir()
    (watch.root / "d.md").write_text("x")
    assert "the vault's folder" in watch.rescan()
    (watch.root / "e.md").write_text("x")
    watch.until("e.md")


def test_what_lies_behind_a_symbolic_link_is_not_mentioned_but_a_note_that_becomes_one_is(
    start: Callable[..., Watch], tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "linked").symlink_to(tmp_path / "outside")
    watch = start()
    (tmp_path / "outside" / "b.md").write_text("x")
    (watch.root / "linked" / "c.md").write_text("x")
    (watch.root / "notes" / "a.md").unlink()
    (watch.root / "notes" / "a.md").symlink_to(tmp_path / "outside" / "b.md")
    assert watch.until("notes/a.md") == {"notes/a.md"}


def test_polling_finds_changes_too(start: Callable[..., Watch]) -> None:
    watch = start(polling=True)
    (watch.root / "b.md").write_text("x")
    (watch.root / "notes" / "a.md").unlink()
    watch.until("b.md", "notes/a.md")


def test_a_system_without_watches_is_polled_and_says_so(
    start: Callable[..., Watch], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = watcher.RustNotify

    def limited(paths: list[str], debug: bool, polling: bool, *rest: object) -> object:
        if not polling:
            raise OSError(28, "OS file watch limit reached")
        return real(paths, debug, polling, *rest)  # pyright: ignore[reportArgumentType, reportCallIssue]

    monkeypatch.setattr(watcher, "RustNotify", limited)
    with pytest.raises(AssertionError, match="polled"):
        start()


def test_a_network_file_system_is_polled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text("/dev/sda / ext4 rw 0 0\nserver:/x /net nfs4 rw 0 0\n/dev/sdb /net/local ext4 rw 0 0\n")
    monkeypatch.setattr(watcher, "MOUNTS", mounts)
    assert [needs_polling(Path(root)) for root in ("/home/x", "/net/vault", "/net/local/vault", "/network")] == [
        False,
        True,
        False,
        False,
    ]
    monkeypatch.setattr(watcher, "MOUNTS", tmp_path / "none")
    assert not needs_polling(Path("/net/vault"))


def test_a_stopped_watcher_ends_at_once(start: Callable[..., Watch]) -> None:
    watch = start()
    watch.end()
