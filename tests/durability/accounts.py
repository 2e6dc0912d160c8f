"""The account that has to balance after every disaster: the database as a whole, and each acknowledged write."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from memotheca.model.commits import Version
from memotheca.model.knowledge import Edge, Entry
from memotheca.storage.journal import compare_heads
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Store

Ack = Mapping[str, Any]


def digest(title: str, body: str) -> str:
    return hashlib.blake2b(f"{title}\n{body}".encode(), digest_size=8).hexdigest()


def find_damage(store: Store, collection: str = "default") -> list[str]:
    """Whatever is wrong with the data as a whole."""
    complaints = store.database.check()
    with store.read(collection) as snapshot:
        complaints += compare_heads(snapshot.session, collection)
        numbers = [found.tx for found in snapshot.commits(newest_first=False)]
        touched = {row[0] for row in snapshot.session.rows("SELECT DISTINCT tx FROM version")}
        if numbers != list(range(1, snapshot.tx + 1)):
            complaints.append(f"the counter says {snapshot.tx}, but the transactions are not 1 to that")
        if touched != set(numbers):
            complaints.append("transactions and versions do not belong together")
    return complaints


def find_lost(store: Store, acks: Iterable[Ack], collection: str = "default") -> list[Ack]:
    """Acknowledged writes that are not there with the content they were acknowledged with."""
    with store.read(collection) as snapshot:
        return [ack for ack in acks if _content(snapshot, ack["id"], ack["tx"]) != (ack["tx"], ack["content"])]


def _content(snapshot: Snapshot, id: str, tx: int) -> tuple[int, object]:
    version: Version | None = snapshot.version(id, tx)
    if version is None:
        return 0, None
    thing = version.thing
    if isinstance(thing, Entry):
        return version.tx, digest(thing.title, thing.body)
    if isinstance(thing, Edge):
        ends = [snapshot.entry(end, tx) for end in (thing.source, thing.target)]
        source, target = (None if end is None else end.title for end in ends)
        return version.tx, [source, thing.predicate, target]
    return version.tx, None
