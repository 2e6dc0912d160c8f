"""What is wrong with a database that its own check cannot see: texts that are none, content that cannot be decoded,
counters that lag behind the journal, versions without their transaction."""

import json
from typing import Any

from memotheca.model.errors import Refusal
from memotheca.storage import journal
from memotheca.storage.database import Row, Session
from memotheca.storage.serialization import from_image

_BATCH = 2000  # chosen: so many rows are held in memory at once
_MOST = 20  # chosen: a screenful; what is broken is seldom one row alone

_ORPHANS = (
    "SELECT v.collection, v.id, v.tx FROM version v LEFT JOIN tx t ON t.collection = v.collection AND t.tx = v.tx "
    "WHERE t.tx IS NULL LIMIT 20"
)
_LAGGING = (
    "SELECT c.name FROM collection c WHERE c.tx < (SELECT max(t.tx) FROM tx t WHERE t.collection = c.name) LIMIT 20"
)
_HOMELESS = "SELECT DISTINCT t.collection FROM tx t WHERE t.collection NOT IN (SELECT name FROM collection) LIMIT 20"


def find_damage(session: Session) -> list[str]:
    """What cannot be read any more, or lacks what it belongs to; no program can mend that from the file alone."""
    try:
        found = [f"version {tx} of {id} in {name} has no transaction" for name, id, tx in session.rows(_ORPHANS)]
        found += [f"the count of transactions of {name} lags behind them" for (name,) in session.rows(_LAGGING)]
        found += [f"there are transactions of {name}, which is no collection" for (name,) in session.rows(_HOMELESS)]
        return (found + _undecodable(session))[:_MOST]
    except Refusal as refusal:
        return [refusal.message]
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        return [f"what is stored cannot be read any more ({type(error).__name__})"]


def find_differences(session: Session) -> list[str]:
    """Where the heads differ from the journal, in every collection; `doctor --repair` mends that."""
    names = [row[0] for row in session.rows("SELECT name FROM collection ORDER BY name")]
    return [each for name in names for each in journal.compare_heads(session, name)]


def count_all_transactions(session: Session) -> int:
    """How much has happened in all collections."""
    return int(session.rows("SELECT count(*) FROM tx")[0][0])


def _undecodable(session: Session) -> list[str]:
    journal.erased_ids(session)
    for name, settings in session.rows("SELECT name, settings FROM collection"):
        if not isinstance(json.loads(settings), dict):
            return [f"the settings of {name} cannot be read any more"]
    # Texts that are not shown here are read too: that they are UTF-8 is found out by reading them.
    for _ in _in_batches(session, "SELECT collection, tx, * FROM tx", ("", -1)):
        pass
    found: list[str] = []
    for _, tx, id, subject, image, _ in _in_batches(
        session, "SELECT collection, tx, id, subject, image, kind FROM version", ("", -1, "")
    ):
        if image is not None and not _is_decodable(subject, id, image):
            found.append(f"version {tx} of {id} cannot be read any more")
    return found


def _in_batches(session: Session, select: str, before: Row) -> Any:
    """All rows of a table after this key, which its first columns are."""
    columns = ", ".join(select.removeprefix("SELECT ").split(", ")[: len(before)])
    sql = f"{select} WHERE ({columns}) > ({', '.join('?' for _ in before)}) ORDER BY {columns} LIMIT ?"
    while rows := session.rows(sql, *before, _BATCH):
        yield from rows
        before = rows[-1][: len(before)]


def _is_decodable(subject: Any, id: str, image: str) -> bool:
    try:
        from_image(subject, id, image)
    except Refusal:
        return False
    return True
