"""What others change in a vault, in batches, within about a second."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from watchfiles import Change
from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from memotheca.vault.files import Folder
from memotheca.vault.ignore import GITIGNORE
from memotheca.vault.wikilinks import is_note

# Chosen: in milliseconds: a batch is closed once nothing has happened for STEP, and at the latest after
# LONGEST.
STEP = 50
LONGEST = 400  # chosen: as above; a change is told within half a second
# Chosen: how often the vault's own folder is looked after, since no event of its content tells that it was
# replaced.
LOOK = 500
# Chosen: so many changes come from a checkout or an unpacking: at once, a scan is cheaper; one after the other,
# the system may have lost some without a word, and a scan follows when it is quiet again.
MANY = 2_000

MOUNTS = Path("/proc/mounts")

_REMOTE = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "vboxsf", "fuse.sshfs", "afpfs", "davfs", "drvfs"})


@dataclass(frozen=True, slots=True)
class FileChanges:
    """Files and folders that came, changed or went; `rescan` says why the whole vault has to be looked through."""

    paths: frozenset[str] = frozenset()
    rescan: str | None = None


def watch_folder(folder: Folder, stop: Event, *, polling: bool | None = None) -> Iterator[FileChanges]:
    """Batches of changes until `stop` is set; each (re)start of watching first asks for a scan, so nothing is missed.

    While the vault's folder is away, nothing is said: an unmounted disk is no deletion.
    """
    by_polling = needs_polling(folder.root) if polling is None else polling
    reason = "watching by polling has begun" if by_polling else "watching has begun"
    while not stop.is_set():
        if _identity(folder.root) is not None:
            try:
                yield from _watch_root(folder, stop, FileChanges(rescan=reason), polling=by_polling)
                reason = "the vault's folder was replaced"
                continue
            except FileNotFoundError:
                pass
            except (OSError, WatchfilesRustInternalError) as error:
                by_polling, reason = True, f"the system cannot watch the vault ({error}), so that it is polled"
        stop.wait(LOOK / 1000)


def needs_polling(root: Path) -> bool:
    """Whether the vault is on a file system where changes by other machines raise no events here."""
    try:
        mounts = [line.split() for line in MOUNTS.read_text("utf-8", "replace").splitlines()]
    except OSError:
        return False
    held = f"{root}/"
    fitting = [(mount[1], mount[2]) for mount in mounts if held.startswith(mount[1].rstrip("/") + "/")]
    return max(fitting, key=lambda mount: len(mount[0]), default=("", ""))[1] in _REMOTE


def _watch_root(folder: Folder, stop: Event, first: FileChanges, *, polling: bool) -> Iterator[FileChanges]:
    """Until the folder is replaced by another or the watcher is stopped."""
    identity = _identity(folder.root)
    with RustNotify([str(folder.root)], False, polling, LOOK, True, True) as notifier:
        yield first
        burst = 0
        while True:
            seen = notifier.watch(LONGEST, STEP, LOOK, stop)
            if seen in ("stop", "signal") or _identity(folder.root) != identity:
                return
            if isinstance(seen, str):
                if burst > MANY:
                    yield FileChanges(rescan="so much has changed that something may have been missed")
                burst = 0
                continue
            if (Change.deleted, str(folder.root)) in seen:
                return
            burst += len(seen)
            if changes := _gather(folder, {path for _, path in seen}):
                yield changes


def _gather(folder: Folder, seen: Iterable[str]) -> FileChanges | None:
    """What of it concerns notes: notes themselves, folders, and names that are gone and may have been folders."""
    root = f"{folder.root}{os.sep}"
    paths = {path[len(root) :].replace(os.sep, "/") for path in seen if path.startswith(root)}
    if folder.ignores.follows_git and any(path.rpartition("/")[2] == GITIGNORE for path in paths):
        folder.ignores.forget()
        return FileChanges(rescan="what git ignores has changed")
    kept = {path for path in paths if _concerns(folder, path)}
    if len(kept) > MANY:
        return FileChanges(rescan=f"{len(kept):,} files changed at once")
    return FileChanges(frozenset(kept)) if kept else None


def _concerns(folder: Folder, path: str) -> bool:
    place = folder.root / path
    if any(above.is_symlink() for above in place.parents if above.is_relative_to(folder.root) and above != folder.root):
        return False
    is_folder = place.is_dir() and not place.is_symlink()
    if not (is_folder or is_note(path) or not place.exists()):
        return False
    return not folder.ignores.ignores(f"{path}/" if is_folder else path)


def _identity(root: Path) -> tuple[int, int] | None:
    try:
        held = root.stat()
    except OSError:
        return None
    return held.st_dev, held.st_ino
