"""Census: how many entries of each kind and edges of each type there are, counted once and then by what changed."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import Lock

from memotheca.kernel.kernel import Kernel
from memotheca.storage.counts import count_heads, read_turns
from memotheca.storage.snapshot import Snapshot

MANY = 5_000


@dataclass(frozen=True, slots=True)
class Census:
    """The numbers at a snapshot."""

    entries: Counter[str]
    edges: Counter[str]

    def nodes(self, kinds: Iterable[str]) -> int:
        return sum(self.entries[kind] for kind in kinds)


@dataclass(slots=True)
class _Counted:
    """What this process has counted of a collection, and up to which transaction."""

    tx: int = 0
    counts: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    guard: Lock = field(default_factory=Lock)

    def catch_up(self, snapshot: Snapshot) -> Census:
        with self.guard:
            if self.tx > snapshot.tx:
                return _census(count_heads(snapshot))
            if not self.tx or snapshot.tx - self.tx > MANY or not self._follow(snapshot):
                self.counts = count_heads(snapshot)
            self.tx = snapshot.tx
            return _census(self.counts)

    def _follow(self, snapshot: Snapshot) -> bool:
        """Take in what was born and what died; not where something was erased, since nobody can tell if it lived."""
        turns = read_turns(snapshot, self.tx)
        if any(turn.is_erased for turn in turns):
            return False
        for turn in turns:
            counts = self.counts[turn.subject]
            if turn.before is not None:
                counts[turn.before] -= 1
            if turn.after is not None:
                counts[turn.after] += 1
        return True


def _census(counts: dict[str, Counter[str]]) -> Census:
    return Census(Counter(counts["entry"]), Counter(counts["edge"]))


def take_census(kernel: Kernel, snapshot: Snapshot) -> Census:
    """How many there are; exact, and the same in every process."""
    return kernel.keep(_Counted, kernel.collection).catch_up(snapshot)
