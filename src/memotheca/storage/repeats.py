"""Calls that carried a key: what was asked, which transactions it made, and what was answered."""

from dataclasses import dataclass

from memotheca.model.clock import DAY
from memotheca.storage.database import Session, first

KEPT = DAY

TABLES = (
    """CREATE TABLE repeat (
        collection TEXT NOT NULL,
        key TEXT NOT NULL,
        asked TEXT NOT NULL,
        time BIGINT NOT NULL,
        first_tx BIGINT,
        last_tx BIGINT,
        reply BLOB,
        PRIMARY KEY (collection, key)
    )""",
    "CREATE INDEX repeat_by_time ON repeat (collection, time)",
)


@dataclass(frozen=True, slots=True)
class Repeat:
    """A call that was begun under a key; without a reply while it is under way, or where the reply was lost."""

    asked: str
    time: int
    first_tx: int | None
    last_tx: int | None
    reply: bytes | None


def find(session: Session, collection: str, key: str, now: int) -> Repeat | None:
    row = first(
        session,
        "SELECT asked, time, first_tx, last_tx, reply FROM repeat WHERE collection = ? AND key = ? AND time > ?",
        collection,
        key,
        now - KEPT,
    )
    return None if row is None else Repeat(*row)


def claim(session: Session, collection: str, key: str, *, asked: str, now: int) -> None:
    """Say that a call is carried out under this key, and forget those of long ago."""
    session.run("DELETE FROM repeat WHERE collection = ? AND time <= ?", collection, now - KEPT)
    session.run(
        "INSERT INTO repeat (collection, key, asked, time) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (collection, key) DO NOTHING",
        collection,
        key,
        asked,
        now,
    )


def note_transaction(session: Session, collection: str, key: str, tx: int) -> None:
    session.run(
        "UPDATE repeat SET first_tx = coalesce(first_tx, ?), last_tx = ? WHERE collection = ? AND key = ?",
        tx,
        tx,
        collection,
        key,
    )


def keep_reply(session: Session, collection: str, key: str, reply: bytes) -> None:
    session.run(
        "UPDATE repeat SET reply = ? WHERE collection = ? AND key = ? AND reply IS NULL", reply, collection, key
    )


def drop_replies(session: Session, collection: str) -> None:
    """An answer may quote what is erased; that the call was carried out stays known."""
    session.run("UPDATE repeat SET reply = NULL WHERE collection = ?", collection)
