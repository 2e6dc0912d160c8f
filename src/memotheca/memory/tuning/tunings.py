"""Tunings: named values that the memory has learned or was told about itself, kept in the journal, so that history,
undo and export know them."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from memotheca.kernel.kernel import Kernel
from memotheca.memory.verbs import Verb
from memotheca.model.commits import MACHINE, VERB, Commit, Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import TUNING
from memotheca.model.knowledge import Alias, Entry
from memotheca.search.prepared import LATER
from memotheca.storage.lookups import ids_beginning
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction

NAMESPACE = "tuning"
MOST = 5_000  # chosen: far more than there are thresholds, topics and profiles


@dataclass(frozen=True, slots=True)
class Tuning:
    """A named value, and the transaction that left it so."""

    name: str
    value: Mapping[str, Any]
    tx: int
    time: int


def id_of(name: str) -> str:
    """Its id follows from its name, so that its history goes on when it comes back."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{NAMESPACE}:{name}"))


def read_tunings(snapshot: Snapshot, prefix: str = "") -> dict[str, Tuning]:
    """The living ones whose name begins so, by name."""
    ids = ids_beginning(snapshot, prefix, kind=TUNING, limit=MOST)
    found = (_tuning(version) for version in snapshot.versions_at(ids, snapshot.tx).values())
    return {each.name: each for each in sorted(found, key=lambda each: each.name) if each.name.startswith(prefix)}


def read_tuning(snapshot: Snapshot, name: str) -> Tuning | None:
    head = snapshot.head(id_of(name))
    return None if head is None or head.thing is None else _tuning(head)


def tuning_versions(snapshot: Snapshot, name: str) -> list[Version]:
    """How a tuning was, newest first, those included in which it is gone."""
    return sorted(snapshot.versions(id_of(name)), key=lambda version: -version.tx)


def put_tuning(transaction: Transaction, name: str, value: Mapping[str, Any] | None) -> None:
    """Set a tuning within a transaction, or take it away; nothing where it is so already."""
    head = transaction.head(id_of(name))
    held = None if head is None else cast(Entry | None, head.thing)
    if value is None:
        if held is not None:
            transaction.remove(held)
    elif held is None:
        made = Entry(
            id=id_of(name),
            kind=TUNING,
            title=name,
            attributes=dict(value),
            aliases=(Alias(NAMESPACE, name),),
            created_at=transaction.time,
            updated_at=transaction.time,
        )
        transaction.put(made, LATER)
    elif dict(held.attributes) != dict(value):
        transaction.put(replace(held, attributes=dict(value), updated_at=transaction.time), LATER)


def change_tunings(
    kernel: Kernel, changes: Mapping[str, Mapping[str, Any] | None], *, verb: Verb, actor: str, rationale: str
) -> Commit | None:
    """Set some tunings in one transaction that says why and can be taken back; nothing where all are so already."""

    def act(transaction: Transaction) -> int | None:
        transaction.describe("UPDATE", note={VERB: verb, MACHINE: True, "rationale": rationale})
        for name, value in changes.items():
            put_tuning(transaction, name, value)
        return transaction.tx if transaction.changed else None

    tx = kernel.write(act, actor=actor)
    if tx is None:
        return None
    with kernel.read() as snapshot:
        commit = snapshot.commit(tx)
    if commit is None:
        raise Refusal(Failure.INTERNAL, f"Transaction {tx} is not in the journal.")
    return commit


def _tuning(version: Version) -> Tuning:
    entry = cast(Entry, version.thing)
    return Tuning(entry.title, entry.attributes, version.tx, version.time)
