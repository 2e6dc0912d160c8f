"""Settings of a collection: kept in the database, so that every client of it has the same."""

import json
from typing import Any

from pinakes.storage.database import Session, scalar


def read_settings(session: Session, collection: str) -> dict[str, Any]:
    return json.loads(scalar(session, "SELECT settings FROM collection WHERE name = ?", collection) or "{}")


def write_setting(session: Session, collection: str, name: str, value: Any) -> None:
    """Change one setting; the collection is made where there is none."""
    settings = {**read_settings(session, collection), name: value}
    session.run(
        "INSERT INTO collection (name, tx, seq, time, settings) VALUES (?, 0, 0, 0, ?) "
        "ON CONFLICT (name) DO UPDATE SET settings = excluded.settings",
        collection,
        json.dumps(settings),
    )
