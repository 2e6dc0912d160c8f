"""Files that were sent to us and wait to be read: in a folder, or, where machines share a database, in that, so that
any of them can read them."""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from memotheca.model.clock import SECOND
from memotheca.model.errors import Refusal
from memotheca.parsing.open_safely import OpenedFile, open_file
from memotheca.storage import shared_files
from memotheca.storage.store import Store

STALE_SECONDS = 24 * 3600  # chosen: what nobody asked for within a day was forgotten
DRAWER_LETTERS = 16  # chosen: a digest that no two collections share


def open_checked(path: str, roots: tuple[Path, ...] | None, shown: str = "") -> OpenedFile:
    try:
        return open_file(path, roots=roots, shown=shown)
    except Refusal as refusal:
        refusal.field = refusal.field or "file_path"
        raise


class SentFiles(Protocol):
    """Where they wait; each has a name of three parts: its collection's drawer, a number nobody can guess, and what it
    was called."""

    folder: Path

    def count(self, drawer: str) -> tuple[int, int]:
        """How many there are of a collection, of how many bytes, with those on their way."""
        ...

    def reserve(self, name: str, size: int) -> None:
        """Take the room for one that is on its way to its place in the folder."""
        ...

    def keep(self, name: str) -> None:
        """It is whole."""
        ...

    def size_of(self, name: str, shown: str) -> int:
        """Of one that is there; refuses one that is not."""
        ...

    def bring(self, name: str) -> Path:
        """Where it can be read."""
        ...

    def drop(self, name: str) -> None: ...

    def drop_stale(self, now: float, waiting: set[str]) -> None:
        """Remove what was sent long ago and never added, but what a job waits for."""
        ...


class FolderFiles:
    """The folder of the only machine there is."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def count(self, drawer: str) -> tuple[int, int]:
        """While others bring and remove them."""
        held = size = 0
        for place, _, names in os.walk(self.folder / drawer):
            for name in names:
                with suppress(FileNotFoundError):
                    size += Path(place, name).stat().st_size
                    held += 1
        return held, size

    def reserve(self, name: str, size: int) -> None:
        os.truncate(self.folder / name, size)

    def keep(self, name: str) -> None:
        """It is where it belongs already."""

    def size_of(self, name: str, shown: str) -> int:
        with open_checked(str(self.folder / name), None, shown) as opened:
            return opened.size

    def bring(self, name: str) -> Path:
        return self.folder / name

    def drop(self, name: str) -> None:
        shutil.rmtree((self.folder / name).parent, ignore_errors=True)

    def drop_stale(self, now: float, waiting: set[str]) -> None:
        kept = {(self.folder / name).parent for name in waiting}
        for folder in self._folders():
            with suppress(FileNotFoundError):
                if folder not in kept and now - folder.stat().st_mtime > STALE_SECONDS:
                    shutil.rmtree(folder, ignore_errors=True)

    def _folders(self) -> list[Path]:
        """Of every collection, and those from before each collection had a drawer of its own."""
        places = list(self.folder.iterdir()) if self.folder.is_dir() else []
        own = [place for place in places if len(place.name) == DRAWER_LETTERS and place.is_dir()]
        return [place for place in places if place not in own] + [folder for place in own for folder in place.iterdir()]


class SharedFiles:
    """The database that machines share has them; the folder holds what is on its way or read here, no more."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.folder = folder
        self._here = FolderFiles(folder)
        self._store = store

    def count(self, drawer: str) -> tuple[int, int]:
        with self._store.database.read() as session:
            return shared_files.count_sent(session, drawer)

    def reserve(self, name: str, size: int) -> None:
        self._here.reserve(name, size)
        now = self._store.clock()
        self._store.operate_apart(lambda session: shared_files.reserve_sent(session, name, size, now))

    def keep(self, name: str) -> None:
        path, now = self.folder / name, self._store.clock()
        self._store.operate_apart(lambda session: shared_files.keep_sent(session, name, path, now))
        self._here.drop(name)

    def size_of(self, name: str, shown: str) -> int:
        with self._store.database.read() as session:
            size = shared_files.size_of_sent(session, name)
        return self._here.size_of(name, shown) if size is None else size

    def bring(self, name: str) -> Path:
        path = self.folder / name
        with self._store.database.read() as session:
            shared_files.bring(session, path, name)
        return path

    def drop(self, name: str) -> None:
        self._here.drop(name)
        # What cannot be dropped now is, when it is stale.
        with suppress(Refusal):
            self._store.operate_apart(lambda session: shared_files.drop_sent(session, name))

    def drop_stale(self, now: float, waiting: set[str]) -> None:
        self._here.drop_stale(now, set())
        with self._store.database.read() as session:
            stale = shared_files.sent_before(session, round((now - STALE_SECONDS) * SECOND))
        for name in stale:
            if name not in waiting:
                self.drop(name)
