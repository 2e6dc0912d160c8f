"""Conflicts that wait for somebody's decision: operational state, short-lived, no part of history."""

import json

from memotheca.storage.database import Session, first
from memotheca.storage.serialization import to_text


def keep_conflict(session: Session, collection: str, id: str, *, expires: int, content: dict[str, str]) -> None:
    session.run(
        "INSERT INTO pending_conflict (collection, id, expires, content) VALUES (?, ?, ?, ?)",
        collection,
        id,
        expires,
        to_text(content),
    )


def find_conflict(session: Session, collection: str, id: str) -> tuple[dict[str, str], int] | None:
    """What a conflict is about and when it expires."""
    row = first(
        session, "SELECT content, expires FROM pending_conflict WHERE collection = ? AND id = ?", collection, id
    )
    return None if row is None else (json.loads(row[0]), row[1])


def list_conflicts(session: Session, collection: str, now: int) -> list[tuple[str, dict[str, str], int]]:
    """The conflicts that wait, each with what it is about and when it expires, the oldest first."""
    sql = "SELECT id, content, expires FROM pending_conflict WHERE collection = ? AND expires > ? ORDER BY id"
    return [(id, json.loads(content), expires) for id, content, expires in session.rows(sql, collection, now)]


def drop_conflict(session: Session, collection: str, id: str) -> None:
    session.run("DELETE FROM pending_conflict WHERE collection = ? AND id = ?", collection, id)


def drop_expired_conflicts(session: Session, collection: str, now: int) -> None:
    session.run("DELETE FROM pending_conflict WHERE collection = ? AND expires <= ?", collection, now)


def drop_all_conflicts(session: Session, collection: str) -> None:
    session.run("DELETE FROM pending_conflict WHERE collection = ?", collection)
