"""Vanishing: whether notes that are gone from a vault were deleted, or whether only its disk is away."""

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from memotheca.notes.mounts import Mount, vaults_of
from memotheca.storage import vault_index
from memotheca.storage.database import Session
from memotheca.storage.vault_index import VaultState

# Chosen: so many notes, and so large a share of them, do not go at once by accident alone; a person is asked.
LEAST = 10
SHARE = 0.5  # chosen: as above (docs/decisions/notes.md)
ACCEPT = "memotheca vault --accept-removals"


@dataclass(frozen=True, slots=True)
class Removals:
    """What a look at a vault misses, of how many notes, and whether it was a look at everything."""

    gone: Collection[str]
    known: int
    is_whole: bool


def identity_of(root: Path) -> str:
    """Another as soon as something else is mounted at a folder, or nothing any more."""
    try:
        held = root.stat()
    except OSError:
        return ""
    return f"{held.st_dev}-{held.st_ino}"


def revision_of(root: Path) -> str:
    """The commit that git has checked out where a vault is, empty without git; what git takes away, git keeps."""
    for folder in (root, *root.parents):
        place = folder / ".git"
        if place.is_file():
            place = folder / _read(place).removeprefix("gitdir:").strip()
        if place.is_dir():
            head = _read(place / "HEAD")
            common = place / (_read(place / "commondir") or ".")
            return f"{head} {_read(common / head.removeprefix('ref:').strip())}"
    return ""


def _read(place: Path) -> str:
    try:
        return place.read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def is_bare(root: Path) -> bool:
    """Whether there is nothing at all in a folder, as in a mount point without its disk."""
    try:
        with os.scandir(root) as entries:
            return next(entries, None) is None
    except OSError:
        return False


def doubt(mount: Mount, before: VaultState, removals: Removals) -> str | None:
    """Why removals may not be meant; None where they may be believed."""
    gone, known = len(removals.gone), removals.known
    if not gone:
        return None
    if identity_of(mount.root) != before.identity and ((removals.is_whole and gone == known) or is_bare(mount.root)):
        return "the folder is another one than before, and none of its notes is in it"
    for share in before.shares:
        below = any(path.startswith(f"{mount.prefix}{share}/") for path in removals.gone)
        if below and not os.path.ismount(mount.root / share):
            return f"nothing is mounted at {share!r} any more"
    if gone >= LEAST and gone >= SHARE * known and revision_of(mount.root) == before.revision:
        return f"{gone} of {known} notes are gone at once"
    return None


def is_settled(kernel: Kernel, mount: Mount) -> bool:
    """Whether notes are missed at a commit that is still the one checked out, so that another look would change
    nothing."""
    with kernel.read() as snapshot:
        before = vault_index.read_standing(snapshot.session, kernel.collection, mount.prefix)
    return not before.withheld or revision_of(mount.root) == before.revision


def tell(mount: Mount, standing: VaultState) -> str:
    named = mount.prefix.rstrip("/") or mount.root.name
    return (
        f"Notes of the vault {named!r} are not to be found and were not removed ({standing.withheld}): "
        f"{standing.reason}. Is a disk not mounted? If they are meant to be gone: {ACCEPT}"
    )


def shares_of(mount: Mount, paths: Iterable[str]) -> tuple[str, ...]:
    """The folders of notes within a vault that are mounted there by themselves."""
    folders = {
        str(folder)
        for path in paths
        for folder in PurePosixPath(path.removeprefix(mount.prefix)).parents
        if str(folder) != "."
    }
    return tuple(sorted(folder for folder in folders if os.path.ismount(mount.root / folder)))


def remember(kernel: Kernel, mount: Mount, before: VaultState, after: VaultState) -> None:
    """Keep how a vault stands after a look at it."""
    if after != before:
        kernel.store.operate(
            lambda session: vault_index.write_standing(session, kernel.collection, mount.prefix, after)
        )


def withheld(kernel: Kernel) -> list[str]:
    """What is to be said of vaults whose notes are not to be found, each until it is found or accepted."""
    with kernel.read() as snapshot:
        held = [
            (mount, vault_index.read_standing(snapshot.session, kernel.collection, mount.prefix))
            for mount in vaults_of(kernel).mounts
        ]
    return [tell(mount, standing) for mount, standing in held if standing.withheld]


def refuse_absent(session: Session, collection: str, mount: Mount, changing: Collection[str]) -> None:
    """Nothing is written into a folder that is not there, or into an empty one where notes should be: what is written
    below a mount point would be hidden as soon as its disk is back."""
    named = mount.prefix.rstrip("/") or mount.root.name
    if not mount.root.is_dir():
        told = f"The folder of the vault {named!r} is not there; is its disk mounted? Nothing was changed."
        raise Refusal(Failure.UNAVAILABLE, told)
    if is_bare(mount.root) and vault_index.has_other_notes(session, collection, mount.prefix, changing):
        told = f"The folder of the vault {named!r} is empty, but its notes are not deleted; is its disk mounted? "
        raise Refusal(Failure.UNAVAILABLE, f"{told}Nothing was changed. If they are meant to be gone: {ACCEPT}")
