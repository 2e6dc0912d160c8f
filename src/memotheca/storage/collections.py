"""Settings of a collection: kept in the database, so that every client of it has the same."""

import json
from typing import Any

from memotheca.model.errors import Failure, Refusal
from memotheca.storage.database import Session, scalar


def read_settings(session: Session, collection: str) -> dict[str, Any]:
    said = scalar(session, "SELECT settings FROM collection WHERE name = ?", collection) or "{}"
    try:
        return json.loads(said)
    except ValueError as error:
        message = f"The settings of {collection} are damaged; `memotheca doctor` says which backup to restore, and how."
        raise Refusal(Failure.CORRUPT, message) from error


def write_setting(session: Session, collection: str, name: str, value: Any) -> None:
    """Change one setting; the collection is made where there is none."""
    settings = {**read_settings(session, collection), name: value}
    session.run(
        "INSERT INTO collection (name, tx, seq, time, settings) VALUES (?, 0, 0, 0, ?) "
        "ON CONFLICT (name) DO UPDATE SET settings = excluded.settings",
        collection,
        json.dumps(settings),
    )
