"""Files that every machine must have: a database that machines share keeps them, and a folder is a cache of it; where
the database is a file, its folder has them anyway."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol, runtime_checkable
from uuid import uuid4

from memotheca.storage.database import Session

PIECE = 4 << 20  # chosen: a row that is read without much memory


@runtime_checkable
class SharingSession(Protocol):
    """A session of a database that keeps files."""

    def keep_file(self, name: str, pieces: Iterable[bytes]) -> None: ...

    def fetch_file(self, name: str) -> Iterator[bytes]:
        """Its pieces, none where it is not kept."""
        ...

    def drop_files(self, *, but: Iterable[str]) -> None:
        """Keep none but these."""
        ...


def share(session: Session, path: Path) -> None:
    """Let the other machines have a file, from this transaction on."""
    if isinstance(session, SharingSession):
        with path.open("rb") as file:
            session.keep_file(path.name, iter(lambda: file.read(PIECE), b""))


def bring(session: Session, path: Path) -> bool:
    """Have a file here that another machine has made; says whether it had to be brought, and was there."""
    size = 0
    if isinstance(session, SharingSession) and not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.{uuid4().hex}.part")
        try:
            with part.open("wb") as file:
                file.writelines(session.fetch_file(path.name))
                size = file.tell()
            if size:
                os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
    return size > 0


def unshare(session: Session, *, but: Iterable[str]) -> None:
    """Let the others have these files alone."""
    if isinstance(session, SharingSession):
        session.drop_files(but=but)
