"""Files that every machine must have: a database that machines share keeps them, and a folder is a cache of it; where
the database is a file, its folder has them anyway."""

import logging
import os
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable
from uuid import uuid4

from memotheca.storage.database import Session, scalar

log = logging.getLogger(__name__)

PIECE = 4 << 20  # chosen: a row that is read without much memory
GRACE_SECONDS = 600  # chosen: longer than from writing or bringing a file to naming or opening it


@runtime_checkable
class SharingSession(Protocol):
    """A session of a database that keeps files."""

    def keep_file(self, name: str, pieces: Iterable[bytes]) -> None: ...

    def fetch_file(self, name: str) -> Iterator[bytes]:
        """Its pieces, none where it is not kept."""
        ...

    def drop_files(self, *, but: Iterable[str]) -> None:
        """Keep none but these, and what was sent."""
        ...

    def living_roles(self) -> set[str]:
        """Which roles somebody holds who gave a sign of life lately."""
        ...

    def drop_silent_roles(self) -> None: ...


def share(session: Session, path: Path, name: str = "") -> None:
    """Let the other machines have a file, from this transaction on."""
    if isinstance(session, SharingSession):
        with path.open("rb") as file:
            session.keep_file(name or path.name, iter(lambda: file.read(PIECE), b""))


def share_anew(session: Session, path: Path) -> None:
    """As `share`, where some of it may be there."""
    session.run("DELETE FROM shared_file WHERE name = ?", path.name)
    share(session, path)


def pieces(session: Session, name: str) -> Iterator[bytes]:
    """A file as the other machines have it."""
    yield from session.fetch_file(name) if isinstance(session, SharingSession) else ()


def bring(session: Session, path: Path, name: str = "") -> bool:
    """Have a file here that another machine has made; says whether it had to be brought, and was there."""
    size = 0
    if not isinstance(session, SharingSession):
        return False
    # What is wanted stays longest in the cache.
    try:
        os.utime(path)
    except FileNotFoundError:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.{uuid4().hex}.part")
        try:
            with part.open("wb") as file:
                file.writelines(session.fetch_file(name or path.name))
                size = file.tell()
            if size:
                os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
    except OSError:
        log.debug("cannot be marked as wanted: %s", path)
    return size > 0


def tend_cache(session: Session, paths: Iterable[Path], *, kept: Collection[str], room: int) -> int:
    """Where a folder is a cache of what a database keeps: remove the files that are not among those kept, and while the
    others have no room, those that were wanted longest ago; nothing that was wanted lately. Room of 0 is no bound.
    Returns how many went."""
    if not isinstance(session, SharingSession):
        return 0
    held: list[tuple[float, int, Path]] = []
    for path in paths:
        with suppress(FileNotFoundError):
            status = path.stat()
            held.append((status.st_mtime, status.st_size, path))
    excess = sum(size for _, size, _ in held) - room if room else 0
    now, removed = time.time(), 0
    for wanted, size, path in sorted(held):
        if (path.name not in kept or excess > 0) and now - wanted > GRACE_SECONDS:
            # Another program has it open, or was faster.
            with suppress(OSError):
                path.unlink()
                removed += 1
                excess -= size
    return removed


def unshare(session: Session, *, but: Iterable[str]) -> None:
    """Let the others have these files alone."""
    if isinstance(session, SharingSession):
        session.drop_files(but=but)


def living_roles(session: Session) -> set[str]:
    """The roles that are held in the database; where it is a file, they are files too."""
    return session.living_roles() if isinstance(session, SharingSession) else set()


def drop_silent_roles(session: Session) -> None:
    """Forget those whose holders have ended without a word."""
    if isinstance(session, SharingSession):
        session.drop_silent_roles()


# Files that were sent and wait to be read. The room of one that is on its way is taken before it is whole.


def reserve_sent(session: Session, name: str, size: int, now: int) -> None:
    session.run("INSERT INTO sent_file (name, size, whole, sent) VALUES (?, ?, 0, ?)", name, size, now)


def keep_sent(session: Session, name: str, path: Path, now: int) -> None:
    """Whole, from this transaction on; once more where it is not known whether it was kept."""
    drop_sent(session, name)
    session.run("INSERT INTO sent_file (name, size, whole, sent) VALUES (?, ?, 1, ?)", name, path.stat().st_size, now)
    share(session, path, name)


