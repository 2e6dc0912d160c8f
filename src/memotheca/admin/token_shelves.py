"""Where tokens are kept: in a file beside the data, or in the database where machines share one, so that what is
changed on one of them holds on all."""

import os
import time
from collections.abc import Callable, Generator, Hashable
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

from memotheca.model.errors import Failure, Refusal
from memotheca.storage.database import Session
from memotheca.storage.locks import role as turn
from memotheca.storage.shared_files import keep_text, read_text
from memotheca.storage.store import Store

FILE = "tokens.json"
_PATIENCE = 5.0  # chosen: seconds; changing the file takes a moment

Change = Callable[[str | None], str]


class TokenShelf(Protocol):
    """All tokens as one text, None where there never was one."""

    @property
    def place(self) -> str: ...

    def read(self) -> str | None: ...

    def change(self, act: Change) -> None:
        """By one program at a time; `act` may be run again."""
        ...


class WatchedShelf(Protocol):
    """A shelf that may be looked at with every request."""

    @property
    def place(self) -> str: ...

    def glance(self) -> Hashable | None:
        """Another whenever the tokens are others, None where there never was one."""
        ...

    def read(self) -> str | None: ...


class FileShelf:
    """A file beside the data, for its owner alone."""

    place = f"{FILE} in the data directory"

    def __init__(self, data: Path) -> None:
        self._data = data

    def glance(self) -> Hashable | None:
        try:
            state = (self._data / FILE).stat()
        except OSError:
            return None
        return (state.st_mtime_ns, state.st_size, state.st_ino)

    def read(self) -> str | None:
        try:
            return (self._data / FILE).read_text("utf-8")
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise Refusal(Failure.CORRUPT, f"{self.place} cannot be read; mend or remove it.") from error

    def change(self, act: Change) -> None:
        with _turn(self._data):
            changed = act(self.read())
            fresh = self._data / f"{FILE}.new"
            descriptor = os.open(fresh, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(changed)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self._data / FILE)


class SharedShelf:
    """A row of the database that machines share."""

    place = "the list of tokens in the database"

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(self) -> str | None:
        with self._store.database.read() as session:
            return read_text(session, FILE)

    def change(self, act: Change) -> None:
        self._store.operate(partial(self._change, act))

    @staticmethod
    def _change(act: Change, session: Session) -> None:
        keep_text(session, FILE, act(read_text(session, FILE)))


def shelf_of(store: Store, data: Path, *, is_shared: bool) -> FileShelf | SharedShelf:
    return SharedShelf(store) if is_shared else FileShelf(data)


def bring_tokens(source: TokenShelf, target: TokenShelf) -> None:
    """In the place of what is there, so that none is good that was revoked since."""
    text = source.read()
    if text is not None:
        target.change(lambda held: text)


@contextmanager
def _turn(data: Path) -> Generator[None]:
    """One program at a time changes the file."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        with turn(data, "tokens") as is_ours:
            if is_ours:
                yield
                return
        if time.monotonic() >= deadline:
            raise Refusal(Failure.BUSY, "Another program is changing the tokens; try again.")
        time.sleep(0.05)
