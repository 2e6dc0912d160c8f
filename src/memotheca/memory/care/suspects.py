"""Suspects: which important memories glue together what has nothing to do with each other. Each is examined once and
followed by the journal, so that to ask again costs what has changed since (memory-model: Semantic cancer)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.projection import Projection
from memotheca.memory.graph.balance import Scattering, limits_of, scattering_of
from memotheca.memory.graph.cancer import FEWEST, Examined
from memotheca.model.kinds import TEMPORAL
from memotheca.model.knowledge import Edge, Entry
from memotheca.storage.adjacency import with_edges
from memotheca.storage.snapshot import Snapshot

FOLLOWED = 2_000  # chosen: after more changes of edges everything is examined anew
ALONE = Scattering(None, 0, frozenset())


@dataclass(slots=True)
class _Examinations:
    """What was found around some entries, each with its domain, and around whom each entry was found."""

    known: dict[str, tuple[Scattering, str | None]] = field(default_factory=dict[str, tuple[Scattering, str | None]])
    beside: dict[str, set[str]] = field(default_factory=dict[str, set[str]])

    def note(self, id: str, found: Scattering, domain: str | None) -> None:
        self.known[id] = (found, domain)
        for other in found.looked_at:
            self.beside.setdefault(other, set()).add(id)

    def forget(self, id: str) -> None:
        found, _ = self.known.pop(id, (ALONE, None))
        for other in found.looked_at:
            self.beside[other].discard(id)
            if not self.beside[other]:
                del self.beside[other]


@dataclass(frozen=True, slots=True)
class _Changes:
    """Entries that changed, and the ends of edges that did."""

    entries: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]


class SuspectWatch(Projection[_Examinations, _Changes]):
    """The examinations of a collection as this process has made them."""

    def load(self, snapshot: Snapshot) -> _Examinations:
        return _Examinations()

    def read(self, snapshot: Snapshot, after: int, held: _Examinations) -> _Changes | None:
        changed = snapshot.changed_after(after)
        edges = [id for id, subject, _ in changed if subject == "edge"]
        if len(edges) > FOLLOWED:
            return None
        versions = [snapshot.versions_at(edges, tx) for tx in (after, snapshot.tx)] if edges else []
        things = [version.thing for found in versions for version in found.values()]
        pairs = {(each.source, each.target) for each in things if isinstance(each, Edge)}
        return _Changes(tuple(id for id, subject, _ in changed if subject == "entry"), tuple(pairs))

    def apply(self, held: _Examinations, changes: _Changes) -> _Examinations:
        for id in changes.entries:
            held.forget(id)
        for source, target in changes.pairs:
            # An edge tells of its ends, and of whoever has both of them beside it.
            for id in {source, target} | (held.beside.get(source, set()) & held.beside.get(target, set())):
                held.forget(id)
        return held

    def find(self, snapshot: Snapshot, ranked: Sequence[tuple[str, float]], most: int) -> list[tuple[str, Examined]]:
        """The first so many suspects among some entries with their importance."""
        found: list[tuple[str, Examined]] = []
        limits: dict[str | None, tuple[float, float]] = {}
        with self.guard:
            held = self.at(snapshot)
            _note_lone(snapshot, held, [id for id, _ in ranked if id not in held.known])
            for id, importance in ranked:
                if id not in held.known:
                    entry = snapshot.entry(id)
                    domain = entry.attributes.get("domain") if isinstance(entry, Entry) else None
                    held.note(id, scattering_of(snapshot, id), domain)
                around, domain = held.known[id]
                if around.entropy is None:
                    continue
                if domain not in limits:
                    limits[domain] = limits_of(snapshot, domain)
                examined = Examined(importance, around.entropy, around.neighbours, limits[domain])
                found += [(id, examined)] if examined.is_cancer else []
                if len(found) == most:
                    break
        return found


def _note_lone(snapshot: Snapshot, held: _Examinations, ids: Sequence[str]) -> None:
    """Most have too few edges for anything to be told; that is asked of all of them at once."""
    connected = with_edges(snapshot, ids, at_least=FEWEST, without=TEMPORAL) if ids else set[str]()
    for id in ids:
        if id not in connected:
            held.note(id, ALONE, None)


def find_suspects(
    kernel: Kernel, snapshot: Snapshot, ranked: Sequence[tuple[str, float]], *, most: int
) -> tuple[tuple[str, Examined], ...]:
    """The first so many of some entries that are important and stand between strangers."""
    return tuple(kernel.keep(SuspectWatch, kernel.collection).find(snapshot, ranked, most))
