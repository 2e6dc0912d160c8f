"""Which folders of notes this connection has mounted and under which names, and the notebook over them."""

import hashlib
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from memotheca.kernel.kernel import Kernel
from memotheca.model.cancellation import undisturbed
from memotheca.model.errors import Failure, Refusal
from memotheca.notes.notebook import LiveNotebook, Notebook
from memotheca.storage.database import Session
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.vault_index import read_mounted


@dataclass(frozen=True, slots=True)
class Mount:
    """One folder; its notes' ids begin with `prefix`, which is empty where it is the only one."""

    prefix: str
    root: Path


@dataclass(frozen=True, slots=True)
class Vaults:
    """The mounted folders, the rules for what to leave out, and what this process remembers of their notes."""

    mounts: tuple[Mount, ...] = ()
    locks: Path | None = None
    ignore: tuple[str, ...] = ()
    gitignore: bool = False
    # Where machines share a database: which one this is, and on which the folders are where they are not here.
    machine: str = ""
    elsewhere: str = ""
    # Said at the start of a server: what is gone at its first look is meant to be.
    accepts_removals: bool = False
    notebook: LiveNotebook = field(default_factory=LiveNotebook)

    @property
    def lock_folder(self) -> Path:
        """Where who watches a vault is known; for whoever has mounted one."""
        assert self.locks is not None
        return self.locks

    @property
    def has_notes(self) -> bool:
        """Whether the collection has vaults, be it on another machine."""
        return bool(self.mounts or self.elsewhere)

    def refuse_moved(self, session: Session, collection: str) -> None:
        """To be asked inside a transaction: whoever was cut off or suspended may have lost its vaults to another
        machine."""
        if self.machine and self.mounts and read_mounted(session, collection).machine != self.machine:
            raise Refusal(Failure.BUSY, "Another machine has mounted the vaults of this collection meanwhile.")

    def place(self, path: str) -> tuple[Mount, str]:
        """The folder a note's id belongs to, and its path in it."""
        for mount in self.mounts:
            if path.startswith(mount.prefix):
                return mount, path.removeprefix(mount.prefix)
        if self.mounts:
            names = ", ".join(mount.prefix for mount in self.mounts)
            raise Refusal(Failure.INVALID, f"{path!r} is in none of the vaults; its path starts with one of {names}.")
        raise self._not_here()

    def _not_here(self) -> Refusal:
        if self.elsewhere:
            told = f"The vault of that note is mounted on {self.elsewhere}; its notes are changed by a server there."
            return Refusal(Failure.UNAVAILABLE, told)
        return Refusal(Failure.UNAVAILABLE, "The vault of that note is not mounted here; name its folder with --vault.")

    def holding(self, prefix: str) -> Mount:
        """The folder mounted under exactly this prefix."""
        for mount in self.mounts:
            if mount.prefix == prefix:
                return mount
        raise self._not_here()


def owner_role(collection: str) -> str:
    """The role of the one process that follows the vaults of a collection."""
    return f"vault-{hashlib.blake2b(collection.encode(), digest_size=8).hexdigest()}"


def read_mounts(named: Sequence[str]) -> tuple[Mount, ...]:
    """Folders as they are named: DIR, or NAME=DIR; one alone needs no prefix, several take their folders' names."""
    mounts: list[Mount] = []
    for each in named:
        name, equals, folder = each.partition("=")
        root = Path(folder if equals else each).expanduser().resolve()
        if not root.is_dir():
            raise Refusal(Failure.INVALID, f"The vault {root.name!r} is no folder.", field="vault")
        prefix = f"{name.strip('/')}/" if equals else "" if len(named) == 1 else f"{root.name}/"
        mounts.append(Mount(prefix, root))
    if len({mount.prefix.casefold() for mount in mounts}) < len(mounts):
        raise Refusal(Failure.INVALID, "Two vaults have the same name; write NAME=DIR for each.", field="vault")
    for mount in mounts:
        if any(mount is not other and mount.root.is_relative_to(other.root) for other in mounts):
            raise Refusal(Failure.INVALID, f"The vault {mount.root.name!r} lies within another.", field="vault")
    return tuple(mounts)


def vaults_of(kernel: Kernel) -> Vaults:
    """The vaults of this process; none of them where none were mounted."""
    found = kernel.parts.find(Vaults)
    return kernel.keep(Vaults) if found is None else found


@contextmanager
def opened(kernel: Kernel) -> Generator[tuple[Snapshot, Notebook]]:
    """A snapshot with the notebook brought up to it; nobody turns a page of it while the block lasts."""
    live = vaults_of(kernel).notebook
    with live.guard, kernel.read() as snapshot:
        with undisturbed():
            book = live.at(snapshot)
        yield snapshot, book
