"""Quarantine: what is kept out of retrieval, why, until when, and how a person lets it go."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.nodes import find_node
from memotheca.memory.care.homeostasis import read_ledger
from memotheca.memory.traits import quarantine_of
from memotheca.memory.verbs import Verb
from memotheca.model.commits import VERB, Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.search.prepared import LATER
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction


def quarantined_entries(kernel: Kernel, snapshot: Snapshot) -> list[tuple[Entry, Mapping[str, Any]]]:
    """Every entry that is held, the newest first, with the reason and the times."""
    ids = [id for id, _ in read_ledger(kernel, snapshot).quarantined]
    now = kernel.now()
    held = [
        (entry, why)
        for id in sorted(ids, reverse=True)
        if (entry := snapshot.entry(id)) is not None and (why := quarantine_of(entry, now)) is not None
    ]
    return sorted(held, key=lambda pair: -int(pair[1].get("since", 0)))


def lift_quarantine(kernel: Kernel, handle: str, *, actor: str) -> Version:
    """Let an entry be found again before its time: one transaction, which can be undone. Refused for what is free."""

    def act(transaction: Transaction) -> Version:
        transaction.describe("UPDATE", note={VERB: Verb.RELEASE, "reason": "a person lifted its quarantine"})
        entry = cast(Entry, find_node(transaction, handle).thing)
        if quarantine_of(entry, kernel.now()) is None:
            raise Refusal(Failure.INVALID, "It is not in quarantine.", field="release")
        attributes = {name: value for name, value in entry.attributes.items() if name != "quarantine"}
        transaction.put(replace(entry, attributes=attributes, updated_at=transaction.time), LATER)
        return cast(Version, transaction.version(entry.id, transaction.tx))

    return kernel.write(act, actor=actor)
