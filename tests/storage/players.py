"""Somebody who does whatever a property test thinks up, through the engine, and remembers how things stood."""

import itertools
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from memotheca.admin.erasure import erase
from memotheca.admin.history import undo
from memotheca.entries.edges import RESOLUTIONS, Claim, ClaimConflict, delete_edge, relate, settle
from memotheca.entries.entries import EntryChange, NewEntry, delete_entry, store_entry, update_entry
from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Refusal
from memotheca.model.kinds import KINDS
from memotheca.model.knowledge import Thing
from memotheca.storage.journal import compare_heads, dump
from memotheca.storage.snapshot import EdgePattern
from memotheca.storage.store import Store

NAMES = ("Ada", "ﬁnch", "FINCH", "Straße")
PREDICATES = ("knows", "drinks", "supported_by")
TEXTS = ("·", "black", "with milk\n", "naïve 🫖", "x" * 5000)
TYPES = ("observation", "hypothesis", "fact", None)

Heads = dict[str, tuple[int, Thing]]
Move = tuple[str, int, int, int]

_collections = itertools.count()


def fresh_kernel(store: Store) -> Kernel:
    """A collection of its own is as good as a database of its own, and quicker."""
    return Kernel(store, f"collection-{next(_collections)}")


def moves(*names: str, most: int = 16) -> st.SearchStrategy[list[Move]]:
    """What to do, each with three numbers that choose among what is there."""
    picks = st.integers(0, 5)
    return st.lists(st.tuples(st.sampled_from(names), picks, picks, picks), max_size=most)


CHANGES = ("store", "store", "relate", "relate", "update", "settle", "delete", "rename", "cut")


def heads(kernel: Kernel, as_of: int | None = None) -> Heads:
    """Everything alive, with the transaction that made it so."""
    with kernel.read() as snapshot:
        found = [*snapshot.entries(KINDS, as_of=as_of), *snapshot.edges(EdgePattern(), as_of=as_of)]
    return {version.id: (version.tx, version.thing) for version in found if version.thing is not None}


def things(kernel: Kernel) -> dict[str, Thing]:
    """Everything alive, whichever transaction made it so."""
    return {id: thing for id, (_, thing) in heads(kernel).items()}


_IDS = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


def retold(kernel: Kernel) -> list[str]:
    """Everything that happened in a collection, its ids by the order in which they appear."""
    with kernel.read() as snapshot:
        lines = list(dump(snapshot.session, kernel.collection, snapshot.tx))
        assert compare_heads(snapshot.session, kernel.collection) == []
    known: dict[str, str] = {}
    return [_IDS.sub(lambda found: known.setdefault(found[0], f"<{len(known)}>"), json.dumps(line)) for line in lines]


def newest(kernel: Kernel) -> int:
    with kernel.read() as snapshot:
        return snapshot.tx


@dataclass
class Player:
    """Plays moves in one collection; a move that is refused must leave everything as it was."""

    kernel: Kernel
    entries: list[str] = field(default_factory=list)
    edges: list[str] = field(default_factory=list)
    clashes: list[ClaimConflict] = field(default_factory=list)
    states: dict[int, Heads] = field(default_factory=dict)

    def play(self, moves: list[Move]) -> None:
        self.states.setdefault(newest(self.kernel), heads(self.kernel))
        for name, *picks in moves:
            before = newest(self.kernel)
            move: Callable[..., Any] = getattr(self, name)
            try:
                move(*picks)
            except Refusal:
                assert newest(self.kernel) == before
                assert heads(self.kernel) == self.states[before]
            self.states[newest(self.kernel)] = heads(self.kernel)

    def store(self, title: int, text: int, type: int) -> None:
        new = NewEntry(
            title=NAMES[title % len(NAMES)],
            body=TEXTS[text % len(TEXTS)],
            confidence=1.0,
            knowledge_type=TYPES[type % len(TYPES)],
        )
        written = store_entry(self.kernel, new, actor="player")
        self.entries.append(written.version.id)

    def update(self, which: int, text: int, type: int) -> None:
        change = EntryChange(body=TEXTS[text % len(TEXTS)], tags=(str(type),), knowledge_type=TYPES[type % len(TYPES)])
        update_entry(self.kernel, _pick(self.entries, which), change, actor="player")

    def rename(self, which: int, title: int, _: int) -> None:
        """An entity keeps the name it is found by, but not the title it is shown with."""
        update_entry(
            self.kernel, f"entity:{NAMES[which % len(NAMES)]}", EntryChange(title=f"name {title}"), actor="player"
        )

    def delete(self, which: int, kind: int, _: int) -> None:
        handle = _pick(self.entries, which) if kind % 2 else f"entity:{NAMES[which % len(NAMES)]}"
        delete_entry(self.kernel, handle, actor="player")

    def relate(self, subject: int, object: int, how: int) -> None:
        """Clashes on purpose, since a predicate has one object unless `multi` says otherwise."""
        predicate = PREDICATES[how % len(PREDICATES)]
        if predicate == "supported_by":
            ends = _pick(self.entries, subject), _pick(self.entries, object)
        else:
            ends = NAMES[subject % len(NAMES)], NAMES[object % len(NAMES)]
        claim = Claim(subject=ends[0], predicate=predicate, object=ends[1], confidence=how / 5, multi=how > 2)
        related = relate(self.kernel, claim, actor="player")
        if isinstance(related, ClaimConflict):
            self.clashes.append(related)
        else:
            self.edges.append(related.version.id)

    def settle(self, which: int, resolution: int, object: int) -> None:
        if not self.clashes:
            self.relate(which, object, 0)
        if self.clashes:
            clash = self.clashes.pop(which % len(self.clashes))
            chosen = RESOLUTIONS[resolution % len(RESOLUTIONS)]
            related = settle(self.kernel, clash.conflict_id, chosen, clash.incoming, actor="player")
            self.edges.append(related.version.id)

    def cut(self, which: int, _: int, __: int) -> None:
        delete_edge(self.kernel, _pick(self.edges, which), actor="player")

    def undo(self, count: int, tx: int, named: int) -> None:
        undo(self.kernel, count=count % 3 + 1, tx=tx + 1 if named % 2 else None, actor="player")

    def erase(self, which: int, kind: int, _: int) -> None:
        erase(self.kernel, _pick(self.edges if kind % 3 == 0 else self.entries, which), actor="player")


def _pick(known: list[str], which: int) -> str:
    return known[which % len(known)] if known else "nothing"
