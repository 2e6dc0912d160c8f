"""A writer that may be killed at any moment; it acknowledges each write on stdout after the call has returned."""

import hashlib
import json
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from memotheca.app import open_server_store, open_store
from memotheca.entries.edges import Claim, ClaimConflict, delete_edge, relate
from memotheca.entries.entries import EntryChange, NewEntry, delete_entry, store_entry, update_entry
from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Edge, Entry
from memotheca.storage.snapshot import EdgePattern

OPERATIONS = ("store", "update", "relate", "delete", "cut")
ODDS = (40, 25, 20, 10, 5)
HUB = "hub"
PATIENCE = 120.0  # chosen: as tests/patience.py, which a program of its own does not see


def digest(title: str, body: str) -> str:
    return hashlib.blake2b(f"{title}\n{body}".encode(), digest_size=8).hexdigest()


class Writer:
    """One life of a writer: `name` stays the same over all its lives, `life` counts them."""

    def __init__(self, data: Path, name: str, life: int, seed: int) -> None:
        address = os.environ.get("MEMOTHECA_DATABASE", "")
        self.kernel = Kernel(open_server_store(address, data) if address else open_store(data), "default")
        self.name = name
        self.actor = f"{name}.{life}"
        self.rng = random.Random(f"{seed} {self.actor}")
        with self.kernel.read() as snapshot:
            entries = [version.thing for version in snapshot.entries(("entry",))]
            edges = [version.thing for version in snapshot.edges(EdgePattern(predicate_text=f"{name}-"))]
        self.entries = [thing.id for thing in entries if isinstance(thing, Entry) and thing.title == name]
        self.edges = [thing.id for thing in edges if isinstance(thing, Edge)]

    def write(self, number: int) -> dict[str, object]:
        """One write and what it is acknowledged with; now and then the log is emptied before it."""
        if self.rng.random() < 0.01:
            self.kernel.store.database.forget_log()
        operation = self.rng.choices(OPERATIONS, ODDS)[0]
        if operation in ("update", "delete") and self.entries:
            return getattr(self, operation)(number)
        if operation == "cut" and self.edges:
            return self.cut(number)
        return self.relate(number) if operation == "relate" else self.store(number)

    def text(self, number: int) -> str:
        """Mostly a line, sometimes more than a page of the database holds."""
        length = 12_000 if self.rng.random() < 0.05 else self.rng.randrange(20, 400)
        return f"{self.actor} {number} " + self.rng.randbytes(length // 2).hex()

    def store(self, number: int) -> dict[str, object]:
        body = self.text(number)
        version = store_entry(self.kernel, NewEntry(title=self.name, body=body), actor=self.actor).version
        self.entries.append(version.id)
        return {"op": "store", "id": version.id, "tx": version.tx, "content": digest(self.name, body)}

    def update(self, number: int) -> dict[str, object]:
        id, body = self.rng.choice(self.entries), self.text(number)
        version = update_entry(self.kernel, id, EntryChange(body=body), actor=self.actor).version
        return {"op": "update", "id": id, "tx": version.tx, "content": digest(self.name, body)}

    def delete(self, number: int) -> dict[str, object]:
        id = self.entries.pop(self.rng.randrange(len(self.entries)))
        _, _, tx = delete_entry(self.kernel, id, actor=self.actor)
        return {"op": "delete", "id": id, "tx": tx, "content": None}

    def relate(self, number: int) -> dict[str, object]:
        """Everybody's edges leave the same entity, so that writers meet in one place."""
        predicate, target = f"{self.name}-{number % 10}", f"{self.actor} {number}"
        claim = Claim(subject=HUB, predicate=predicate, object=target, multi=True)
        related = relate(self.kernel, claim, actor=self.actor)
        assert not isinstance(related, ClaimConflict)
        self.edges.append(related.version.id)
        ack = {"op": "relate", "id": related.version.id, "tx": related.version.tx}
        return {**ack, "content": [HUB, predicate, target]}

    def cut(self, number: int) -> dict[str, object]:
        id = self.edges.pop(self.rng.randrange(len(self.edges)))
        _, tx = delete_edge(self.kernel, id, actor=self.actor)
        return {"op": "cut", "id": id, "tx": tx, "content": None}


def _begin(life: Callable[[], Writer]) -> Writer:
    """The database may be killed while a life begins, as at any moment: whoever is told to try again does."""
    ends = monotonic() + PATIENCE
    while True:
        try:
            return life()
        except Refusal as refusal:
            if refusal.failure is not Failure.UNAVAILABLE or monotonic() > ends:
                raise


def main(data: str, name: str, life: str, seed: str, numbers: str) -> None:
    first, last = map(int, numbers.split("-"))
    writer = _begin(lambda: Writer(Path(data), name, int(life), int(seed)))
    for number in range(first, last + 1):
        try:
            line = {"life": writer.actor, "number": number, **writer.write(number)}
        except Refusal as refusal:
            line = {"life": writer.actor, "number": number, "refused": refusal.failure.code, "why": refusal.message}
        os.write(1, (json.dumps(line) + "\n").encode())
    writer.kernel.store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