def size_of_sent(session: Session, name: str) -> int | None:
    """None where there is none that is whole."""
    return scalar(session, "SELECT size FROM sent_file WHERE name = ? AND whole = 1", name)


def count_sent(session: Session, drawer: str) -> tuple[int, int]:
    """How many there are in a drawer, of how many bytes."""
    sql = "SELECT count(*), coalesce(sum(size), 0) FROM sent_file WHERE name >= ? AND name < ?"
    count, size = session.rows(sql, f"{drawer}/", f"{drawer}0")[0]  # After the stroke comes 0.
    return int(count), int(size)


def drop_sent(session: Session, name: str) -> None:
    session.run("DELETE FROM shared_file WHERE name = ?", name)
    session.run("DELETE FROM sent_file WHERE name = ?", name)


def sent_before(session: Session, before: int) -> list[str]:
    return [str(name) for (name,) in session.rows("SELECT name FROM sent_file WHERE sent < ? ORDER BY name", before)]


# A small file of which no machine has a copy: it is read and changed where it is.


def read_text(session: Session, name: str) -> str | None:
    return scalar(session, "SELECT content FROM shared_text WHERE name = ?", name)


def keep_text(session: Session, name: str, content: str) -> None:
    sql = (
        "INSERT INTO shared_text (name, content) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET "
        "content = excluded.content"
    )
    session.run(sql, name, content)


# Originals: files that were sent and read, kept to show their pages; bounded, and no part of history.

# Chosen: a copy to another database takes 500 rows at once, which are then 32 MB.
ORIGINAL_PIECE = 64 * 1024

ORIGINALS = (
    """CREATE TABLE original (
        collection TEXT NOT NULL,
        id TEXT NOT NULL,
        digest TEXT NOT NULL,
        size BIGINT NOT NULL,
        kept BIGINT NOT NULL,
        PRIMARY KEY (collection, id, digest)
    )""",
    """CREATE TABLE original_piece (
        collection TEXT NOT NULL,
        id TEXT NOT NULL,
        digest TEXT NOT NULL,
        piece BIGINT NOT NULL,
        content BLOB NOT NULL,
        PRIMARY KEY (collection, id, digest, piece)
    )""",
)
_BOTH = ("original", "original_piece")
_MINE = "collection = ? AND id = ? AND digest = ?"


class Original(NamedTuple):
    """A file that was sent and read: of which document, in the version that has this digest."""

    collection: str
    id: str
    digest: str


def keep_original(session: Session, original: Original, content: bytes, now: int) -> None:
    """Once, however often it is sent."""
    if scalar(session, f"SELECT 1 FROM original WHERE {_MINE}", *original):
        return
    sql = "INSERT INTO original (collection, id, digest, size, kept) VALUES (?, ?, ?, ?, ?)"
    session.run(sql, *original, len(content), now)
    pieces = [content[start : start + ORIGINAL_PIECE] for start in range(0, len(content), ORIGINAL_PIECE)]
    session.run_many(
        "INSERT INTO original_piece (collection, id, digest, piece, content) VALUES (?, ?, ?, ?, ?)",
        [(*original, number, piece) for number, piece in enumerate(pieces)],
    )


def read_original(session: Session, original: Original) -> bytes | None:
    if scalar(session, f"SELECT 1 FROM original WHERE {_MINE}", *original) is None:
        return None
    rows = session.rows(f"SELECT content FROM original_piece WHERE {_MINE} ORDER BY piece", *original)
    return b"".join(bytes(content) for (content,) in rows)


def drop_originals(session: Session, collection: str, id: str) -> None:
    for table in _BOTH:
        session.run(f"DELETE FROM {table} WHERE collection = ? AND id = ?", collection, id)


def make_room(session: Session, collection: str, room: int) -> None:
    """Drop the oldest until all of a collection's are no more than so many bytes."""
    held = session.rows("SELECT id, digest, size FROM original WHERE collection = ? ORDER BY kept, id", collection)
    excess = sum(int(size) for _, _, size in held) - room
    for id, digest, size in held:
        if excess <= 0:
            return
        for table in _BOTH:
            session.run(f"DELETE FROM {table} WHERE {_MINE}", collection, id, digest)
        excess -= int(size)
