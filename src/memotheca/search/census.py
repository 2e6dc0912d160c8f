"""Census: how many entries of each kind and edges of each type there are, counted once and then by what changed."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.projection import Projection
from memotheca.storage.counts import Turn, count_heads, read_turns
from memotheca.storage.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Census:
    """The numbers at a snapshot."""

    entries: Counter[str]
    edges: Counter[str]

    def nodes(self, kinds: Iterable[str]) -> int:
        return sum(self.entries[kind] for kind in kinds)


class _FollowedCensus(Projection[Census, list[Turn]]):
    """What this process has counted of a collection."""

    def load(self, snapshot: Snapshot) -> Census:
        counts = count_heads(snapshot)
        return Census(counts["entry"], counts["edge"])

    def read(self, snapshot: Snapshot, after: int, held: Census) -> list[Turn] | None:
        """What was born and what died; not where something was erased, since nobody can tell if it lived."""
        turns = read_turns(snapshot, after)
        return None if any(turn.is_erased for turn in turns) else turns

    def apply(self, held: Census, changes: list[Turn]) -> Census:
        counts = {"entry": Counter(held.entries), "edge": Counter(held.edges)}
        for turn in changes:
            if turn.before is not None:
                counts[turn.subject][turn.before] -= 1
            if turn.after is not None:
                counts[turn.subject][turn.after] += 1
        return Census(counts["entry"], counts["edge"])


def take_census(kernel: Kernel, snapshot: Snapshot) -> Census:
    """How many there are; exact, and the same in every process."""
    return kernel.keep(_FollowedCensus, kernel.collection).at(snapshot)
